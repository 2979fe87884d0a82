package tui

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/prompt"
)

// fieldState is what is known of the answer to a question beside what stands there.
// The latest writer's answer stands there, except where the person is just
// writing; the other one is kept aside.
type fieldState struct {
	text   bool                      // it is a text, which may have taken a while to write
	mine   bool                      // what stands there is the person's
	dirty  bool                      // and the host does not have it
	remote *protocol.ChatInputAnswer // what the host has
	shared *protocol.ChatInputAnswer // what was shared from here last
	aside  *prompt.Answer            // the other version, nil for none
	theirs bool                      // that one is another client's
}

// draftMsg says that it is time to share what was written.
type draftMsg struct{ form *requestForm }

func (f *requestForm) at(question string) *fieldState {
	w := f.written[question]
	if w == nil {
		w = &fieldState{}
		f.written[question] = w
	}
	return w
}

// wrote notes that the person has pressed a key at a question, which may have
// changed the answer or gone elsewhere.
func (m *Model) wrote(f *requestForm, question string, changed bool) tea.Cmd {
	if !changed {
		if f.view.At() != question {
			m.shareDrafts(f)
		}
		return nil
	}
	w := f.at(question)
	w.mine, w.dirty = true, true
	delete(f.wrong, question)
	f.notice, f.typed = safetext.Text{}, m.clock.now
	if f.timing {
		return nil
	}
	f.timing = true
	return m.link.after(shareAfter, nil, draftMsg{f})
}

// shareInTime shares what was written once the person has stopped writing.
func (m *Model) shareInTime(f *requestForm) tea.Cmd {
	if left := shareAfter - m.clock.now.Sub(f.typed); left > 0 {
		return m.link.after(left, nil, draftMsg{f})
	}
	f.timing = false
	m.shareDrafts(f)
	return nil
}

// shareDrafts hands the host what was written and not shared yet. What makes no
// answer yet, such as half a number, stays here.
func (m *Model) shareDrafts(f *requestForm) {
	if r, _ := m.requestOf(f.of); r == nil || m.stale() || !f.over.Empty() {
		return
	}
	for _, q := range f.asked.Questions {
		if q == nil {
			continue
		}
		w := f.at(q.ID)
		answer, err := answerOf(q, f.view.Answer(q.ID), protocol.AnswerDraft)
		if !w.dirty || err != nil {
			continue
		}
		w.dirty = false
		if sameAnswer(answer, w.remote) {
			continue
		}
		w.shared = answer
		m.dispatch(f.of.channel, &protocol.ChatInputAnswerChanged{RequestID: f.of.id, QuestionID: q.ID, Answer: answer}, asked{what: "share a draft"})
	}
}

// followForms keeps up with what became of the requests that were looked at.
func (m *Model) followForms() {
	for _, f := range m.forms {
		m.followForm(f)
	}
}

func (m *Model) followForm(f *requestForm) {
	r, known := m.requestOf(f.of)
	switch {
	case !known: // the chat is not open; what was written stays
	case m.isPending(f.of):
	case r == nil && f.sent:
		delete(m.forms, f.of)
	case r == nil && m.isOpen(f):
		f.over = safetext.Const("this is over: it was answered elsewhere, or the turn has ended; what you wrote stays until you close this")
	case r == nil:
		m.release(f)
	case r != f.asked:
		m.mergeForm(f, r)
	}
	if r != nil && !m.isPending(f.of) {
		f.sent, f.over = false, safetext.Text{}
	}
}

func (m *Model) isOpen(f *requestForm) bool {
	for _, o := range m.overlays {
		if o == f {
			return true
		}
	}
	return false
}

// mergeForm takes a request as it is now. Other questions have to be read before
// they can be answered.
func (m *Model) mergeForm(f *requestForm, r *protocol.ChatInputRequest) {
	fresh := f.asked == nil
	if !fresh && !sameQuestions(f.asked, r) {
		f.ready = m.clock.now.Add(reading)
		f.notice, f.alarm = safetext.Const("the questions have changed: read them again"), true
	}
	f.ask(r)
	for _, q := range r.Questions {
		if q == nil {
			continue
		}
		if _, before := f.written[q.ID]; !before {
			f.view.SetAnswer(q.ID, defaultOf(q))
		}
		m.mergeAnswer(f, q, r.Answers[q.ID])
	}
}

// mergeAnswer takes what the host has as the answer to a question.
func (m *Model) mergeAnswer(f *requestForm, q *protocol.ChatInputQuestion, remote *protocol.ChatInputAnswer) {
	w := f.at(q.ID)
	w.text = q.Kind == protocol.QuestionText
	if sameAnswer(remote, w.remote) {
		w.remote = remote
		return
	}
	w.remote = remote
	if w.shared != nil && sameAnswer(remote, w.shared) { // it is from here
		return
	}
	theirs, here := readAnswer(q, remote), f.view.Answer(q.ID)
	if theirs.Equal(here) {
		return
	}
	if w.mine && (w.dirty || m.isOpen(f) && f.view.At() == q.ID) { // the person is just writing
		if !theirs.Empty() {
			w.aside, w.theirs = &theirs, true
		}
		return
	}
	if w.mine && !here.Empty() {
		w.aside, w.theirs = &here, false
	}
	f.view.SetAnswer(q.ID, theirs)
	w.mine = false
}

// swapAnswer takes the version of an answer that was kept aside.
func (m *Model) swapAnswer(f *requestForm) tea.Cmd {
	question := f.view.At()
	w := f.written[question]
	if w == nil || w.aside == nil {
		f.notice, f.alarm = safetext.Const("there is no other answer here"), false
		return nil
	}
	here := f.view.Answer(question)
	f.view.SetAnswer(question, *w.aside)
	w.aside, w.theirs = &here, !w.theirs
	return m.wrote(f, question, true)
}

// release forgets a form whose request is over. Text that was not sent is offered
// in the composer: it may have taken a while to write.
func (m *Model) release(f *requestForm) {
	delete(m.forms, f.of)
	if f.sent || f.asked == nil {
		return
	}
	ids := slices.Sorted(maps.Keys(f.written)) // also of questions that are not asked any more
	for _, id := range ids {
		w, text := f.written[id], ""
		switch {
		case !w.text:
		case w.mine:
			text = f.view.Answer(id).Typed
		case w.aside != nil && !w.theirs:
			text = w.aside.Typed
		}
		if !blank(text) {
			m.drafts.loosen(written{text: text})
		}
	}
}

// notTaken notes that answers did not get to the host.
func (m *Model) notTaken(of target) {
	if f := m.forms[of]; f != nil {
		f.sent = false
	}
}

// unsentForms reports whether a form, or a changed input, holds what nobody else has.
func (m *Model) unsentForms() bool {
	for _, o := range m.inputs {
		if o.edited() {
			return true
		}
	}
	for _, f := range m.forms {
		for _, w := range f.written {
			if w.mine && w.dirty {
				return true
			}
		}
	}
	return false
}

// sameAnswer reports whether two answers are the same but for their state.
func sameAnswer(a, b *protocol.ChatInputAnswer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Value, b.Value) && strings.Join(a.FreeformValues, "\x00") == strings.Join(b.FreeformValues, "\x00")
}

// sameQuestions reports whether two requests ask the same.
func sameQuestions(a, b *protocol.ChatInputRequest) bool {
	if a == b {
		return true
	}
	x, y := *a, *b
	x.Answers, y.Answers = nil, nil
	p, errP := protocol.Marshal(&x)
	q, errQ := protocol.Marshal(&y)
	return errP == nil && errQ == nil && bytes.Equal(p, q)
}
