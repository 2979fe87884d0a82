package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The limits of a watch.
const (
	maxWatchedDirs = 4096
	maxKnown       = 100_000 // names, by which what is new is told from what was replaced
	maxChanges     = 1000    // that are told at once; then the rest is left out
	quiet          = 50 * time.Millisecond
	patience       = 500 * time.Millisecond // within which changes are told, however many come
)

// ChangeKind is how a file or directory has changed.
type ChangeKind int

// The kinds of changes.
const (
	Updated ChangeKind = iota
	Added
	Deleted
)

// A Change is something that happened to a path.
type Change struct {
	Path string // absolute
	Kind ChangeKind
}

// WatchOptions say what is watched.
type WatchOptions struct {
	Recursive bool     // directories below, too; symbolic links are not followed
	Excludes  Patterns // what is not watched, and nothing below it
	Includes  Patterns // what is told; nil means everything
}

// A Watcher tells when something at a place changes. One goroutine serves it.
type Watcher struct {
	place  Place
	opts   WatchOptions
	single bool // a file is watched
	tell   func([]Change)
	notify *fsnotify.Watcher
	dirs   int
	done   chan struct{} // closed when the goroutine has ended

	known   map[string]bool // what is there, as far as it has been seen
	pending map[string]ChangeKind
	fresh   map[string]bool // of the pending ones, those that were not there before
}

// Watch watches a file or a directory. The changes are told by calls of tell, from
// one goroutine and without locks, until [Watcher.Close].
func Watch(p Place, opts WatchOptions, tell func([]Change)) (*Watcher, error) {
	info, err := p.Stat(true)
	if err != nil {
		return nil, err
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &Watcher{
		place: p, opts: opts, single: !info.Mode.IsDir(), tell: tell, notify: notify,
		done: make(chan struct{}), known: map[string]bool{}, pending: map[string]ChangeKind{}, fresh: map[string]bool{},
	}
	if w.single {
		w.known[p.Path()] = true
		err = notify.Add(filepath.Dir(p.Path())) // a file that is replaced is another one
	} else {
		err = w.add(p.Path(), false)
	}
	if err != nil {
		_ = notify.Close() // nothing is watched
		return nil, fmt.Errorf("watch files: %w", err)
	}
	go w.run()
	return w, nil
}

// Close ends the watch. When it returns, nothing is told any more.
func (w *Watcher) Close() {
	_ = w.notify.Close() // it is over either way
	<-w.done
}

var errTooManyDirs = fmt.Errorf("there are more than %d directories to watch", maxWatchedDirs)

// add watches a directory and, if all are watched, those below it. What is found
// in one that has just appeared has appeared as well.
func (w *Watcher) add(dir string, appeared bool) error {
	if w.dirs++; w.dirs > maxWatchedDirs {
		return errTooManyDirs
	}
	if err := w.notify.Add(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // it may be gone already, and is watched as far as it is there
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if w.excluded(name) {
			continue
		}
		if appeared {
			w.note(name, Added)
		} else {
			w.learn(name)
		}
		if e.Type()&fs.ModeSymlink == 0 && e.IsDir() && w.opts.Recursive {
			if err := w.add(name, appeared); errors.Is(err, errTooManyDirs) {
				return err
			}
		}
	}
	return nil
}

func (w *Watcher) rel(name string) string {
	rel, err := filepath.Rel(w.place.Path(), name)
	if err != nil {
		return name
	}
	return rel
}

func (w *Watcher) learn(name string) {
	if len(w.known) < maxKnown {
		w.known[name] = true
	}
}

func (w *Watcher) excluded(name string) bool { return w.opts.Excludes.Match(w.rel(name)) }

// run collects what happens until it is quiet for a moment, and tells it.
func (w *Watcher) run() {
	defer close(w.done)
	var settled, late <-chan time.Time
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			w.happened(e)
			if len(w.pending) > 0 {
				settled = time.After(quiet)
				if late == nil {
					late = time.After(patience)
				}
			}
			continue
		case _, ok := <-w.notify.Errors: // such as that too much has happened: then something is missed
			if !ok {
				return
			}
			continue
		case <-settled:
		case <-late:
		}
		settled, late = nil, nil
		w.flush()
	}
}

func (w *Watcher) happened(e fsnotify.Event) {
	if w.single && e.Name != w.place.Path() || !w.single && w.excluded(e.Name) {
		return
	}
	switch {
	case e.Has(fsnotify.Create):
		w.note(e.Name, Added)
		if st, err := os.Lstat(e.Name); err == nil && st.IsDir() && w.opts.Recursive {
			_ = w.add(e.Name, true) // where there are too many, the new ones are not watched
		}
	case e.Has(fsnotify.Remove), e.Has(fsnotify.Rename):
		w.note(e.Name, Deleted)
	case e.Has(fsnotify.Write):
		w.note(e.Name, Updated)
	}
}

// note keeps what happened to a path last, and whether the path is new.
func (w *Watcher) note(name string, kind ChangeKind) {
	had, noted := w.pending[name]
	switch {
	case !noted && len(w.pending) >= maxChanges:
		return
	case !noted:
		w.fresh[name] = kind == Added && !w.known[name]
	case kind == Updated && had == Added:
		return
	}
	w.pending[name] = kind
}

// flush tells what has happened. What came and went is not told, and what went and
// came has changed.
func (w *Watcher) flush() {
	var list []Change
	for name, kind := range w.pending {
		if kind == Deleted {
			delete(w.known, name)
		} else {
			w.learn(name)
		}
		switch {
		case w.fresh[name] && kind == Deleted:
			continue
		case !w.fresh[name] && kind == Added:
			kind = Updated
		}
		if w.opts.Includes == nil || w.opts.Includes.Match(w.rel(name)) {
			list = append(list, Change{name, kind})
		}
	}
	clear(w.pending)
	clear(w.fresh)
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	w.tell(list)
}
