package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/internal/secret"
	"ahptui/keymap"
	"ahptui/views/prompt"
)

// signInForm is a form over the window of a sign-in, with fields for what only the
// person has.
type signInForm struct {
	view   *prompt.Ask
	signIn *signIn
	input  prompt.AskInput
	// submit takes what was typed. The text is why it was not taken; empty when it
	// was.
	submit func(view *prompt.Ask) safetext.Text
	cancel func() // nil: nothing comes of that
}

func (o *signInForm) context() keymap.Context { return keymap.Form }

func (o *signInForm) update(m *Model, msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && len(paste.Content) > prompt.MaxField {
		o.input.Failure = own(fmt.Sprintf("what was pasted is left out: it is longer than %d bytes", prompt.MaxField))
		return nil
	}
	switch o.view.Update(msg) {
	case prompt.Submit:
		if o.input.Failure = o.submit(o.view); o.input.Failure.Empty() {
			m.remove(o)
		}
	case prompt.Cancel:
		m.remove(o)
		if o.cancel != nil {
			o.cancel()
		}
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Nothing:
	}
	return nil
}

func (o *signInForm) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(o.input), o.view.Cursor())
}

func (o *signInForm) click(_ *Model, _, y int) tea.Cmd {
	o.view.Click(y)
	return nil
}

// closeForms closes what asks for something that the flow does not want any more.
func (m *Model) closeForms(s *signIn) {
	m.overlays = slices.DeleteFunc(m.overlays, func(o overlay) bool {
		form, ok := o.(*signInForm)
		scopes, isScopes := o.(*scopesOverlay)
		return ok && form.signIn == s || isScopes && scopes.signIn == s
	})
}

// openForm shows a form with text in its first field.
func (m *Model) openForm(o *signInForm, text string, masked ...bool) {
	o.view = prompt.NewAsk(m.theme, m.keys, m.opts.ASCII, text, masked...)
	m.showSignIn(o.signIn)
	m.push(o)
}

// pasteAnswer takes an address that was pasted into the window. What is not taken
// stays in a field, to be looked at.
func (m *Model) pasteAnswer(s *signIn, text string) {
	if s.way.waiting == nil {
		s.notice = safetext.Const("nothing that could be pasted is waited for now")
		return
	}
	if err := s.flow.Paste(text); err != nil {
		m.openPaste(s, text, own(err.Error()))
	}
}

// openPaste opens the field for the address at which the browser has ended.
func (m *Model) openPaste(s *signIn, text string, failure safetext.Text) {
	m.openForm(&signInForm{
		signIn: s,
		input: prompt.AskInput{
			Title: safetext.Const("Where did the browser end?"), Submit: "go on", Failure: failure,
			Text:   []safetext.Text{safetext.Const("Paste the whole address of the page at which the browser ended, even if that page does not load. A code alone cannot be checked, and is not taken.")},
			Labels: []string{"address"},
		},
		submit: func(view *prompt.Ask) safetext.Text {
			if err := s.flow.Paste(view.Value(0)); err != nil {
				return own(err.Error())
			}
			return safetext.Text{}
		},
	}, text, false)
}

// askClient asks for the id of a client that somebody has registered.
func (m *Model) askClient(s *signIn, e auth.NeedClient) {
	words := "Nobody here is known to " + safetext.URL(e.Issuer).Text().String() + ", and it lets no program register itself. Register this one there, with the redirect " + e.RedirectURI + ", and give its client id."
	if e.Why != nil {
		words += " It was tried: " + e.Why.Error()
	}
	m.openForm(&signInForm{
		signIn: s,
		input: prompt.AskInput{
			Title: safetext.Const("Which client?"), Submit: "go on", Text: []safetext.Text{safetext.Clean(words, 4*maxField)},
			Labels: []string{"client id", "client secret, if it has one"},
		},
		submit: func(view *prompt.Ask) safetext.Text {
			s.flow.Answer(e.Question, auth.Answer{Yes: true, ClientID: view.Value(0), Secret: secret.New(view.Value(1))})
			return safetext.Text{}
		},
		cancel: func() { s.flow.Answer(e.Question, auth.Answer{}) },
	}, "", false, true)
	s.progress = "waiting for a client id"
}

// askToken asks for a token that the person has got elsewhere.
func (m *Model) askToken(s *signIn, e auth.NeedToken) {
	m.openForm(&signInForm{
		signIn: s,
		input: prompt.AskInput{
			Title: safetext.Const("Which token?"), Submit: "hand it over", Labels: []string{"token (not shown)"},
			Text: []safetext.Text{own("A token for " + safetext.URL(e.Resource).Text().String() + " that you have got elsewhere. It goes to " + m.hostName().String() + ".")},
		},
		submit: func(view *prompt.Ask) safetext.Text {
			s.flow.Answer(e.Question, auth.Answer{Yes: true, Secret: secret.New(view.Value(0))})
			return safetext.Text{}
		},
		cancel: func() { s.flow.Answer(e.Question, auth.Answer{}) },
	}, "", true)
	s.progress = "waiting for a token of yours"
}

// scopesOverlay chooses which scopes to ask for.
type scopesOverlay struct {
	view   *prompt.Checks
	signIn *signIn
	asked  *auth.NeedConsent
	left   []string // that are not asked for
}

// narrow opens the choice of the scopes.
func (m *Model) narrow(s *signIn) {
	if s.consent == nil || len(s.consent.Scopes.Request) == 0 {
		s.notice = safetext.Const("there are no scopes to choose from")
		return
	}
	o := &scopesOverlay{view: prompt.NewChecks(m.theme, m.keys, m.opts.ASCII), signIn: s, asked: s.consent}
	if s.answer.Scopes != nil {
		for _, scope := range s.consent.Scopes.Request {
			if !slices.Contains(s.answer.Scopes, scope) {
				o.left = append(o.left, scope)
			}
		}
	}
	m.push(o)
}

func (o *scopesOverlay) context() keymap.Context { return keymap.Overlay }

func (o *scopesOverlay) input() prompt.ChecksInput {
	in := prompt.ChecksInput{
		Title: safetext.Const("What is to be asked for?"),
		Text:  safetext.Const("Less than what is required may leave what waits where it is."),
	}
	for _, scope := range o.asked.Scopes.Request {
		item := prompt.Check{Name: clean(scope), Taken: !slices.Contains(o.left, scope)}
		if slices.Contains(o.asked.Scopes.Required, scope) {
			item.Note = safetext.Const("required")
		} else if slices.Contains(o.asked.Scopes.Held, scope) {
			item.Note = safetext.Const("granted before")
		}
		in.Items = append(in.Items, item)
	}
	return in
}

func (o *scopesOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	toggled, event := o.view.Update(o.input(), msg)
	if toggled >= 0 {
		scope := o.asked.Scopes.Request[toggled]
		if i := slices.Index(o.left, scope); i >= 0 {
			o.left = slices.Delete(o.left, i, i+1)
		} else if len(o.left)+1 < len(o.asked.Scopes.Request) { // something has to be left to ask for
			o.left = append(o.left, scope)
		}
	}
	switch event {
	case prompt.Submit:
		m.remove(o)
		o.signIn.answer.Scopes = slices.DeleteFunc(slices.Clone(o.asked.Scopes.Request), func(s string) bool { return slices.Contains(o.left, s) })
	case prompt.Cancel:
		m.remove(o)
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Nothing:
	}
	return nil
}

func (o *scopesOverlay) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(o.input()), nil)
}

func (o *scopesOverlay) click(m *Model, _, y int) tea.Cmd {
	if !o.view.Click(o.input(), y) {
		return nil
	}
	return o.update(m, tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
}
