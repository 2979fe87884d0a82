package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
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

	UserCode  string `json:"user_code"`
	URI       string `json:"verification_uri"`
	Complete  string `json:"verification_uri_complete"`
	ExpiresIn int64  `json:"expires_in"`
}

// login runs mcp login by the browser and answers the form where it leads.
func login(t *testing.T, s *served, decision string, args ...string) ([]loginEvent, int) {
	t.Helper()
	return driveLogin(t, s, nil, nil, func(e loginEvent, _ io.Writer) {
		if e.Event == "open_url" {
			follow(t, e.URL, decision)
		}
	}, append(args, "--no-browser")...)
}

// driveLogin signs in to the tracker in an environment, with what stdin holds (nothing
// where it is nil) and then what react writes to it at each event.
func driveLogin(t *testing.T, s *served, env []string, stdin io.Reader, react func(loginEvent, io.Writer), args ...string) ([]loginEvent, int) {
	t.Helper()
	return driveLoginTo(t, s, "tracker", env, stdin, react, args...)
}

func driveLoginTo(t *testing.T, s *served, name string, env []string, stdin io.Reader, react func(loginEvent, io.Writer), args ...string) ([]loginEvent, int) {
	t.Helper()
	cmd := command(t, env, append([]string{"mcp", "login", name, "--json", "--url", s.URL, "--token-file", s.tokenFile}, args...)...)
	var in io.Writer
	if cmd.Stdin = stdin; stdin == nil {
		pipe, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = pipe.Close() }()
		in = pipe
	}
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
		react(e, in)
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

// TestLoginByDevice: over SSH the code is what one gets without a flag.
func TestLoginByDevice(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]struct {
		env, args []string
	}{
		"asked for": {args: []string{"--device", "--yes"}},
		"over SSH":  {env: []string{"SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"}, args: []string{"--yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "--demo")
			awaitStates(t, s, map[string]string{"tracker": "authRequired"})
			events, code := driveLogin(t, s, how.env, nil, func(e loginEvent, _ io.Writer) {
				if e.Event != "user_code" {
					return
				}
				if e.UserCode == "" || e.URI == "" || e.ExpiresIn <= 0 || !strings.Contains(e.Complete, e.UserCode) {
					t.Errorf("the code is told as %+v", e)
				}
				follow(t, e.Complete, "approve")
			}, how.args...)
			if want := []string{"consent", "user_code", "authenticated", "ready"}; code != 0 || !slices.Equal(names(events), want) {
				t.Errorf("exit %d, %+v; want 0 and %v", code, events, want)
			}
		})
	}
}

// landing does the browser's part of a sign-in on another machine: it approves, and
// returns the address at which the browser ends, where nothing answers it.
func landing(t *testing.T, address string) string {
	t.Helper()
	var landed string
	client := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		landed = r.URL.String()
		return http.ErrUseLastResponse
	}}
	get := func(r *http.Request) string {
		response, err := client.Do(r)
		if err != nil {
			t.Fatalf("the browser's part: %v", err)
		}
		defer func() { _ = response.Body.Close() }()
		page, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatalf("the browser's part: %v", err)
		}
		return string(page)
	}
	request := func(method, address string, form url.Values) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	page := get(request(http.MethodGet, address, nil))
	form := url.Values{"decision": {"approve"}}
	for _, field := range regexp.MustCompile(`<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	action := regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(page)
	base, err := url.Parse(address)
	if err != nil || action == nil {
		t.Fatalf("there is no form at %s: %v\n%s", address, err, page)
	}
	target, err := base.Parse(html.UnescapeString(action[1]))
	if err != nil {
		t.Fatal(err)
	}
	r := request(http.MethodPost, target.String(), form)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.URL.Host)
	get(r)
	return landed
}

// TestLoginByPaste: what is no answer to this sign-in is refused, each with its
// reason, and loses nothing; with nobody to paste, a person is missing.
func TestLoginByPaste(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	nothing := func(loginEvent, io.Writer) {}
	if events, code := driveLogin(t, s, nil, strings.NewReader(""), nothing, "--paste", "--yes"); code != 4 {
		t.Errorf("with nobody there: exit %d, %v; want 4", code, names(events))
	}
	var address, landed string
	var refused []string
	events, code := driveLogin(t, s, nil, nil, func(e loginEvent, in io.Writer) {
		switch e.Event {
		case "open_url":
			address = e.URL
		case "waiting":
			_, _ = io.WriteString(in, "a-bare-code\n")
		case "paste_refused":
			refused = append(refused, e.Error)
			switch len(refused) {
			case 1: // the answer to another sign-in
				landed = landing(t, address)
				other := regexp.MustCompile(`state=[^&]*`).ReplaceAllString(landed, "state=another")
				_, _ = io.WriteString(in, other+"\n")
			case 2:
				_, _ = io.WriteString(in, "\n"+landed+"\n")
			}
		}
	}, "--paste", "--yes")
	want := []string{"consent", "open_url", "waiting", "paste_refused", "paste_refused", "exchanging", "authenticated", "ready"}
	if code != 0 || !slices.Equal(names(events), want) {
		t.Errorf("exit %d, %+v; want 0 and %v", code, events, want)
	}
	why := []string{"a code alone is not taken", "the address is of another sign-in: its state is not the one that is waited for"}
	for i, text := range why {
		if i >= len(refused) || !strings.Contains(refused[i], text) {
			t.Errorf("refused with %q, want %q", refused, why)
		}
	}
}

// TestLoginByTokenFile: a token from elsewhere goes to the host, which refuses one
// that its server does not know; a file that others can read is not taken.
func TestLoginByTokenFile(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	file := filepath.Join(t.TempDir(), "access")
	const canary = "canary-8c1f"
	if err := os.WriteFile(file, []byte(canary+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nothing := func(loginEvent, io.Writer) {}
	if events, code := driveLogin(t, s, nil, nil, nothing, "--access-token-file", file); code != 4 || slices.Contains(names(events), "supplying") {
		t.Errorf("without consent: exit %d, %v; want 4 and no token", code, names(events))
	}
	events, code := driveLogin(t, s, nil, nil, nothing, "--access-token-file", file, "--yes")
	if want := []string{"consent", "supplying", "authenticated", "failed"}; code != 1 || !slices.Equal(names(events), want) {
		t.Errorf("exit %d, %+v; want 1 and %v", code, events, want)
	}
	for _, e := range events {
		if strings.Contains(fmt.Sprint(e), canary) {
			t.Errorf("the token is printed: %+v", e)
		}
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	events, code = driveLogin(t, s, nil, nil, nothing, "--access-token-file", file, "--yes")
	if last := events[len(events)-1]; code != 1 || last.Event != "failed" || slices.Contains(names(events), "authenticated") {
		t.Errorf("readable by others: exit %d, %+v; want 1 and why", code, events)
	}
}

// TestGrantInTerminal: the call that auth has stopped is selected when the
// program opens; g and Enter begin, the browser's part is done, and the call goes
// on; the step-up needs g alone, and asks for both scopes.
func TestGrantInTerminal(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(built(t), "demo")
	cmd.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=") // no browser of this machine, but by a key
	term := testkit.StartCommand(t, testkit.Size{Cols: 80, Rows: 24}, cmd)
	term.WaitFor(t, testkit.Patience, "tracker.list", "needs access", "tracker:read")
	waitQuiet(t, term)
	term.Type("g")
	term.WaitFor(t, testkit.Patience, "allow and sign in", "127.0.0.1", "tracker:read")
	waitQuiet(t, term)
	term.Type("b")
	term.Key(t, "enter")
	follow(t, addressOn(t, term), "approve")
	term.WaitFor(t, testkit.Patience, "tracker.create", "tracker:write", "needs access")
	waitQuiet(t, term)
	term.Type("g")
	term.WaitFor(t, testkit.Patience, "and type this code there")
	term.Type("b")
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
