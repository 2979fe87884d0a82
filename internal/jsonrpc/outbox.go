package jsonrpc

import (
	"context"
	"fmt"
	"sync"
)

// outbox holds the messages that wait to be written. Putting one in never waits; a box that is full is a peer that does not
// read, and ends the connection.
type outbox struct {
	maxBytes    int
	maxMessages int

	mu       sync.Mutex
	messages [][]byte
	bytes    int
	closed   bool
	wake     chan struct{} // holds one token when next should look again
}

func newOutbox(maxBytes, maxMessages int) *outbox {
	return &outbox{maxBytes: maxBytes, maxMessages: maxMessages, wake: make(chan struct{}, 1)}
}

// put adds a message. An empty box takes one of any size. The errors wrap [ErrClosed] or [ErrSlowPeer].
func (o *outbox) put(msg []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return ErrClosed
	}
	if n := len(o.messages); n > 0 && (n >= o.maxMessages || o.bytes+len(msg) > o.maxBytes) {
		return fmt.Errorf("%w: %d messages, %d bytes wait", ErrSlowPeer, n, o.bytes)
	}
	o.messages = append(o.messages, msg)
	o.bytes += len(msg)
	o.signal()
	return nil
}

// next waits for a message and takes it out. It returns false when ctx is done, or when the box is closed and empty.
func (o *outbox) next(ctx context.Context) ([]byte, bool) {
	for ctx.Err() == nil {
		o.mu.Lock()
		if len(o.messages) > 0 {
			msg := o.messages[0]
			o.messages[0] = nil
			o.messages = o.messages[1:]
			o.bytes -= len(msg)
			o.mu.Unlock()
			return msg, true
		}
		closed := o.closed
		o.mu.Unlock()
		if closed {
			break
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
		}
	}
	return nil, false
}

// empty reports whether nothing waits.
func (o *outbox) empty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.messages) == 0
}

// close lets nothing more in. What is in it can still be taken out.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
