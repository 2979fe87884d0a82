package changes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/views/changes"
	"ahptui/views/diff"
	"ahptui/views/viewtest"
)

func files(list ...changes.File) changes.Files {
	return changes.Files{
		Len: len(list),
		ID:  func(i int) string { return list[i].Path.String() },
		At:  func(i int) changes.File { return list[i] },
	}
}

func input(t testing.TB) changes.Input {
	t.Helper()
	var before, after strings.Builder
	for i := range 60 {
		fmt.Fprintf(&before, "\tline %d of the file\n", i)
		if i%20 == 5 {
			fmt.Fprintf(&after, "\tline %d of the other file, which is rather long 日本語\n", i)
			continue
		}
		fmt.Fprintf(&after, "\tline %d of the file\n", i)
	}
	d, err := diff.Compare(before.String(), after.String())
	if err != nil {
		t.Fatal(err)
	}
	return changes.Input{
		Label: safetext.Const("Uncommitted changes"), Totals: changes.Totals{Added: 52, Removed: 7, Reviewed: 1},
		Files: files(
			changes.File{Path: safetext.Const("a/very/long/path/to/some/place/in/the/tree/main.go"), Added: 3, Removed: 3, Notes: 2},
			changes.File{Path: safetext.Const("new.go"), Change: changes.Created, Added: 40, Removed: 0, Pending: true},
			changes.File{Path: safetext.Const("日本語/ファイル.txt"), Change: changes.Deleted, Added: 0, Removed: 3, Reviewed: true},
			changes.File{Path: safetext.Const("docs/guide.md"), From: safetext.Const("README.md"), Change: changes.Moved, Added: -1, Removed: -1},
		),
		Diff: changes.Diff{Of: "a/very/long/path/to/some/place/in/the/tree/main.go", Diff: d},
		Notes: []*changes.Note{
			{Entries: []safetext.Block{safetext.CleanBlock("about the whole file", 100)}, Resolved: true},
			{Line: 6, Entries: []safetext.Block{safetext.CleanBlock("why?\nsecond line", 100), safetext.CleanBlock("because", 100)}},
			{Line: 6, Old: true, Entries: []safetext.Block{safetext.CleanBlock("what it was", 100)}},
			{Line: 15, Entries: []safetext.Block{safetext.CleanBlock("at a line that is left out", 100)}},
		},
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, size := range []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 24}, {Width: 200, Height: 60}} {
		t.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(t *testing.T) {
			t.Parallel()
			m := changes.New(viewtest.Plain(t))
			m.SetSize(size.Width, size.Height)
			screens := ""
			show := func() {
				drawn := m.View(input(t), true)
				viewtest.Check(t, drawn, size.Width, size.Height)
				screens += viewtest.Text(drawn) + "\n"
			}
			show()
			m.OpenDiff()
			show()
			m.NextChange()
			show()
			m.End()
			show()
			golden.RequireEqual(t, screens)
		})
	}
}

// TestSizes: the panel has its size whatever that is.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, size := range viewtest.Sizes() {
		m := changes.New(viewtest.Colour(t))
		m.SetSize(size.Width, size.Height)
		for _, in := range []changes.Input{{Empty: safetext.Const("nothing has changed")}, input(t)} {
			viewtest.Check(t, m.View(in, true), size.Width, size.Height)
			m.OpenDiff()
			for _, move := range []func(){m.Down, m.PageDown, func() { m.NextChange() }, m.End, m.Up, m.HalfUp, func() { m.PreviousChange() }, m.Home} {
				move()
				viewtest.Check(t, m.View(in, false), size.Width, size.Height)
			}
			m.CloseDiff()
		}
	}
}

// TestScroll: row by row one comes from the beginning to the end and back.
func TestScroll(t *testing.T) {
	t.Parallel()
	m := changes.New(viewtest.Plain(t))
	m.SetSize(30, 8)
	in := input(t)
	m.Sync(in)
	m.OpenDiff()
	first := m.View(in, true)
	m.End()
	last := m.View(in, true)
	m.Home()
	n := 0
	for m.View(in, true) != last && n < 1000 {
		m.Down()
		n++
	}
	if n < 20 || n == 1000 {
		t.Errorf("%d rows", n)
	}
	for range n {
		m.Up()
	}
	if m.View(in, true) != first {
		t.Error("the way back does not end at the beginning")
	}
}

// TestManyFiles: of ten thousand files only those are looked at that are seen.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	looked := 0
	in := changes.Input{Files: changes.Files{
		Len: 10_000,
		ID:  func(i int) string { return fmt.Sprint(i) },
		At: func(i int) changes.File {
			looked++
			return changes.File{Path: safetext.Const("file.go")}
		},
	}}
	m := changes.New(viewtest.Plain(t))
	m.SetSize(80, 24)
	m.View(in, true)
	m.End()
	m.View(in, true)
	m.PageUp()
	m.View(in, true)
	if looked > 3*24 {
		t.Errorf("%d files were looked at", looked)
	}
}

// TestSelectionStays: the selection keeps to its file while others come and go.
func TestSelectionStays(t *testing.T) {
	t.Parallel()
	m := changes.New(viewtest.Plain(t))
	m.SetSize(40, 10)
	in := input(t)
	m.View(in, true)
	m.Down()
	m.View(in, true)
	in.Files = files(in.Files.At(1), in.Files.At(2))
	m.View(in, true)
	if id, _ := m.Selected(); id != "new.go" || m.Index() != 0 {
		t.Errorf("selected %q", id)
	}
	in.Files = files()
	m.OpenDiff()
	m.View(in, true)
	if _, ok := m.Selected(); ok || m.DiffOpen() {
		t.Error("something is selected in nothing")
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, text := range viewtest.Hostile() {
		in := changes.Input{
			Label: safetext.Clean(text, 400), State: safetext.Clean(text, 400), Problem: safetext.Clean(text, 400),
			Files: files(changes.File{Path: safetext.Clean(text, 400), From: safetext.Clean(text, 400), Change: changes.Moved}),
			Notes: []*changes.Note{{Entries: []safetext.Block{safetext.CleanBlock(text, 400)}}},
		}
		in.Diff.Of = text
		for _, size := range viewtest.Sizes() {
			m := changes.New(viewtest.Plain(t))
			m.SetSize(size.Width, size.Height)
			viewtest.Check(t, m.View(in, true), size.Width, size.Height)
			m.OpenDiff()
			viewtest.Check(t, m.View(in, true), size.Width, size.Height)
		}
	}
}
