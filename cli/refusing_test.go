package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/oauthserver"
	"ahptui/internal/testkit"
	"ahptui/protocol"
)

// refusing is a host that makes no session before somebody has signed in, as
// hosts do whose agents need an account.
type refusing struct {
	resource string
	issuer   string
	bare     bool // its refusal's data are a bare array
	deaf     bool // it takes no token, not even an empty one

	mu      sync.Mutex
	token   string
	created int
}

// start serves the host, until the test ends.
func (h *refusing) start(t *testing.T) (url string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := new(jsonrpc.Upgrader).Upgrade(w, r)
		if err != nil {
			return // it has been answered
		}
		running.Add(1)
		defer running.Done()
		_ = jsonrpc.New(ws, h, jsonrpc.Options{}).Run(ctx)
	}))
	t.Cleanup(func() {
		stop()
		server.Close()
		running.Wait()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func (h *refusing) metadata() string {
	return `{"resource":"` + h.resource + `","authorization_servers":["` + h.issuer + `"],"scopes_supported":["chat"]}`
}

// Request implements jsonrpc.Handler.
func (h *refusing) Request(req *jsonrpc.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch req.Method {
	case "initialize":
		root := `{"agents":[{"provider":"picky","displayName":"Picky","description":"","models":[],"protectedResources":[` + h.metadata() + `]}],"activeSessions":0}`
		req.Reply(protocol.InitializeResult{
			ProtocolVersion: protocol.V0_9_0.String(),
			Snapshots:       []*protocol.Snapshot{{Resource: protocol.RootChannel, State: protocol.Raw(root)}},
		})
	case "listSessions":
		req.Reply(protocol.ListSessionsResult{Items: []*protocol.SessionSummary{}})
	case "authenticate":
		if h.deaf {
			req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "not that token"})
			return
		}
		var p protocol.AuthenticateParams
		if err := protocol.Unmarshal(req.Params, &p); err == nil && p.Resource == h.resource {
			h.token = p.Token
		}
		req.Reply(protocol.EmptyResult{})
	case "createSession":
		if h.token == "" {
			data := `{"resources":[` + h.metadata() + `]}`
			if h.bare {
				data = `[` + h.metadata() + `]`
			}
			req.Fail(&jsonrpc.Error{Code: protocol.CodeAuthRequired, Message: "sign in first", Data: jsontext.Value(data)})
			return
		}
		h.created++
		req.Reply(protocol.EmptyResult{})
	default:
		req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no " + req.Method})
	}
}

// Notification implements jsonrpc.Handler.
func (h *refusing) Notification(string, jsontext.Value) {}

func (h *refusing) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.token = ""
}

func (h *refusing) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.created
}

// TestCommandRetriedAfterSignIn: a command that the host refuses for want of a
// sign-in names the command that helps; with --yes it is tried once more after it.
func TestCommandRetriedAfterSignIn(t *testing.T) {
	t.Parallel()
	server, err := oauthserver.Start("127.0.0.1:0", oauthserver.Options{Scopes: map[string]string{"chat": "talk"}, DeviceInterval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	for name, bare := range map[string]bool{"object": false, "bare array": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Nobody is at the resource: its own metadata cannot be fetched.
			h := &refusing{resource: "http://127.0.0.1:9/agent", issuer: server.Issuer(), bare: bare}
			url, home := h.start(t), newHome(t)
			got := run(t, home.env(), "sessions", "new", "--url", url, "--json")
			if e := decode[jsonError](t, got.err); got.code != 4 || !strings.Contains(e.Error, "sign in first") || e.Hint != "a person must sign in first: ahptui mcp login "+h.resource {
				t.Errorf("without a sign-in: exit %d, %+v", got.code, e)
			}
			if got := home.run(t, "token-source", "--url", url, "--json"); !strings.Contains(got.out, `"source":"signIn"`) || !strings.Contains(got.out, h.resource) {
				t.Errorf("token-source: %s%s", got.out, got.err)
			}
			token := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(token, []byte("canary-4711\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			home.configure(t, "[[auth.token]]\nresource = \""+h.resource+"\"\nfile = \""+token+"\"\n")
			got = run(t, home.env(), "sessions", "new", "--url", url, "--json", "--yes")
			if got.code != 0 || h.count() != 1 || !strings.HasPrefix(got.out, `{"uri":`) || !strings.Contains(got.err, `"event":"authenticated"`) {
				t.Errorf("with --yes: exit %d, %d sessions, %s%s", got.code, h.count(), got.out, got.err)
			}
			if strings.Contains(got.out+got.err, "canary") {
				t.Errorf("the token is printed: %s%s", got.out, got.err)
			}

			// At a terminal it is asked for.
			other := newHome(t)
			other.configure(t, "[[auth.token]]\nresource = \""+h.resource+"\"\nfile = \""+token+"\"\n")
			h.forget()
			term := testkit.StartCommand(t, testkit.Size{Cols: 120, Rows: 24}, command(t, other.env(), "sessions", "new", "--url", url))
			term.WaitFor(t, testkit.Patience, "token for    "+h.resource, "[y/N]")
			term.Type("y")
			term.Key(t, "enter")
			if code := term.ExitCode(t, testkit.Patience); code != 0 || h.count() != 2 {
				t.Errorf("at a terminal: exit %d, %d sessions", code, h.count())
			}
		})
	}
}

// TestLoginToResource: what the host itself needs is signed in to by the name of
// the resource, and signed out of by it.
func TestLoginToResource(t *testing.T) {
	t.Parallel()
	server, err := oauthserver.Start("127.0.0.1:0", oauthserver.Options{Scopes: map[string]string{"chat": "talk"}, DeviceInterval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	h := &refusing{resource: "http://127.0.0.1:9/agent", issuer: server.Issuer()}
	s, home := &served{URL: h.start(t)}, newHome(t)
	s.tokenFile = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(s.tokenFile, []byte("unused\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	events, code := driveLoginTo(t, s, h.resource, home.env(), nil, func(e loginEvent, _ io.Writer) {
		if e.Event == "user_code" {
			follow(t, e.Complete, "approve")
		}
	}, "--device", "--yes")
	if want := []string{"consent", "user_code", "authenticated"}; code != 0 || !slices.Equal(names(events), want) {
		t.Fatalf("exit %d, %+v; want 0 and %v", code, events, want)
	}
	if got := home.runOn(t, s, "sessions", "new"); got.code != 0 {
		t.Errorf("sessions new: exit %d, %s", got.code, got.err)
	}
	if got := home.runOn(t, s, "auth", "logout", h.resource); got.code != 0 || !strings.Contains(got.out, `"emptied":true`) {
		t.Errorf("logout: exit %d, %s%s", got.code, got.out, got.err)
	}
	if got := home.runOn(t, s, "sessions", "new"); got.code != 4 {
		t.Errorf("sessions new after logout: exit %d, %s", got.code, got.err)
	}
}

// TestPrivateServerIsAsked: --yes is no answer to whether an authorization server
// in a private network may be contacted.
func TestPrivateServerIsAsked(t *testing.T) {
	t.Parallel()
	h := &refusing{resource: "http://127.0.0.1:9/agent", issuer: "https://10.9.8.7"}
	got := run(t, nil, "mcp", "login", h.resource, "--url", h.start(t), "--yes", "--json")
	if e := decode[jsonError](t, got.err); got.code != 4 || !strings.Contains(e.Error, "Contact the authorization server https://10.9.8.7 in a private network, at 10.9.8.7?") {
		t.Errorf("exit %d, %+v", got.code, e)
	}
}

// TestClientIsAskedFor: where no program can make itself known, somebody names a
// client, or nobody is there to.
func TestClientIsAskedFor(t *testing.T) {
	t.Parallel()
	server, err := oauthserver.Start("127.0.0.1:0", oauthserver.Options{
		Scopes: map[string]string{"chat": "talk"}, DeviceInterval: time.Second, Closed: true, Clients: []oauthserver.Client{{ID: "client-1", Secret: "canary-4711"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	h := &refusing{resource: "http://127.0.0.1:9/agent", issuer: server.Issuer()}
	url, home := h.start(t), newHome(t)
	args := []string{"mcp", "login", h.resource, "--url", url, "--yes", "--device"}
	got := run(t, home.env(), append(args, "--json")...)
	if e := decode[jsonError](t, got.err); got.code != 4 || !strings.Contains(e.Error, "a person must name a client of "+server.Issuer()) || !strings.Contains(e.Hint, "[[auth.issuer]]") {
		t.Errorf("with nobody there: exit %d, %+v", got.code, e)
	}
	term := testkit.StartCommand(t, testkit.Size{Cols: 120, Rows: 40}, command(t, home.env(), args...))
	term.WaitFor(t, testkit.Patience, "client id:")
	term.Type("client-1")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "client secret (not shown; empty if it has none):")
	term.Type("canary-4711")
	term.Key(t, "enter")
	screen := term.WaitUntil(t, testkit.Patience, "the code is on the screen", func(screen string) bool {
		return regexp.MustCompile(`(?m)^ +[A-Z]{4}-[A-Z]{4} *$`).MatchString(screen)
	})
	code := strings.TrimSpace(regexp.MustCompile(`(?m)^ +[A-Z]{4}-[A-Z]{4} *$`).FindString(screen))
	follow(t, server.Issuer()+oauthserver.DevicePath+"?user_code="+code, "approve")
	term.WaitFor(t, testkit.Patience, "the host has the token: chat")
	if screen := term.Screen(); strings.Contains(screen, "canary") {
		t.Errorf("the secret is on the screen:\n%s", screen)
	}
	if code := term.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("exit %d, want 0", code)
	}
}

// TestHostTakesNoToken: what a host refuses twice is not handed over any more, and a
// sign-out that it refuses is told as such, though the token is gone from here.
func TestHostTakesNoToken(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("tokens are not kept in a file there")
	}
	h, home := &refusing{resource: "http://127.0.0.1:9/agent", issuer: "http://127.0.0.1:9", deaf: true}, newHome(t)
	url := h.start(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("canary-4711\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := home.run(t, "store", "file"); got.code != 0 {
		t.Fatalf("auth store file: %s", got.err)
	}
	login := func(args ...string) string {
		got := run(t, home.env(), append([]string{"mcp", "login", h.resource, "--url", url, "--json", "--yes"}, args...)...)
		if got.code == 0 || strings.Contains(got.out+got.err, "canary") {
			t.Errorf("login %v: exit %d, %s%s", args, got.code, got.out, got.err)
		}
		return got.out
	}
	if out := login("--access-token-file", token); !strings.Contains(out, `"step":"authenticate"`) {
		t.Errorf("the first time: %s", out)
	}
	if out := login(); out != `{"event":"failed","step":"authenticate","error":"authenticate: not that token (-32602)","remedy":"The host did not take the token: see its log."}`+"\n" {
		t.Errorf("what is held: %s", out)
	}
	if rows := home.signIns(t); len(rows) != 1 || rows[0].State != "quarantined" || rows[0].Issuer != "" {
		t.Errorf("auth ls: %+v", rows)
	}
	if got := home.run(t, "token-source", "--url", url, "--json"); !strings.Contains(got.out, "the host has refused the token twice") {
		t.Errorf("token-source: %s%s", got.out, got.err)
	}
	got := home.run(t, "logout", h.resource, "--url", url, "--json")
	out := decode[signOutResult](t, got.out)
	if got.code != 3 || len(out.Tokens) != 1 || out.Tokens[0].Revoked || out.Tokens[0].Reason == "" || len(out.Hosts) != 1 || out.Hosts[0].Emptied || out.Hosts[0].Error == "" {
		t.Errorf("logout: exit %d, %s%s", got.code, got.out, got.err)
	}
	if rows := home.signIns(t); len(rows) != 0 {
		t.Errorf("after logout: %+v", rows)
	}
}
