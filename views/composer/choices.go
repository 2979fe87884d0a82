package composer

import (
	"strings"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// MaxChoices is how many choices are seen at a time; there may be more.
const MaxChoices = 8

// Choice is one way in which a word can go on.
type Choice struct {
	Name safetext.Text
	Note safetext.Text // at the right end, such as whose file it is
}

// Choices is a small list from which a word is completed. It has no keys of its
// own: they are the owner's business.
type Choices struct {
	theme  themes.Theme
	cursor list.Cursor[int]
	list   []Choice
}

// NewChoices returns an empty list.
func NewChoices(theme themes.Theme) *Choices { return &Choices{theme: theme} }

// SetTheme draws in another theme from now on.
func (c *Choices) SetTheme(theme themes.Theme) { c.theme = theme }

// Set replaces what can be chosen, and selects the first.
func (c *Choices) Set(choices []Choice) {
	c.list, c.cursor = choices, list.Cursor[int]{}
	c.cursor.Sync(len(choices), func(i int) int { return i })
}

// Move moves the selection; behind the last comes the first.
func (c *Choices) Move(by int) {
	if n := len(c.list); n > 0 {
		c.cursor.Select(((c.cursor.Index()+by)%n + n) % n)
	}
}

// Selected is the place of the selected choice, -1 if there are none.
func (c *Choices) Selected() int { return c.cursor.Index() }

// View draws the list, a box with its border that is no larger than a size. Hints
// are what its keys do.
func (c *Choices) View(hints safetext.Text, width, height int) string {
	const borders, blanks, least = 2, 2, 24
	rows := min(len(c.list), MaxChoices, height-borders)
	if rows < 1 {
		return ""
	}
	inside := max(least, hints.Width()+1)
	for _, choice := range c.list {
		inside = max(inside, choice.Name.Width()+choice.Note.Width()+2)
	}
	inside = min(inside, width-borders-blanks)
	top := c.cursor.Top(rows)
	lines := make([]string, rows)
	for i := range lines {
		lines[i] = " " + c.row(top+i, inside)
	}
	return frame.Box(c.theme, safetext.Text{}, hints, strings.Join(lines, "\n"), inside+borders+blanks, rows+borders)
}

func (c *Choices) row(i, width int) string {
	choice := c.list[i]
	left, right, fill := frame.Line{}.Add(c.theme.Text, choice.Name), frame.Line{}.Add(c.theme.Dim, choice.Note), c.theme.Text
	if i == c.cursor.Index() {
		left, right, fill = left.In(c.theme.Selection), right.In(c.theme.Selection), c.theme.Selection
	}
	return frame.Ends(left, right, width, fill)
}
