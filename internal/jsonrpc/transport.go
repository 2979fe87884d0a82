package jsonrpc

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"
)

// Transport carries whole messages in order, both ways. One goroutine may read while another writes; Close may be called at
// any time, by any goroutine, more than once.
type Transport interface {
	// Read returns the next message, which then belongs to the caller. Once it has failed, or ctx was done while it
	// waited or after that, it fails for good; [io.EOF] or a [*CloseError] means that the other side has closed in good order.
	Read(ctx context.Context) ([]byte, error)
	// Write sends one message and does not keep it. Once it has failed, or ctx was done while it waited or after that, it
	// fails for good.
	Write(ctx context.Context, msg []byte) error
	// Close ends both directions, in good order where there is one, and returns in bounded time.
	Close() error
}

// liveness is implemented by transports that know better than their messages when they last heard of the other side.
type liveness interface {
	LastRead() time.Time
}

// moreWriter is implemented by transports that send several messages cheaper together.
type moreWriter interface {
	// WriteMore is Write for a message behind which another is written at once.
	WriteMore(ctx context.Context, msg []byte) error
}

// pipeEnd is one end of a [Pipe].
type pipeEnd struct {
	in     <-chan []byte
	out    chan<- []byte
	closed chan struct{}
	other  <-chan struct{}
	once   sync.Once
}

// Pipe returns the two ends of a transport in memory. It has no buffer: a write waits for the read on the other end. It works
// inside a bubble of testing/synctest when it is made there.
func Pipe() (a, b Transport) {
	ab, ba := make(chan []byte), make(chan []byte)
	aClosed, bClosed := make(chan struct{}), make(chan struct{})
	return &pipeEnd{in: ba, out: ab, closed: aClosed, other: bClosed},
		&pipeEnd{in: ab, out: ba, closed: bClosed, other: aClosed}
}

// Read implements [Transport].
func (p *pipeEnd) Read(ctx context.Context) ([]byte, error) {
	if err := p.usable(ctx); err != nil {
		return nil, err
	}
	select {
	case msg := <-p.in:
		return msg, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.closed:
		return nil, io.ErrClosedPipe
	case <-p.other:
		return nil, io.EOF
	}
}

// Write implements [Transport].
func (p *pipeEnd) Write(ctx context.Context, msg []byte) error {
	if err := p.usable(ctx); err != nil {
		return err
	}
	select {
	case p.out <- bytes.Clone(msg):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.closed:
		return io.ErrClosedPipe
	case <-p.other:
		return io.ErrClosedPipe
	}
}

// usable keeps a pipe that has ended from being chosen at random to work once more.
func (p *pipeEnd) usable(ctx context.Context) error {
	select {
	case <-p.closed:
		return io.ErrClosedPipe
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Close implements [Transport].
func (p *pipeEnd) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
