package jsonrpc

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Call sends a request, waits for its answer and decodes the result into result, which may be nil. A *[jsontext.Value] gets
// the result as it was sent; for others duplicate members, invalid UTF-8 and a null are no errors.
//
// The error wraps a [*Error] if the other side refused, the cause of ctx if that ended first (an answer that comes later is
// dropped), and [ErrClosed] if the connection ended. It must not be called from a [Handler] or a callback.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
	var answer jsontext.Value
	answered := make(chan error, 1)
	id, err := p.call(method, params, func(result jsontext.Value, err error) {
		answer = result
		answered <- err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case err = <-answered:
	case <-ctx.Done():
		p.forget(id)
		return fmt.Errorf("%s: no answer: %w", method, context.Cause(ctx))
	}
	if err == nil {
		err = decodeResult(answer, result)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func decodeResult(answer jsontext.Value, result any) error {
	switch result := result.(type) {
	case nil:
		return nil
	case *jsontext.Value:
		*result = answer
		return nil
	}
	if err := json.Unmarshal(answer, result, tolerant); err != nil {
		return fmt.Errorf("decode the result: %w", err)
	}
	return nil
}

// Go sends a request. done is called exactly once, on the goroutine of [Peer.Run], in the order in which messages come: with
// the result as it was sent, or with a [*Error], or with an error that wraps [ErrClosed] when the connection ends first. It
// has the duties of a [Handler]. If Go returns an error, nothing was sent and done is not called.
func (p *Peer) Go(method string, params any, done func(result jsontext.Value, err error)) error {
	if _, err := p.call(method, params, done); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Notify queues a notification. It never waits, so it takes no context.
func (p *Peer) Notify(method string, params any) error {
	msg, err := encodeNotification(method, params)
	if err != nil {
		return fmt.Errorf("%s: encode: %w", method, err)
	}
	if err := p.send(msg); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (p *Peer) call(method string, params any, done func(jsontext.Value, error)) (int64, error) {
	id := p.remember(done)
	msg, err := encodeCall(id, method, params)
	if err != nil {
		p.forget(id)
		return 0, fmt.Errorf("encode: %w", err)
	}
	if err := p.send(msg); err != nil && p.forget(id) {
		return 0, err
	}
	return id, nil // not sent and not there any more: done was told with the other pending calls
}

func (p *Peer) remember(done func(jsontext.Value, error)) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastID++
	p.pending[p.lastID] = done
	return p.lastID
}

// forget reports whether the call was still pending.
func (p *Peer) forget(id int64) bool { return p.take(id) != nil }

func (p *Peer) take(id int64) func(jsontext.Value, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := p.pending[id]
	delete(p.pending, id)
	return done
}

// answered deals with a response.
func (p *Peer) answered(m message) {
	if m.id == nil || m.id.Kind() == 'n' {
		if m.err != nil {
			p.protocolError(decodeError(m.err))
		}
		return
	}
	done := p.answeredCall(m.id)
	switch {
	case done == nil: // nobody waits any more
	case m.err != nil:
		done(nil, decodeError(m.err))
	default:
		done(m.result, nil)
	}
}

// answeredCall takes out the call that an answer with this id is for; nil if nobody waits for one.
func (p *Peer) answeredCall(id jsontext.Value) func(jsontext.Value, error) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return nil // not one of ours
	}
	return p.take(n)
}

// Request is a request of the other side. It is answered by Reply or by Fail, once, from any goroutine; what comes after
// the first is ignored, and so is an answer after the connection's end. A request that is never answered costs nothing.
type Request struct {
	Method string
	Params jsontext.Value // as it was sent; nil when absent

	id      jsontext.Value
	peer    *Peer
	replied atomic.Bool
}

// Reply answers with a result; nil is sent as null. A result that cannot be encoded is sent as an internal error.
func (r *Request) Reply(result any) {
	if r.replied.Swap(true) {
		return
	}
	msg, err := encodeResult(r.id, result)
	if err != nil {
		r.peer.answerError(r.id, &Error{Code: CodeInternalError, Message: fmt.Sprintf("encode the result of %s: %v", r.Method, err)})
		return
	}
	_ = r.peer.send(msg) // the end of the connection is told by Run
}

// Fail answers with an error; nil is an internal error without words.
func (r *Request) Fail(err *Error) {
	if r.replied.Swap(true) {
		return
	}
	if err == nil {
		err = &Error{Code: CodeInternalError}
	}
	r.peer.answerError(r.id, err)
}

func (p *Peer) answerError(id jsontext.Value, e *Error) {
	msg, err := encodeError(id, e)
	if err != nil {
		msg, err = encodeError(id, &Error{Code: e.Code, Message: e.Message}) // data that is no JSON
	}
	if err == nil {
		_ = p.send(msg) // the end of the connection is told by Run
	}
}
