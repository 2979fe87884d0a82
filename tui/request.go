package tui

import (
	"context"
	"net/url"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/transcript"
)

// requestForm is the window in which questions of an agent are answered. What is
// written in it stays while the request is open, also without the window.
type requestForm struct {
	of      target
	view    *prompt.Request
	asked   *protocol.ChatInputRequest // as it was last seen
	mapped  prompt.RequestInput        // what the view is told of it
	written map[string]*fieldState     // by question
	wrong   map[string]safetext.Text   // why an answer is not taken
	notice  safetext.Text
	alarm   bool          // the notice is about something that went wrong
	over    safetext.Text // why nothing can be sent any more
	ready   time.Time     // from when on it can be sent
	sent    bool          // the answers were sent

	typed  time.Time // when something was written last
	timing bool      // a draftMsg is on its way
}

// openRequest reports whether a selected item is questions that can be answered.
func openRequest(sel transcript.Selection) bool {
	return sel.Kind == transcript.Request && sel.Active && sel.Request != nil && (sel.Part == nil || sel.Part.Open())
}

// requestOf is a request that can be answered, as the host has it; nil if there is
// none, known says that this is for sure.
func (m *Model) requestOf(of target) (r *protocol.ChatInputRequest, known bool) {
	chat := m.view.Chat(of.channel)
	if chat == nil {
		return nil, false
	}
	for _, r := range chat.OpenInputs() {
		if r.ID == of.id {
			return r, true
		}
	}
	return nil, true
}

// answerRequest opens the form for the selected questions, with what was written
// there before.
func (m *Model) answerRequest() {
	if !m.mayAnswer() {
		return
	}
	sel := m.transcript.Selected()
	of := target{m.current.chat, sel.ID}
	f := m.forms[of]
	if f == nil {
		f = &requestForm{of: of, view: prompt.NewRequest(m.theme, m.keys, m.opts.ASCII), written: map[string]*fieldState{}}
		m.forms[of] = f
	}
	f.notice, f.alarm, f.wrong = m.refusalOf(of, requestOpen).sentence(), true, nil
	f.ready = m.clock.now.Add(reading)
	m.followForm(f)
	m.push(f)
}

// requestOpen is the state of a request that was not answered, for what became of
// answers to it.
const requestOpen = "open"

// respond declines or cancels the selected questions.
func (m *Model) respond(response, verb string) {
	if !m.mayAnswer() {
		return
	}
	sel := m.transcript.Selected()
	m.dispatch(m.current.chat, protocol.Answer(sel.Request, response, nil), asked{what: verb + " the questions", about: sel.ID, was: requestOpen})
}

// whyNoRequest says why no questions can be answered now, or "".
func (m *Model) whyNoRequest() safetext.Text {
	sel := m.transcript.Selected()
	switch {
	case sel.Kind != transcript.Request:
		return safetext.Const("select questions of the agent first")
	case sel.Part != nil && sel.Part.Response != "" && !m.isPending(target{m.current.chat, sel.ID}):
		return safetext.Const("these questions were answered already")
	case m.isPending(target{m.current.chat, sel.ID}):
		return safetext.Const("the answer was sent; the host has not confirmed it yet")
	case !openRequest(sel):
		return safetext.Const("the turn is over in which this was asked")
	case !m.scene.size.legible():
		return safetext.Const("the window is too small to show what is asked")
	}
	return safetext.Text{}
}

// requestNotes tells of the requests of the chat on the screen what their state
// does not: what became of answers, how long one waits.
func (m *Model) requestNotes() map[string]transcript.RequestNote {
	notes := map[string]transcript.RequestNote{}
	for _, b := range m.view.BlockedIn(m.current.session) {
		if b.Input == nil || b.Chat != m.current.chat {
			continue
		}
		of := target{b.Chat, b.Input.ID}
		note := transcript.RequestNote{Refused: m.refusalOf(of, requestOpen).sentence(), Stale: m.stale()}
		if f := m.forms[of]; f != nil {
			note.Begun = f.begun()
		}
		if since, ok := m.view.Ages.Since(b.ID); ok {
			note.Since = m.clock.age(since)
		}
		notes[b.Input.ID] = note
	}
	for _, a := range m.asked {
		if done, ok := a.ticket.Action.(*protocol.ChatInputCompleted); ok && a.ticket.Channel == m.current.chat {
			notes[done.RequestID] = transcript.RequestNote{Pending: true, Stale: m.stale()}
		}
	}
	return notes
}

// begun reports whether the person has written something that is not sent.
func (f *requestForm) begun() bool {
	for _, w := range f.written {
		if w.mine {
			return true
		}
	}
	return false
}

func (f *requestForm) context() keymap.Context { return f.view.Context(f.questions()) }

// questions is what is asked, without what became of the answers.
func (f *requestForm) questions() prompt.RequestInput { return f.mapped }

// ask takes what is asked.
func (f *requestForm) ask(r *protocol.ChatInputRequest) {
	f.asked = r
	f.mapped = prompt.RequestInput{Questions: questionsOf(r), Link: safetext.URL(string(r.URL))}
}

func (f *requestForm) update(m *Model, msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && len(paste.Content) > prompt.MaxField {
		f.notice, f.alarm = safetext.Const("what was pasted is left out: it is too long for an answer"), true
		return nil
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		id, _ := m.keys.Match(key, f.context())
		switch id {
		case keymap.AnswerSwap:
			return m.swapAnswer(f)
		case keymap.AccessCopy:
			return f.copyLink()
		case keymap.AccessOpen:
			return m.openLink(f)
		}
	}
	in := m.requestInput(f)
	f.view.Context(in) // settles where the keys are
	at := f.view.At()
	changed, event := f.view.Update(in, msg)
	cmd := m.wrote(f, at, changed)
	switch event {
	case prompt.Submit:
		m.submit(f)
	case prompt.Cancel:
		m.closeForm(f)
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Nothing:
	}
	return cmd
}

func (f *requestForm) click(m *Model, _, y int) tea.Cmd {
	in := m.requestInput(f)
	f.view.Context(in) // settles where the keys are
	at := f.view.At()
	changed := f.view.Click(in, y)
	left := m.wrote(f, at, false)
	return tea.Batch(left, m.wrote(f, f.view.At(), changed))
}

func (f *requestForm) draw(m *Model, screen string) (string, *tea.Cursor) {
	f.view.SetSize(m.width, m.height)
	return m.placed(screen, f.view.View(m.requestInput(f)), f.view.Cursor())
}

// submit sends the answers, if they are such as are asked for. The window stays
// where they are not.
func (m *Model) submit(f *requestForm) {
	f.alarm = true
	switch why := m.offline(); {
	case !f.over.Empty():
		return
	case !why.Empty():
		f.notice = why
		return
	case m.clock.now.Before(f.ready):
		f.ready = m.clock.now.Add(reading) // keys that keep coming do not add up to an answer
		f.notice = safetext.Const("this has only just appeared or changed: read it, then send")
		return
	}
	answers, first := f.check()
	if first != "" {
		f.view.GoTo(first)
		f.notice = safetext.Const("not sent: look at what is marked")
		return
	}
	if !m.dispatch(f.of.channel, protocol.Answer(f.asked, protocol.ResponseAccept, answers), asked{what: "answer the questions", about: f.of.id, was: requestOpen}) {
		f.notice = safetext.Const("nothing could be sent: what you wrote is kept")
		return
	}
	f.sent, f.notice = true, safetext.Text{}
	m.onward = true
	m.remove(f)
}

// closeForm takes the window away. What was written stays.
func (m *Model) closeForm(f *requestForm) {
	m.guard.moved = true
	m.shareDrafts(f)
	m.remove(f)
	if !f.over.Empty() {
		m.release(f)
	}
}

func (f *requestForm) copyLink() tea.Cmd {
	if f.asked.URL == "" {
		return nil
	}
	f.notice, f.alarm = safetext.Const("copied"), false
	return tea.SetClipboard(string(f.asked.URL))
}

// openLink opens the address that the agent asks to open, if it is one of the web.
func (m *Model) openLink(f *requestForm) tea.Cmd {
	address := string(f.asked.URL)
	f.alarm = true
	switch u, err := url.Parse(address); {
	case address == "":
		return nil
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		f.notice = safetext.Const("this is no address of the web: it is not opened from here")
		return nil
	case m.conn.Opener == nil:
		f.notice = own("there is no browser here: " + m.keyName(keymap.AccessCopy).String() + " copies the address")
		return nil
	}
	f.notice, f.alarm = safetext.Const("opening the browser"), false
	opener := m.conn.Opener
	return m.link.do(func(ctx context.Context) tea.Msg { return linkMsg{f, opener.Open(ctx, address)} })
}

// linkMsg tells whether the browser opened.
type linkMsg struct {
	form *requestForm
	err  error
}

func (m *Model) linkOpened(msg linkMsg) {
	msg.form.notice, msg.form.alarm = safetext.Const("the browser was asked to open it"), false
	if msg.err != nil {
		msg.form.notice, msg.form.alarm = own("the browser did not open: "+msg.err.Error()), true
	}
}
