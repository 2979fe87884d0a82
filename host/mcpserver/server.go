// Package mcpserver runs MCP servers: each as a process that speaks MCP over
// stdio, or behind a streamable HTTP endpoint. It normalises their lives to
// stopped, starting, ready, authRequired and error, and leaves no process behind.
//
// The protocol itself is the official SDK's; what is here is what a host owes
// its user around it: deadlines, bounds, errors that say what to do, and the end
// of whole process trees.
package mcpserver

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// A Server is one configured MCP server. Start and Stop may be called at any
// time from anywhere; the last one counts, and what an earlier one started is
// undone first. One goroutine does the work, so that at no time two processes of
// one server run.
type Server struct {
	cfg     Config
	redact  *secret.Redactor // knows what of cfg is nobody's business, and the tokens
	bearer  bearer
	changed func()
	wake    chan struct{} // holds a value when latest is new
	// notified hears of the server's notifications; nil: nobody does.
	notified func(method string, params jsontext.Value)
	done     chan struct{} // closed when the goroutine has ended

	mu        sync.Mutex
	state     State
	tools     []Tool
	conn      *conn                               // while ready
	latest    *request                            // the last one made
	described *protocol.ProtectedResourceMetadata // by itself, when it was last asked
	closed    bool
	// incarnation counts how often the server has become ready.
	incarnation int
}

// A request is a wish for a state, settled when the state is reached, was
// found impossible, or another request came after it.
type request struct {
	run     bool
	resume  bool            // a connection that waits for a sign-in need not be made anew
	ctx     context.Context // ends when the request is settled or overtaken
	cancel  context.CancelFunc
	settled chan struct{}
}

// New returns a stopped server. The function changed is called, without
// locks and from the server's own goroutines, after the state or the tools have changed;
// several changes may share a call. The server's goroutine runs until Close.
func New(cfg Config, changed func()) *Server {
	s := &Server{
		cfg:     cfg,
		redact:  cfg.redactor(),
		changed: changed,
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	go s.loop()
	return s
}

// Name returns the configured name.
func (s *Server) Name() string { return s.cfg.Name }

// State returns what the server is doing. From the return of Start on it is
// not the state from before it.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Tools returns the tools of a ready server, in its order; otherwise none.
func (s *Server) Tools() []Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tools)
}

// Start starts the server, and restarts it if it runs. The channel is closed
// when the start has succeeded or failed, or another request has overtaken it.
func (s *Server) Start() <-chan struct{} { return s.request(true) }

// Stop stops the server. The channel is closed when nothing of it is left, or
// another request has overtaken it.
func (s *Server) Stop() <-chan struct{} { return s.request(false) }

func (s *Server) request(run bool) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requestLocked(&request{run: run})
}

func (s *Server) requestLocked(r *request) <-chan struct{} {
	r.settled = make(chan struct{})
	if s.closed {
		close(r.settled)
		return r.settled
	}
	if s.latest != nil {
		s.settleLocked(s.latest)
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	s.latest, s.conn, s.tools = r, nil, nil
	if r.run {
		s.state = State{Kind: Starting}
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return r.settled
}

// settleLocked ends a request; a second time it does nothing.
func (s *Server) settleLocked(r *request) {
	select {
	case <-r.settled:
	default:
		r.cancel()
		close(r.settled)
	}
}

// Close stops the server for good and waits until nothing of it is left, or
// ctx ends.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.closed {
		s.requestLocked(&request{})
		s.closed = true
	}
	s.mu.Unlock()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// loop carries out the requests, one after the other.
func (s *Server) loop() {
	defer close(s.done)
	var cur *conn
	var handled *request
	for {
		var gone <-chan struct{}
		if cur != nil {
			gone = cur.gone
		}
		select {
		case <-s.wake:
			r := s.newest()
			if r == handled {
				continue // several requests had left one wake-up too many
			}
			handled = r
			if cur != nil && r.resume && s.resume(r, cur) {
				continue
			}
			if cur != nil {
				s.changed()
				cur.shut()
			}
			if cur = s.carryOut(r); s.finished() {
				return
			}
		case <-gone:
			s.lost(cur)
			cur = nil
		}
	}
}

func (s *Server) newest() *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest
}

// carryOut does what a request wants, unless it is overtaken. It returns the
// connection if the server is ready.
func (s *Server) carryOut(r *request) *conn {
	if !r.run {
		s.settle(r, State{Kind: Stopped}, nil, nil)
		return nil
	}
	s.changed() // starting
	ctx, cancel := context.WithTimeout(r.ctx, s.cfg.startTimeout())
	defer cancel()
	c, tools, err := s.open(ctx)
	if ch, ok := errors.AsType[*challenge](err); ok {
		s.settle(r, State{Kind: AuthRequired, Auth: s.requirement(ctx, ch)}, nil, nil)
		return nil
	}
	if err != nil {
		s.settle(r, State{Kind: Failed, Err: asError(err)}, nil, nil)
		return nil
	}
	if !s.settle(r, State{Kind: Ready}, c, tools) {
		c.shut() // overtaken
		return nil
	}
	c.calls.Go(func() { s.followTools(c) })
	c.calls.Go(func() { s.followRefusals(c) })
	return c
}

// settle records the outcome of a request, unless a later one has overtaken it.
func (s *Server) settle(r *request, st State, c *conn, tools []Tool) bool {
	s.mu.Lock()
	if s.latest != r {
		s.mu.Unlock()
		return false
	}
	s.state, s.conn, s.tools = st, c, tools
	if st.Kind == Ready {
		s.incarnation++
	}
	s.settleLocked(r)
	s.mu.Unlock()
	s.changed()
	return true
}

// lost records the end of a connection that nobody asked for.
func (s *Server) lost(c *conn) {
	why := c.endError(&s.cfg)
	s.mu.Lock()
	ours := s.conn == c // else a request is under way, or the server waits for a sign-in
	switch {
	case ours && c.wire != nil && c.wire.streamRefused.Load():
		s.requestLocked(&request{run: true}) // the start says whether it takes a sign-in
	case ours:
		s.state, s.conn, s.tools = State{Kind: Failed, Err: why}, nil, nil
	}
	s.mu.Unlock()
	if ours {
		s.changed()
	}
	c.shut()
}

// followTools fetches the tools anew whenever the server says that they
// changed. If that fails the old list stays: the server is still ready.
func (s *Server) followTools(c *conn) {
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-c.dirty:
		}
		tools, err := listTools(c.ctx, c.session) // not awaiting: a refusal is one of the server's as a whole
		s.mu.Lock()
		ours := s.conn == c
		if ours && err == nil {
			s.tools = tools
		}
		s.mu.Unlock()
		if ours && err == nil {
			s.changed()
		}
		s.notify(c, "notifications/tools/list_changed", nil)
	}
}

// borrow returns the connection for a call; done ends the use.
func (s *Server) borrow() (c *conn, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Kind == AuthRequired {
		return nil, nil, &AuthError{Requirement: s.state.Auth, Server: true}
	}
	if s.conn == nil {
		return nil, nil, ErrNotReady
	}
	s.conn.calls.Add(1)
	return s.conn, s.conn.calls.Done, nil
}

// finished reports whether the last of all requests is settled.
func (s *Server) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		return false
	}
	select {
	case <-s.latest.settled:
		return true
	default:
		return false
	}
}

func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{ErrHandshake, cleanLine(err.Error(), 300)}
}
