// Package changes is the panel of the files that have changed: a list of them, and
// what has changed in the selected one.
package changes

import (
	"ahptui/internal/safetext"
	"ahptui/views/diff"
)

// Input is what the panel shows. The panel keeps it until the next one, so it
// must not be changed.
type Input struct {
	Label safetext.Text // which changes these are
	// State says what the host is doing about them, such as "computing"; "" where
	// they are ready.
	State   safetext.Text
	Problem safetext.Text // why they are not there, or not those of now
	Empty   safetext.Text // what to say where there are no files
	// Stale says that the host cannot be reached: what is shown is what was.
	Stale bool

	Files    Files
	Totals   Totals
	Diff     Diff    // of the selected file, where it is open
	Notes    []*Note // of the selected file, where it is open, in the order of their lines
	OpenKey  safetext.Text
	CloseKey safetext.Text
}

// Files are the files by their place. Each is asked for only where it is seen, so
// that the list may be as long as it likes.
type Files struct {
	Len int
	ID  func(i int) string
	At  func(i int) File
}

// File is a file that has changed.
type File struct {
	Change         Change
	Path           safetext.Text
	From           safetext.Text // where it was, if it was moved
	Added, Removed int           // lines; less than 0 where that is not known
	Reviewed       bool
	Pending        bool // a mark is not confirmed by the host yet
	Notes          int  // annotations
}

// Change says what was done to a file.
type Change uint8

// The changes.
const (
	Modified Change = iota
	Created
	Deleted
	Moved
)

// letter and word are how a change is shown.
func (c Change) letter() string { return [...]string{"M", "A", "D", "R"}[c] }

func (c Change) word() string { return [...]string{"changed", "new", "deleted", "moved"}[c] }

// Totals are sums over the files.
type Totals struct{ Added, Removed, Reviewed int }

// Diff is what has changed in a file.
type Diff struct {
	Of   string        // the id of the file
	Diff *diff.Diff    // nil where there is none to show
	Why  safetext.Text // why not, or what is going on
}

// Note is an annotation.
type Note struct {
	Line     int  // that it stands at, from 1; 0: it is about the whole file
	Old      bool // the line is one of what the file was
	Resolved bool
	Entries  []safetext.Block
}
