//go:build unix

package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/secret"
)

// modes are those of a directory and all that is in it.
func modes(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		found[path] = info.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The umask is the process' own, so this test is not parallel to others. It lets everybody read everything.
func TestNobodyElseCanRead(t *testing.T) {
	dir := newDir(t)
	defer syscall.Umask(syscall.Umask(0))
	s := openIn(t, InKeyring, dir, newRing())
	for _, place := range []Place{InFile, InKeyring, InFile} {
		if err := s.Use(t.Context(), place); err != nil {
			t.Fatal(err)
		}
		token := put(t, s, anyToken(anyKey(), "access", "refresh"))
		if _, err := s.Refresh(t.Context(), token.Ref, gives("access-1", "")); err != nil {
			t.Fatal(err)
		}
		for path, mode := range modes(t, dir) {
			want := fs.FileMode(0o600)
			if mode.IsDir() {
				want = 0o700
			}
			if perm := mode.Perm(); perm != want {
				t.Errorf("%s has mode %o", path, perm)
			}
		}
	}
}

// What is wrong with a file of tokens is said, and the file left alone. Tokens are then kept in this process.
func TestFilesThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	mode := func(mode fs.FileMode) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, path string)
		want  error
		says  string
	}{
		"group can read":   {mode(0o640), secret.ErrExposed, "run: chmod 600 "},
		"others can read":  {mode(0o604), secret.ErrExposed, "run: chmod 600 "},
		"others can write": {mode(0o602), secret.ErrExposed, "run: chmod 600 "},
		"a symbolic link": {func(t *testing.T, path string) {
			if err := errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)); err != nil {
				t.Fatal(err)
			}
		}, ErrLink, ""},
		"a symbolic link that leads nowhere": {func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Symlink(path+".none", path)); err != nil {
				t.Fatal(err)
			}
		}, ErrLink, ""},
		"a named pipe": {func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, nil, "not a regular file"},
		"a directory": {func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, nil, "not a regular file"},
		"a newer version": {func(t *testing.T, path string) {
			text := `{"format":"ahptui tokens","version":99,"key":{"of":"another form"},"anew":[]}`
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}, ErrNewer, "version 99"},
		"the directory is open": {func(t *testing.T, path string) { mode(0o755)(t, filepath.Dir(path)) }, secret.ErrExposed, "run: chmod 700 "},
		"the directory is a symbolic link": {func(t *testing.T, path string) {
			dir := filepath.Dir(path)
			if err := errors.Join(os.Rename(dir, dir+".real"), os.Symlink(dir+".real", dir)); err != nil {
				t.Fatal(err)
			}
		}, ErrLink, "auth"},
	} {
		for _, place := range []Place{InKeyring, InFile} {
			t.Run(name+" "+string(place), func(t *testing.T) {
				t.Parallel()
				dir, keys := newDir(t), newRing()
				s := openIn(t, place, dir, keys)
				put(t, s, anyToken(anyKey(), "canary-access", "canary-refresh"))
				path := s.Status().Path
				tt.spoil(t, path)
				before, _ := os.Readlink(path)
				content, _ := readIfRegular(path)

				if place == InFile {
					keys = nil
				}
				var again *Store
				if keys == nil {
					again = Open(t.Context(), Options{Dir: dir})
				} else {
					again = Open(t.Context(), Options{Dir: dir, Keyring: keys})
				}
				status := again.Status()
				if status.Place != InSession || status.Ask {
					t.Errorf("it is in %q, asks: %v", status.Place, status.Ask)
				}
				if tt.want != nil {
					wantErr(t, status.Reason, tt.want)
				}
				if status.Reason == nil || !strings.Contains(status.Reason.Error(), tt.says) || !strings.Contains(status.Reason.Error(), dir) {
					t.Errorf("it says %v, want %q and where", status.Reason, tt.says)
				}
				if strings.Contains(status.Reason.Error(), "canary") {
					t.Errorf("it says too much: %v", status.Reason)
				}
				put(t, again, anyToken(anyKey(), "for this process", ""))
				after, _ := os.Readlink(path)
				if now, _ := readIfRegular(path); !bytes.Equal(now, content) || after != before || len(status.SetAside) > 0 {
					t.Error("what was there was not left alone")
				}
				// The store that was open before notices, too.
				if _, err := s.Get(t.Context(), anyKey()); err == nil && !strings.HasPrefix(name, "the directory") {
					t.Error("an open store reads it")
				}
			})
		}
	}
}

func readIfRegular(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return os.ReadFile(path)
}

func TestForeignOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	dir := newDir(t)
	s := openIn(t, InFile, dir, nil)
	put(t, s, anyToken(anyKey(), "a", ""))
	if err := os.Chown(s.Status().Path, 65534, 65534); err != nil {
		t.Skipf("nor can root: %v", err)
	}
	wantErr(t, Open(t.Context(), Options{Dir: dir}).Status().Reason, ErrNotOurs)
}

// However much of a file is there, and whatever bit of it is another one: the store opens, with all of it or nothing, and
// what is damaged is still there under another name.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for _, place := range []Place{InKeyring, InFile} {
		t.Run(string(place), func(t *testing.T) {
			t.Parallel()
			dir, keys := newDir(t), newRing()
			s := openIn(t, place, dir, keys)
			put(t, s, anyToken(anyKey(), "canary-access", "canary-refresh"))
			path := s.Status().Path
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			spoiled := map[string][]byte{"not JSON": []byte("hello"), "nothing": {}, "large": bytes.Repeat([]byte(" "), maxFileBytes+1)}
			for n := 1; n < len(good); n += 11 {
				spoiled["truncated"+string(rune(n))] = good[:n]
				if place == InKeyring {
					flipped := bytes.Clone(good)
					flipped[n] ^= 1
					spoiled["flipped"+string(rune(n))] = flipped
				}
			}
			for name, data := range spoiled {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				again := openIn(t, place, dir, keys)
				status := again.Status()
				if len(status.SetAside) != 1 {
					t.Fatalf("%s: set aside %q", name, status.SetAside)
				}
				if aside, err := os.ReadFile(status.SetAside[0]); err != nil || !bytes.Equal(aside, data) {
					t.Errorf("%s: what was set aside is not what was there (%v)", name, err)
				}
				if all, err := again.All(t.Context()); err != nil || len(all) != 0 {
					t.Errorf("%s: %d tokens, %v", name, len(all), err)
				}
				put(t, again, anyToken(anyKey(), "new", ""))
				_ = os.Remove(status.SetAside[0])
			}
		})
	}
}

// A sealed file is good in its place, in its version and by its key alone.
func TestSealIsBound(t *testing.T) {
	t.Parallel()
	seal, err := newSealer(newKey())
	if err != nil {
		t.Fatal(err)
	}
	f := tokenFormat()
	data, err := f.encode("a", content{Generation: 7}, seal)
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.open(data)
	if err != nil {
		t.Fatal(err)
	}
	var c content
	if err := f.decode("a", e, seal, &c); err != nil || c.Generation != 7 {
		t.Fatalf("it does not open: %v", err)
	}
	other, err := newSealer(newKey())
	if err != nil {
		t.Fatal(err)
	}
	upgraded := format{name: f.name, upgrades: []func(jsontext.Value) (jsontext.Value, error){unchanged}}
	forged := e
	forged.Version = 2
	renamed := e
	renamed.Key = other.id
	for name, err := range map[string]error{
		"another file":    f.decode("b", e, seal, &c),
		"another version": upgraded.decode("a", forged, seal, &c),
		"another key":     f.decode("a", e, other, &c),
		"another name":    f.decode("a", renamed, seal, &c),
	} {
		if !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	again, err := f.encode("a", content{Generation: 7}, seal)
	if err != nil || bytes.Equal(again, data) {
		t.Errorf("the same is sealed the same way twice (%v)", err)
	}
}

func unchanged(v jsontext.Value) (jsontext.Value, error) { return v, nil }

// A file of an older version is read, and becomes one of the present version with the first change.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	type old struct {
		Places []string `json:"places"`
	}
	type present struct {
		Rooms []string `json:"rooms"`
		Count int      `json:"count"`
	}
	first := format{name: "test"}
	third := format{name: "test", upgrades: []func(jsontext.Value) (jsontext.Value, error){
		func(v jsontext.Value) (jsontext.Value, error) {
			var o old
			if err := json.Unmarshal(v, &o); err != nil {
				return nil, err
			}
			return json.Marshal(present{Rooms: o.Places})
		},
		func(v jsontext.Value) (jsontext.Value, error) {
			var p present
			if err := json.Unmarshal(v, &p); err != nil {
				return nil, err
			}
			p.Count = len(p.Rooms)
			return json.Marshal(p)
		},
	}}
	for name, keys := range map[string]*keyhole{"plain": nil, "sealed": newKeyhole(newRing(), filepath.Join(t.TempDir(), "x"), time.Minute)} {
		path := filepath.Join(t.TempDir(), name)
		before := fileDocument[old]{path: path, format: first, keys: keys, wait: time.Second, step: func(string) {}}
		after := fileDocument[present]{path: path, format: third, keys: keys, wait: time.Second, step: func(string) {}}
		err := before.update(t.Context(), func(o *old) (bool, error) {
			o.Places = []string{"a", "b"}
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := after.load(t.Context()); err != nil || got.Count != 2 || len(got.Rooms) != 2 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if _, err := before.load(t.Context()); err != nil {
			t.Errorf("%s: reading changed it: %v", name, err)
		}
		err = after.update(t.Context(), func(p *present) (bool, error) {
			p.Rooms, p.Count = append(p.Rooms, "c"), 3
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := after.load(t.Context()); err != nil || got.Count != 3 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		_, err = before.load(t.Context())
		wantErr(t, err, ErrNewer)
		wantErr(t, before.update(t.Context(), func(*old) (bool, error) { return true, nil }), ErrNewer)
	}
}

// What a dead process left behind does not stay, and is not taken for anything.
func TestScratchOfADeadProcess(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := openIn(t, InFile, dir, nil)
	path := s.Status().Path
	if err := os.WriteFile(path+".new", []byte("half of somethi"), 0o400); err != nil {
		t.Fatal(err)
	}
	put(t, s, anyToken(anyKey(), "access", ""))
	if _, err := os.Lstat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// FuzzOpen holds that no file makes the store fail, hang or give what was not put there.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"format":"ahptui tokens","version":1,"content":{"generation":1,"tokens":[{"key":{"host":"h","resource":"r"},"generation":1,"access":"a"}]}}`))
	f.Add([]byte(`{"format":"ahptui tokens","version":2}`))
	f.Add([]byte(`{"format":"ahptui tokens","version":1,"key":"k","sealed":"AAAA"}`))
	f.Add([]byte(`[[[[`))
	keys, err := newSealer(newKey())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, seal := range []*sealer{nil, keys} {
			e, err := tokenFormat().open(data)
			if err != nil {
				continue
			}
			var c content
			err = tokenFormat().decode(plainName, e, seal, &c)
			switch {
			case err != nil && !errors.Is(err, errDamaged):
				t.Errorf("err = %v", err)
			case err == nil && seal != nil:
				t.Error("what nobody sealed could be opened")
			case err == nil:
				again, err := tokenFormat().encode(plainName, c, nil)
				if err != nil {
					t.Fatalf("what was read cannot be written: %v", err)
				}
				if _, err := tokenFormat().open(again); err != nil {
					t.Errorf("what was written cannot be read: %v", err)
				}
			}
		}
	})
}
