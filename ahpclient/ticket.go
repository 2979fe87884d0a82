package ahpclient

import (
	"context"
	"time"

	"ahptui/protocol"
)

// OutcomeKind is what became of a dispatched action.
type OutcomeKind string

// The outcomes.
const (
	// Accepted: the host echoed the action, its state shows that it took it, or
	// there was nothing to change.
	Accepted OutcomeKind = "accepted"
	// Rejected: the host refused it; Reason is the host's word.
	Rejected OutcomeKind = "rejected"
	// Expired: no echo came in time. A fresh snapshot shows what is so.
	Expired OutcomeKind = "expired"
	// Unknown: the connection or the channel went first. The action may have
	// taken effect.
	Unknown OutcomeKind = "unknown"
)

// Outcome is the end of a dispatched action.
type Outcome struct {
	Kind   OutcomeKind
	Reason string
}

// Ticket follows one dispatched action until its outcome is known.
type Ticket struct {
	// Channel, Action and At say what was dispatched, where and when.
	Channel protocol.URI
	Action  protocol.Action
	At      time.Time

	seq     int64
	done    chan struct{}
	outcome Outcome // written once, before done is closed
}

func newTicket(channel protocol.URI, a protocol.Action, seq int64, now time.Time) *Ticket {
	return &Ticket{Channel: channel, Action: a, At: now, seq: seq, done: make(chan struct{})}
}

// NewTicket makes a ticket for a host that is not a [Client], such as a replayed
// capture, and what settles it: only the first outcome counts.
func NewTicket(channel protocol.URI, a protocol.Action, now time.Time) (t *Ticket, settle func(Outcome)) {
	t = newTicket(channel, a, 0, now)
	return t, t.settle
}

// settle ends the ticket; only the first outcome counts. One goroutine at a
// time may call it.
func (t *Ticket) settle(o Outcome) {
	select {
	case <-t.done:
	default:
		t.outcome = o
		close(t.done)
	}
}

// Done is closed when the outcome is known.
func (t *Ticket) Done() <-chan struct{} { return t.done }

// Outcome is the outcome; ok is false while it is not known.
func (t *Ticket) Outcome() (o Outcome, ok bool) {
	select {
	case <-t.done:
		return t.outcome, true
	default:
		return Outcome{}, false
	}
}

// Wait waits for the outcome, or for the end of ctx.
func (t *Ticket) Wait(ctx context.Context) (Outcome, error) {
	select {
	case <-t.done:
		return t.outcome, nil
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}
