package testwire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// ErrReset is why a connection ends that the network has broken.
var ErrReset = errors.New("connection reset by the network")

// Line says how messages travel in one direction. The zero Line takes no time.
type Line struct {
	// Latency is how long a byte is under way. Jitter, drawn anew for each message, is added to it; messages do not
	// overtake one another.
	Latency time.Duration
	Jitter  time.Duration
	// Rate is how many bytes a second get onto the line; 0 means all at once.
	Rate int
	// Window is how many bytes may be under way before a write waits; 64 KiB when zero. A single message of any size may
	// be under way.
	Window int
}

const defaultWindow = 64 << 10

// End is one of the two ends of a [Link], by number.
type End int

// The ends of a link.
const (
	Client End = iota
	Host
)

// Other is the other end.
func (e End) Other() End { return 1 - e }

// A Link is a connection in memory, made of two [jsonrpc.Transport]s, that behaves like one over a network: bytes take
// time, and the network can stop, or break, in the middle of a message. It works inside a bubble of testing/synctest
// when it is made there; outside, its times are real ones. Its methods may be called by any goroutine.
type Link struct {
	mu      sync.Mutex
	ends    [2]*Port
	changed chan struct{} // closed, and replaced, when anything has changed
	timers  []*time.Timer // of breaks to come
}

// Port is an end of a [Link] as a [jsonrpc.Transport].
type Port struct {
	link     *Link
	end      End
	out      *lane
	err      error // why it has ended; nil while it has not
	readErr  error // why nothing more is read
	lastRead time.Time
}

// lane is one direction of a link.
type lane struct {
	Line
	rnd     *rand.Rand
	frames  []frame // under way, oldest first
	waiting int     // bytes that count for the window
	free    time.Time
	passed  int64 // bytes ever written
	limit   int64 // the byte with which the line breaks; 0: none
	notice  [2]bool
	stalled bool
	dead    bool      // what is written goes nowhere
	fin     time.Time // when the end of the stream is there; zero: it has none
}

// frame is a message under way, with the times at which its first and its last byte are there.
type frame struct {
	msg         []byte
	first, last time.Time
}

// NewLink returns a connection whose jitter follows from the seed. up is the line from the client to the host, down the
// one back.
func NewLink(seed uint64, up, down Line) *Link {
	l := &Link{changed: make(chan struct{})}
	now := time.Now()
	for end, line := range []Line{up, down} {
		if line.Window == 0 {
			line.Window = defaultWindow
		}
		out := &lane{Line: line, rnd: rand.New(rand.NewPCG(seed, uint64(end))), free: now}
		l.ends[end] = &Port{link: l, end: End(end), out: out, lastRead: now}
	}
	return l
}

// Port is an end as a transport.
func (l *Link) Port(e End) *Port { return l.ends[e] }

// Stall stops what an end sends: it arrives when [Link.Resume] is called, if nothing else happens.
func (l *Link) Stall(from End) { l.change(func() { l.ends[from].out.stalled = true }) }

// Resume ends a stall.
func (l *Link) Resume(from End) { l.change(func() { l.ends[from].out.stalled = false }) }

// Heal ends all stalls, and takes back the breaks that were to come. What is broken stays so.
func (l *Link) Heal() {
	l.change(func() {
		for _, port := range l.ends {
			port.out.stalled, port.out.limit = false, 0
		}
	})
}

// Break breaks the connection, with all that is under way. An end that does not notice has a half-open socket: it hears
// nothing any more, and what it writes goes nowhere.
func (l *Link) Break(clientNotices, hostNotices bool) {
	l.change(func() { l.breakNow([2]bool{clientNotices, hostNotices}) })
}

// BreakAfter breaks the connection when an end has sent so many more bytes, which may be in the middle of a message.
func (l *Link) BreakAfter(from End, count int, clientNotices, hostNotices bool) {
	l.change(func() {
		out := l.ends[from].out
		out.limit, out.notice = out.passed+int64(max(1, count)), [2]bool{clientNotices, hostNotices}
	})
}

// change does something under the lock and wakes who waits for a change.
func (l *Link) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	l.wake()
}

func (l *Link) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *Link) breakNow(notices [2]bool) {
	for end, port := range l.ends {
		port.out.dead, port.out.frames, port.out.limit = true, nil, 0
		if notices[end] && port.err == nil {
			port.err = ErrReset
		}
	}
	l.stopTimers()
}

func (l *Link) stopTimers() {
	for _, t := range l.timers {
		t.Stop()
	}
	l.timers = nil
}

// Read implements [jsonrpc.Transport].
func (p *Port) Read(ctx context.Context) ([]byte, error) {
	for {
		msg, next, changed, err := p.tryRead(ctx)
		if msg != nil || err != nil {
			return msg, err
		}
		due := time.NewTimer(time.Until(next))
		if next.IsZero() {
			due.Stop()
		}
		select {
		case <-due.C:
		case <-changed:
		case <-ctx.Done():
		}
		due.Stop()
	}
}

// tryRead returns a message that is there, or when to look again.
func (p *Port) tryRead(ctx context.Context) (msg []byte, next time.Time, changed <-chan struct{}, err error) {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	if p.readErr == nil && ctx.Err() != nil {
		p.readErr = context.Cause(ctx)
	}
	if err := cmp.Or(p.err, p.readErr); err != nil {
		return nil, next, nil, err
	}
	in, now := p.link.ends[p.end.Other()].out, time.Now()
	switch {
	case in.stalled:
	case len(in.frames) > 0:
		next = in.frames[0].last
		if !next.After(now) {
			return p.take(in), next, nil, nil
		}
	case !in.fin.IsZero() && !in.dead:
		next = in.fin
		if !next.After(now) {
			p.readErr = io.EOF
			return nil, next, nil, p.readErr
		}
	}
	return nil, next, p.link.changed, nil
}

// take takes the oldest message off the line.
func (p *Port) take(in *lane) []byte {
	msg := in.frames[0].msg
	p.lastRead = in.frames[0].last
	in.frames[0] = frame{}
	in.frames = in.frames[1:]
	in.waiting -= len(msg)
	p.link.wake()
	return msg
}

// Write implements [jsonrpc.Transport].
func (p *Port) Write(ctx context.Context, msg []byte) error {
	for {
		changed, err := p.tryWrite(ctx, msg)
		if changed == nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// tryWrite puts a message onto the line, or returns what to wait for.
func (p *Port) tryWrite(ctx context.Context, msg []byte) (changed <-chan struct{}, err error) {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	out := p.out
	switch {
	case p.err != nil:
		return nil, p.err
	case ctx.Err() != nil:
		p.err = context.Cause(ctx)
		return nil, p.err
	case p.link.ends[p.end.Other()].err != nil && !out.dead && !out.stalled:
		return nil, io.ErrClosedPipe
	case out.waiting > 0 && out.waiting+len(msg) > out.Window:
		return p.link.changed, nil
	}
	p.put(msg)
	p.link.wake()
	return nil, nil
}

// put sends a message on its way. If the line breaks while it is under way, it never is whole.
func (p *Port) put(msg []byte) {
	out := p.out
	before := out.passed
	out.passed += int64(len(msg))
	out.waiting += len(msg)
	if out.dead {
		return
	}
	first := time.Now().Add(out.Latency)
	if out.Jitter > 0 {
		first = first.Add(time.Duration(out.rnd.Int64N(int64(out.Jitter))))
	}
	if first.Before(out.free) {
		first = out.free
	}
	at := func(byteCount int64) time.Time {
		if out.Rate == 0 {
			return first
		}
		return first.Add(time.Duration(byteCount) * time.Second / time.Duration(out.Rate))
	}
	out.free = at(int64(len(msg)))
	if out.limit > before && out.limit <= out.passed {
		out.dead = true
		notices := out.notice
		p.link.timers = append(p.link.timers, time.AfterFunc(time.Until(at(out.limit-before)), func() {
			p.link.change(func() { p.link.breakNow(notices) })
		}))
		return
	}
	out.frames = append(out.frames, frame{msg: bytes.Clone(msg), first: first, last: out.free})
}

// Close implements [jsonrpc.Transport]. The other end reads what is under way, and then the end of the stream.
func (p *Port) Close() error {
	p.link.change(func() {
		if p.err == nil {
			p.err = io.ErrClosedPipe
		}
		if p.out.fin.IsZero() {
			p.out.fin = p.out.free
			if at := time.Now().Add(p.out.Latency); at.After(p.out.fin) {
				p.out.fin = at
			}
		}
	})
	return nil
}

// LastRead is when the last byte came, or when the link was made.
func (p *Port) LastRead() time.Time {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	in, now := p.link.ends[p.end.Other()].out, time.Now()
	if len(in.frames) > 0 && !in.stalled && !in.frames[0].first.After(now) {
		if last := in.frames[0].last; last.Before(now) {
			return last
		}
		return now
	}
	return p.lastRead
}
