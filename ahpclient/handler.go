package ahpclient

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
)

// handler takes what the host sends over one connection, on the goroutine that
// reads the socket.
type handler struct {
	client   *Client
	envelope protocol.Envelope // the one that is dealt with
	ctx      context.Context   //nolint:containedctx // ends with the connection
	work     sync.WaitGroup    // the requests that are being answered
	room     chan struct{}     // holds a token for each of them
}

// Notification folds the host's notifications into the store. Others are events,
// for whoever listens; those that cannot be read are ignored.
func (h *handler) Notification(method string, params jsontext.Value) {
	if method == "action" {
		h.action(params)
		return
	}
	now := time.Now()
	switch method {
	case "root/sessionAdded":
		receive(h, params, func(s *store, p *protocol.SessionAddedParams) { s.sessionAdded(p.Summary, len(params)) })
	case "root/sessionRemoved":
		receive(h, params, func(s *store, p *protocol.SessionRemovedParams) { s.sessionRemoved(p.Session, now) })
	case "root/sessionSummaryChanged":
		receive(h, params, func(s *store, p *protocol.SessionSummaryChangedParams) { s.summaryChanged(p.Session, p.Changes) })
	case "auth/required":
		receive(h, params, func(s *store, p *protocol.AuthRequiredParams) { s.authRequired(p, len(params), now) })
	default:
		h.event(method, params, now)
	}
}

// action folds an action. These are the many, so they share an envelope, and ask
// what time it is only if it matters.
func (h *handler) action(params jsontext.Value) {
	if protocol.ReadEnvelope(params, &h.envelope) != nil {
		h.unreadable(params)
		return
	}
	h.client.update(func(s *store) {
		var now time.Time
		if h.envelope.Origin != nil || s.profile.ReadsClock() || isDated(h.envelope.Action) {
			now = time.Now()
		}
		s.apply(&h.envelope, now)
		s.grew(&h.envelope, len(params))
	})
}

func receive[T any](h *handler, params jsontext.Value, fold func(*store, *T)) {
	v := new(T)
	if protocol.Unmarshal(params, v) == nil {
		h.client.update(func(s *store) { fold(s, v) })
	}
}
