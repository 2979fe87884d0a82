package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// a repo is a repository for a test.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir}
	r.git("init", "--quiet")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgSign=false", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = environment(os.Environ())
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	full := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) commit(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		r.write(name, text)
	}
	r.git("add", "--all")
	r.git("commit", "--quiet", "--message", "x")
}

// shown is what has changed, in one line each.
func shown(t *testing.T, dir string) string {
	t.Helper()
	list, cut, err := At(dir).Changes(t.Context())
	if err != nil || cut {
		t.Fatalf("%v, %v", cut, err)
	}
	var b strings.Builder
	for _, c := range list {
		lines := "binary"
		if c.Counted {
			lines = fmt.Sprintf("+%d-%d", c.Added, c.Removed)
		}
		fmt.Fprintf(&b, "%s>%s %s %v%v;", c.Before, c.After, lines, c.Staged, c.Pending)
		if (c.Blob == "") != (c.Before == "") || c.Mark == "" && c.After != "" {
			t.Errorf("%s has the content %q and the mark %q", c.ID(), c.Blob, c.Mark)
		}
	}
	return b.String()
}

func TestChanges(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	if got := shown(t, r.dir); got != "" {
		t.Errorf("nothing has changed, and yet %s", got)
	}
	r.write("first", "a\nb\n")
	r.write("stäged", "a\n")
	r.git("add", "stäged")
	if got, want := shown(t, r.dir), ">first +2-0 falsetrue;>stäged +1-0 truefalse;"; got != want {
		t.Errorf("before the first commit it is %s, want %s", got, want)
	}

	r.commit(map[string]string{"edit": "1\n2\n3\n", "gone": "x\n", "staged": "x\n", "both": "x\n", "sub/deep file": "x\n", "bin": "\x00\x01", "ignored/.gitignore": "*\n"})
	r.write("edit", "1\nzwei\n3\n4\n")
	r.write("staged", "y\n")
	r.git("add", "staged")
	r.write("both", "y\n")
	r.git("add", "both")
	r.write("both", "y\nz\n")
	r.write("bin", "\x00\x02")
	r.write("new", "no end of line")
	r.write("newbin", "\x00")
	r.write("ignored/x", "x")
	r.write("sub/other", "x\n")
	r.git("rm", "--quiet", "gone")
	if err := os.Remove(filepath.Join(r.dir, "first")); err != nil {
		t.Fatal(err)
	}
	want := "bin>bin binary falsetrue;both>both +2-1 truetrue;edit>edit +2-1 falsetrue;first> +0-2 falsetrue;gone> +0-1 truefalse;" +
		">new +1-0 falsetrue;>newbin binary falsetrue;staged>staged +1-1 truefalse;>sub/other +1-0 falsetrue;"
	if got := shown(t, r.dir); got != want {
		t.Errorf("it is\n%s, want\n%s", got, want)
	}
	if got, want := shown(t, filepath.Join(r.dir, "sub")), ">other +1-0 falsetrue;"; got != want {
		t.Errorf("below sub it is %s, want %s", got, want)
	}
}

func TestBefore(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit(map[string]string{"a": "before\n"})
	r.write("a", "after\n")
	list, _, err := At(r.dir).Changes(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	data, err := At(r.dir).Before(t.Context(), list[0].Blob)
	if err != nil || string(data) != "before\n" {
		t.Errorf("before it was %q, %v", data, err)
	}
	for _, blob := range []string{"", "HEAD:a", "--help", strings.Repeat("0", 40)} {
		if _, err := At(r.dir).Before(t.Context(), blob); err == nil {
			t.Errorf("there is a content %q", blob)
		}
	}
}

func TestMarksTellChangesApart(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit(map[string]string{"a": "x\n"})
	r.write("a", "y\n")
	mark := func() string {
		t.Helper()
		list, _, err := At(r.dir).Changes(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		return list[0].Mark
	}
	before := mark()
	if mark() != before {
		t.Error("the same change has another mark")
	}
	r.write("a", "yy\n")
	if mark() == before {
		t.Error("another change has the same mark")
	}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit(map[string]string{"edit": "x\n", "gone": "x\n", "-f": "x\n", "*": "x\n"})
	tree := At(r.dir)
	find := func(id string) *Change {
		t.Helper()
		list, _, err := tree.Changes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.ID() == id {
				return c
			}
		}
		t.Fatalf("%s has not changed", id)
		return nil
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	r.write("edit", "y\n")
	r.write("-f", "y\n")
	r.write("*", "y\n")
	r.write("new", "y\n")
	r.write("newstaged", "y\n")
	must(os.Remove(filepath.Join(r.dir, "gone")))
	must(tree.Stage(t.Context(), "edit"))
	must(tree.Stage(t.Context(), "*")) // and nothing else
	must(tree.Stage(t.Context(), "newstaged"))
	want := "*>* +1-1 truefalse;-f>-f +1-1 falsetrue;edit>edit +1-1 truefalse;gone> +0-1 falsetrue;>new +1-0 falsetrue;>newstaged +1-0 truefalse;"
	if got := shown(t, r.dir); got != want {
		t.Errorf("staged is\n%s, want\n%s", got, want)
	}
	must(tree.Unstage(t.Context(), "edit"))
	if c := find("edit"); c.Staged {
		t.Error("it is still staged")
	}
	seen := find("new")
	r.write("new", "something else\n")
	if err := tree.Discard(t.Context(), seen); !errors.Is(err, ErrChanged) {
		t.Errorf("what was not seen is discarded: %v", err)
	}
	for _, id := range []string{"edit", "-f", "*", "gone", "new", "newstaged"} {
		must(tree.Discard(t.Context(), find(id)))
	}
	if got := shown(t, r.dir); got != "" {
		t.Errorf("left is %s", got)
	}
	r.write("edit", "z\n")
	must(tree.Stage(t.Context(), ""))
	must(tree.Unstage(t.Context(), ""))
	if got := shown(t, r.dir); got != "edit>edit +1-1 falsetrue;" {
		t.Errorf("all staged and unstaged is %s", got)
	}
}

// What the configuration of a repository names is not run by looking at it.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	r := newRepo(t)
	r.commit(map[string]string{"a": "x\n", ".gitattributes": "* filter=trap diff=trap\n"})
	mark := filepath.Join(t.TempDir(), "sprung")
	trap := filepath.Join(t.TempDir(), "trap")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $*\" >>"+mark+"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(r.dir, ".git", "hooks")
	if err := os.MkdirAll(hooks, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-checkout", "post-index-change", "pre-commit"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\necho "+hook+" >>"+mark+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"core.fsmonitor": trap, "filter.trap.clean": trap, "filter.trap.smudge": trap, "filter.trap.required": "true",
		"diff.trap.command": trap, "diff.trap.textconv": trap, "diff.external": trap, "core.pager": trap, "core.editor": trap,
	} {
		r.write(".git/config", readAll(t, filepath.Join(r.dir, ".git", "config"))+fmt.Sprintf("\n[%s]\n\t%s = %s\n", section(name), key(name), value))
	}
	_ = os.Remove(mark)
	r.write("a", "y\n")
	r.write("b", "y\n")
	tree := At(r.dir)
	list, _, err := tree.Changes(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	if _, err := tree.Before(t.Context(), list[0].Blob); err != nil {
		t.Error(err)
	}
	for _, err := range []error{tree.Stage(t.Context(), "b"), tree.Unstage(t.Context(), "b"), tree.Discard(t.Context(), list[0])} {
		if err != nil {
			t.Error(err)
		}
	}
	if sprung, err := os.ReadFile(mark); err == nil {
		t.Errorf("these were run:\n%s", sprung)
	}
}

func readAll(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func section(name string) string {
	parts := strings.Split(name, ".")
	if len(parts) == 3 {
		return fmt.Sprintf("%s %q", parts[0], parts[1])
	}
	return parts[0]
}

func key(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func TestNoRepository(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("sub/x", "x")
	if !Inside(r.dir) || !Inside(filepath.Join(r.dir, "sub")) {
		t.Error("the tree is not seen")
	}
	dir := t.TempDir()
	if Inside("") || Inside("relative") || Inside(dir) {
		t.Error("a tree is seen where none is")
	}
	if _, _, err := At(dir).Changes(t.Context()); err == nil {
		t.Error("there are changes without a repository")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := At(r.dir).Changes(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	stopped := false
	l := &limited{limit: 5, stop: func() { stopped = true }}
	for _, s := range []string{"abc", "def", "ghi"} {
		if n, err := l.Write([]byte(s)); n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if l.String() != "abcde" || !l.over || !stopped {
		t.Errorf("kept is %q, over: %v, stopped: %v", l.String(), l.over, stopped)
	}
}
