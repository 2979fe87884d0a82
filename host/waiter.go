package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// ErrGivenUp is the error of an [Outcome] whose call waited for a sign-in until
// somebody gave it up.
var ErrGivenUp = errors.New("nobody signed in: the call was given up")

// A waiter is a tool call that waits for a sign-in.
type waiter struct {
	call  *toolCall
	need  *mcpserver.AuthError
	ended chan error // gets nil when the call can be tried again, or why it has ended
}

func (w *waiter) resource() string { return w.need.Requirement.Resource.Resource }

// awaitSignIn makes a call wait that was refused. If ended is nil it can be tried
// again; otherwise it has been completed, and ended says why.
func (c *toolCall) awaitSignIn(ctx context.Context, need *mcpserver.AuthError) (ended, err error) {
	var w *waiter
	err = c.do(func() {
		if c.host.overtaken(c.server, need) {
			return
		}
		w = &waiter{call: c, need: need, ended: make(chan error, 1)}
		c.run.waiting = append(c.run.waiting, w)
		c.apply(&protocol.ChatToolCallAuthRequired{TurnID: c.run.turnID, ToolCallID: c.id, Auth: need.Requirement})
	})
	if err != nil || w == nil {
		return nil, err
	}
	select {
	case ended = <-w.ended:
		return ended, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// What follows runs under the host's lock.

// overtaken reports whether what a call needs is there by now, or will never be.
// Either way the next try tells.
func (h *Host) overtaken(srv *server, need *mcpserver.AuthError) bool {
	kind := srv.State().Kind
	switch {
	case kind == mcpserver.Stopped || kind == mcpserver.Failed:
		return true
	case need.Server:
		return kind != mcpserver.AuthRequired
	}
	return !srv.token.Equal(need.Token) || h.useRemembered(srv, need.Requirement)
}

// releaseCalls lets go of the calls that wait in vain, or no longer have to, now
// that their server is in a state.
func (h *Host) releaseCalls(srv *server, kind mcpserver.Kind) {
	for _, w := range srv.session.waiters() {
		switch {
		case w.call.server != srv:
		case kind == mcpserver.Ready && w.need.Server:
			h.resume(w)
		case kind == mcpserver.Stopped || kind == mcpserver.Failed:
			h.fail(w, fmt.Errorf("the server %s is %s", srv.Name(), kind))
		}
	}
}

// waiters are the calls of the session's running turns that wait for a sign-in.
func (s *session) waiters() []*waiter {
	var list []*waiter
	for _, c := range s.chats {
		list = append(list, c.waiters()...)
	}
	return list
}

// waiters are the calls of the running turn that wait for a sign-in.
func (c *chat) waiters() []*waiter {
	if c.run == nil {
		return nil
	}
	return slices.Clone(c.run.waiting)
}

// resume lets a waiting call try again.
func (h *Host) resume(w *waiter) {
	w.call.apply(&protocol.ChatToolCallAuthResolved{TurnID: w.call.run.turnID, ToolCallID: w.call.id})
	w.end(nil)
}

// fail completes a waiting call without a result.
func (h *Host) fail(w *waiter, why error) {
	w.call.apply(&protocol.ChatToolCallComplete{
		TurnID: w.call.run.turnID, ToolCallID: w.call.id, Result: w.call.failedResult(why),
	})
	w.end(why)
}

// end takes a waiter off its run. The channel has room for the one end there is.
func (w *waiter) end(why error) {
	run := w.call.run
	run.waiting = slices.DeleteFunc(run.waiting, func(other *waiter) bool { return other == w })
	w.ended <- why
}

// giveUp ends the wait of a call that a client has completed.
func (c *chat) giveUp(callID string) {
	for _, w := range c.waiters() {
		if w.call.id == callID {
			w.end(ErrGivenUp)
		}
	}
}
