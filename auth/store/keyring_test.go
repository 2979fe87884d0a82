package store

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"ahptui/internal/secret"
)

// A keyring that never answers holds the store up for three seconds, once, and not at all after that.
func TestKeyringThatHangs(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	synctest.Test(t, func(t *testing.T) {
		keys := newRing()
		keys.hang = make(chan struct{})
		began := time.Now()
		s := Open(t.Context(), Options{Dir: dir, Keyring: keys})
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("it waited for %v", waited)
		}
		status := s.Status()
		if status.Place != InSession || !status.Ask {
			t.Errorf("it is in %q, asks: %v", status.Place, status.Ask)
		}
		wantErr(t, status.Reason, ErrNoKeyring)
		if !strings.Contains(status.Reason.Error(), "did not answer within 3s") {
			t.Errorf("it says %v", status.Reason)
		}
		put(t, s, anyToken(anyKey(), "access", ""))
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("it waited once more, %v", waited)
		}
		close(keys.hang)
		synctest.Wait()
		keys.mu.Lock()
		keys.hang = nil
		keys.mu.Unlock()
		// The person has unlocked it, and says so.
		if err := s.Use(t.Context(), InKeyring); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), anyKey()); err != nil || got.Access.Reveal() != "access" || s.Status().Place != InKeyring || s.Status().Reason != nil {
			t.Errorf("the token did not move: %v, %+v", err, s.Status())
		}
	})
}

func TestKeyringsThatDoNotWork(t *testing.T) {
	t.Parallel()
	bad := newRing()
	dir := newDir(t)
	bad.secrets[service+"/"+newKeyhole(nil, filepath.Join(dir, sealedName), 0).account] = secret.New("canary that is no key")
	for name, tt := range map[string]struct {
		ring Keyring
		says string
	}{
		"none":             {nil, "switched off"},
		"it fails":         {&ring{err: errors.New("it is broken")}, "it is broken"},
		"no key of ours":   {bad, "no key of ahptui"},
		"it keeps nothing": {forgetful{}, "no such secret"},
	} {
		s := Open(t.Context(), Options{Dir: dir, Keyring: tt.ring})
		status := s.Status()
		if status.Place != InSession || status.Reason == nil || !strings.Contains(status.Reason.Error(), tt.says) || strings.Contains(status.Reason.Error(), "canary") {
			t.Errorf("%s: in %q as %v, want %q", name, status.Place, status.Reason, tt.says)
		}
	}
}

// forgetful takes secrets and has none.
type forgetful struct{}

func (forgetful) Get(string, string) (secret.Value, error) { return secret.Value{}, ErrNoSecret }
func (forgetful) Set(string, string, secret.Value) error   { return nil }

// The keyring is asked when the store is opened, and not for every token.
func TestKeyringIsAskedOnce(t *testing.T) {
	t.Parallel()
	dir, keys := newDir(t), newRing()
	_ = openIn(t, InKeyring, dir, keys)
	keys.calls = 0
	s := openIn(t, InKeyring, dir, keys)
	for range 10 {
		put(t, s, anyToken(anyKey(), "access", ""))
		if _, err := s.All(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if keys.calls != 1 {
		t.Errorf("it was asked %d times", keys.calls)
	}
}

// When the keyring has lost the key, what it sealed is set aside and a new key made. A store that was open before takes
// the new one over, and does not set aside what another process sealed with it.
func TestKeyIsReplaced(t *testing.T) {
	t.Parallel()
	dir, keys := newDir(t), newRing()
	before := openIn(t, InKeyring, dir, keys)
	put(t, before, anyToken(anyKey("old"), "access", ""))
	clear(keys.secrets)
	after := openIn(t, InKeyring, dir, keys)
	if aside := after.Status().SetAside; len(aside) != 1 {
		t.Errorf("set aside %q", aside)
	}
	put(t, after, anyToken(anyKey("new"), "access", ""))
	put(t, before, anyToken(anyKey("newer"), "access", ""))
	if all, err := after.All(t.Context()); err != nil || len(all) != 2 {
		t.Errorf("there are %d tokens (%v)", len(all), err)
	}
	if aside := before.Status().SetAside; len(aside) != 0 {
		t.Errorf("set aside %q", aside)
	}
}

// The library's mock is one for the whole process, so this test is not parallel to others.
func TestSystemKeyring(t *testing.T) {
	keyring.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	keys := SystemKeyring()
	_, err := keys.Get(service, "a")
	wantErr(t, err, ErrNoSecret)
	if err := keys.Set(service, "a", secret.New("x")); err != nil {
		t.Fatal(err)
	}
	if v, err := keys.Get(service, "a"); err != nil || v.Reveal() != "x" {
		t.Errorf("got %v", err)
	}
	broken := errors.New("broken")
	keyring.MockInitWithError(broken)
	_, err = keys.Get(service, "a")
	wantErr(t, err, broken)
	wantErr(t, keys.Set(service, "a", secret.New("x")), broken)

	s := Open(t.Context(), Options{Dir: newDir(t), Keyring: keys})
	wantErr(t, s.Status().Reason, ErrNoKeyring)
}

func TestReachable(t *testing.T) {
	t.Parallel()
	dir, empty := t.TempDir(), t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, "bus"))
	if err != nil {
		t.Skipf("no unix sockets: %v", err)
	}
	defer listener.Close()
	if err := os.WriteFile(filepath.Join(empty, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		goos         string
		address, run string
		want         bool
	}{
		"macOS":                     {"darwin", "", "", true},
		"Windows":                   {"windows", "", "", true},
		"nothing":                   {"linux", "", "", false},
		"an address":                {"linux", "unix:path=/run/user/1/bus", "", true},
		"start one":                 {"linux", "autolaunch:", "", false},
		"start another":             {"linux", "autolaunch:scope=*", dir, false},
		"switched off":              {"linux", "disabled:", dir, false},
		"a socket":                  {"linux", "", dir, true},
		"a socket on a BSD":         {"freebsd", "", dir, true},
		"a file, no socket":         {"linux", "", empty, false},
		"a directory that has none": {"linux", "", filepath.Join(dir, "x"), false},
	} {
		err := reachable(tt.goos, func(name string) string {
			return map[string]string{"DBUS_SESSION_BUS_ADDRESS": tt.address, "XDG_RUNTIME_DIR": tt.run}[name]
		})
		if (err == nil) != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
