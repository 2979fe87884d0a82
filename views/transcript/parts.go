package transcript

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Bounds of what is drawn of a part that is no text.
const (
	maxField   = 400 // columns of a field
	foldedFail = 3   // lines of an error
	fullFail   = 200
)

func clean(s string) safetext.Text { return safetext.Clean(s, maxField) }

// speaker is who said a message.
func (m *Model) speaker(msg *protocol.Message) frame.Line {
	if msg == nil {
		return nil
	}
	switch msg.Origin.Kind {
	case "agent":
		return frame.Line{}.Own(m.theme.Agent, "agent")
	case "tool":
		return frame.Line{}.Own(m.theme.System, "tool")
	case "systemNotification":
		return frame.Line{}.Own(m.theme.System, "note")
	case "automation":
		return frame.Line{}.Own(m.theme.System, "auto")
	}
	return frame.Line{}.Own(m.theme.User, "you")
}

// silent draws a message that has no text.
func (m *Model) silent(s spot, turn *protocol.Turn) []string {
	it := m.item(s.section, s.part)
	return m.drawn(s, m.look(it, turn.Message), func() []string {
		who := m.speaker(turn.Message)
		if m.isSelected(it) {
			who = who.In(m.emphasis(it, m.theme.Text))
		}
		return m.labelled(who, m.wordless(turn.Message), s.section > 1)
	})
}

// wordless are the lines of a message without text.
func (m *Model) wordless(msg *protocol.Message) []string {
	if lines := m.attachedLines(attached(msg)); len(lines) > 0 {
		return lines
	}
	return []string{frame.Line{}.Own(m.theme.Empty, "(no text)").Fit(m.width-m.gutter(), m.theme.Text)}
}

// response draws a part of an answer that is no text.
func (m *Model) response(s spot, turn *protocol.Turn, active bool) []string {
	part := turn.ResponseParts[s.part-1]
	it := m.item(s.section, s.part)
	switch it.kind {
	case ToolCall:
		return m.call(s, part.ToolCall)
	case Failure:
		return m.drawn(s, m.look(it, part), func() []string { return m.failure(it, part.Error, part.Resumable != nil && *part.Resumable) })
	case Request:
		return m.asking(s, part, part.Request, part.Response, active && part.Open())
	case Reasoning:
		thinking := active && s.part == len(turn.ResponseParts)
		return m.drawn(s, reasoningLook{m.look(it, part), thinking}, func() []string { return m.thought(it, part, thinking) })
	case None, Pending:
	}
	return m.drawn(s, part, func() []string { return m.other(part) })
}

// look is what the drawing of an item follows from.
type look struct {
	of                          any // a pointer to state
	selected, focused, unfolded bool
}

type reasoningLook struct {
	look
	thinking bool
}

func (m *Model) look(it item, of any) look {
	chosen := m.isSelected(it)
	return look{of: of, selected: chosen, focused: chosen && m.focused, unfolded: m.isUnfolded(it)}
}

func (m *Model) isSelected(it item) bool { return it.kind != None && it == m.selected }

// emphasis is a style, or that of the selection if the item is selected.
func (m *Model) emphasis(it item, style lipgloss.Style) lipgloss.Style {
	switch {
	case !m.isSelected(it):
		return style
	case m.focused:
		return m.theme.Selection
	}
	return m.theme.SelectionDim
}

// thought draws what the agent thought as one line: while it thinks, the end of
// it.
func (m *Model) thought(it item, part *protocol.ResponsePart, thinking bool) []string {
	const tail = 200
	word, s := "thought", strings.TrimSpace(part.Content.String())
	if thinking {
		word = "thinking"
		if i := len(s) - tail; i > 0 {
			s = "…" + strings.ToValidUTF8(s[i:], "")
		}
	}
	style := m.emphasis(it, m.theme.Dim)
	line := frame.Line{}.Gap(1).Own(style, m.theme.Signs.Folded+" "+word+" ").Add(style.Italic(true), clean(strings.ReplaceAll(s, "\n", " ")))
	return []string{line.Fit(m.width, m.theme.Text)}
}

// failure draws why a turn ended.
func (m *Model) failure(it item, err *protocol.ErrorInfo, resumable bool) []string {
	badge := m.theme.Badge(themes.ToolFailed)
	most := foldedFail
	if m.isUnfolded(it) {
		most = fullFail
	}
	lines := m.marked(badge.Glyph, m.emphasis(it, m.theme.Error), m.theme.Error, err.Message, most)
	if m.isUnfolded(it) {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, err.ErrorType, 2)...)
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, err.Stack, fullFail)...)
	}
	if resumable {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, "the host can go on with this turn", 1)...)
	}
	return lines
}

// marked draws text behind a sign, in at most so many lines.
func (m *Model) marked(sign string, signStyle, style lipgloss.Style, s string, most int) []string {
	const indent = 3
	width := m.width - indent
	if width < 2 {
		return []string{frame.Line{}.Own(signStyle, sign).Fit(m.width, m.theme.Text)}
	}
	wrapped := safetext.CleanBlock(s, (most+1)*(width+1)).Wrap(width)
	if len(wrapped) == 0 && sign != "" {
		wrapped = []safetext.Text{safetext.Const("(no text)")}
	}
	if len(wrapped) > most {
		wrapped[most-1] = safetext.Concat(wrapped[most-1], safetext.Const(" "), wrapped[most])
		wrapped = wrapped[:most]
	}
	lines := make([]string, len(wrapped))
	before := frame.Line{}.Gap(indent)
	if sign != "" {
		before = frame.Line{}.Gap(1).Own(signStyle, sign).Gap(1)
	}
	for i, t := range wrapped {
		lines[i] = before.Add(style, t).Fit(m.width, m.theme.Text)
		before = frame.Line{}.Gap(indent)
	}
	return lines
}

// other draws a part that is not known here, or cannot be read, by its name.
func (m *Model) other(part *protocol.ResponsePart) []string {
	if part == nil {
		return m.marked("?", m.theme.Dim, m.theme.Dim, "(nothing)", 1)
	}
	if part.Kind == protocol.PartContentRef && part.Raw == nil {
		return m.marked(m.theme.Signs.Bullet, m.theme.Dim, m.theme.Dim, "content "+string(part.Ref), 2)
	}
	word := string(part.Kind)
	if word == "" {
		word = "(no kind)"
	}
	if part.Raw != nil {
		word += " that cannot be read"
	} else if s := part.Content.String(); s != "" {
		word += ": " + s
	}
	return m.marked("?", m.theme.Dim, m.theme.Dim, word, 3)
}

// footLook is what the foot of a turn follows from.
type footLook struct {
	look
	active, stale bool
	last          *protocol.ResponsePart
	activity      string
	day           string // dates are told from today
}

// foot draws what there is to say about a turn as a whole.
func (m *Model) foot(s spot, turn *protocol.Turn, active bool) []string {
	it := m.item(s.section, s.part)
	of := footLook{look: m.look(it, turn.Error), active: active, day: m.in.Now.Format(time.DateOnly)}
	if active {
		// Deltas make the turn another one all the time; the foot stays.
		of.stale, of.activity = m.in.Stale, m.in.Chat.ActivityText
		if n := len(turn.ResponseParts); n > 0 {
			of.last = turn.ResponseParts[n-1]
			if of.last != nil && of.last.ToolCall == nil && of.last.Request == nil {
				of.last = nil
			}
		}
		return m.drawn(s, of, func() []string { return m.working(of) })
	}
	of.of = turn
	return m.drawn(s, of, func() []string { return m.ended(it, turn) })
}

// working says that a turn goes on, unless its last part says so.
func (m *Model) working(of footLook) []string {
	if of.stale {
		mark := m.theme.Badge(themes.MarkStale)
		return m.marked(mark.Glyph, mark.Style, m.theme.Stale, mark.Word, 1)
	}
	if p := of.last; p != nil && (p.ToolCall != nil && !p.ToolCall.Status.Ended() || p.Open()) {
		return []string{}
	}
	badge := m.theme.Badge(themes.SessionWorking)
	word := badge.Word
	if of.activity != "" {
		word = of.activity
	}
	return m.marked(badge.Glyph, badge.Style, m.theme.Dim, word, 1)
}

// ended says how a turn ended, and what it took.
func (m *Model) ended(it item, turn *protocol.Turn) []string {
	lines := []string{}
	switch {
	case turn.Error != nil:
		lines = append(lines, m.failure(it, turn.Error, false)...)
	case turn.State == protocol.TurnCancelled:
		badge := m.theme.Badge(themes.ToolCancelled)
		lines = append(lines, m.marked(badge.Glyph, badge.Style, badge.Style, "the turn was cancelled", 1)...)
	}
	if took := m.took(turn); took != "" {
		const indent = 3
		line := frame.Line{}.Gap(min(indent, m.gutter())).Add(m.theme.Dim, clean(took))
		lines = append(lines, line.Fit(m.width, m.theme.Text))
	}
	return lines
}

// took tells when a turn began, how long it took, and the tokens.
func (m *Model) took(turn *protocol.Turn) string {
	var words []string
	if at, ok := protocol.ParseTime(turn.StartedAt); ok {
		words = append(words, m.clock(at))
	}
	if turn.Duration != nil {
		words = append(words, lasted(time.Duration(*turn.Duration*float64(time.Millisecond))))
	}
	if u := turn.Usage; u != nil {
		words = append(words, tokens(u)...)
	}
	return strings.Join(words, " "+m.theme.Signs.Bullet+" ")
}

// clock is a time of day, with the date if that is not today.
func (m *Model) clock(at time.Time) string {
	at = at.In(m.in.Now.Location())
	if at.Format(time.DateOnly) == m.in.Now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

func lasted(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func tokens(u *protocol.UsageInfo) []string {
	var words []string
	add := func(n *float64, what string) {
		if n != nil {
			words = append(words, fmt.Sprintf("%.0f %s", *n, what))
		}
	}
	add(u.InputTokens, "tokens in")
	add(u.CacheReadTokens, "cached")
	add(u.OutputTokens, "out")
	if u.Model != "" {
		words = append(words, u.Model)
	}
	return words
}
