package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree makes a directory with files, whose names end with / for directories and
// have -> for symbolic links, and one beside it that is nobody's business.
func tree(t *testing.T, names ...string) (dir, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside = filepath.Join(base, "in"), filepath.Join(base, "out")
	for _, d := range []string{dir, outside} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(outside, "secret"), "secret")
	for _, name := range names {
		link, target, isLink := strings.Cut(name, "->")
		full := filepath.Join(dir, link)
		switch {
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "OUT", outside), full)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(full, 0o700)
		default:
			write(t, full, "content of "+name)
		}
		if err != nil {
			t.Skip(err) // symbolic links are not for everybody on Windows
		}
	}
	return dir, outside
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func at(dir, rel string) Place { return Place{dir, filepath.FromSlash(rel)} }

func TestFind(t *testing.T) {
	t.Parallel()
	abs := func(names ...string) []string {
		for i, n := range names {
			if runtime.GOOS == "windows" {
				n = `C:` + n
			}
			names[i] = filepath.FromSlash(n)
		}
		return names
	}
	for _, tt := range []struct {
		path, dir, rel string // dir is empty where nothing is found
	}{
		{"/a/b/c", "/a/b", "c"},
		{"/a/b", "/a/b", "."},
		{"/a/x/y", "/a", "x/y"},
		{"/a/b/../x", "/a", "x"},
		{"/ab", "", ""},
		{"/a/../etc/passwd", "", ""},
		{"/", "", ""},
	} {
		p, ok := Find(abs("/a", "/a/b", "/c"), abs(tt.path)[0])
		if ok != (tt.dir != "") || ok && (p.dir != abs(tt.dir)[0] || filepath.ToSlash(p.rel) != tt.rel) {
			t.Errorf("%s is at %+v, %v", tt.path, p, ok)
		}
	}
	if _, ok := Find([]string{"", "."}, "a"); ok {
		t.Error("a relative path has a place")
	}
}

// Whatever stands in the way, nothing outside can be reached.
func TestNothingOutside(t *testing.T) {
	t.Parallel()
	dir, outside := tree(t, "a", "link->OUT/secret", "dir->OUT", "up->../out", "deep/up->../../out/secret", "twice->link")
	ways := []string{"link", "dir/secret", "up/secret", "deep/up", "twice", "../out/secret", "deep/../../out/secret"}
	for _, rel := range ways {
		p := at(dir, rel)
		if _, _, err := p.Read(); err == nil {
			t.Errorf("%s can be read", rel)
		}
		if err := p.Write([]byte("overwritten"), WriteOptions{}); err == nil {
			t.Errorf("%s can be written", rel)
		}
		if _, err := p.Stat(true); err == nil {
			t.Errorf("%s can be looked at", rel)
		}
		if err := Copy(p, at(dir, "copy"), false); err == nil {
			t.Errorf("%s can be copied", rel)
		}
		if err := Copy(at(dir, "a"), p, false); err == nil {
			t.Errorf("%s can be copied to", rel)
		}
	}
	for _, rel := range []string{"dir", "up"} {
		if list, err := at(dir, rel).List(); err == nil {
			t.Errorf("%s has %v", rel, list)
		}
		if err := at(dir, rel+"/new").Mkdir(); err == nil {
			t.Errorf("a directory can be made in %s", rel)
		}
		if err := at(dir, rel+"/secret").Remove(true); err == nil {
			t.Errorf("what is in %s can be removed", rel)
		}
		if err := Move(at(dir, "a"), at(dir, rel+"/a"), false); err == nil {
			t.Errorf("something can be moved to %s", rel)
		}
	}
	// Removing a link removes the link.
	if err := at(dir, "dir").Remove(true); err != nil {
		t.Error(err)
	}
	if got := read(t, filepath.Join(outside, "secret")); got != "secret" {
		t.Errorf("outside is %q", got)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside are %v", entries)
	}
}

func TestReadAndStat(t *testing.T) {
	t.Parallel()
	dir, _ := tree(t, "a.txt", "sub/b", "link->sub/b", "chain->link", "loop->loop")
	data, info, err := at(dir, "chain").Read()
	if err != nil || string(data) != "content of sub/b" || info.Size != int64(len(data)) || info.Etag() == "" {
		t.Errorf("%q, %+v, %v", data, info, err)
	}
	info, err = at(dir, "chain").Stat(true)
	if err != nil || info.Path != filepath.Join(dir, "sub", "b") || !info.Mode.IsRegular() {
		t.Errorf("the end of the links is %+v, %v", info, err)
	}
	info, err = at(dir, "chain").Stat(false)
	if err != nil || info.Mode&fs.ModeSymlink == 0 {
		t.Errorf("the link is %+v, %v", info, err)
	}
	if _, err = at(dir, "loop").Stat(true); err == nil {
		t.Error("a loop has an end")
	}
	if _, _, err = at(dir, "none").Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if _, _, err = at(dir, "sub").Read(); err == nil {
		t.Error("a directory can be read")
	}
	large := filepath.Join(dir, "large")
	write(t, large, "")
	if err := os.Truncate(large, MaxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, _, err = at(dir, "large").Read(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	dir, _ := tree(t, "b", "a/", "dirlink->a", "outlink->OUT", "gone->nowhere")
	list, err := at(dir, ".").List()
	want := []Entry{{"a", true}, {"b", false}, {"dirlink", true}, {"gone", false}, {"outlink", false}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("there are %v, %v", list, err)
	}
	if list, err = at(dir, "a").List(); err != nil || len(list) != 0 {
		t.Errorf("in an empty directory are %v, %v", list, err)
	}
	if _, err = at(dir, "b").List(); err == nil {
		t.Error("a file can be listed")
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir, _ := tree(t, "a", "link->a")
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(name, []byte("0123456789"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	step := func(opts WriteOptions, text, want string) {
		t.Helper()
		if err := at(dir, "a").Write([]byte(text), opts); err != nil {
			t.Fatal(err)
		}
		if got := read(t, name); got != want {
			t.Errorf("after %+v it is %q, want %q", opts, got, want)
		}
	}
	step(WriteOptions{Mode: Append}, "A", "0123456789A")
	step(WriteOptions{Mode: Append, Position: 1}, "B", "0123456789BA")
	step(WriteOptions{Mode: Append, Position: 100}, "C", "C0123456789BA")
	step(WriteOptions{Mode: Insert}, "D", "DC0123456789BA")
	step(WriteOptions{Mode: Insert, Position: 2}, "E", "DCE0123456789BA")
	step(WriteOptions{Mode: Insert, Position: 1000}, "F", "DCE0123456789BAF")
	step(WriteOptions{}, "short", "short")
	info, err := at(dir, "a").Stat(true)
	if err != nil {
		t.Fatal(err)
	}
	step(WriteOptions{IfMatch: info.Etag()}, "matched", "matched")
	if err := at(dir, "a").Write(nil, WriteOptions{IfMatch: "other"}); !errors.Is(err, ErrChanged) {
		t.Errorf("another etag: %v", err)
	}
	if err := at(dir, "new").Write(nil, WriteOptions{IfMatch: "any"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an etag of nothing: %v", err)
	}
	if err := at(dir, "a").Write(nil, WriteOptions{CreateOnly: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if err := at(dir, "none/new").Write(nil, WriteOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
	if err := at(dir, "link").Write([]byte("through"), WriteOptions{}); err != nil || read(t, name) != "through" {
		t.Errorf("through a link: %v, %q", err, read(t, name))
	}
	if err := at(dir, "new").Write([]byte("x"), WriteOptions{CreateOnly: true}); err != nil || read(t, filepath.Join(dir, "new")) != "x" {
		t.Errorf("a new file: %v", err)
	}
	if err := at(dir, "huge").Write(make([]byte, MaxFileBytes+1), WriteOptions{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too much: %v", err)
	}
	if st, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("the mode has become %v, %v", st.Mode(), err)
	}
}

func TestMkdirRemoveMoveCopy(t *testing.T) {
	t.Parallel()
	dir, _ := tree(t, "a", "sub/b", "sub/c/d", "sub/link->b")
	other, _ := tree(t, "x")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	mustNot := func(err error, want error) {
		t.Helper()
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
	}
	must(at(dir, "p/q/r").Mkdir())
	must(at(dir, "p/q").Mkdir())
	must(at(dir, ".").Mkdir())
	mustNot(at(dir, "a").Mkdir(), fs.ErrExist)
	mustNot(at(dir, "a/x").Mkdir(), nil)

	must(Copy(at(dir, "sub"), at(dir, "copy"), true))
	if got := read(t, filepath.Join(dir, "copy", "c", "d")); got != "content of sub/c/d" {
		t.Errorf("the copy is %q", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "copy", "link")); err == nil {
		t.Error("a link was copied")
	}
	mustNot(Copy(at(dir, "sub"), at(dir, "copy"), true), fs.ErrExist)
	must(Copy(at(dir, "sub"), at(dir, "copy"), false))
	mustNot(Copy(at(dir, "sub"), at(dir, "sub/c/sub"), false), nil)
	mustNot(Copy(at(dir, "none"), at(dir, "y"), false), fs.ErrNotExist)
	must(Copy(at(dir, "a"), at(other, "x"), false))
	if got := read(t, filepath.Join(other, "x")); got != "content of a" {
		t.Errorf("the copy elsewhere is %q", got)
	}

	mustNot(Move(at(dir, "a"), at(dir, "copy"), true), fs.ErrExist)
	must(Move(at(dir, "a"), at(dir, "moved"), true))
	must(Move(at(dir, "copy"), at(other, "copy"), true))
	if _, err := os.Stat(filepath.Join(dir, "copy")); err == nil || read(t, filepath.Join(other, "copy", "b")) == "" {
		t.Error("the directory was not moved")
	}
	mustNot(Move(at(dir, "none"), at(dir, "z"), false), fs.ErrNotExist)
	mustNot(Move(at(dir, "."), at(other, "z"), false), ErrRoot)

	mustNot(at(dir, "sub").Remove(false), nil)
	must(at(dir, "sub").Remove(true))
	must(at(dir, "moved").Remove(false))
	mustNot(at(dir, "moved").Remove(true), fs.ErrNotExist)
	mustNot(at(dir, ".").Remove(true), ErrRoot)
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ glob, yes, no string }{
		{"*.go", "a.go", "b/a.go"},
		{"**/*.go", "a.go b/a.go b/c/a.go", "a.txt"},
		{"node_modules/**", "node_modules node_modules/a/b", "x/node_modules"},
		{"**/node_modules/**", "node_modules/a x/node_modules x/node_modules/b", "my_node_modules"},
		{"a?c", "abc", "ac a/c"},
		{"{a,b}/*.{c,d}", "a/x.c b/y.d", "c/x.c a/x.e"},
		{"[a-c]x", "ax cx", "dx"},
		{"[!a]x", "bx", "ax"},
		{"a.b", "a.b", "axb"},
		{"(", "(", "x"},
		{"**", "a a/b", ""},
	} {
		l, err := CompilePatterns([]string{tt.glob})
		if err != nil {
			t.Errorf("%s: %v", tt.glob, err)
			continue
		}
		for _, name := range strings.Fields(tt.yes) {
			if !l.Match(name) {
				t.Errorf("%s does not match %s", tt.glob, name)
			}
		}
		for _, name := range strings.Fields(tt.no) {
			if l.Match(name) {
				t.Errorf("%s matches %s", tt.glob, name)
			}
		}
	}
	for _, globs := range [][]string{{"["}, {"{a"}, {strings.Repeat("x", 1000)}, make([]string, 1000)} {
		if _, err := CompilePatterns(globs); err == nil {
			t.Errorf("%.20q is taken", globs)
		}
	}
}

// watched is a watch whose changes come over a channel.
func watched(t *testing.T, p Place, opts WatchOptions) <-chan []Change {
	t.Helper()
	told := make(chan []Change, 100)
	w, err := Watch(p, opts, func(list []Change) { told <- list })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return told
}

// expect waits until all changes have been told, and fails on others.
func expect(t *testing.T, dir string, told <-chan []Change, want map[string]ChangeKind) {
	t.Helper()
	late := time.After(20 * time.Second)
	for len(want) > 0 {
		select {
		case list := <-told:
			for _, c := range list {
				rel, _ := filepath.Rel(dir, c.Path)
				rel = filepath.ToSlash(rel)
				kind, ok := want[rel]
				if !ok || kind != c.Kind {
					t.Errorf("%s: %v, want %v (%v)", rel, c.Kind, kind, ok)
				}
				delete(want, rel)
			}
		case <-late:
			t.Fatalf("not told: %v", want)
		}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	dir, outside := tree(t, "a", "sub/b", "skip/c", "link->OUT")
	excludes, err := CompilePatterns([]string{"skip/**"})
	if err != nil {
		t.Fatal(err)
	}
	told := watched(t, at(dir, "."), WatchOptions{Recursive: true, Excludes: excludes})
	in := func(rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }
	write(t, in("skip/c"), "x")
	write(t, filepath.Join(outside, "secret"), "x")
	write(t, in("new"), "x")
	write(t, in("sub/b"), "x")
	if err := os.Remove(in("a")); err != nil {
		t.Fatal(err)
	}
	write(t, in("gone"), "x")
	if err := os.Remove(in("gone")); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, told, map[string]ChangeKind{"new": Added, "sub/b": Updated, "a": Deleted})

	// A file that is replaced is no new one.
	write(t, in("sub/b.tmp"), "y")
	if err := os.Rename(in("sub/b.tmp"), in("sub/b")); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, told, map[string]ChangeKind{"sub/b": Updated})

	// A directory that is new is watched, and what is in it already is told.
	write(t, in("fresh/deep/file"), "x")
	expect(t, dir, told, map[string]ChangeKind{"fresh": Added, "fresh/deep": Added, "fresh/deep/file": Added})
	write(t, in("fresh/deep/other"), "x")
	expect(t, dir, told, map[string]ChangeKind{"fresh/deep/other": Added})
}

func TestWatchOfOneDirectoryAndOneFile(t *testing.T) {
	t.Parallel()
	dir, _ := tree(t, "a", "b.go", "sub/c")
	includes, err := CompilePatterns([]string{"*.go"})
	if err != nil {
		t.Fatal(err)
	}
	flat := watched(t, at(dir, "."), WatchOptions{})
	chosen := watched(t, at(dir, "."), WatchOptions{Includes: includes})
	single := watched(t, at(dir, "a"), WatchOptions{})
	write(t, filepath.Join(dir, "sub", "c"), "x")
	write(t, filepath.Join(dir, "b.go"), "x")
	write(t, filepath.Join(dir, "a"), "x")
	expect(t, dir, flat, map[string]ChangeKind{"a": Updated, "b.go": Updated})
	expect(t, dir, chosen, map[string]ChangeKind{"b.go": Updated})
	expect(t, dir, single, map[string]ChangeKind{"a": Updated})
	if _, err := Watch(at(dir, "none"), WatchOptions{}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a watch of nothing: %v", err)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	dir, _ := tree(t, "main.go", "cmd/main/x", "domain", "sub/deep/main_test.go", ".hidden/main", ".git/main", "node_modules/main", "link->OUT", "main/")
	found := func(text string, limit int) string {
		t.Helper()
		list, err := Search(t.Context(), dir, text, limit)
		if err != nil {
			t.Fatal(err)
		}
		var rels []string
		for _, m := range list {
			rels = append(rels, m.Rel)
		}
		return strings.Join(rels, " ")
	}
	for text, want := range map[string]string{
		"main":      "main main.go cmd/main sub/deep/main_test.go domain cmd/main/x",
		"MAIN":      "main main.go cmd/main sub/deep/main_test.go domain cmd/main/x",
		"sub/d":     "sub/deep sub/deep/main_test.go",
		".hidden":   ".hidden .hidden/main",
		"secret":    "",
		"../../etc": "",
		"nothing":   "",
	} {
		if got := found(text, 100); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	if got := found("main", 2); got != "main main.go" {
		t.Errorf("the first two are %q", got)
	}
	if _, err := Search(t.Context(), filepath.Join(dir, "none"), "x", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("where nothing is: %v", err)
	}
}
