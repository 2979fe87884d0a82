package transcript

import (
	"fmt"
	"strings"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// maxQuestions bounds the questions, and the options of a question, that are
// drawn.
const maxQuestions = 30

// RequestNote is what this client knows about a request beside its state.
type RequestNote struct {
	Pending bool          // an answer was sent which the host has not confirmed
	Refused safetext.Text // what became of an answer that was not taken
	Since   safetext.Text // how long it has waited, such as "2 min"
	Stale   bool          // the host cannot be reached
	Begun   bool          // something was written that is not sent
}

// RequestKeys are the names of the keys that a request understands.
type RequestKeys struct{ Answer, Decline, Cancel safetext.Text }

// requestLook is what the drawing of a request follows from.
type requestLook struct {
	look
	note     RequestNote
	keys     RequestKeys
	response string
	open     bool
}

// asking draws a part that is a request; open says that it can be answered.
func (m *Model) asking(s spot, of any, r *protocol.ChatInputRequest, response string, open bool) []string {
	it := m.item(s.section, s.part)
	note := m.in.Requests[r.ID]
	if !open && !note.Pending {
		note = RequestNote{}
	}
	l := requestLook{m.look(it, of), note, m.in.RequestKeys, response, open}
	var keys []frame.Spot
	lines := m.drawn(s, l, func() (lines []string) {
		lines, keys = m.request(it, r, l)
		return lines
	})
	if keys != nil {
		m.slot(s).keys = keys
	}
	return lines
}

// request draws what the agent asks, and whether it was answered.
func (m *Model) request(it item, r *protocol.ChatInputRequest, l requestLook) (lines []string, keys []frame.Spot) {
	badge, word := m.theme.Badge(themes.SessionInputNeeded), "asks you"
	switch {
	case l.response == protocol.ResponseAccept:
		badge, word = m.theme.Badge(themes.ToolCompleted), "asked, and was answered"
	case l.response == protocol.ResponseDecline:
		badge, word = m.theme.Badge(themes.ToolCancelled), "asked, and was declined"
	case l.response != "":
		badge, word = m.theme.Badge(themes.ToolCancelled), "asked, and got no answer ("+l.response+")"
	case !l.open:
		badge, word = m.theme.Badge(themes.ToolCancelled), "asked; nobody answered"
	}
	left := frame.Line{}.Gap(1).Own(m.emphasis(it, badge.Style), badge.Glyph).Gap(1).Add(badge.Style, clean(word))
	lines = []string{frame.Ends(left, frame.Line{}.Add(m.theme.Dim, l.note.Since).Gap(1), m.width, m.theme.Text)}
	if !l.open && !l.unfolded {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, summary(r), 1)...)
		return m.outcome(lines, l)
	}
	lines = append(lines, m.marked("", m.theme.Text, m.theme.Text, r.Message, 8)...)
	lines = append(lines, m.address(r)...)
	for i, q := range r.Questions {
		if q == nil || i >= maxQuestions {
			continue
		}
		lines = append(lines, m.question(q, r.Answers[q.ID])...)
	}
	if n := len(r.Questions) - maxQuestions; n > 0 {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, fmt.Sprintf("… %d more questions", n), 1)...)
	}
	return m.outcome(lines, l)
}

// address is the URL that the agent asks to look at, whole and with its host
// pointed out.
func (m *Model) address(r *protocol.ChatInputRequest) []string {
	const indent = 3
	if r.URL == "" || m.width <= indent {
		return nil
	}
	link := safetext.URL(string(r.URL))
	var lines []string
	for _, line := range frame.Link(m.theme.Link, m.theme.Strong, link, m.width-indent) {
		lines = append(lines, append(frame.Line{}.Gap(indent), line...).Fit(m.width, m.theme.Text))
	}
	for _, word := range link.Warn.Words() {
		lines = append(lines, m.marked("", m.theme.Warning, m.theme.Warning, word.String(), 2)...)
	}
	return lines
}

// outcome adds what can be done about a request, and what became of an answer.
func (m *Model) outcome(lines []string, l requestLook) ([]string, []frame.Spot) {
	if !l.note.Refused.Empty() {
		lines = append(lines, m.marked("", m.theme.Error, m.theme.Error, m.theme.Badge(themes.MarkRejected).Glyph+" "+l.note.Refused.String(), 3)...)
	}
	switch {
	case l.note.Pending:
		return append(lines, m.marked("", m.theme.Pending, m.theme.Pending, m.theme.Badge(themes.MarkPending).Glyph+" sent, not confirmed yet", 1)...), nil
	case !l.open:
		return lines, nil
	case l.note.Stale:
		return append(lines, m.marked("", m.theme.Stale, m.theme.Stale, "not connected: it cannot be answered now", 2)...), nil
	case l.note.Begun:
		lines = append(lines, m.marked("", m.theme.Pending, m.theme.Pending, "you have begun to answer", 1)...)
	}
	return m.choices(lines, l.keys)
}

// choices adds the keys with what they do, beside each other as far as they fit.
func (m *Model) choices(lines []string, k RequestKeys) (_ []string, keys []frame.Spot) {
	const indent = 3
	line := frame.Line{}.Gap(min(indent, m.width))
	for _, k := range []struct {
		key  safetext.Text
		does string
	}{{k.Answer, "answer"}, {k.Decline, "decline"}, {k.Cancel, "cancel"}} {
		if k.key.Empty() {
			continue
		}
		choice := frame.Line{}.Add(m.theme.Key, safetext.Concat(safetext.Const("["), k.key, safetext.Const("]"))).Gap(1).Own(m.theme.Text, k.does)
		switch {
		case line.Width() <= indent:
		case line.Width()+2+choice.Width() > m.width:
			lines = append(lines, line.Fit(m.width, m.theme.Text))
			line = frame.Line{}.Gap(min(indent, m.width))
		default:
			line = line.Gap(2)
		}
		from := line.Width()
		keys = append(keys, frame.Spot{Row: len(lines), From: from, To: min(from+choice.Width(), m.width), Key: k.key})
		line = append(line, choice...)
	}
	return append(lines, line.Fit(m.width, m.theme.Text)), keys
}

// summary is what a request asks in a line, with the answer to its only question.
func summary(r *protocol.ChatInputRequest) string {
	words := r.Message
	var only *protocol.ChatInputQuestion
	for _, q := range r.Questions {
		if q != nil && words == "" {
			words = q.Message
		}
		only = q
	}
	if words == "" {
		words = string(r.URL)
	}
	if len(r.Questions) == 1 && only != nil {
		if answer := answered(only, r.Answers[only.ID]); answer != "" {
			words += "  " + answer
		}
	}
	return words
}

// question draws one question with its options and a draft of an answer.
func (m *Model) question(q *protocol.ChatInputQuestion, answer *protocol.ChatInputAnswer) []string {
	words := q.Message
	if q.Title != "" && q.Title != q.Message {
		words = q.Title + ": " + q.Message
	}
	if q.Required != nil && *q.Required {
		words += " (required)"
	}
	lines := m.marked("", m.theme.Prompt, m.theme.Prompt, words, 4)
	for i, o := range q.Options {
		if o == nil || i >= maxQuestions {
			continue
		}
		option := m.theme.Signs.Bullet + " " + o.Label
		if o.Description != "" {
			option += ": " + o.Description
		}
		if o.Recommended != nil && *o.Recommended {
			option += " (recommended)"
		}
		lines = append(lines, m.marked("", m.theme.Text, m.theme.Text, option, 2)...)
	}
	if n := len(q.Options) - maxQuestions; n > 0 {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, fmt.Sprintf("… %d more", n), 1)...)
	}
	if words := answered(q, answer); words != "" {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, words, 3)...)
	}
	return lines
}

// answered words an answer and how far it is, "" for none.
func answered(q *protocol.ChatInputQuestion, a *protocol.ChatInputAnswer) string {
	switch {
	case a == nil:
		return ""
	case a.State == protocol.AnswerDraft:
		return "draft: " + given(q, a)
	case a.State == protocol.AnswerSubmitted:
		return "answer: " + given(q, a)
	}
	return strings.TrimSuffix(a.State+": "+strings.Join(a.FreeformValues, ", "), ": ")
}

// given is the value of an answer in words.
func given(q *protocol.ChatInputQuestion, a *protocol.ChatInputAnswer) string {
	v := a.Given()
	if v == nil {
		return "(it cannot be read)"
	}
	if s, ok := v.Text(); ok && v.Kind == protocol.AnswerText {
		return s
	}
	if yes, ok := v.Bool(); ok {
		if yes {
			return "yes"
		}
		return "no"
	}
	ids, ok := v.Selected()
	if !ok {
		return string(v.Value)
	}
	var words []string
	for _, id := range ids {
		for _, o := range q.Options {
			if o != nil && o.ID == id {
				id = o.Label
				break
			}
		}
		if id != "" {
			words = append(words, id)
		}
	}
	return strings.Join(append(words, v.FreeformValues...), ", ")
}
