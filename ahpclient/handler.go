package ahpclient

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// handler takes what the host sends, on the goroutine that reads the socket.
type handler struct {
	client   *Client
	envelope protocol.Envelope // the one that is dealt with
}

// Notification folds the host's notifications into the store. Unknown ones, and
// those that cannot be read, are ignored.
func (h *handler) Notification(method string, params jsontext.Value) {
	if method == "action" {
		h.action(params)
		return
	}
	now := time.Now()
	switch method {
	case "root/sessionAdded":
		receive(h, params, func(s *store, p *protocol.SessionAddedParams) { s.sessionAdded(p.Summary) })
	case "root/sessionRemoved":
		receive(h, params, func(s *store, p *protocol.SessionRemovedParams) { s.sessionRemoved(p.Session, now) })
	case "root/sessionSummaryChanged":
		receive(h, params, func(s *store, p *protocol.SessionSummaryChangedParams) { s.summaryChanged(p.Session, p.Changes) })
	case "auth/required":
		receive(h, params, func(s *store, p *protocol.AuthRequiredParams) {
			s.notice(Notice{At: now, Kind: NoticeAuth, Channel: p.Channel, Text: p.Resource.Resource})
		})
	}
}

// action folds an action. These are the many, so they share an envelope, and ask
// what time it is only if it matters.
func (h *handler) action(params jsontext.Value) {
	if protocol.ReadEnvelope(params, &h.envelope) != nil {
		return
	}
	h.client.update(func(s *store) {
		var now time.Time
		if h.envelope.Origin != nil || s.profile.ReadsClock() {
			now = time.Now()
		}
		s.apply(&h.envelope, now)
	})
}

func receive[T any](h *handler, params jsontext.Value, fold func(*store, *T)) {
	v := new(T)
	if protocol.Unmarshal(params, v) == nil {
		h.client.update(func(s *store) { fold(s, v) })
	}
}

// Request answers every request of the host, at once: a host may wait for it
// without a limit. This client shares no resources.
func (h *handler) Request(req *jsonrpc.Request) {
	if strings.HasPrefix(req.Method, "resource") || req.Method == "createResourceWatch" {
		req.Fail(&jsonrpc.Error{Code: protocol.CodePermissionDenied, Message: "this client shares no resources"})
		return
	}
	req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + req.Method})
}
