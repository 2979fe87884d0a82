package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxChanges bounds the changes that are told.
const maxChanges = 2000

// A Change is a file that is not as it is in the last commit. Paths are below the
// tree's directory, with slashes.
type Change struct {
	Before  string // its path in the last commit; "" for a new file
	After   string // its path now; "" for a deleted one
	Blob    string // the name of its content in the last commit; "" for a new file
	Mark    string // changes when the content does
	Staged  bool   // some of the change is in the index
	Pending bool   // some of it is not
	Added   int    // lines
	Removed int    // lines
	Counted bool   // the lines are known; they are not for binary files
}

// ID is what the change is known by: its path.
func (c *Change) ID() string {
	if c.After != "" {
		return c.After
	}
	return c.Before
}

// Changes lists what has changed below the directory, in the order of the paths.
// Cut is set where there is more.
func (t *Tree) Changes(ctx context.Context) (list []*Change, cut bool, err error) {
	g, err := t.git(ctx)
	if err != nil {
		return nil, false, err
	}
	prefix, err := g.run(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, false, err
	}
	below := strings.TrimSuffix(string(prefix), "\n")
	out, err := g.run(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all", "--", ".")
	if err != nil {
		return nil, false, err
	}
	list = parseStatus(string(out), below)
	if cut = len(list) > maxChanges; cut {
		list = list[:maxChanges]
	}
	if err := t.count(ctx, g, list, below); err != nil {
		return nil, false, err
	}
	for _, c := range list {
		t.mark(c)
	}
	return list, cut, nil
}

// parseStatus reads the output of git status (git-status(1), porcelain format
// version 2, with -z), as far as it is about what is below prefix: "", or a path
// that ends with a slash.
func parseStatus(out, prefix string) []*Change {
	var list []*Change
	for line := range strings.SplitSeq(out, "\x00") {
		if c := parseEntry(line); c != nil {
			var ok bool
			if c.After, ok = strings.CutPrefix(c.After, prefix); !ok {
				continue
			}
			c.Before = ""
			if c.Blob != "" {
				c.Before = c.After
			}
			if c.Mark == "D" {
				c.After = ""
			}
			if c.Before != "" || c.After != "" {
				list = append(list, c)
			}
		}
	}
	slices.SortFunc(list, func(a, b *Change) int { return strings.Compare(a.ID(), b.ID()) })
	return list
}

// parseEntry reads one line; nil where it is about nothing that is shown. The path
// is in After; Mark is D if the file is not there any more.
func parseEntry(line string) *Change {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "1": // XY sub mH mI mW hH hI path
		f := strings.SplitN(rest, " ", 8)
		if len(f) < 8 || len(f[0]) != 2 || strings.HasPrefix(f[1], "S") {
			return nil // a submodule's changes are its own
		}
		c := &Change{After: f[7], Staged: f[0][0] != '.', Pending: f[0][1] != '.'}
		if strings.Trim(f[5], "0") != "" {
			c.Blob = f[5]
		}
		if f[4] == "000000" {
			c.Mark = "D"
		}
		return c
	case "u": // XY sub m1 m2 m3 mW h1 h2 h3 path: a conflict; the second side is ours
		f := strings.SplitN(rest, " ", 10)
		if len(f) < 10 {
			return nil
		}
		c := &Change{After: f[9], Pending: true}
		if strings.Trim(f[7], "0") != "" {
			c.Blob = f[7]
		}
		if f[5] == "000000" {
			c.Mark = "D"
		}
		return c
	case "?":
		if strings.HasSuffix(rest, "/") {
			return nil // a repository of its own
		}
		return &Change{After: rest, Pending: true}
	}
	return nil
}

// count counts the lines of all changes: those that git knows, and those of new files.
func (t *Tree) count(ctx context.Context, g *git, list []*Change, prefix string) error {
	byPath := map[string]*Change{}
	for _, c := range list {
		byPath[c.ID()] = c
	}
	head := "HEAD"
	if _, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		head = emptyTree // nothing has been committed yet
	}
	out, err := g.run(ctx, "diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", head, "--", ".")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		f := strings.SplitN(line, "\t", 3)
		if len(f) < 3 {
			continue
		}
		c := byPath[strings.TrimPrefix(f[2], prefix)]
		added, errAdded := strconv.Atoi(f[0])
		removed, errRemoved := strconv.Atoi(f[1])
		if c != nil && errAdded == nil && errRemoved == nil {
			c.Added, c.Removed, c.Counted = added, removed, true
		}
	}
	for _, c := range list {
		if !c.Counted && c.Before == "" && !c.Staged {
			c.Added, c.Counted = t.lines(c.After)
		}
	}
	return nil
}

// emptyTree is the name of a tree without files, which git knows in every repository.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// maxCounted bounds the size of a new file whose lines are counted.
const maxCounted = 1 << 20

// lines counts the lines of a new file; ok is false for what is no text.
func (t *Tree) lines(path string) (n int, ok bool) {
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return 0, false
	}
	defer func() { _ = root.Close() }() // nothing was written
	st, err := root.Lstat(filepath.FromSlash(path))
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxCounted {
		return 0, false
	}
	data, err := root.ReadFile(filepath.FromSlash(path))
	if err != nil || strings.Contains(string(data), "\x00") {
		return 0, false
	}
	n = strings.Count(string(data), "\n")
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n, true
}

// mark gives a change what tells it from an earlier one of the same file.
func (t *Tree) mark(c *Change) {
	c.Mark = c.Blob
	if st, err := os.Lstat(filepath.Join(t.dir, filepath.FromSlash(c.ID()))); err == nil {
		c.Mark = fmt.Sprintf("%s-%x-%x", c.Blob, st.ModTime().UnixNano(), st.Size())
	}
}

// Before reads the content that a file had in the last commit. The name of the
// content is that of a [Change].
func (t *Tree) Before(ctx context.Context, blob string) ([]byte, error) {
	if !isObjectName(blob) {
		return nil, fs.ErrNotExist
	}
	g, err := t.git(ctx)
	if err != nil {
		return nil, err
	}
	return g.run(ctx, "cat-file", "blob", blob)
}

func isObjectName(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Stage puts changes into the index: those of one file, or all if path is "".
func (t *Tree) Stage(ctx context.Context, path string) error {
	return t.do(ctx, "add", "--all", "--", cmp.Or(path, "."))
}

// Unstage takes the changes of one file out of the index, or all if path is "". The
// files stay as they are.
func (t *Tree) Unstage(ctx context.Context, path string) error {
	return t.do(ctx, "reset", "--quiet", "--", cmp.Or(path, "."))
}

// Discard makes a file what it was in the last commit, in the tree and in the
// index. One that is new is deleted. The change must still be the one that c is:
// what nobody has seen is not thrown away.
func (t *Tree) Discard(ctx context.Context, c *Change) error {
	now := *c
	if t.mark(&now); now.Mark != c.Mark {
		return ErrChanged
	}
	if c.Before != "" {
		return t.do(ctx, "checkout", "--quiet", "HEAD", "--", c.Before)
	}
	if c.Staged {
		if err := t.do(ctx, "rm", "--cached", "--quiet", "--", c.After); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return err
	}
	return errors.Join(root.Remove(filepath.FromSlash(c.After)), root.Close())
}

func (t *Tree) do(ctx context.Context, args ...string) error {
	g, err := t.git(ctx)
	if err == nil {
		_, err = g.run(ctx, args...)
	}
	return err
}
