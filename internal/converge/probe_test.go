package converge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// probe is a bare client on a perfect connection: it sees what the host has, and what it does with actions.
type probe struct {
	t     *testing.T
	peer  *jsonrpc.Peer
	ended chan struct{}

	mu       sync.Mutex
	accepted map[protocol.ActionOrigin]bool
	log      []string
}

// attach connects a probe and shakes hands at a version.
func attach(t *testing.T, h *host.Host, id string, v protocol.Version, channels ...protocol.URI) (*probe, *protocol.InitializeResult) {
	ours, theirs := jsonrpc.Pipe()
	p := &probe{t: t, ended: make(chan struct{}), accepted: map[protocol.ActionOrigin]bool{}}
	p.peer = jsonrpc.New(ours, p, jsonrpc.Options{})
	go func() { _ = h.Attach(theirs) }() // ends with the peer, or with the host
	go func() {
		defer close(p.ended)
		_ = p.peer.Run(context.Background())
	}()
	hello := new(protocol.InitializeResult)
	p.call("initialize", &protocol.InitializeParams{
		Channel: protocol.RootChannel, ProtocolVersions: []string{v.String()}, ClientID: id, InitialSubscriptions: channels,
	}, hello)
	return p, hello
}

func (p *probe) close() {
	p.peer.Close()
	<-p.ended
}

// call makes a request; that it fails is a mistake of the test.
func (p *probe) call(method string, params, result any) {
	var raw jsontext.Value
	err := p.peer.Call(context.Background(), method, params, &raw)
	if err == nil {
		err = protocol.Unmarshal(raw, result)
	}
	if err != nil {
		p.t.Errorf("probe: %v", err)
	}
}

// subscribe asks for a channel's state; nil if the host does not have the channel.
func (p *probe) subscribe(channel protocol.URI) *protocol.Snapshot {
	var r protocol.SubscribeResult
	if p.peer.Call(context.Background(), "subscribe", &protocol.SubscribeParams{Channel: channel}, &r) != nil {
		return nil
	}
	return r.Snapshot
}

// sessions is the host's list of sessions.
func (p *probe) sessions() map[protocol.URI]*protocol.SessionSummary {
	list := map[protocol.URI]*protocol.SessionSummary{}
	params := protocol.ListSessionsParams{Channel: protocol.RootChannel}
	for {
		var page protocol.ListSessionsResult
		p.call("listSessions", &params, &page)
		for _, s := range page.Items {
			list[s.Resource] = s
		}
		if page.NextCursor == "" {
			return list
		}
		params.Cursor = page.NextCursor
	}
}

// Notification implements [jsonrpc.Handler].
func (p *probe) Notification(method string, params jsontext.Value) {
	e := new(protocol.Envelope)
	if method != "action" || protocol.Unmarshal(params, e) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Origin != nil && e.RejectionReason == nil {
		p.accepted[*e.Origin] = true
	}
	raw, _ := protocol.EncodeAction(e.Action) // what cannot be encoded is not shown
	p.log = append(p.log, fmt.Sprintf("%d %s %.200s %+v", e.ServerSeq, e.Channel, raw, e.Origin))
}

// Request implements [jsonrpc.Handler].
func (p *probe) Request(req *jsonrpc.Request) {
	req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound})
}

// took reports whether the host has accepted an action.
func (p *probe) took(o protocol.ActionOrigin) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted[o]
}

// last are the last things that the host did.
func (p *probe) last(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.log[max(0, len(p.log)-n):])
}
