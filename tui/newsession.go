package tui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

const (
	// createPatience bounds how long a host may take to make a session.
	createPatience = 30 * time.Second
	// offerPatience bounds how long it may take to say what can be configured of one.
	offerPatience = 10 * time.Second
	// offerPause is how long a person has to pause before the host is asked what follows from what they typed.
	offerPause = 200 * time.Millisecond
)

// sessionForm asks for what a new session needs.
type sessionForm struct {
	view    *prompt.Session
	busy    bool
	failure safetext.Text
	wrong   *wrongValue

	offers  map[string]offer // by provider
	notice  safetext.Text    // why nothing is offered
	asked   draft            // what the host was asked about last
	pause   chan struct{}    // closed where it is to be asked about something newer
	number  int              // of the last question
	values  map[string][]prompt.SessionOption
	looking string // the field and the text that suggestions were asked for last
}

// draft is a session as the form has it, as far as what can be configured of it depends on it.
type draft struct{ provider, directory, chosen string }

func newSessionForm(m *Model) *sessionForm {
	o := &sessionForm{view: prompt.NewSession(m.theme, m.opts.Directory), offers: map[string]offer{}, values: map[string][]prompt.SessionOption{}}
	o.view.SetKeys(m.keys, m.opts.ASCII)
	return o
}

// openSessionForm shows the form, and asks the host what it offers.
func (m *Model) openSessionForm() tea.Cmd {
	o := newSessionForm(m)
	m.push(o)
	return o.look(m, 0)
}

// sessionMsg tells what became of a new session.
type sessionMsg struct {
	form  *sessionForm
	uri   protocol.URI
	model string
	err   error
	// again asks once more, after a sign-in; nil if it was asked twice already.
	again func() tea.Cmd
}

func (o *sessionForm) context() keymap.Context { return keymap.Form }

func (o *sessionForm) input(m *Model) prompt.SessionInput {
	in := prompt.SessionInput{Providers: m.providers(), Failure: o.failure, Busy: o.busy, Notice: o.notice}
	provider := o.view.Provider(in)
	if f, ok := modelChoice(m.agentInfo(provider)); ok {
		in.Fields = append(in.Fields, f)
	}
	offered := o.offers[provider]
	for _, p := range offered.properties {
		f := configChoice(p, offered.values[p.Name])
		if p.EnumDynamic {
			f.Options = o.values[f.ID]
		}
		if o.wrong != nil && o.wrong.field == f.ID {
			f.Wrong = own(o.wrong.err.Error())
		}
		in.Fields = append(in.Fields, f)
	}
	return in
}

func (o *sessionForm) update(m *Model, msg tea.Msg) tea.Cmd {
	before := o.draft(m)
	event := o.view.Update(o.input(m), msg)
	if o.draft(m) != before {
		o.wrong = nil // as far as is known now
	}
	switch event {
	case prompt.Cancel:
		m.remove(o) // a session that is being made is told of when it is there
		o.stop()
		return nil
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Submit:
		return o.submit(m)
	case prompt.Nothing:
	}
	return o.look(m, offerPause)
}

func (o *sessionForm) stop() {
	if o.pause != nil {
		close(o.pause)
		o.pause = nil
	}
}

func (o *sessionForm) click(m *Model, _, y int) tea.Cmd {
	o.view.Click(o.input(m), y)
	return o.look(m, offerPause)
}

func (o *sessionForm) submit(m *Model) tea.Cmd {
	o.wrong = nil
	dir, err := m.opts.FileURI(o.view.Directory())
	if err != nil {
		o.failure = own(err.Error())
		return nil
	}
	if why := m.offline(); !why.Empty() {
		o.failure = why
		return nil
	}
	provider := o.view.Provider(o.input(m))
	p := &protocol.CreateSessionParams{Provider: provider, WorkingDirectory: dir, WorkingDirectories: []protocol.URI{dir}}
	if dir == "" {
		p.WorkingDirectories = nil
	}
	if offered := o.offers[provider]; len(offered.properties) > 0 {
		values, wrong := offered.config(o.view.Chosen, true)
		if wrong != nil {
			o.wrong, o.failure = wrong, safetext.Text{}
			o.view.GoTo(wrong.field)
			return nil
		}
		p.Config = values
	}
	return o.create(m, p, false)
}

// create asks the host for a session; again, after a sign-in that it wanted.
func (o *sessionForm) create(m *Model, p *protocol.CreateSessionParams, again bool) tea.Cmd {
	o.busy, o.failure = true, safetext.Text{}
	host := m.conn.Host
	model, _ := o.view.Chosen(modelField)
	retry := func() tea.Cmd { return o.create(m, p, true) }
	if again {
		retry = nil
	}
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, createPatience)
		defer cancel()
		uri, err := host.CreateSessionWith(ctx, p)
		return sessionMsg{o, uri, model, err, retry}
	})
}

// sessionMade shows a new session and lets the person write to it, or says in
// the form why there is none. Who has closed the form meanwhile is only told.
func (m *Model) sessionMade(msg sessionMsg) tea.Cmd {
	msg.form.busy = false
	if msg.err != nil {
		msg.form.failure = own(msg.err.Error())
	}
	if msg.again != nil {
		if cmd, ok := m.beginErrand("make a session", "createSession", msg.err, msg.again); ok {
			msg.form.failure = signInFirst()
			return cmd
		}
	}
	if msg.err == nil && msg.model != "" {
		m.models = with(m.models, msg.uri, msg.model)
	}
	shown := slices.Contains(m.overlays, overlay(msg.form))
	switch {
	case msg.err != nil && !shown:
		m.tell(status.Problem, "the session was not made: "+msg.err.Error())
	case msg.err != nil:
	case !shown:
		m.tell(status.Success, "the session was made")
	default:
		m.remove(msg.form)
		msg.form.stop()
		m.catchUp()
		m.show(msg.uri)
		m.setFocus(keymap.Composer)
	}
	return nil
}

func (o *sessionForm) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(o.input(m)), o.view.Cursor())
}

// draft is what the form has now.
func (o *sessionForm) draft(m *Model) draft {
	d := draft{provider: o.view.Provider(prompt.SessionInput{Providers: m.providers()}), directory: o.view.Directory()}
	for _, p := range o.offers[d.provider].properties {
		if text, ok := o.view.Chosen(configField + p.Name); ok {
			d.chosen += p.Name + "\x00" + text + "\x00"
		}
	}
	return d
}

// look asks the host what can be configured, and what may stand in a field, if that may be other than before: after a pause,
// in which the person may go on.
func (o *sessionForm) look(m *Model, pause time.Duration) tea.Cmd {
	now := o.draft(m)
	if now.provider == "" || m.stale() || o.busy {
		return nil
	}
	if _, looking := o.looksFor(now.provider); now == o.asked && (looking == "" || looking == o.looking) {
		return nil
	}
	o.stop()
	o.pause = make(chan struct{})
	o.number++
	return m.link.after(pause, o.pause, pausedMsg{o, o.number})
}

// pausedMsg says that the person has paused in a form.
type pausedMsg struct {
	form   *sessionForm
	number int
}

// offerMsg brings what the host offers for a provider.
type offerMsg struct {
	pausedMsg
	provider string
	config   *protocol.Config
	err      error
}

// open reports whether a message is about what the form has now.
func (p pausedMsg) open(m *Model) bool {
	return p.number == p.form.number && slices.Contains(m.overlays, overlay(p.form))
}

// paused asks the host what is not known yet.
func (m *Model) paused(msg pausedMsg) tea.Cmd {
	o := msg.form
	if !msg.open(m) {
		return nil
	}
	now := o.draft(m)
	if now == o.asked {
		return o.suggest(m)
	}
	o.asked = now
	host, p := m.conn.Host, o.question(m, now.provider)
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, offerPatience)
		defer cancel()
		config, err := host.ResolveSessionConfig(ctx, p)
		return offerMsg{msg, now.provider, config, err}
	})
}

// offerCame takes what the host offers, unless it is about an older draft.
func (m *Model) offerCame(msg offerMsg) tea.Cmd {
	if !msg.open(m) {
		return nil
	}
	msg.form.takeOffer(m, msg)
	return msg.form.suggest(m)
}

// question is what the host is asked about.
func (o *sessionForm) question(m *Model, provider string) *protocol.ResolveSessionConfigParams {
	p := &protocol.ResolveSessionConfigParams{Provider: provider}
	if dir, err := m.opts.FileURI(o.view.Directory()); err == nil {
		p.WorkingDirectory = dir
	}
	if offered := o.offers[provider]; len(offered.properties) > 0 {
		p.Config, _ = offered.config(o.view.Chosen, false)
	}
	return p
}

// takeOffer takes what the host says. Where it says nothing, what it said before stays.
func (o *sessionForm) takeOffer(m *Model, msg offerMsg) {
	o.notice = safetext.Text{}
	_, signIn := errors.AsType[*ahpclient.AuthRequiredError](msg.err)
	switch {
	case msg.err == nil && msg.config != nil:
		offers := maps.Clone(o.offers)
		offers[msg.provider] = offerOf(msg.config)
		o.offers = offers
		o.asked = o.draft(m) // what is chosen may count only now
	case ahpclient.Unsupported(msg.err): // nothing can be configured there
	case signIn:
		o.asked = draft{}
		o.notice = safetext.Const("the host tells what can be configured once you have signed in")
	case msg.err != nil:
		o.notice = own("what can be configured is not known: " + msg.err.Error())
	}
}

// looksFor is the property in whose field the keys are, if the host knows its values, and what tells the question for them
// from others.
func (o *sessionForm) looksFor(provider string) (p *protocol.ConfigProperty, looking string) {
	for _, p := range o.offers[provider].properties {
		field := configField + p.Name
		if !p.EnumDynamic || field != o.view.At() {
			continue
		}
		text, _ := o.view.Chosen(field)
		if slices.ContainsFunc(o.values[field], func(v prompt.SessionOption) bool { return v.ID == text }) {
			return nil, "" // it is one of those that are there
		}
		return p, field + "\x00" + text
	}
	return nil, ""
}

// suggest asks for the values that may stand in the field that has the keys.
func (o *sessionForm) suggest(m *Model) tea.Cmd {
	p, looking := o.looksFor(o.asked.provider)
	if p == nil || looking == o.looking {
		return nil
	}
	o.looking = looking
	q := o.question(m, o.asked.provider)
	text, _ := o.view.Chosen(configField + p.Name)
	params := &protocol.SessionConfigCompletionsParams{
		Provider: q.Provider, WorkingDirectory: q.WorkingDirectory, Config: q.Config, Property: p.Name, Query: text,
	}
	delete(params.Config, p.Name) // it is being typed
	host := m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, offerPatience)
		defer cancel()
		values, err := host.SessionConfigCompletions(ctx, params)
		if err != nil {
			return nil // then there are no suggestions
		}
		return suggestMsg{o, looking, configField + p.Name, values}
	})
}

// suggestMsg brings values that a field may have.
type suggestMsg struct {
	form    *sessionForm
	looking string
	field   string
	values  []*protocol.SessionConfigValue
}

// suggested takes them, if they are about what stands in the field now.
func (m *Model) suggested(msg suggestMsg) {
	o := msg.form
	if msg.looking != o.looking {
		return
	}
	options := make([]prompt.SessionOption, 0, min(len(msg.values), maxChoices))
	for _, v := range msg.values[:min(len(msg.values), maxChoices)] {
		if v == nil {
			continue
		}
		name := clean(v.Label)
		if name.Empty() {
			name = clean(v.Value)
		}
		options = append(options, prompt.SessionOption{ID: v.Value, Name: name, Note: clean(v.Description)})
	}
	o.values = maps.Clone(o.values)
	o.values[msg.field] = options
}

// providers are the agents that sessions can be made with.
func (m *Model) providers() []prompt.Provider {
	if m.view.Root == nil {
		return nil
	}
	var list []prompt.Provider
	for _, a := range m.view.Root.Agents {
		list = append(list, prompt.Provider{ID: a.Provider, Name: clean(a.DisplayName), Description: clean(strings.TrimSpace(a.Description))})
	}
	return list
}

// agentInfo is the agent of a provider, nil if there is none.
func (m *Model) agentInfo(provider string) *protocol.AgentInfo {
	if m.view.Root != nil {
		for _, a := range m.view.Root.Agents {
			if a.Provider == provider {
				return a
			}
		}
	}
	return nil
}
