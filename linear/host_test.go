package linear

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"ahptui/ahpclient"
	"ahptui/protocol"
)

const (
	sessionA = protocol.URI("copilot:/a")
	sessionB = protocol.URI("copilot:/b")
	chatA    = protocol.URI("ahp-chat:/a")
)

// fakeHost is a host made of states, and a record of what was asked of it.
type fakeHost struct {
	mu       sync.Mutex
	next     chan struct{}
	conn     ahpclient.Connection
	sessions []*protocol.SessionSummary
	unlisted bool // and not told yet
	states   map[protocol.URI]protocol.ChannelState
	open     map[protocol.URI]protocol.ChannelKind
	asked    []*request
	pending  []*request
	ages     protocol.Ages
	tokens   chan *protocol.AuthenticateParams // that were handed over
	refuse   error                             // what Authenticate fails with
}

// request is something that was dispatched.
type request struct {
	*ahpclient.Ticket
	settle func(ahpclient.Outcome)
}

// newHost has two sessions; in the first, a turn runs.
func newHost() *fakeHost {
	summary := func(uri protocol.URI, title string, status protocol.Status) *protocol.SessionSummary {
		return &protocol.SessionSummary{Resource: uri, Provider: "copilot", Title: title, Status: status}
	}
	return &fakeHost{
		next: make(chan struct{}),
		conn: ahpclient.Connection{Phase: ahpclient.Connected, Version: protocol.V0_9_0, Host: &protocol.Implementation{Name: "test-host"}},
		sessions: []*protocol.SessionSummary{
			summary(sessionB, "Update the docs", protocol.StatusIdle),
			summary(sessionA, "Fix the login bug", protocol.StatusInProgress),
		},
		open: map[protocol.URI]protocol.ChannelKind{}, tokens: make(chan *protocol.AuthenticateParams, 10),
		states: map[protocol.URI]protocol.ChannelState{
			sessionA: &protocol.SessionState{
				Title: "Fix the login bug", Status: protocol.StatusInProgress, Lifecycle: protocol.LifecycleReady, DefaultChat: chatA,
				Chats:          []*protocol.ChatSummary{{Resource: chatA, Title: "Chat", Status: protocol.StatusInProgress}},
				Customizations: []*protocol.Customization{server("notes", protocol.McpReady), server("clock", protocol.McpStarting)},
			},
			chatA: &protocol.ChatState{
				Resource: chatA,
				Turns: []*protocol.Turn{{
					ID: "t0", Message: protocol.UserMessage("hello"), State: protocol.TurnComplete,
					ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartMarkdown, ID: "p0", Content: protocol.Plain("Hello. What\nis it?")}},
				}},
				ActiveTurn: &protocol.Turn{ID: "t1", Message: protocol.UserMessage("fix it")},
			},
			sessionB: &protocol.SessionState{Title: "Update the docs", Lifecycle: protocol.LifecycleReady},
		},
	}
}

func server(name string, kind protocol.McpStateKind) *protocol.Customization {
	return &protocol.Customization{Type: protocol.TypeMcpServer, ID: "id-" + name, Name: name, State: &protocol.McpServerState{Kind: kind}}
}

// Watch makes a view of what there is.
func (h *fakeHost) Watch() (*ahpclient.View, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := &ahpclient.View{Connection: h.conn, Sessions: h.sessions, Listed: !h.unlisted, Channels: map[protocol.URI]*ahpclient.Channel{}}
	for uri, kind := range h.open {
		c := &ahpclient.Channel{URI: uri, Kind: kind, State: h.states[uri]}
		for _, r := range h.pending {
			if r.Channel == uri && c.State != nil {
				c.State = protocol.Reduce(h.profile(), c.State, r.Action)
			}
		}
		v.Channels[uri] = c
	}
	var keys []string
	for uri, c := range v.Channels {
		if s := v.Session(uri); s != nil && c.Kind == protocol.SessionKind {
			keys = append(keys, protocol.AgeKeys(uri, s, v.Chats(s))...)
		}
	}
	h.ages = h.ages.Observe(time.Now(), keys)
	v.Ages = h.ages
	return v, h.next
}

func (h *fakeHost) profile() protocol.Profile {
	return protocol.ProfileOf(h.conn.Version).At(time.Now())
}

// change changes the host and publishes it.
func (h *fakeHost) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	close(h.next)
	h.next = make(chan struct{})
}

// act reduces the host's own actions.
func (h *fakeHost) act(channel protocol.URI, actions ...protocol.Action) {
	h.change(func() {
		for _, a := range actions {
			h.states[channel] = protocol.Reduce(h.profile(), h.states[channel], a)
		}
	})
}

// Dispatch notes an action as pending.
func (h *fakeHost) Dispatch(channel protocol.URI, a protocol.Action) (*ahpclient.Ticket, error) {
	r := &request{}
	r.Ticket, r.settle = ahpclient.NewTicket(channel, a, time.Now())
	h.change(func() { h.asked, h.pending = append(h.asked, r), append(h.pending, r) })
	return r.Ticket, nil
}

// settle ends a request.
func (h *fakeHost) settle(r *request, o ahpclient.Outcome) {
	h.change(func() {
		h.pending = slices.DeleteFunc(slices.Clone(h.pending), func(p *request) bool { return p == r })
		if o.Kind == ahpclient.Accepted {
			h.states[r.Channel] = protocol.Reduce(h.profile(), h.states[r.Channel], r.Action)
		}
		r.settle(o)
	})
}

// Open subscribes at once.
func (h *fakeHost) Open(uri protocol.URI, kind protocol.ChannelKind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.open[uri]; ok {
		return
	}
	h.open[uri] = kind
	close(h.next)
	h.next = make(chan struct{})
}

// Authenticate takes any token, or refuses it.
func (h *fakeHost) Authenticate(_ context.Context, p *protocol.AuthenticateParams) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse != nil {
		return h.refuse
	}
	h.tokens <- p
	return nil
}

// blocked is what waits.
func (h *fakeHost) blocked() []protocol.Block {
	v, _ := h.Watch()
	return v.Blocked()
}

// call makes the running turn call a tool.
func (h *fakeHost) call(id, input string, confirmed string) {
	h.act(
		chatA,
		&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: id, ToolName: "add", DisplayName: "Add", Contributor: &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: "id-notes"}},
		&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: id, InvocationMessage: protocol.Plain("Add a note"), ConfirmationTitle: protocol.Plain("Run add?"), ToolInput: protocol.InputText(input), Confirmed: confirmed},
	)
}

// says adds text to a part of the running turn.
func (h *fakeHost) says(part, text string) {
	h.act(chatA, &protocol.ChatDelta{TurnID: "t1", PartID: part, Content: protocol.NewText(text)})
}

func (h *fakeHost) begins(part string) {
	h.act(chatA, &protocol.ChatResponsePart{TurnID: "t1", Part: &protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: part, Content: protocol.Plain("")}})
}

// screen is what was written, with a lock around it.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.text.String()
	s.text.Reset()
	return text
}

// person types lines and hears others.
type person struct {
	t    *testing.T
	host *fakeHost
	in   *io.PipeWriter
	out  *screen
	stop context.CancelFunc
	end  chan error
}

// follow runs a test with the front end on a host, in virtual time.
func follow(t *testing.T, host func() *fakeHost, f func(p *person)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		p := &person{t: t, host: host(), in: typing, out: &screen{}, stop: stop, end: make(chan error, 1)}
		go func() { p.end <- Run(ctx, Options{Host: p.host, Name: "ws://127.0.0.1:1", In: in, Out: p.out}) }()
		defer func() {
			stop()
			_ = typing.Close()
			checkPlain(t, p.out.take())
		}()
		synctest.Wait()
		f(p)
	})
}

// types types lines.
func (p *person) types(lines ...string) {
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
	synctest.Wait()
}

func (p *person) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// hears fails the test unless exactly these lines came since it was asked last.
func (p *person) hears(want ...string) {
	p.t.Helper()
	synctest.Wait()
	got := strings.Split(strings.TrimSuffix(p.out.take(), "\n"), "\n")
	if !slices.Equal(got, want) {
		p.t.Fatalf("heard\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// hearsAmong fails the test unless these lines are among those that came.
func (p *person) hearsAmong(want ...string) {
	p.t.Helper()
	synctest.Wait()
	got := strings.Split(p.out.take(), "\n")
	for _, line := range want {
		if !slices.Contains(got, line) {
			p.t.Fatalf("%q is not among\n\t%s", line, strings.Join(got, "\n\t"))
		}
	}
}

// forget drops what was heard.
func (p *person) forget() {
	synctest.Wait()
	checkPlain(p.t, p.out.take())
}

// ends waits for the end of the program.
func (p *person) ends() error {
	synctest.Wait()
	select {
	case err := <-p.end:
		return err
	default:
		return errors.New("it goes on")
	}
}

// checkPlain fails the test if what was written holds a character that is no text.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d') {
			t.Fatalf("%U in %q", r, text[max(0, i-40):min(len(text), i+40)])
		}
	}
}

// asks is the action that was asked for last.
func asks[T protocol.Action](p *person, count int) T {
	p.t.Helper()
	synctest.Wait()
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	if len(p.host.asked) != count {
		p.t.Fatalf("%d requests, want %d; heard %s", len(p.host.asked), count, p.out.take())
	}
	a, ok := p.host.asked[count-1].Action.(T)
	if !ok {
		p.t.Fatalf("asked for %T", p.host.asked[count-1].Action)
	}
	return a
}
