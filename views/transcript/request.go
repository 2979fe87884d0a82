package transcript

import (
	"strings"

	"ahptui/protocol"
	"ahptui/themes"
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
