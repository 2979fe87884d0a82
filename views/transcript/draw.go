package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/frame"
	"ahptui/views/toolcall"
)

// maxSlots is how many parts are remembered as they were drawn beside those on
// the screen.
const maxSlots = 512

// slot is what was drawn of a part: a passage, or lines with what they depend
// on.
type slot struct {
	used    uint64 // the frame
	passage *passage
	of      any // comparable; equal values look alike
	width   int
	lines   []string
	keys    []frame.Spot
	call    *toolcall.Drawing
}

// slot is the slot of a part. Slots go by place, not by pointer: an old state
// is not kept alive by what was drawn of it.
func (m *Model) slot(s spot) *slot {
	s.segment = 0
	have := m.slots[s]
	if have == nil {
		have = &slot{}
		m.slots[s] = have
	}
	have.used = m.frame
	return have
}

// evict forgets what is not on the screen when it is getting too much.
func (m *Model) evict() {
	if len(m.slots) <= maxSlots {
		return
	}
	for s, have := range m.slots {
		if have.used != m.frame {
			delete(m.slots, s)
		}
	}
}

// drawn returns the lines of a part that is drawn as a whole, if need be by
// drawing it. What it looks like follows from of and the width.
func (m *Model) drawn(s spot, of any, draw func() []string) []string {
	have := m.slot(s)
	if have.passage != nil || have.call != nil || have.of != of || have.width != m.width {
		*have = slot{used: m.frame, of: of, width: m.width, lines: draw()}
		m.renders++
	}
	return have.lines
}

// written is the passage of a part that is text.
func (m *Model) written(s spot, t protocol.Text, markdown bool) *passage {
	have := m.slot(s)
	if have.passage == nil || have.passage.markdown != markdown {
		*have = slot{used: m.frame, passage: &passage{markdown: markdown}}
	}
	have.passage.update(t)
	return have.passage
}

// segments is the number of segments of a part.
func (m *Model) segments(s spot) int {
	if text, ok := m.textOf(s); ok {
		return m.written(s, text.text, text.markdown).count()
	}
	if call := m.callAt(s); call != nil {
		return m.drawing(s, call).Segments()
	}
	return 1
}

// lines are the lines of a segment, each exactly as wide as the panel.
func (m *Model) lines(s spot) []string {
	if text, ok := m.textOf(s); ok {
		return m.speech(s, text)
	}
	turn, active := m.turn(s.section)
	switch {
	case turn == nil:
		return m.aside(s)
	case s.part == 0:
		return m.silent(s, turn)
	case s.part <= len(turn.ResponseParts):
		return m.response(s, turn, active)
	}
	return m.foot(s, turn, active)
}

// text is a part that is told in words.
type text struct {
	text     protocol.Text
	markdown bool
	label    frame.Line // who speaks
	apart    bool       // a blank line stands before it
	style    lipgloss.Style
	attached []safetext.Text
	chosen   bool       // it is selected
	focused  bool       // and the panel has the keys
	note     frame.Line // above it while it is selected
}

// look tells segments apart that are drawn differently: the first one says who speaks, and that it is selected, the last one
// what is attached.
func (t text) look(first, last bool) string {
	var look strings.Builder
	switch {
	case first && t.focused:
		look.WriteString("focused ")
	case first && t.chosen:
		look.WriteString("chosen ")
	}
	if first {
		for _, span := range t.label {
			look.WriteString(span.Text.String())
		}
	}
	if last {
		for _, name := range t.attached {
			look.WriteString("+" + name.String())
		}
	}
	return look.String()
}

// textOf is a part as text; ok is false if it is not told in words.
func (m *Model) textOf(s spot) (t text, ok bool) {
	turn, _ := m.turn(s.section)
	switch {
	case turn == nil:
		return m.queuedText(s)
	case s.part > len(turn.ResponseParts):
		return text{}, false
	case s.part > 0:
		return m.answerText(s, turn)
	case turn.Message == nil || turn.Message.Text.Len() == 0:
		return text{}, false
	}
	t = text{text: turn.Message.Text, label: m.speaker(turn.Message), apart: s.section > 1, style: m.theme.Text, attached: attached(turn.Message)}
	return m.mark(t, m.item(s.section, s.part)), true
}

// mark shows by who speaks that a text is selected.
func (m *Model) mark(t text, it item) text {
	t.chosen = m.isSelected(it)
	t.focused = t.chosen && m.focused
	if t.chosen {
		t.label = t.label.In(m.emphasis(it, m.theme.Text))
	}
	return t
}

// answerText is a part of an answer as text.
func (m *Model) answerText(s spot, turn *protocol.Turn) (t text, ok bool) {
	part := turn.ResponseParts[s.part-1]
	if part == nil || part.Raw != nil {
		return text{}, false
	}
	it := m.item(s.section, s.part)
	switch part.Kind {
	case protocol.PartMarkdown:
		t = text{text: part.Content.Text, markdown: true, style: m.theme.Text, apart: m.afterText(turn, s.part)}
		if !t.apart {
			t.label = frame.Line{}.Own(m.theme.Agent, "agent")
		}
		return m.mark(t, it), true
	case protocol.PartSystemNotification:
		t = text{text: part.Content.Text, markdown: part.Content.Markdown, label: frame.Line{}.Own(m.theme.System, "note"), style: m.theme.Dim}
		return m.mark(t, it), true
	case protocol.PartReasoning:
		if m.isUnfolded(it) {
			t = text{text: part.Content.Text, label: frame.Line{}.Own(m.theme.Dim, m.theme.Signs.Unfolded), style: m.theme.Dim}
			return m.mark(t, it), true
		}
	case protocol.PartToolCall, protocol.PartInputRequest, protocol.PartError, protocol.PartContentRef:
	}
	return text{}, false
}

// afterText reports whether the part before one is text of the agent as well.
func (m *Model) afterText(turn *protocol.Turn, part int) bool {
	if part < 2 {
		return false
	}
	before := turn.ResponseParts[part-2]
	return before != nil && before.Kind == protocol.PartMarkdown
}

// The column of who speaks. Narrow panels have a line for it instead.
const (
	gutter     = 7
	withGutter = 32
)

func (m *Model) gutter() int {
	if m.width < withGutter {
		return 0
	}
	return gutter
}

// speech draws a segment of text behind the column of who speaks.
func (m *Model) speech(s spot, t text) []string {
	label := t.label
	if s.segment > 0 {
		label = nil
	}
	passage := m.written(s, t.text, t.markdown)
	last := s.segment == passage.count()-1
	return passage.lines(s.segment, m.width, t.look(s.segment == 0, last), func(source string, inside *code, apart bool) []string {
		m.renders++
		words := m.words(t, source, inside)
		if last {
			words = append(words, m.attachedLines(t.attached)...)
		}
		if s.segment == 0 && t.chosen && len(label) == 0 && len(words) > 0 {
			words[0] = m.emphasis(m.selected, t.style).Render(ansi.Strip(words[0]))
		}
		if s.segment == 0 && t.chosen && len(t.note) > 0 {
			words = append([]string{t.note.Fit(m.width-m.gutter(), m.theme.Text)}, words...)
		}
		return m.labelled(label, words, len(words) > 0 && (apart || s.segment == 0 && t.apart))
	})
}

// words draws text in the width behind the column.
func (m *Model) words(t text, source string, inside *code) []string {
	width := m.width - m.gutter()
	switch {
	case inside != nil:
		return m.markdown.Code(source, width, inside.in, inside.state)
	case t.markdown:
		return m.markdown.Lines(source, width)
	}
	wrapped := safetext.CleanBlock(source, 4*len(source)+1).Wrap(width)
	lines := make([]string, len(wrapped))
	for i, line := range wrapped {
		lines[i] = frame.Line{}.Add(t.style, line).Fit(width, m.theme.Text)
	}
	return lines
}

// labelled puts lines behind who speaks.
func (m *Model) labelled(label frame.Line, lines []string, apart bool) []string {
	var all []string
	if apart {
		all = append(all, m.blank())
	}
	if m.gutter() == 0 {
		if len(label) > 0 {
			all = append(all, label.Fit(m.width, m.theme.Text))
		}
		return append(all, lines...)
	}
	before := append(frame.Line{}.Gap(1), label...).Fit(m.gutter(), m.theme.Text)
	for _, line := range lines {
		all = append(all, before+line)
		before = strings.Repeat(" ", m.gutter())
	}
	return all
}

func (m *Model) blank() string { return strings.Repeat(" ", m.width) }
