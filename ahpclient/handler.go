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
	client *Client
	ctx    context.Context //nolint:containedctx // ends with the connection
	work   sync.WaitGroup  // the requests that are being answered
	room   chan struct{}   // holds a token for each of them
}

// Notification folds the host's notifications into the store. Others are events,
// for whoever listens; those that cannot be read are ignored.
func (h *handler) Notification(method string, params jsontext.Value) {
	now := time.Now()
	switch method {
	case "action":
		receive(h, params, func(s *store, e *protocol.Envelope) {
			s.apply(e, now)
			s.grew(e, len(params))
		})
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

func receive[T any](h *handler, params jsontext.Value, fold func(*store, *T)) {
	v := new(T)
	if protocol.Unmarshal(params, v) == nil {
		h.client.update(func(s *store) { fold(s, v) })
	}
}
