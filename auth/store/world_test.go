package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ahptui/internal/secret"
)

// ring is a keyring in this process.
type ring struct {
	mu      sync.Mutex
	secrets map[string]secret.Value
	err     error         // what every call answers with
	hang    chan struct{} // every call waits for this to be closed
	calls   int
}

func newRing() *ring { return &ring{secrets: map[string]secret.Value{}} }

func (r *ring) begin() error {
	r.mu.Lock()
	r.calls++
	hang, err := r.hang, r.err
	r.mu.Unlock()
	if hang != nil {
		<-hang
	}
	return err
}

func (r *ring) Get(service, account string) (secret.Value, error) {
	if err := r.begin(); err != nil {
		return secret.Value{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.secrets[service+"/"+account]
	if !ok {
		return secret.Value{}, ErrNoSecret
	}
	return v, nil
}

func (r *ring) Set(service, account string, v secret.Value) error {
	if err := r.begin(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[service+"/"+account] = v
	return nil
}

// fileRing is a keyring that processes share.
type fileRing struct{ dir string }

func (r fileRing) path(account string) string { return filepath.Join(r.dir, account) }

func (r fileRing) Get(_, account string) (secret.Value, error) {
	data, err := os.ReadFile(r.path(account))
	if os.IsNotExist(err) {
		return secret.Value{}, ErrNoSecret
	}
	return secret.New(string(data)), err
}

func (r fileRing) Set(_, account string, v secret.Value) error {
	scratch := fmt.Sprintf("%s.%d", r.path(account), os.Getpid())
	if err := os.WriteFile(scratch, []byte(v.Reveal()), 0o600); err != nil {
		return err
	}
	return os.Rename(scratch, r.path(account))
}

// newDir is a directory for a store.
func newDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "auth")
}

// openIn opens a store with files.
func openIn(t *testing.T, place Place, dir string, ring Keyring) *Store {
	t.Helper()
	if place == InFile {
		ring = nil
	}
	s := Open(t.Context(), Options{Dir: dir, Keyring: ring})
	if place == InFile && s.Status().Ask {
		if err := s.Use(t.Context(), InFile); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Status(); got.Place != place {
		t.Fatalf("the store is in %q (%v), want %q", got.Place, got.Reason, place)
	}
	return s
}

// anyKey is a key for tests that need no certain one.
func anyKey(scopes ...string) Key {
	return NewKey("wss://host.example:443/", "https://mcp.example/files", "https://as.example", "client-1", scopes)
}

// anyToken is a token for an hour.
func anyToken(key Key, access, refresh string) Token {
	now := time.Now().Round(0)
	return Token{
		Ref: Ref{Key: key}, Access: secret.New(access), Refresh: secret.New(refresh),
		ClientMethod: "none", Obtained: now, Expires: now.Add(time.Hour),
	}
}

func put(t *testing.T, s *Store, token Token) Token {
	t.Helper()
	kept, err := s.Put(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("err = %v, want %v", err, want)
	}
}

// partner is an authorization server that gives a new refresh token each time, and ends the grant when one is used twice.
type partner struct {
	*httptest.Server
	mu       sync.Mutex
	refresh  string
	access   string
	used     map[string]bool
	requests int
	reused   bool
	hold     chan struct{} // the answer waits for this to be closed
	failing  bool          // it answers that it is broken, before it looks at anything
}

func newPartner(t *testing.T) *partner {
	p := &partner{refresh: "refresh-0", access: "access-0", used: map[string]bool{}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

// answer is what the token endpoint says.
type answer struct {
	Access  string `json:"access_token,omitzero"`
	Refresh string `json:"refresh_token,omitzero"`
	Error   string `json:"error,omitzero"`
}

func (p *partner) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	hold := p.hold
	p.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if p.failing {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	a := p.exchange(r.FormValue("refresh_token"))
	if a.Error != "" {
		w.WriteHeader(http.StatusBadRequest)
	}
	_ = json.MarshalWrite(w, a)
}

func (p *partner) exchange(refresh string) answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	if refresh != p.refresh {
		if p.used[refresh] {
			p.reused, p.access, p.refresh = true, "", ""
		}
		return answer{Error: "invalid_grant"}
	}
	p.used[refresh] = true
	p.refresh, p.access = fmt.Sprintf("refresh-%d", p.requests), fmt.Sprintf("access-%d", p.requests)
	return answer{Access: p.access, Refresh: p.refresh}
}

// now is what the server gave last, and how often it was asked.
func (p *partner) now() (access, refresh string, requests int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.access, p.refresh, p.requests
}

// ask is a [Request] to a server.
func ask(address string) Request {
	return func(ctx context.Context, old Token) (Token, error) {
		form := url.Values{"refresh_token": {old.Refresh.Reveal()}}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
		if err != nil {
			return Token{}, err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Close = true
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return Token{}, err
		}
		defer response.Body.Close()
		var a answer
		if err := json.UnmarshalRead(response.Body, &a); err != nil {
			return Token{}, errors.New("the server failed")
		}
		if a.Error != "" {
			return Token{}, fmt.Errorf("%w: %s", ErrInvalidGrant, a.Error)
		}
		return anyToken(old.Key, a.Access, a.Refresh), nil
	}
}
