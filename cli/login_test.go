package cli_test

import (
	"bufio"
	"bytes"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ahptui/internal/testkit"
)

// follow does the browser's part of a sign-in.
func follow(t *testing.T, address, decision string) {
	t.Helper()
	if _, err := testkit.AnswerForm(t.Context(), address, decision); err != nil {
		t.Fatalf("the browser's part: %v", err)
	}
}

type loginEvent struct {
	Event  string   `json:"event"`
	URL    string   `json:"url"`
	Scopes []string `json:"scopes"`
	Step   string   `json:"step"`
	Error  string   `json:"error"`
}

// login runs mcp login and answers the form where it leads.
func login(t *testing.T, s *served, decision string, args ...string) ([]loginEvent, int) {
	t.Helper()
	args = append([]string{"mcp", "login", "tracker", "--no-browser", "--json", "--url", s.URL, "--token-file", s.tokenFile}, args...)
	cmd := exec.Command(built(t), args...)
	cmd.Env = testkit.Environ(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var events []loginEvent
	for lines := bufio.NewScanner(out); lines.Scan(); {
		e := decode[loginEvent](t, lines.Text())
		events = append(events, e)
		if e.Event == "open_url" {
			follow(t, e.URL, decision)
		}
	}
	_ = cmd.Wait()
	if leak := regexp.MustCompile(`access_token|Bearer \w|code=\w{16}`).FindString(errOut.String()); leak != "" {
		t.Errorf("a secret is on stderr: %s", leak)
	}
	return events, cmd.ProcessState.ExitCode()
}

func names(events []loginEvent) []string {
	list := make([]string, 0, len(events))
	for _, e := range events {
		list = append(list, e.Event)
	}
	return list
}

// TestLogin: without consent nothing begins; with it the server becomes ready,
// and the call that then needs more gets that with the union of the scopes.
func TestLogin(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})

	if events, code := login(t, s, "approve"); code != 4 || slices.Contains(names(events), "open_url") {
		t.Errorf("without consent: exit %d, %v; want 4 and no address", code, names(events))
	}
	if events, code := login(t, s, "deny", "--yes"); code != 1 || events[len(events)-1].Step != "authorization" {
		t.Errorf("denied: exit %d, %+v; want 1 and the step", code, events)
	}
	want := []string{"consent", "open_url", "waiting", "exchanging", "authenticated", "ready"}
	events, code := login(t, s, "approve", "--yes")
	if code != 0 || !slices.Equal(names(events), want) {
		t.Fatalf("exit %d, %v; want 0 and %v", code, names(events), want)
	}
	awaitStates(t, s, map[string]string{"tracker": "ready"})

	// The agent goes on to a call that needs more. The command knows nothing of
	// the first token, so it asks for what is required.
	for deadline := time.Now().Add(testkit.Patience); time.Now().Before(deadline); {
		if events, code = login(t, s, "approve", "--yes"); len(events) > 1 {
			break
		}
	}
	if code != 0 || !slices.Contains(events[0].Scopes, "tracker:write") {
		t.Errorf("step-up: exit %d, %+v; want tracker:write", code, events)
	}
}

// TestGrantInTerminal: the call that auth has stopped is selected when the
// program opens; g and Enter begin, the browser's part is done, and the call goes
// on; the step-up needs g alone, and asks for both scopes.
func TestGrantInTerminal(t *testing.T) {
	t.Parallel()
	term := testkit.StartCommand(t, testkit.Size{Cols: 80, Rows: 24}, exec.Command(built(t), "demo"))
	term.WaitFor(t, testkit.Patience, "tracker.list", "needs access", "tracker:read")
	waitQuiet(t, term)
	term.Type("g")
	term.WaitFor(t, testkit.Patience, "allow and sign in", "127.0.0.1", "tracker:read")
	waitQuiet(t, term)
	term.Key(t, "enter")
	follow(t, addressOn(t, term), "approve")
	term.WaitFor(t, testkit.Patience, "tracker.create", "tracker:write", "needs access")
	waitQuiet(t, term)
	term.Type("g")
	address := addressOn(t, term)
	if u, err := url.Parse(address); err != nil || u.Query().Get("scope") != "tracker:read tracker:write" {
		t.Errorf("the step-up asks for %q", u.Query().Get("scope"))
	}
	follow(t, address, "approve")
	term.WaitFor(t, testkit.Patience, "notes.add", "Allow once")
	if strings.Contains(term.Screen(), "needs access") {
		t.Errorf("something still needs access:\n%s", term.Screen())
	}
}

// addressOn reads the address of a sign-in from the screen, where it stands
// whole, broken at the width alone.
func addressOn(t *testing.T, term *testkit.Command) string {
	t.Helper()
	begin := regexp.MustCompile(`(?m)^http://127\.0\.0\.1:\d+/authorize`)
	screen := term.WaitUntil(t, testkit.Patience, "the address is on the screen", begin.MatchString)
	var address strings.Builder
	for _, line := range strings.Split(screen[begin.FindStringIndex(screen)[0]:], "\n") {
		address.WriteString(strings.TrimSpace(line))
		if len(line) < 80 {
			break
		}
	}
	return address.String()
}
