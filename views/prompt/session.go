package prompt

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
)

// Provider is something that sessions can be made with.
type Provider struct {
	ID          string
	Name        safetext.Text
	Description safetext.Text
}

// SessionInput is what the form for a new session shows.
type SessionInput struct {
	Providers []Provider
	Fields    []SessionField // what else can be chosen, as the host offers it
	Failure   safetext.Text  // why the last attempt did not work
	Notice    safetext.Text  // what else there is to know
	Busy      bool           // the host is being asked
}

// SessionField is one thing that can be chosen for a new session. Without Typed one of Options is chosen; with it, they are
// what is suggested.
type SessionField struct {
	ID      string
	Label   safetext.Text
	Note    safetext.Text // what it is for, and what a value has to be
	Value   string        // as long as the person says nothing else: the id of an option, or a text
	Options []SessionOption
	Typed   bool
	Wrong   safetext.Text // why the value is not taken
}

// SessionOption is one value of a field.
type SessionOption struct {
	ID   string
	Name safetext.Text
	Note safetext.Text
}

// The fields that are always there.
const (
	providerField  = "provider"
	directoryField = "directory"
)

// Session is the form for a new session: a provider, a directory, and what else the host offers.
type Session struct {
	box
	keys   keys
	at     string            // the field that has the keys
	chosen map[string]string // by the person, by field
	fields map[string]*field // that are typed
	cursor *tea.Cursor
	top    int
	drawn  []spot // what the lines of the last View are about
}

// spot is what a line of the form is about.
type spot struct {
	field, option string
	chooses       bool // a click on it chooses the option
}

// NewSession returns the form with a directory filled in.
func NewSession(theme themes.Theme, directory string) *Session {
	f := newField(theme, directory)
	return &Session{
		box: box{theme: theme}, keys: keys{bindings: keymap.Default()}, chosen: map[string]string{},
		fields: map[string]*field{directoryField: &f},
	}
}

// SetKeys sets the keys that a person has made; ascii says how they are shown.
func (m *Session) SetKeys(bindings *keymap.Map, ascii bool) { m.keys = keys{bindings, ascii} }

// SetSize sets the size of the whole screen, in cells.
func (m *Session) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// all are the fields in their order.
func (m *Session) all(in SessionInput) []SessionField {
	provider := SessionField{ID: providerField, Label: safetext.Const("Provider")}
	for _, p := range in.Providers {
		name := p.Name
		if name.Empty() {
			name = safetext.Clean(p.ID, 100)
		}
		provider.Options = append(provider.Options, SessionOption{p.ID, name, p.Description})
	}
	if len(provider.Options) > 0 {
		provider.Value = provider.Options[0].ID
	}
	return append([]SessionField{provider, {ID: directoryField, Label: safetext.Const("Directory"), Typed: true}}, in.Fields...)
}

// settle keeps the keys in a field that is there and in which there is something to do.
func (m *Session) settle(in SessionInput) []SessionField {
	all := m.all(in)
	if i := slices.IndexFunc(all, func(f SessionField) bool { return f.ID == m.at }); i < 0 || !all[i].usable() {
		m.at = providerField
		if !all[0].usable() {
			m.at = directoryField
		}
	}
	for _, f := range all {
		if !f.Typed {
			continue
		}
		have := m.fields[f.ID]
		if _, touched := m.chosen[f.ID]; have == nil || f.ID != directoryField && !touched && have.value() != f.Value {
			fresh := newField(m.theme, f.Value)
			have, m.fields[f.ID] = &fresh, &fresh
		}
		have.blur()
		if f.ID == m.at {
			have.focus()
		}
	}
	return all
}

// usable reports whether there is something to do in a field.
func (f SessionField) usable() bool { return f.Typed || len(f.Options) > 1 }

// value is what a field has: what the person chose if that is still there.
func (m *Session) value(f SessionField) string {
	if f.Typed {
		return m.fields[f.ID].value()
	}
	if v, ok := m.chosen[f.ID]; ok && f.option(v) >= 0 {
		return v
	}
	return f.Value
}

func (f SessionField) option(id string) int {
	return slices.IndexFunc(f.Options, func(o SessionOption) bool { return o.ID == id })
}

// Update takes a key press or a paste. A paste goes into the field that is typed in, else into the directory.
func (m *Session) Update(in SessionInput, msg tea.Msg) Event {
	all := m.settle(in)
	i := slices.IndexFunc(all, func(f SessionField) bool { return f.ID == m.at })
	f := all[i]
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		if !f.Typed {
			m.at = directoryField
			f = m.settle(in)[1]
		}
		m.typeIn(f, msg)
		return Nothing
	}
	switch m.keys.event(key) {
	case keymap.OverlayClose:
		return Cancel
	case keymap.AppHelp:
		return Help
	case keymap.OverlayAccept:
		if in.Busy || len(in.Providers) == 0 {
			return Nothing
		}
		return Submit
	case keymap.OverlayNext:
		m.turn(all, i, 1)
		return Nothing
	case keymap.OverlayPrevious:
		m.turn(all, i, len(all)-1)
		return Nothing
	}
	name := key.String()
	switch {
	case name == "up", !f.Typed && name == "k":
		m.choose(f, -1)
	case name == "down", !f.Typed && name == "j":
		m.choose(f, 1)
	case f.Typed:
		m.typeIn(f, msg)
	}
	return Nothing
}

func (m *Session) typeIn(f SessionField, msg tea.Msg) {
	have := m.fields[f.ID]
	before := have.value()
	have.update(msg)
	if have.value() != before {
		m.chosen[f.ID] = have.value()
	}
}

// turn gives the keys to the next field, in steps, in which there is something to do.
func (m *Session) turn(all []SessionField, from, by int) {
	for n := 1; n <= len(all); n++ {
		if f := all[(from+n*by)%len(all)]; f.usable() {
			m.at = f.ID
			return
		}
	}
}

// choose goes to another option. What is suggested for a text takes its place.
func (m *Session) choose(f SessionField, by int) {
	if len(f.Options) == 0 {
		return
	}
	at := f.option(m.value(f))
	if at < 0 && by > 0 {
		at = -1
	}
	m.take(f, f.Options[min(max(0, at+by), len(f.Options)-1)].ID)
}

func (m *Session) take(f SessionField, value string) {
	m.chosen[f.ID] = value
	if f.Typed {
		fresh := newField(m.theme, value)
		m.fields[f.ID] = &fresh
	}
}

// Click chooses the option in a row of the box that was drawn last, or goes to the field that is there.
func (m *Session) Click(in SessionInput, row int) {
	all := m.settle(in)
	row-- // the border
	if row < 0 || row >= len(m.drawn) {
		return
	}
	s := m.drawn[row]
	for _, f := range all {
		if f.ID != s.field || !f.usable() {
			continue
		}
		m.at = f.ID
		if s.chooses {
			m.take(f, s.option)
		}
	}
	m.settle(in)
}

// Cursor is where the terminal's cursor belongs after the last View, counted
// from the upper left cell of the box; nil if it is not in a field.
func (m *Session) Cursor() *tea.Cursor { return m.cursor }

// Provider is the id of the chosen provider in this input, "" where there is none to choose.
func (m *Session) Provider(in SessionInput) string { return m.value(m.all(in)[0]) }

// Directory is the directory as typed.
func (m *Session) Directory() string { return m.fields[directoryField].value() }

// Chosen is what the person has typed or chosen in a field; ok is false if that is nothing.
func (m *Session) Chosen(id string) (value string, ok bool) {
	value, ok = m.chosen[id]
	return value, ok
}

// At is the field that has the keys.
func (m *Session) At() string { return m.at }

// GoTo gives the keys to a field.
func (m *Session) GoTo(id string) { m.at = id }
