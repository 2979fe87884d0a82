package converge

import (
	"bytes"
	"context"
	"sync"

	"ahptui/internal/jsonrpc"
)

// hostEnd is the host's end of a connection. On demand it holds back answers while what the host tells goes on, as
// hosts do that work an answer out, send what happens meanwhile, and only then the answer.
type hostEnd struct {
	jsonrpc.Transport
	mu      sync.Mutex
	holding bool
	held    [][]byte
}

// Write implements [jsonrpc.Transport].
func (e *hostEnd) Write(ctx context.Context, msg []byte) error {
	if e.keep(msg) {
		return nil
	}
	return e.Transport.Write(ctx, msg)
}

func (e *hostEnd) keep(msg []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.holding || !bytes.HasPrefix(msg, []byte(`{"jsonrpc":"2.0","id":`)) {
		return false
	}
	e.held = append(e.held, bytes.Clone(msg))
	return true
}

// hold begins to hold answers back.
func (e *hostEnd) hold() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.holding = true
}

// release sends what was held back, in its order. It may wait for the line.
func (e *hostEnd) release() {
	for msg := e.next(); msg != nil; msg = e.next() {
		if e.Transport.Write(context.Background(), msg) != nil {
			return // the connection is over
		}
	}
}

// next takes the oldest answer that is held back; when there is none, no more are.
func (e *hostEnd) next() (msg []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.held) == 0 {
		e.holding = false
		return nil
	}
	msg, e.held = e.held[0], e.held[1:]
	return msg
}
