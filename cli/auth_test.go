package cli_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/testkit"
)

// home is the home directory of somebody who runs several commands.
type home struct{ dir string }

func newHome(t *testing.T) home { return home{t.TempDir()} }

// env is what the commands are run with; nothing of a keyring is in it.
func (h home) env() []string {
	return []string{
		"HOME=" + h.dir, "USERPROFILE=" + h.dir, "XDG_STATE_HOME=" + filepath.Join(h.dir, "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(h.dir, "config"), "DBUS_SESSION_BUS_ADDRESS=disabled:", "XDG_RUNTIME_DIR=",
	}
}

// run runs a command without a host.
func (h home) run(t *testing.T, args ...string) ran {
	t.Helper()
	return run(t, h.env(), append([]string{"auth"}, args...)...)
}

// runOn runs a command on a host.
func (h home) runOn(t *testing.T, s *served, args ...string) ran {
	t.Helper()
	return run(t, h.env(), append(args, "--url", s.URL, "--token-file", s.tokenFile, "--json")...)
}

// configure writes the configuration file.
func (h home) configure(t *testing.T, text string) {
	t.Helper()
	dir := filepath.Join(h.dir, "config", "ahptui")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// loginByDevice signs in to the tracker, and answers the form where that leads.
func (h home) loginByDevice(t *testing.T, s *served) []loginEvent {
	t.Helper()
	events, code := driveLogin(t, s, h.env(), nil, func(e loginEvent, _ io.Writer) {
		if e.Event == "user_code" {
			follow(t, e.Complete, "approve")
		}
	}, "--device", "--yes")
	if code != 0 || events[len(events)-1].Event != "ready" {
		t.Fatalf("login: exit %d, %+v", code, events)
	}
	return events
}

type signInRow struct {
	Host        string    `json:"host"`
	Resource    string    `json:"resource"`
	Server      string    `json:"server"`
	State       string    `json:"state"`
	Issuer      string    `json:"issuer"`
	Client      string    `json:"client"`
	Scopes      []string  `json:"scopes"`
	Expires     time.Time `json:"expires"`
	Expired     bool      `json:"expired"`
	Refreshable bool      `json:"refreshable"`
	Store       string    `json:"store"`
}

func (h home) signIns(t *testing.T, args ...string) []signInRow {
	t.Helper()
	got := h.run(t, append([]string{"ls", "--json"}, args...)...)
	if got.code != 0 {
		t.Fatalf("auth ls: exit %d, %s", got.code, got.err)
	}
	return decode[[]signInRow](t, got.out)
}

type signOutResult struct {
	Tokens []struct {
		Resource string `json:"resource"`
		Revoked  bool   `json:"revoked"`
		Reason   string `json:"reason"`
	} `json:"tokens"`
	Hosts []struct {
		Host     string `json:"host"`
		Resource string `json:"resource"`
		Emptied  bool   `json:"emptied"`
		Error    string `json:"error"`
	} `json:"hosts"`
}

// tokensOnDisk are the secrets in the file of tokens.
func (h home) tokensOnDisk(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, "state", "ahptui", "auth", "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile(`"(?:access|refresh)":"([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
		all = append(all, m[1])
	}
	return all
}

// hostForgets has the host drop the token for a resource, behind the commands' back.
func hostForgets(t *testing.T, s *served, resource string) {
	t.Helper()
	client := watch(t, s)
	await(t, client, "connected", func(v *ahpclient.View) bool { return v.Connection.Phase == ahpclient.Connected })
	if err := client.Authenticate(t.Context(), auth.Emptied(resource)); err != nil {
		t.Fatal(err)
	}
}

// TestSignInLife: a sign-in by a code, seen by the next process, handed over
// without a question when the host has lost it, and signed out of for good.
func TestSignInLife(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("tokens are not kept in a file there")
	}
	h, s := newHome(t), serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	var printed []ran
	on := func(args ...string) ran {
		got := h.runOn(t, s, args...)
		printed = append(printed, got)
		return got
	}
	if got := h.run(t, "store", "file", "--json"); got.code != 0 || !strings.Contains(got.out, `"place":"file"`) {
		t.Fatalf("auth store file: exit %d, %s%s", got.code, got.out, got.err)
	}
	h.loginByDevice(t, s)
	awaitStates(t, s, map[string]string{"tracker": "ready"})
	canaries := h.tokensOnDisk(t)
	if len(canaries) != 2 {
		t.Fatalf("on disk are %d secrets, want an access and a refresh token", len(canaries))
	}

	rows := h.signIns(t)
	if len(rows) != 1 {
		t.Fatalf("auth ls: %+v", rows)
	}
	row := rows[0]
	want := signInRow{
		Host: s.URL + "/", Server: "tracker", State: "held", Scopes: []string{"tracker:read"}, Refreshable: true, Store: "file",
		Resource: row.Resource, Issuer: row.Issuer, Client: row.Client, Expires: row.Expires,
	}
	if diff := cmp.Diff(want, row); diff != "" || row.Issuer == "" || row.Client == "" || !row.Expires.After(time.Now()) {
		t.Errorf("auth ls (-want +got):\n%s", diff)
	}
	h.checkModes(t)

	// A host that has lost the token gets it again, and nobody is asked.
	hostForgets(t, s, row.Resource)
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	if got := on("auth", "token-source", "tracker"); !strings.Contains(got.out, `"source":"stored"`) || !strings.Contains(got.out, `"person":false`) {
		t.Errorf("token-source: %s%s", got.out, got.err)
	}
	events, code := driveLogin(t, s, h.env(), strings.NewReader(""), func(loginEvent, io.Writer) {})
	if code != 0 || !slices.Equal(names(events), []string{"authenticated", "ready"}) {
		t.Errorf("with a token held: exit %d, %+v", code, events)
	}

	got := on("auth", "logout", "tracker")
	out := decode[signOutResult](t, got.out)
	if got.code != 0 || len(out.Tokens) != 1 || !out.Tokens[0].Revoked || len(out.Hosts) != 1 || !out.Hosts[0].Emptied {
		t.Errorf("logout: exit %d, %s%s", got.code, got.out, got.err)
	}
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	if rows := h.signIns(t); len(rows) != 0 {
		t.Errorf("after logout: %+v", rows)
	}
	if rows := h.signIns(t, "--all"); len(rows) != 1 || rows[0].State != "signedOut" || rows[0].Server != "tracker" {
		t.Errorf("after logout, with --all: %+v", rows)
	}
	if got := on("auth", "token-source", "tracker"); !strings.Contains(got.out, "you signed out of it") {
		t.Errorf("token-source after logout: %s", got.out)
	}
	if left := h.tokensOnDisk(t); len(left) != 0 {
		t.Error("tokens are on disk after logout")
	}
	on("auth", "status")
	on("auth", "ls", "--all")
	for _, p := range printed {
		for _, canary := range canaries {
			if strings.Contains(p.out+p.err, canary) {
				t.Errorf("a token is printed: %s%s", p.out, p.err)
			}
		}
	}
}

// checkModes: what is kept is open to nobody else.
func (h home) checkModes(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(h.dir, "state", "ahptui", "auth"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o, want %04o", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSignOutOfSession: a token that ended with the command which got it is still
// named, and taken from the host that holds it.
func TestSignOutOfSession(t *testing.T) {
	t.Parallel()
	h, s := newHome(t), serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	h.loginByDevice(t, s)
	rows := h.signIns(t)
	if len(rows) != 1 || rows[0].State != "agreed" || rows[0].Host != s.URL+"/" || rows[0].Resource == "" || rows[0].Store != "" {
		t.Fatalf("auth ls: %+v", rows)
	}
	if got := run(t, h.env(), "__complete", "auth", "logout", ""); !strings.Contains(got.out, "tracker\n"+rows[0].Resource+"\n") {
		t.Errorf("completion of auth logout: %s%s", got.out, got.err)
	}
	if text := h.run(t, "ls").out; !strings.Contains(text, "agreed") || !strings.Contains(text, "tokens are kept in this program until it ends") {
		t.Errorf("auth ls for people:\n%s", text)
	}
	got := h.run(t, "logout", "--all")
	if got.code != 0 || !strings.Contains(got.out, "was not told") {
		t.Errorf("without the host: exit %d, %s%s", got.code, got.out, got.err)
	}
	got = h.runOn(t, s, "auth", "logout", "--all")
	if out := decode[signOutResult](t, got.out); got.code != 0 || len(out.Tokens) != 0 || len(out.Hosts) != 1 || !out.Hosts[0].Emptied {
		t.Errorf("logout: exit %d, %s%s", got.code, got.out, got.err)
	}
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	if rows := h.signIns(t); len(rows) != 0 {
		t.Errorf("after logout: %+v", rows)
	}
}

// TestSignOutEnds: each way in which a sign-out ends has its exit code.
func TestSignOutEnds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"of nothing":         {[]string{"logout"}, 2, "sign out of what?"},
		"of one and all":     {[]string{"logout", "x", "--all"}, 2, "sign out of what?"},
		"of what nobody has": {[]string{"logout", "x"}, 1, `nothing is known of "x"`},
		"nobody is there":    {[]string{"logout", "--all", "--url", "ws://127.0.0.1:1"}, 5, "cannot be reached"},
		"an unknown store":   {[]string{"store", "cloud"}, 2, "it is one of keyring, file, session"},
		"no keyring":         {[]string{"store", "keyring"}, 1, "the system's keyring cannot be used"},
		"no such source":     {[]string{"token-source", "x"}, 1, `nothing is known of "x"`},
		"no address":         {[]string{"client-metadata"}, 2, "where will the document lie?"},
		"a bad address":      {[]string{"client-metadata", "--url", "http://me.example/a"}, 2, "the client id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := h.run(t, append(tt.args, "--json")...)
			if e := decode[jsonError](t, got.err); got.code != tt.code || !strings.Contains(e.Error, tt.says) {
				t.Errorf("exit %d, %+v; want %d and %q", got.code, e, tt.code, tt.says)
			}
		})
	}
	if got := h.run(t, "logout", "--all"); got.code != 0 || got.out != "there was nothing to sign out of\n" {
		t.Errorf("of all that is not there: exit %d, %s%s", got.code, got.out, got.err)
	}
}

// TestClientMetadata: the document, byte for byte, with the port that is
// configured.
func TestClientMetadata(t *testing.T) {
	t.Parallel()
	const document = `{
  "client_id": "https://me.example/ahptui.json",
  "client_name": "ahptui",
  "redirect_uris": [
    "http://127.0.0.1/callback"PORT
  ],
  "grant_types": [
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code"
  ],
  "response_types": [
    "code"
  ],
  "token_endpoint_auth_method": "none",
  "application_type": "native"
}
`
	h := newHome(t)
	want := strings.Replace(document, "PORT", "", 1)
	if got := h.run(t, "client-metadata", "--url", "https://me.example/ahptui.json"); got.code != 0 || got.out != want {
		t.Errorf("exit %d, %s\n%s", got.code, got.err, cmp.Diff(want, got.out))
	}
	h.configure(t, "[auth]\nclient_document = \"https://me.example/ahptui.json\"\nredirect_port = 8765\n")
	want = strings.Replace(document, "PORT", ",\n    \"http://127.0.0.1:8765/callback\"", 1)
	if got := h.run(t, "client-metadata"); got.code != 0 || got.out != want {
		t.Errorf("as configured: exit %d, %s\n%s", got.code, got.err, cmp.Diff(want, got.out))
	}
}

// TestConfiguredAuth: what the configuration file says is told, decides where
// tokens come from, and is refused with its line where it cannot be.
func TestConfiguredAuth(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("tokens are not kept in a file there")
	}
	h, s := newHome(t), serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	type source struct {
		Resource string `json:"resource"`
		Source   string `json:"source"`
		From     string `json:"from"`
		Client   string `json:"client"`
		Person   bool   `json:"person"`
		Why      string `json:"why"`
	}
	sources := func() source {
		t.Helper()
		got := h.runOn(t, s, "auth", "token-source")
		all := decode[[]source](t, got.out)
		if got.code != 0 || len(all) != 1 {
			t.Fatalf("token-source: exit %d, %s%s", got.code, got.out, got.err)
		}
		return all[0]
	}
	bare := sources()
	if want := (source{bare.Resource, "signIn", bare.From, "register", true, "there is no token for it yet"}); bare != want {
		t.Errorf("without a file: %+v, want %+v", bare, want)
	}
	h.configure(t, "[[auth.issuer]]\nissuer = \""+bare.From+"\"\nclient_id = \"client-1\"\nassume_pkce_s256 = true\n")
	if got := sources(); got.Client != "configured" {
		t.Errorf("with a client: %+v", got)
	}
	if got := h.run(t, "status", "--json"); !strings.Contains(got.out, `"rules":["assume_pkce_s256"]`) {
		t.Errorf("status: %s%s", got.out, got.err)
	}
	token := filepath.Join(h.dir, "token")
	if err := os.WriteFile(token, []byte("canary-4711\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.configure(t, "[[auth.token]]\nresource = \""+bare.Resource+"\"\nfile = \""+token+"\"\n")
	if got := sources(); got.Source != "supply" || got.From != "the file "+token || got.Client != "" {
		t.Errorf("with a supply: %+v", got)
	}
	// The tracker does not know that token. It is not handed over a third time.
	if got := h.run(t, "store", "file"); got.code != 0 {
		t.Fatalf("auth store file: %s", got.err)
	}
	for _, want := range [][]string{
		{"consent", "supplying", "authenticated", "failed"},
		{"authenticated", "refreshing", "person_needed", "supplying", "failed"},
		{"person_needed", "supplying", "failed"},
	} {
		events, code := driveLogin(t, s, h.env(), strings.NewReader(""), func(loginEvent, io.Writer) {}, "--yes")
		if code != 1 || !slices.Equal(names(events), want) {
			t.Errorf("with a bad token: exit %d, %+v, want 1 and %v", code, events, want)
		}
	}
	if rows := h.signIns(t); len(rows) != 1 || rows[0].State != "quarantined" {
		t.Errorf("with a bad token, auth ls: %+v", rows)
	}
	exposed := filepath.Join(h.dir, "exposed")
	if err := os.WriteFile(exposed, []byte("canary-4711\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.configure(t, "\n[[auth.issuer]]\nissuer = \""+bare.From+"\"\nclient_id = \"client-1\"\nclient_secret_file = \""+exposed+"\"\n")
	got := h.run(t, "status", "--json")
	if e := decode[jsonError](t, got.err); got.code != 2 || !strings.Contains(e.Error, "config.toml:2: auth.issuer:") || !strings.Contains(e.Error, "chmod 600") || strings.Contains(got.err, "canary") {
		t.Errorf("with a secret that others can read: exit %d, %s", got.code, got.err)
	}
	h.configure(t, "\n[auth]\nmethod = \"magic\"\n")
	for _, args := range [][]string{{"auth", "status"}, {"mcp", "login", "tracker", "--yes"}, {"auth", "logout", "--all"}} {
		got := h.runOn(t, s, args...)
		if e := decode[jsonError](t, got.err); got.code != 2 || !strings.Contains(e.Error, "config.toml:3: auth.method:") || e.Hint == "" {
			t.Errorf("%v: exit %d, %+v", args, got.code, e)
		}
	}
}

// TestLoginAtTerminal: a person is asked, and what is secret is not shown.
func TestLoginAtTerminal(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	cmd := command(t, nil, "mcp", "login", "tracker", "--access-token-file", "-", "--url", s.URL, "--token-file", s.tokenFile)
	term := testkit.StartCommand(t, testkit.Size{Cols: 100, Rows: 24}, cmd)
	term.WaitFor(t, testkit.Patience, "Let ws://127.0.0.1", "[y/N]")
	term.Type("y")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "access token (not shown):")
	term.Type("canary-4711")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "the host has the token", "the host asks again")
	if screen := term.Screen(); strings.Contains(screen, "canary") {
		t.Errorf("the token is on the screen:\n%s", screen)
	}
	if code := term.ExitCode(t, testkit.Patience); code != 1 {
		t.Errorf("exit %d, want 1", code)
	}

	cmd = command(t, nil, "mcp", "login", "tracker", "--access-token-file", "-", "--yes", "--url", s.URL, "--token-file", s.tokenFile)
	term = testkit.StartCommand(t, testkit.Size{Cols: 100, Rows: 24}, cmd)
	term.WaitFor(t, testkit.Patience, "access token (not shown):")
	term.Key(t, "ctrl+c")
	if code := term.ExitCode(t, testkit.Patience); code != 130 {
		t.Errorf("given up: exit %d, want 130", code)
	}
	term.CheckRestored(t)
}
