package prompt_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/prompt"
	"ahptui/views/viewtest"
)

// asking is a request of which every word is s.
func asking(s string) prompt.RequestInput {
	text, block := safetext.Clean(s, 400), safetext.CleanBlock(s, 4000)
	options := []prompt.Option{{ID: "a", Label: text, Description: text, Recommended: true}, {ID: s}}
	return prompt.RequestInput{
		Title: text, Message: block, Link: safetext.URL(s), Notice: text, Alarming: true, CanSwap: true, CanOpen: true,
		Questions: []prompt.Question{
			{ID: "typed", Asked: prompt.AskedTyped, Title: text, Message: block, Hint: text, Required: true, Wrong: text, Note: text},
			{ID: "one", Asked: prompt.AskedOne, Message: block, Options: options, Freeform: true},
			{ID: "many", Asked: prompt.AskedMany, Message: block, Options: options, Freeform: true},
			{ID: "unknown", Message: block},
		},
	}
}

// Whatever is asked, and wherever the keys are, it is a box that fits, of nothing but
// clean text.
func TestRequestHostile(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		in := asking(s)
		m := prompt.NewRequest(viewtest.Colour(t), keymap.Default(), false)
		m.SetSize(60, 20)
		for range 12 {
			m.Update(in, tea.PasteMsg{Content: s})
			checkBox(t, m.View(in), viewtest.Size{Width: 60, Height: 20})
			m.Update(in, down)
			m.Update(in, tab)
		}
		e := prompt.NewEditor(viewtest.Colour(t), keymap.Default(), false, s)
		e.SetSize(60, 20)
		text := safetext.Clean(s, 400)
		viewtest.CheckClean(t, e.View(prompt.EditorInput{Title: text, Text: []safetext.Text{text}, Notice: text, Send: "send"}))
	}
}

func TestRequestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			in := asking("日本語 and more words than there is room for in a narrow window")
			m := prompt.NewRequest(theme, keymap.Default(), true)
			m.SetSize(size.Width, size.Height)
			for range 8 {
				checkBox(t, m.View(in), size)
				m.Update(in, tab)
			}
		}
	}
}

// Where the keys are among options, digits choose; in a field they are text. What is
// typed takes the place of an option.
func TestRequestKeys(t *testing.T) {
	t.Parallel()
	in := asking("x")
	in.Link = safetext.Link{}
	m := prompt.NewRequest(viewtest.Plain(t), keymap.Default(), false)
	m.SetSize(60, 20)
	if m.Context(in) != keymap.Form || m.At() != "typed" {
		t.Fatalf("the keys are at %q", m.At())
	}
	m.Update(in, text("1"))
	m.Update(in, tab)
	if m.Context(in) != keymap.Overlay {
		t.Fatal("letters are text among options")
	}
	if changed, event := m.Update(in, enter); !changed || event != prompt.Nothing {
		t.Error("Enter does not choose")
	}
	m.Update(in, text("2"))
	if a := m.Answer("one"); len(a.Chosen) != 1 || a.Chosen[0] != "x" || a.Other {
		t.Errorf("chosen %+v", a)
	}
	m.Update(in, down)
	m.Update(in, text("9"))
	if a := m.Answer("one"); len(a.Chosen) != 0 || !a.Other || a.Typed != "9" {
		t.Errorf("typed %+v", a)
	}
	if a := m.Answer("typed"); a.Typed != "1" {
		t.Errorf("typed %+v", a)
	}
	for range 2 {
		m.Update(in, enter)
	}
	if _, event := m.Update(in, enter); event != prompt.Submit {
		t.Errorf("Enter at the last question is %v, at %q", event, m.At())
	}
	if _, event := m.Update(in, esc); event != prompt.Cancel {
		t.Error("Esc does not close")
	}
}
