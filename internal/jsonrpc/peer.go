package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// defaultMaxQueuedBytes holds two messages of the largest size that the WebSocket transport takes by default.
	defaultMaxQueuedBytes    = 2 * DefaultMaxMessageBytes
	defaultMaxQueuedMessages = 1 << 16
	defaultWriteTimeout      = 30 * time.Second
	// minWriteRate, in bytes a second, is what a peer on a slow line must take of a large message.
	minWriteRate = 512 << 10
	// flushTimeout bounds how long Close goes on writing what is queued.
	flushTimeout = 2 * time.Second
	// lastWords is how long a connection that cannot be written to any more is read, since the reason may be there to read.
	lastWords = 500 * time.Millisecond
)

// Handler takes what the other side asks and tells. Both methods are called on the goroutine of [Peer.Run], one message
// after the other, and hold up all further reading; so they must not wait for anything that comes over this connection
// ([Peer.Call] above all). The values belong to the handler.
type Handler interface {
	// Notification takes a notification. params is nil when absent, and otherwise any JSON value, as it was sent.
	Notification(method string, params jsontext.Value)
	// Request takes a request, which it answers through req at once or later.
	Request(req *Request)
}

// Direction says which way a message went.
type Direction int

// The directions of a message, seen from this side.
const (
	Received Direction = iota
	Sent
)

// Options are the options of a [Peer]. The zero value is what a client wants.
type Options struct {
	// AnswerMalformed makes the peer answer text that is no JSON with CodeParseError and a null id, as hosts do.
	AnswerMalformed bool
	// Limits bound a message that comes. One that is too large ends the connection with ErrMessageTooLarge. Of others that go
	// over a limit nothing is taken but what they are about: a request is refused, a call fails with the [*LimitError], and
	// a notification is left to OnOverLimit.
	Limits Limits
	// MaxQueuedBytes and MaxQueuedMessages bound what waits to be written; 256 MiB and 65,536 when zero. A single message of
	// any size may wait. Beyond, the connection ends with ErrSlowPeer.
	MaxQueuedBytes    int
	MaxQueuedMessages int
	// WriteTimeout bounds the writing of one message; 30 s when zero. A large message gets a second more for each 512 KiB.
	// Beyond, the connection ends with ErrSlowPeer.
	WriteTimeout time.Duration
	// Tap, when set, is shown every message, JSON or not: received ones before they are dealt with, sent ones before they are
	// written, so that a call comes before its answer. Calls do not overlap. It must neither keep nor change msg.
	Tap func(dir Direction, msg []byte)
	// OnProtocolError, when set, is told on the goroutine of Run of messages that were passed over: a [*Error] that the peer
	// sent with a null id, or an error that wraps ErrMalformed. The connection stays up.
	OnProtocolError func(err error)
	// OnOverLimit, when set, is told on the goroutine of Run of a notification that goes over a limit, in place of the
	// handler; OnProtocolError is told of it otherwise. params may be as deep and as large as the limits of the transport
	// allow.
	OnOverLimit func(method string, params jsontext.Value, err *LimitError)
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	o.MaxQueuedBytes = cmp.Or(o.MaxQueuedBytes, defaultMaxQueuedBytes)
	o.MaxQueuedMessages = cmp.Or(o.MaxQueuedMessages, defaultMaxQueuedMessages)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, defaultWriteTimeout)
	return o
}

// Peer is one side of a JSON-RPC connection. All its methods but Run may be called from any goroutine.
type Peer struct {
	transport Transport
	handler   Handler
	opts      Options
	queue     *outbox
	born      time.Time
	lastRead  atomic.Int64 // nanoseconds after born
	tapMu     sync.Mutex
	decoder   decoder // used by the reading goroutine alone

	mu         sync.Mutex
	lastID     int64
	pending    map[int64]func(jsontext.Value, error)
	err        error              // why the connection ends; nil while it does not
	cancelRead context.CancelFunc // nil before Run

	readEnded chan struct{} // closed when nothing more will be read
	done      chan struct{} // closed when Run is about to return
}

// New returns a peer that speaks over t once [Peer.Run] is called, which the caller must do; Run closes t.
func New(t Transport, h Handler, opts Options) *Peer {
	opts = opts.withDefaults()
	return &Peer{
		transport: t,
		handler:   h,
		opts:      opts,
		queue:     newOutbox(opts.MaxQueuedBytes, opts.MaxQueuedMessages),
		born:      time.Now(),
		pending:   make(map[int64]func(jsontext.Value, error)),
		readEnded: make(chan struct{}),
		done:      make(chan struct{}),
	}
}

// Run reads and writes until the connection ends, and returns why: an error that always wraps [ErrClosed], and is that very
// value after [Peer.Close]. The end of ctx ends the connection at once. When Run returns, the transport is closed, no
// goroutine of the peer is left, and every pending call has been told. Run is called once.
func (p *Peer) Run(ctx context.Context) error {
	readCtx, cancelRead := context.WithCancel(ctx)
	defer cancelRead()
	writeCtx, cancelWrite := context.WithCancel(ctx)
	defer cancelWrite()
	p.begin(cancelRead)

	written := make(chan struct{})
	go func() {
		defer close(written)
		p.writeAll(writeCtx)
	}()
	p.end(p.readAll(readCtx))
	close(p.readEnded)
	if p.reason() == ErrClosed { //nolint:errorlint // only our own Close lets the queue run empty
		p.flush(written)
	}
	cancelWrite()
	<-written
	_ = p.transport.Close() // the connection is over either way, and its reason is known
	p.failPending()
	close(p.done)
	return p.reason()
}

// begin notes how to stop reading, and does so if the connection has ended before it began.
func (p *Peer) begin(cancelRead context.CancelFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancelRead = cancelRead
	if p.err != nil {
		cancelRead()
	}
}

// flush waits until what is queued has been written, but not for long.
func (p *Peer) flush(written <-chan struct{}) {
	timer := time.NewTimer(flushTimeout)
	defer timer.Stop()
	select {
	case <-written:
	case <-timer.C:
	}
}

// Close ends the connection: nothing more is read, what is queued is written for at most two seconds, then Run returns. Close
// itself does not wait for that; [Peer.Done] does.
func (p *Peer) Close() { p.end(nil) }

// Done is closed when the connection has ended and every pending call has been told.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Err returns nil before Done is closed, and then what Run returns.
func (p *Peer) Err() error {
	select {
	case <-p.done:
		return p.reason()
	default:
		return nil
	}
}

// LastRead returns when anything was last received: any byte over a WebSocket, a message over other transports. Before that
// it is when the connection was made.
func (p *Peer) LastRead() time.Time {
	if l, ok := p.transport.(liveness); ok {
		return l.LastRead()
	}
	return p.born.Add(time.Duration(p.lastRead.Load()))
}

// end ends the connection, because of cause or, when it is nil, at our own wish. The first cause stays.
func (p *Peer) end(cause error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = ErrClosed
		if cause != nil && !errors.Is(cause, ErrClosed) {
			p.err = fmt.Errorf("%w: %w", ErrClosed, cause)
		}
	}
	if p.cancelRead != nil {
		p.cancelRead()
	}
	p.mu.Unlock()
	p.queue.close()
}

func (p *Peer) reason() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *Peer) failPending() {
	p.mu.Lock()
	pending := p.pending
	p.pending = make(map[int64]func(jsontext.Value, error))
	p.mu.Unlock()
	err := p.reason()
	for _, id := range slices.Sorted(maps.Keys(pending)) {
		pending[id](nil, err)
	}
}

func (p *Peer) readAll(ctx context.Context) error {
	_, knows := p.transport.(liveness)
	for ctx.Err() == nil {
		msg, err := p.transport.Read(ctx)
		if err != nil {
			return err
		}
		if !knows {
			p.lastRead.Store(int64(time.Since(p.born)))
		}
		if most := p.opts.Limits.Bytes; most > 0 && len(msg) > most {
			return fmt.Errorf("%w: more than %d bytes", ErrMessageTooLarge, most)
		}
		p.tap(Received, msg)
		p.dispatch(msg)
	}
	return context.Cause(ctx)
}

func (p *Peer) dispatch(text []byte) {
	over := p.opts.Limits.check(text)
	m, err := p.decoder.decode(text)
	if err != nil {
		if over != nil {
			err = fmt.Errorf("%w: %w", ErrMalformed, over) // and so too deep for the JSON library
		}
		p.protocolError(err)
		if p.opts.AnswerMalformed {
			p.answerError(jsontext.Value("null"), &Error{Code: CodeParseError, Message: "Parse error"})
		}
		return
	}
	if over != nil {
		p.overLimit(m, over)
		return
	}
	switch m.kind {
	case kindNotification:
		p.handler.Notification(m.method, m.params)
	case kindRequest:
		p.handler.Request(&Request{Method: m.method, Params: m.params, id: slices.Clone(m.id), peer: p})
	case kindResponse:
		p.answered(m)
	case kindUnknown:
	}
}

// overLimit deals with a message that goes over a limit.
func (p *Peer) overLimit(m message, over *LimitError) {
	switch {
	case m.kind == kindRequest:
		p.answerError(slices.Clone(m.id), &Error{Code: CodeInvalidRequest, Message: over.Error()})
	case m.kind == kindResponse:
		if done := p.answeredCall(m.id); done != nil {
			done(nil, over)
		}
	case m.kind == kindNotification && p.opts.OnOverLimit != nil:
		p.opts.OnOverLimit(m.method, m.params, over)
	default:
		p.protocolError(over)
	}
}

func (p *Peer) protocolError(err error) {
	if p.opts.OnProtocolError != nil {
		p.opts.OnProtocolError(err)
	}
}

// send queues a message. A queue that is full ends the connection.
func (p *Peer) send(msg []byte) error {
	err := p.queue.put(msg)
	switch {
	case errors.Is(err, ErrClosed):
		return p.reason()
	case err != nil:
		p.end(err)
		return p.reason()
	}
	return nil
}

func (p *Peer) writeAll(ctx context.Context) {
	w := writer{peer: p}
	w.more, _ = p.transport.(moreWriter)
	w.stall = time.AfterFunc(time.Hour, w.stalled)
	defer w.stall.Stop()
	w.stall.Stop()
	for {
		msg, ok := p.queue.next(ctx)
		if !ok {
			return
		}
		p.tap(Sent, msg)
		if err := w.write(ctx, msg); err != nil {
			p.writeFailed(ctx, err)
			return
		}
	}
}

// writer sends messages. A peer that does not take one is told apart from other failures before the write is given up,
// because giving up breaks the connection for reading too.
type writer struct {
	peer  *Peer
	more  moreWriter // nil: the transport is none
	stall *time.Timer
	size  atomic.Int64 // of the message that is being written
}

func (w *writer) write(ctx context.Context, msg []byte) error {
	w.size.Store(int64(len(msg)))
	w.stall.Reset(w.timeout())
	defer w.stall.Stop()
	if w.more != nil && !w.peer.queue.empty() {
		return w.more.WriteMore(ctx, msg)
	}
	return w.peer.transport.Write(ctx, msg)
}

// timeout is how long the peer may take for the message.
func (w *writer) timeout() time.Duration {
	return w.peer.opts.WriteTimeout + time.Duration(w.size.Load())*time.Second/minWriteRate
}

func (w *writer) stalled() {
	w.peer.end(fmt.Errorf("%w: %d bytes were not taken in %v", ErrSlowPeer, w.size.Load(), w.timeout()))
}

// writeFailed ends the connection. A peer that refuses a message says why in a closing frame, which is still to be read.
func (p *Peer) writeFailed(ctx context.Context, err error) {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-p.readEnded:
	case <-ctx.Done():
	case <-timer.C:
	}
	p.end(fmt.Errorf("write: %w", err))
}

func (p *Peer) tap(dir Direction, msg []byte) {
	if p.opts.Tap == nil {
		return
	}
	p.tapMu.Lock()
	defer p.tapMu.Unlock()
	p.opts.Tap(dir, msg)
}
