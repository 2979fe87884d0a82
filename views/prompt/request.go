package prompt

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
)

// Asked is how a question is answered.
type Asked uint8

// The kinds of questions.
const (
	AskedUnknown Asked = iota // in a way that is not known here: not at all
	AskedTyped                // by typing: a text, a number
	AskedOne                  // by choosing one option
	AskedMany                 // by choosing any number of options
)

// Option is one choice.
type Option struct {
	ID          string
	Label       safetext.Text
	Description safetext.Text
	Recommended bool
	Letter      string // a key that chooses it beside its number, "" for none
}

// Question is one question and what is to be known about its answer.
type Question struct {
	ID       string
	Asked    Asked
	Title    safetext.Text // "" for none
	Message  safetext.Block
	Hint     safetext.Text // what an answer has to be, such as "a whole number from 1 to 9"
	Required bool
	Options  []Option
	Freeform bool          // something else can be typed in the place of an option, or beside them
	Wrong    safetext.Text // why the answer is not taken
	Note     safetext.Text // who wrote what stands there, and the like
}

// RequestInput is what is asked.
type RequestInput struct {
	Title     safetext.Text
	Message   safetext.Block
	Link      safetext.Link // to be opened, the zero Link for none
	Questions []Question
	Notice    safetext.Text // what the person has to know first
	Alarming  bool          // the notice is about something that went wrong
	CanOpen   bool          // there is a browser for the link
	CanSwap   bool          // the question that has the keys has another version of its answer
	Closed    bool          // nothing can be sent any more
}

// Answer is what a person has written or chosen. Other says that what is typed
// counts where one option could be chosen.
type Answer struct {
	Chosen []string // ids
	Typed  string
	Other  bool
}

// Empty reports whether there is nothing.
func (a Answer) Empty() bool { return len(a.Chosen) == 0 && a.Typed == "" }

// Equal reports whether two answers are the same.
func (a Answer) Equal(b Answer) bool {
	return a.Typed == b.Typed && a.Other == b.Other && slices.Equal(a.Chosen, b.Chosen)
}

// entry is the answer to one question as it is being written.
type entry struct {
	field  field
	chosen []string
	other  bool
	row    int // the option that has the keys; behind the last one is the field
	top    int // the first option that is shown
}

// Request is the form for what an agent asks. What was written stays when the
// questions change, as long as their ids do not.
type Request struct {
	box
	keys    keys
	entries map[string]*entry
	at      string // the question that has the keys, or atLink
	top     int    // the first line that is shown
	cursor  *tea.Cursor
	seen    []place // what the lines of the last View are about
}

// atLink is in the place of a question's id where the link has the keys.
const atLink = "\x00link"

// NewRequest returns the form with nothing written.
func NewRequest(theme themes.Theme, bindings *keymap.Map, ascii bool) *Request {
	return &Request{box: box{theme: theme}, keys: keys{bindings, ascii}, entries: map[string]*entry{}}
}

// SetSize sets the size of the whole screen, in cells.
func (m *Request) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// At is the id of the question that has the keys; it is no question's where the
// link has them.
func (m *Request) At() string { return m.at }

// GoTo gives the keys to a question.
func (m *Request) GoTo(id string) { m.at = id }

// Answer is what stands at a question.
func (m *Request) Answer(id string) Answer {
	e := m.entry(id)
	return Answer{Chosen: slices.Clone(e.chosen), Typed: e.field.value(), Other: e.other}
}

// SetAnswer replaces what stands at a question.
func (m *Request) SetAnswer(id string, a Answer) {
	e := m.entry(id)
	e.field = newField(m.theme, a.Typed)
	e.chosen, e.other = slices.Clone(a.Chosen), a.Other
}

func (m *Request) entry(id string) *entry {
	e := m.entries[id]
	if e == nil {
		e = &entry{field: newField(m.theme, "")}
		m.entries[id] = e
	}
	return e
}

// question is the question that has the keys, nil for none.
func (m *Request) question(in RequestInput) *Question {
	i := slices.IndexFunc(in.Questions, func(q Question) bool { return q.ID == m.at })
	if i < 0 {
		return nil
	}
	return &in.Questions[i]
}

// settle gives the keys to something that there is.
func (m *Request) settle(in RequestInput) {
	q := m.question(in)
	if q == nil {
		if m.at = atLink; in.Link.Text().Empty() && len(in.Questions) > 0 {
			m.at = in.Questions[0].ID
			q = &in.Questions[0]
		}
	}
	for id, e := range m.entries {
		if q == nil || id != q.ID || !q.typing(e) {
			e.field.blur()
		}
	}
	if q == nil {
		return
	}
	e := m.entry(q.ID)
	e.row = max(0, min(e.row, q.rows()-1))
	if q.typing(e) {
		e.field.focus()
	}
}

// rows is the number of rows that the keys can be in.
func (q *Question) rows() int {
	n := len(q.Options)
	if q.Freeform {
		n++
	}
	return n
}

// typing reports whether letters are text.
func (q *Question) typing(e *entry) bool {
	switch q.Asked {
	case AskedTyped:
		return true
	case AskedOne, AskedMany:
		return q.Freeform && e.row >= len(q.Options)
	case AskedUnknown:
	}
	return false
}

// Context is where the keys are: in a field, or among options.
func (m *Request) Context(in RequestInput) keymap.Context {
	m.settle(in)
	if q := m.question(in); q != nil && q.typing(m.entry(q.ID)) {
		return keymap.Form
	}
	return keymap.Overlay
}

// Update takes a key press or a paste. changed says that the answer is another
// one at the question that had the keys.
func (m *Request) Update(in RequestInput, msg tea.Msg) (changed bool, event Event) {
	place := m.Context(in)
	q := m.question(in)
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return m.typed(in, q, msg), Nothing
	}
	id, _ := m.keys.bindings.Match(key, place)
	switch id {
	case keymap.OverlayClose:
		return false, Cancel
	case keymap.AppHelp:
		return false, Help
	case keymap.OverlaySend:
		return false, Submit
	case keymap.OverlayAccept:
		return m.accept(in, q)
	case keymap.OverlayNext:
		m.turn(in, 1)
		return false, Nothing
	case keymap.OverlayPrevious:
		m.turn(in, -1)
		return false, Nothing
	}
	switch {
	case q == nil:
		m.step(in, id)
		return false, Nothing
	case place == keymap.Form:
		if m.leaveField(in, q, key.String()) {
			return false, Nothing
		}
		return m.typed(in, q, msg), Nothing
	}
	return m.among(in, q, id, key.String()), Nothing
}

// typed puts what was typed or pasted into the field at a question.
func (m *Request) typed(in RequestInput, q *Question, msg tea.Msg) (changed bool) {
	if q == nil {
		return false
	}
	e := m.entry(q.ID)
	if _, pasted := msg.(tea.PasteMsg); pasted && q.Freeform && !q.typing(e) {
		e.row = len(q.Options)
		m.settle(in)
	}
	if !q.typing(e) {
		return false
	}
	before := m.Answer(q.ID)
	e.field.update(msg)
	if value := e.field.value(); q.Asked == AskedOne && value != before.Typed {
		e.other, e.chosen = value != "", nil
	}
	return !m.Answer(q.ID).Equal(before)
}

// accept takes what the keys are at, and goes on behind it.
func (m *Request) accept(in RequestInput, q *Question) (changed bool, event Event) {
	if q != nil && q.Asked == AskedOne {
		if e := m.entry(q.ID); e.row < len(q.Options) && !slices.Contains(e.chosen, q.Options[e.row].ID) {
			m.choose(q, e.row)
			return true, Nothing
		}
	}
	if last := len(in.Questions) - 1; last >= 0 && m.at != in.Questions[last].ID {
		m.turn(in, 1)
		return false, Nothing
	}
	return false, Submit
}

// turn gives the keys to the question that is so many further.
func (m *Request) turn(in RequestInput, by int) {
	var stops []string
	if !in.Link.Text().Empty() || len(in.Questions) == 0 {
		stops = append(stops, atLink)
	}
	for _, q := range in.Questions {
		stops = append(stops, q.ID)
	}
	m.at = stops[(slices.Index(stops, m.at)+by+len(stops))%len(stops)]
	m.settle(in)
}

// step goes to the question beside by a key that moves.
func (m *Request) step(in RequestInput, id keymap.ID) {
	switch id {
	case keymap.MoveUp:
		m.turn(in, -1)
	case keymap.MoveDown:
		m.turn(in, 1)
	}
}

// leaveField goes from a field to what is above or below it.
func (m *Request) leaveField(in RequestInput, q *Question, key string) bool {
	e := m.entry(q.ID)
	switch {
	case key == "up" && q.Asked != AskedTyped && len(q.Options) > 0:
		e.row = len(q.Options) - 1
		m.settle(in)
	case key == "up":
		m.turn(in, -1)
	case key == "down":
		m.turn(in, 1)
	default:
		return false
	}
	return true
}

// among takes a key where the options have them.
func (m *Request) among(in RequestInput, q *Question, id keymap.ID, key string) (changed bool) {
	e := m.entry(q.ID)
	page := max(1, m.height/2)
	by := map[keymap.ID]int{
		keymap.MoveUp: -1, keymap.MoveDown: 1, keymap.HalfUp: -page, keymap.HalfDown: page, keymap.PageUp: -page, keymap.PageDown: page,
		keymap.MoveTop: -q.rows(), keymap.MoveBottom: q.rows(),
	}
	if n, ok := by[id]; ok && q.rows() > 0 {
		switch {
		case id == keymap.MoveUp && e.row == 0:
			m.turn(in, -1)
		case id == keymap.MoveDown && e.row == q.rows()-1:
			m.turn(in, 1)
		default:
			e.row = max(0, min(e.row+n, q.rows()-1))
			m.settle(in)
		}
		return false
	}
	at := e.row
	if n, err := strconv.Atoi(key); err == nil && n > 0 {
		at = n - 1
	} else if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Letter != "" && o.Letter == key }); i >= 0 {
		at = i
	} else if key != "space" {
		return false
	}
	if at >= len(q.Options) || q.Asked == AskedUnknown {
		return false
	}
	e.row = at
	m.choose(q, at)
	return true
}

// Click gives the keys to what stands in a row of the box that was drawn last, and
// chooses the option that does. It reports whether that changed the answer.
func (m *Request) Click(in RequestInput, row int) (changed bool) {
	const border = 1
	if row -= border; row < 0 || row >= len(m.seen) || m.seen[row].id == "" {
		return false
	}
	at := m.seen[row]
	m.at = at.id
	if q := m.question(in); q != nil && at.row >= 0 {
		m.entry(q.ID).row = at.row
		if at.row < len(q.Options) {
			m.choose(q, at.row)
			changed = true
		}
	}
	m.settle(in)
	return changed
}

// choose chooses an option, or takes it back where there can be many.
func (m *Request) choose(q *Question, row int) {
	e, id := m.entry(q.ID), q.Options[row].ID
	switch at := slices.Index(e.chosen, id); {
	case q.Asked == AskedOne:
		e.chosen, e.other = []string{id}, false
	case at >= 0:
		e.chosen = slices.Delete(e.chosen, at, at+1)
	default:
		e.chosen = append(e.chosen, id)
	}
}

// Cursor is where the cursor is in what was drawn last.
func (m *Request) Cursor() *tea.Cursor { return m.cursor }

// name is how a key is shown, several names joined.
func (m *Request) name(ids ...keymap.ID) string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		if label := m.keys.label(id); label != "" {
			names = append(names, label)
		}
	}
	return strings.Join(names, "/")
}
