package files

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of a search.
const (
	maxVisited     = 20_000
	maxSearchDepth = 12
)

// A Match is a file or directory that a search has found.
type Match struct {
	Path string // absolute
	Rel  string // below the directory that was searched, with slashes
	Dir  bool

	rank int
}

// Search finds the files and directories below a directory whose paths have a text
// in them, whatever its case, the best ones first: those whose names begin with it,
// then those whose paths do. What begins with a dot is found if the text has one in
// it; what is for programs alone (.git, node_modules) is passed over.
func Search(ctx context.Context, dir, text string, limit int) ([]Match, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	text = strings.ToLower(path.Clean("/" + filepath.ToSlash(text))[1:])
	var list []Match
	visited := 0
	err = fs.WalkDir(root.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		visited++
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case visited > maxVisited:
			return fs.SkipAll
		case err != nil && rel == ".":
			return err
		case err != nil || rel == ".":
			return nil //nolint:nilerr // what cannot be read is passed over
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		skip := error(nil)
		if d.IsDir() && strings.Count(rel, "/") >= maxSearchDepth {
			skip = fs.SkipDir
		}
		if strings.HasPrefix(d.Name(), ".") && !strings.Contains(text, ".") {
			if d.IsDir() {
				skip = fs.SkipDir
			}
			return skip
		}
		if rank, ok := rankOf(strings.ToLower(rel), text); ok && utf8.ValidString(rel) {
			list = append(list, Match{Path: filepath.Join(dir, filepath.FromSlash(rel)), Rel: rel, Dir: d.IsDir(), rank: rank})
		}
		return skip
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(strings.Count(a.Rel, "/"), strings.Count(b.Rel, "/")), cmp.Compare(a.Rel, b.Rel))
	})
	return list[:min(limit, len(list))], nil
}

func rankOf(rel, text string) (rank int, ok bool) {
	switch {
	case strings.HasPrefix(path.Base(rel), text):
		return 0, true
	case strings.HasPrefix(rel, text):
		return 1, true
	case strings.Contains(path.Base(rel), text):
		return 2, true
	}
	return 3, strings.Contains(rel, text)
}
