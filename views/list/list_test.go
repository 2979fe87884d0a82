package list_test

import (
	"testing"

	"pgregory.net/rapid"

	"ahptui/views/list"
)

func sync(c *list.Cursor[string], keys ...string) {
	c.Sync(len(keys), func(i int) string { return keys[i] })
}

func check(t *testing.T, c *list.Cursor[string], key string, index int) {
	t.Helper()
	got, ok := c.Selected()
	if got != key || ok != (key != "") || c.Index() != index {
		t.Errorf("selected %q at %d, want %q at %d", got, c.Index(), key, index)
	}
}

func TestSelectionKeepsToItsItem(t *testing.T) {
	t.Parallel()
	var c list.Cursor[string]
	check(t, &c, "", -1)
	sync(&c, "a", "b", "c")
	check(t, &c, "a", 0)
	c.Move(1)
	check(t, &c, "b", 1)
	sync(&c, "x", "y", "b", "c")
	check(t, &c, "b", 2)
	c.Move(99)
	check(t, &c, "c", 3)
	c.Move(-99)
	check(t, &c, "x", 0)
}

func TestItemThatIsGonePassesTheSelectionOn(t *testing.T) {
	t.Parallel()
	var c list.Cursor[string]
	sync(&c, "a", "b", "c")
	c.Move(1)
	sync(&c, "a", "c")
	check(t, &c, "c", 1)
	sync(&c, "a")
	check(t, &c, "a", 0)
	sync(&c)
	check(t, &c, "", -1)
	sync(&c, "z")
	check(t, &c, "z", 0)
}

// What is selected before the list has it stays selected until it comes.
func TestSelectAhead(t *testing.T) {
	t.Parallel()
	var c list.Cursor[string]
	c.Select("new")
	check(t, &c, "new", -1)
	sync(&c)
	check(t, &c, "new", -1)
	sync(&c, "a", "b")
	check(t, &c, "new", -1)
	sync(&c, "a", "new", "b")
	check(t, &c, "new", 1)
	c.Select("b")
	check(t, &c, "b", 2)
}

// The selection is seen, and no row is left empty while there are items for it.
func TestScroll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, rows := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "rows")
		first := rapid.IntRange(0, n-1).Draw(t, "first")
		last := rapid.IntRange(first+1, n).Draw(t, "last")
		top := list.Scroll(rapid.IntRange(0, 60).Draw(t, "top"), n, rows, first, last)
		if top < 0 || top > max(0, n-rows) {
			t.Fatalf("top %d of %d in %d", top, n, rows)
		}
		if first < top || first >= top+rows || last-first <= rows && last > top+rows {
			t.Fatalf("%d to %d is not seen from %d in %d rows", first, last, top, rows)
		}
	})
}

// TestScrolledAway: what was scrolled away stays away until the selection moves,
// also while the list changes.
func TestScrolledAway(t *testing.T) {
	t.Parallel()
	var c list.Cursor[string]
	sync(&c, "a", "b", "c", "d", "e", "f")
	for _, step := range []struct {
		name string
		do   func()
		top  int
	}{
		{"at first", func() {}, 0},
		{"down", func() { c.Scroll(3) }, 3},
		{"further than there is", func() { c.Scroll(3) }, 4},
		{"while the list changes", func() { sync(&c, "a", "b", "c", "d", "e") }, 3},
		{"up", func() { c.Scroll(-1) }, 2},
		{"the selection moves", func() { c.Move(1) }, 1},
		{"away again", func() { c.Scroll(9) }, 3},
		{"another is selected", func() { c.Select("a") }, 0},
	} {
		step.do()
		if got := c.Top(2); got != step.top {
			t.Errorf("%s: the first is %d, want %d", step.name, got, step.top)
		}
	}
	check(t, &c, "a", 0)
}
