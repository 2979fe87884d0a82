package interop

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ahptui/ahpclient"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// startProvider starts the authorization server for a resource, and returns its issuer.
func startProvider(t *testing.T, p parts, resource string, life time.Duration) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.node(), "testdata/provider.mjs", resource, strconv.Itoa(int(life/time.Second)))
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(p.dir, "node_modules"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends with that
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var ready struct {
			Issuer string `json:"issuer"`
		}
		if json.Unmarshal(lines.Bytes(), &ready) == nil && ready.Issuer != "" {
			return ready.Issuer
		}
	}
	t.Fatal("the provider does not start")
	return ""
}

// scene is a host with the protected server in its session, and somebody before it.
type scene struct {
	address string
	person  *person
	client  *ahpclient.Client
	use     func()
	calls   chan error
}

func newScene(t *testing.T, life time.Duration) *scene {
	t.Helper()
	p := needParts(t)
	t.Setenv(programVar, build(t))
	files := newResource(t)
	files.issuer = startProvider(t, p, files.url(), life)
	s := &scene{calls: make(chan error, 1)}
	h, err := startHost(files.url(), s.calls)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if s.address, err = h.Listen("127.0.0.1:0", secret.New(hostToken)); err != nil {
		t.Fatal(err)
	}
	s.use = func() { h.StartTurn(bridged, "Use every tool") }
	if s.person, err = newPerson(t.Context(), s.address, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	s.client = ahpclient.New(ahpclient.Options{URL: s.address, Token: secret.New(hostToken), Info: protocol.Implementation{Name: "test"}})
	running, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.client.Run(running) }()
	t.Cleanup(func() { stop(); <-ended })
	s.client.Open(bridged, protocol.SessionKind)
	return s
}

// until waits until the server is in a state.
func (s *scene) until(t *testing.T, kind protocol.McpStateKind) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := s.client.Await(ctx, func(v *ahpclient.View) bool {
		state := v.Session(bridged)
		return state != nil && protocol.Servers(state)[0].StateKind() == kind
	}); err != nil {
		t.Fatalf("not %s: %v", kind, err)
	}
}

// heard returns the events of a name of the last sign-in.
func (p *person) heard(name string) (found []event) {
	for _, e := range p.told {
		if e.Event == name {
			found = append(found, e)
		}
	}
	return found
}

// asked reports whether the last sign-in needed somebody with a browser.
func (p *person) asked() bool { return len(p.heard("open_url"))+len(p.heard("user_code")) > 0 }

// TestProvider signs in at an authorization server that others have made, by a browser and by a device, with a client that
// registers itself; goes on after a step-up that keeps what was granted; and signs out.
func TestProvider(t *testing.T) {
	for name, tt := range map[string]struct{ by, event string }{
		"browser": {"--no-browser", "open_url"},
		"device":  {"--device", "user_code"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 10*time.Minute)
			s.until(t, protocol.McpAuthRequired)
			s.person.by = tt.by
			if err := s.person.signIn(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(s.person.heard(tt.event)) != 1 {
				t.Errorf("it was told: %+v", s.person.told)
			}
			s.until(t, protocol.McpReady)
			s.use()
			if _, err := s.client.Await(t.Context(), func(v *ahpclient.View) bool { return len(v.BlockedIn(bridged)) > 0 }); err != nil {
				t.Fatal(err)
			}
			if err := s.person.signIn(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := s.person.heard("authenticated")
			if len(got) != 1 || !slices.Contains(got[0].Scopes, "files:read") || !slices.Contains(got[0].Scopes, "files:write") {
				t.Errorf("after more was asked for: %+v", s.person.told)
			}
			if err := <-s.calls; err != nil {
				t.Error(err)
			}
			out, err := s.person.program(t.Context(), "auth", "logout", "--all").CombinedOutput()
			if err != nil || !strings.Contains(string(out), `"revoked":true`) || !strings.Contains(string(out), `"emptied":true`) {
				t.Errorf("%v: %s", err, out)
			}
			if _, err := s.client.Dispatch(bridged, &protocol.SessionMcpServerStartRequested{ID: protocol.Servers(s.client.View().Session(bridged))[0].ID}); err != nil {
				t.Fatal(err)
			}
			s.until(t, protocol.McpAuthRequired)
		})
	}
}

// TestProviderRotates: a token that has ended is exchanged for a newer one without a person, and a refresh token that the
// server has taken back is never used again: that would end all that came of it. Not even by several processes at a time.
func TestProviderRotates(t *testing.T) {
	s := newScene(t, 4*time.Second)
	s.until(t, protocol.McpAuthRequired)
	if err := s.person.signIn(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.person.by = "--timeout=20s" // no way is asked for
	s.refresh(t)
	s.expire(t)
	s.signInAtOnce(t, 4)
	s.refresh(t)
}

// refresh has somebody sign in once the token has ended, whom nobody asks for anything.
func (s *scene) refresh(t *testing.T) {
	t.Helper()
	s.expire(t)
	if err := s.person.signIn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.person.asked() || len(s.person.heard("refreshing")) != 1 || len(s.person.heard("ready")) != 1 {
		t.Fatalf("it was told: %+v", s.person.told)
	}
}

// signInAtOnce has several processes sign in with the same tokens. Those that come late find nothing that waits.
func (s *scene) signInAtOnce(t *testing.T, n int) {
	t.Helper()
	people, errs := make([]person, n), make([]error, n)
	var all sync.WaitGroup
	for i := range people {
		people[i] = *s.person
		all.Go(func() { errs[i] = people[i].signIn(t.Context()) })
	}
	all.Wait()
	handed := 0
	for i := range people {
		if people[i].asked() || errs[i] != nil && len(people[i].told) > 0 {
			t.Errorf("of several at once one was told: %+v, %v", people[i].told, errs[i])
		}
		handed += len(people[i].heard("authenticated"))
	}
	if handed == 0 {
		t.Errorf("of several at once nobody handed a token over: %v", errs)
	}
	t.Logf("%d of %d handed a token over", handed, n)
}

// expire starts the server until it does not take its token any more.
func (s *scene) expire(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		server := protocol.Servers(s.client.View().Session(bridged))[0]
		if server.StateKind() == protocol.McpAuthRequired {
			return
		}
		ticket, err := s.client.Dispatch(bridged, &protocol.SessionMcpServerStartRequested{ID: server.ID})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.client.Await(ctx, func(v *ahpclient.View) bool {
			_, done := ticket.Outcome()
			kind := protocol.Servers(v.Session(bridged))[0].StateKind()
			return done && (kind == protocol.McpReady || kind == protocol.McpAuthRequired)
		}); err != nil {
			t.Fatal(err)
		}
	}
}
