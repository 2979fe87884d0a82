// Package list is the cursor of the panels that are lists: a selection that
// keeps to its item while the list changes around it, and a scroll position
// that keeps the selection in sight.
package list

// Cursor selects an item of a list by its key. The zero Cursor selects the
// first item of the first list that it is told of.
type Cursor[K comparable] struct {
	key    K
	chosen bool // there is a key
	found  bool // and the list has it, or had
	index  int  // where it was last
	n      int  // items of the list
	at     func(int) K
	top    int
	loose  bool // it was scrolled away from the selection
}

// Sync tells the cursor of the list as it is now: n items, whose keys at
// returns. It keeps at until the next list. An item that is gone passes the
// selection on to what stands in its place.
func (c *Cursor[K]) Sync(n int, at func(int) K) {
	c.n, c.at = n, at
	if n == 0 {
		c.top = 0
		if c.found {
			c.clear()
		}
		return
	}
	if !c.chosen {
		c.choose(0)
		return
	}
	if c.index < n && at(c.index) == c.key {
		c.found = true
		return
	}
	for i := range n {
		if at(i) == c.key {
			c.index, c.found = i, true
			return
		}
	}
	if c.found {
		c.choose(min(c.index, n-1))
	}
}

func (c *Cursor[K]) clear() {
	var none K
	c.key, c.chosen, c.found, c.index = none, false, false, 0
}

func (c *Cursor[K]) choose(i int) {
	c.loose = false
	c.key, c.chosen, c.found, c.index = c.at(i), true, true, i
}

// Select selects the item with a key, also one that only a later list has.
func (c *Cursor[K]) Select(key K) {
	if c.chosen && c.key == key {
		return
	}
	c.key, c.chosen, c.found, c.loose = key, true, false, false
	if c.at != nil {
		c.Sync(c.n, c.at)
	}
}

// Move moves the selection by so many items, as far as there are any.
func (c *Cursor[K]) Move(by int) {
	if c.n > 0 {
		c.choose(min(max(0, c.index+by), c.n-1))
	}
}

// Home selects the first item.
func (c *Cursor[K]) Home() { c.Move(-c.n) }

// End selects the last item.
func (c *Cursor[K]) End() { c.Move(c.n) }

// Selected is the key of the selected item; ok is false if there is none.
func (c *Cursor[K]) Selected() (key K, ok bool) { return c.key, c.chosen }

// Index is the place of the selected item, -1 if the list does not have it.
func (c *Cursor[K]) Index() int {
	if !c.found || c.n == 0 {
		return -1
	}
	return c.index
}

// Scroll moves what is seen by so many rows and leaves the selection where it is.
// It is in sight again when it moves.
func (c *Cursor[K]) Scroll(by int) { c.top, c.loose = c.top+by, true }

// Loose reports whether the selection need not be in sight.
func (c *Cursor[K]) Loose() bool { return c.loose }

// Top is the first of the items that are seen in so many rows.
func (c *Cursor[K]) Top(rows int) int {
	switch {
	case c.n == 0:
	case c.loose:
		c.top = max(0, min(c.top, c.n-rows))
	default:
		c.top = Scroll(c.top, c.n, rows, c.index, c.index+1)
	}
	return c.top
}

// Scroll returns the first of rows lines out of n, near to top, so that those
// from first to before last are seen, or at least the first of them.
func Scroll(top, n, rows, first, last int) int {
	if last > top+rows {
		top = last - rows
	}
	if first < top {
		top = first
	}
	return max(0, min(top, n-rows))
}
