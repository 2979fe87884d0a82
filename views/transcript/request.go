package transcript

import (
	"strings"

	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// maxQuestions bounds the questions, and the options of a question, that are
// drawn.
const maxQuestions = 30

// request draws what the agent asks, and whether it was answered.
func (m *Model) request(it item, r *protocol.ChatInputRequest, response string, active bool) []string {
	badge := m.theme.Badge(themes.SessionInputNeeded)
	word, open := "asks you", response == "" && active
	switch {
	case response == protocol.ResponseAccept:
		badge, word = m.theme.Badge(themes.ToolCompleted), "asked, and was answered"
	case response != "":
		badge, word = m.theme.Badge(themes.ToolCancelled), "asked, and got no answer ("+response+")"
	case !active:
		badge, word = m.theme.Badge(themes.ToolCancelled), "asked; nobody answered"
	}
	lines := m.marked(badge.Glyph, m.emphasis(it, badge.Style), badge.Style, word, 1)
	if !open && !m.isUnfolded(it) {
		return append(lines, m.marked("", m.theme.Dim, m.theme.Dim, summary(r), 1)...)
	}
	lines = append(lines, m.marked("", m.theme.Text, m.theme.Text, r.Message, 8)...)
	lines = append(lines, m.marked("", m.theme.Link, m.theme.Link, string(r.URL), 3)...)
	for i, q := range r.Questions {
		if q == nil || i == maxQuestions {
			continue
		}
		lines = append(lines, m.question(q, r.Answers[q.ID])...)
	}
	if open {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, "it cannot be answered here yet: answer it in another client", 2)...)
	}
	return lines
}

// summary is what a request asks in a line.
func summary(r *protocol.ChatInputRequest) string {
	if r.Message != "" {
		return r.Message
	}
	for _, q := range r.Questions {
		if q != nil {
			return q.Message
		}
	}
	return string(r.URL)
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
	if answer != nil && answer.Value != nil {
		lines = append(lines, m.marked("", m.theme.Dim, m.theme.Dim, strings.TrimSpace(answer.State+" answer: "+string(answer.Value)), 2)...)
	}
	return lines
}

// The queue is what stands behind the turns: messages that wait for one, and,
// up to 0.5.2, the requests that are open.

// queued is the number of parts of the queue.
func (m *Model) queued() int {
	n := len(m.in.Chat.QueuedMessages) + len(m.in.Chat.InputRequests)
	if m.in.Chat.SteeringMessage != nil {
		n++
	}
	return n
}

// queuedRequest is the request of a part of the queue, or nil.
func (m *Model) queuedRequest(section, part int) *protocol.ChatInputRequest {
	if section != m.sections()-1 || part >= len(m.in.Chat.InputRequests) {
		return nil
	}
	return m.in.Chat.InputRequests[part]
}

// queuedMessage is the message of a part of the queue, or nil.
func (m *Model) queuedMessage(s spot) (msg *protocol.Message, label string) {
	i := s.part - len(m.in.Chat.InputRequests)
	if s.section != m.sections()-1 || i < 0 {
		return nil, ""
	}
	pending, label := m.in.Chat.SteeringMessage, "now"
	if pending != nil {
		i--
	}
	if i >= 0 && i < len(m.in.Chat.QueuedMessages) {
		pending, label = m.in.Chat.QueuedMessages[i], "next"
	}
	if pending == nil {
		return nil, ""
	}
	return pending.Message, label
}

func (m *Model) queuedText(s spot) (t text, ok bool) {
	msg, label := m.queuedMessage(s)
	if msg == nil || msg.Text.Len() == 0 {
		return text{}, false
	}
	return text{text: msg.Text, label: frame.Line{}.Own(m.theme.Pending, label), apart: true, style: m.theme.Dim}, true
}

// aside draws what belongs to no turn and is no text.
func (m *Model) aside(s spot) []string {
	if s.section == 0 {
		words, most := "earlier turns are not loaded", 1
		if !m.in.Older.Empty() {
			words, most = m.in.Older.String(), 3
		}
		return m.drawn(s, "head "+words, func() []string {
			return m.marked(m.theme.Signs.Above, m.theme.Dim, m.theme.Dim, words, most)
		})
	}
	if r := m.queuedRequest(s.section, s.part); r != nil {
		it := m.item(s.section, s.part)
		return m.drawn(s, m.look(it, r), func() []string { return m.request(it, r, "", true) })
	}
	return m.drawn(s, "nothing", func() []string { return []string{} })
}
