package converge

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/testkit/testwire"
)

// line is what can be done to a connection.
type line interface {
	Stall(from testwire.End)
	Resume(from testwire.End)
	Heal()
	Break(clientNotices, hostNotices bool)
	BreakAfter(from testwire.End, count int, clientNotices, hostNotices bool)
}

// judgeEvery is of how many scripts the frames of one are judged, which takes about as long as all the rest of it.
const judgeEvery = 8

// connect makes a member's next connection.
func (w *world) connect(ctx context.Context, m *member, rnd *rand.Rand) (jsonrpc.Transport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.host == nil || m.offline:
		return nil, jsonrpc.ErrUnreachable
	case w.sockets:
		return w.dial(ctx, m)
	}
	h, link := w.host, testwire.NewLink(rnd.Uint64(), m.spec.up, m.spec.down)
	end := &hostEnd{Transport: link.Port(testwire.Host)}
	m.line, m.end = link, end
	w.lines = append(w.lines, link)
	var theirs jsonrpc.Transport = end
	if w.script.seed%judgeEvery == 0 {
		theirs = w.judge.Sent(end)
	}
	w.work.Go(func() { _ = h.Attach(theirs) })
	return link.Port(testwire.Client), nil
}

// dial connects over a real socket. It gives up the lock meanwhile.
func (w *world) dial(ctx context.Context, m *member) (jsonrpc.Transport, error) {
	var s *socket
	url := w.url
	w.mu.Unlock()
	transport, err := jsonrpc.Dial(ctx, url, jsonrpc.DialOptions{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		s = &socket{Conn: conn}
		return s, nil
	}})
	w.mu.Lock()
	if err != nil {
		return nil, err
	}
	m.line = s
	w.lines = append(w.lines, s)
	return transport, nil
}

// socket is a client's socket, which breaks as a whole: either end notices.
type socket struct {
	net.Conn
	mu     sync.Mutex
	passed [2]int
	limit  [2]int // by the end that sends; 0: none
}

func (s *socket) Stall(testwire.End)  {}
func (s *socket) Resume(testwire.End) {}

// Heal takes back the breaks that were to come.
func (s *socket) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = [2]int{}
}

// Break resets the connection.
func (s *socket) Break(bool, bool) {
	if tcp, ok := s.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the rest would arrive
	}
	_ = s.Close() // it may be closed already
}

// BreakAfter resets the connection when so many more bytes were written, or read.
func (s *socket) BreakAfter(from testwire.End, count int, _, _ bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit[from] = s.passed[from] + max(1, count)
}

// Read reads as far as the break.
func (s *socket) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	n, broken := s.pass(testwire.Host, n)
	if broken {
		s.Break(true, true)
	}
	return n, err
}

// Write writes as far as the break.
func (s *socket) Write(b []byte) (int, error) {
	n, broken := s.pass(testwire.Client, len(b))
	if !broken {
		return s.Conn.Write(b)
	}
	written, _ := s.Conn.Write(b[:n]) // what comes of it is not to be known
	s.Break(true, true)
	return written, net.ErrClosed
}

// pass counts bytes, and says how many of them come before the break.
func (s *socket) pass(from testwire.End, n int) (before int, broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed[from] += n
	if limit := s.limit[from]; limit > 0 && s.passed[from] >= limit {
		return max(0, n-(s.passed[from]-limit)), true
	}
	return n, false
}
