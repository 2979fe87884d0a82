package prompt

import (
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// FinderInput is what can be found.
type FinderInput struct {
	Title  safetext.Text
	Items  []FinderItem
	Empty  safetext.Text // what to say where there are no items
	Submit string        // what Enter does, such as "run"
}

// FinderItem is one thing that can be found.
type FinderItem struct {
	ID   string // stays the same while the list changes
	Sign frame.Span
	Name safetext.Text
	Note safetext.Text // at the right end
	Off  safetext.Text // why it cannot be chosen now; empty if it can
}

// Finder is a list with a field above it: what is typed there leaves those items that have its letters in that order, the
// best match first.
type Finder struct {
	box
	keys   keys
	field  field
	cursor list.Cursor[string]
	typed  *tea.Cursor
	shown  []FinderItem // by the last Sync
	rows   int          // that the last View had room for
}

// NewFinder returns a finder in which nothing is typed.
func NewFinder(theme themes.Theme, bindings *keymap.Map, ascii bool) *Finder {
	m := &Finder{box: box{theme: theme}, keys: keys{bindings, ascii}, field: newField(theme, "")}
	m.field.focus()
	return m
}

// SetSize sets the size of the whole screen, in cells.
func (m *Finder) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Sync brings the finder in step with what there is now; the selected item stays selected wherever it comes to stand.
func (m *Finder) Sync(in FinderInput) {
	m.shown = m.matches(in.Items)
	m.cursor.Sync(len(m.shown), func(i int) string { return m.shown[i].ID })
}

// matches are the items that what is typed leaves.
func (m *Finder) matches(items []FinderItem) []FinderItem {
	query := m.field.value()
	if query == "" {
		return items
	}
	found := fuzzy.FindFrom(query, names(items))
	shown := make([]FinderItem, len(found))
	for i, match := range found {
		shown[i] = items[match.Index]
	}
	return shown
}

type names []FinderItem

func (n names) String(i int) string { return n[i].Name.String() }
func (n names) Len() int            { return len(n) }

// Selected is the item that Enter chooses; ok is false if there is none.
func (m *Finder) Selected() (item FinderItem, ok bool) {
	if i := m.cursor.Index(); i >= 0 && i < len(m.shown) {
		return m.shown[i], true
	}
	return FinderItem{}, false
}

// Update takes a key press or a paste. An item that cannot be chosen now is not submitted.
func (m *Finder) Update(in FinderInput, msg tea.Msg) Event {
	m.Sync(in)
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch m.keys.event(key) {
		case keymap.OverlayClose:
			return Cancel
		case keymap.AppHelp:
			return Help
		case keymap.OverlayAccept:
			if item, ok := m.Selected(); ok && item.Off.Empty() {
				return Submit
			}
			return Nothing
		case keymap.MoveUp, keymap.OverlayPrevious:
			m.cursor.Move(-1)
			return Nothing
		case keymap.MoveDown, keymap.OverlayNext:
			m.cursor.Move(1)
			return Nothing
		case keymap.PageUp:
			m.cursor.Move(-max(1, m.rows-1))
			return Nothing
		case keymap.PageDown:
			m.cursor.Move(max(1, m.rows-1))
			return Nothing
		}
	}
	before := m.field.value()
	m.field.update(msg)
	if m.field.value() != before {
		m.Sync(in)
		m.cursor.Home()
	}
	return Nothing
}

// Click selects the item in a row of the box that was drawn last. It reports whether that was selected already; it is not if
// there is none.
func (m *Finder) Click(row int) (again bool) {
	const above = 2 // the border and the field
	i := row - above
	if i < 0 || i >= m.rows || m.cursor.Top(m.rows)+i >= len(m.shown) {
		return false
	}
	i += m.cursor.Top(m.rows)
	again = i == m.cursor.Index()
	m.cursor.Select(m.shown[i].ID)
	return again
}

// Wheel scrolls by so many items, down if by is positive, and leaves the selection where it is.
func (m *Finder) Wheel(by int) { m.cursor.Scroll(by) }

// View draws the finder, a box with its border that is to be laid over the screen with frame.Overlay. Its height does not
// depend on what is typed.
func (m *Finder) View(in FinderInput) string {
	m.Sync(in)
	const borders, field, why, around = 2, 1, 1, 2
	sign := frame.Line{}.Own(m.theme.Composer, m.theme.Signs.Composer)
	typed, x := m.field.view(max(1, m.inside()-2))
	m.typed = tea.NewCursor(1+1+2+x, 1)
	lines := []string{sign.Fit(2, m.theme.Text) + frame.Fit([]string{typed}, max(0, m.inside()-2), 1)}
	m.rows = max(1, min(len(in.Items), m.height-borders-field-why-around))
	top := m.cursor.Top(m.rows)
	for i := range m.rows {
		lines = append(lines, m.row(in, top+i))
	}
	lines = append(lines, m.words(frame.Line{}.Add(m.theme.Warning, m.off())))
	footer := hints(hint{m.keys.label(keymap.OverlayAccept), in.Submit}, hint{m.keys.label(keymap.OverlayClose), "close"}, hint{m.more(top), "more"})
	return m.draw(in.Title, footer, lines)
}

// row draws the item of a place, or what there is to say where there is none.
func (m *Finder) row(in FinderInput, i int) string {
	switch {
	case i == 0 && len(in.Items) == 0:
		return m.words(frame.Line{}.Add(m.theme.Empty, in.Empty))
	case i == 0 && len(m.shown) == 0:
		return m.words(frame.Line{}.Own(m.theme.Empty, "nothing has these letters"))
	case i >= len(m.shown):
		return m.words(nil)
	}
	item := m.shown[i]
	name, note := m.theme.Text, m.theme.Key
	if !item.Off.Empty() {
		name, note = m.theme.Dim, m.theme.KeyOff
	}
	left := frame.Line{}
	if !item.Sign.Text.Empty() {
		left = left.Add(item.Sign.Style, item.Sign.Text).Gap(1)
	}
	left, right, fill := left.Add(name, item.Name), frame.Line{}.Add(note, item.Note), m.theme.Text
	if i == m.cursor.Index() {
		left, right, fill = left.In(m.theme.Selection), right.In(m.theme.Selection), m.theme.Selection
	}
	return frame.Ends(left, right, m.inside(), fill)
}

// off says why the selected item cannot be chosen.
func (m *Finder) off() safetext.Text {
	item, _ := m.Selected()
	return item.Off
}

// more are the signs of the directions in which there is more.
func (m *Finder) more(top int) string {
	signs := ""
	if top > 0 {
		signs += m.theme.Signs.Above
	}
	if top+m.rows < len(m.shown) {
		signs += m.theme.Signs.Below
	}
	return signs
}

// Cursor is where the cursor is in what was drawn last.
func (m *Finder) Cursor() *tea.Cursor { return m.typed }
