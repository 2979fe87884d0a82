package host

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ahptui/host/terminal"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// What follows runs under the host's lock.

const maxClientIDBytes = 256

func (h *Host) initialize(c *conn, p *protocol.InitializeParams) (any, *jsonrpc.Error) {
	if p.ClientID == "" || len(p.ClientID) > maxClientIDBytes {
		return nil, invalid("clientId must be a string of 1 to %d bytes", maxClientIDBytes)
	}
	if h.hasNewer(c, p.ClientID) {
		return nil, superseded()
	}
	version, ok := h.negotiate(p.ProtocolVersions)
	if !ok {
		return nil, h.refuseVersions(p.ProtocolVersions)
	}
	cl := &client{id: p.ClientID, version: version, conn: c, subscribed: map[protocol.URI]*subscription{}}
	if h.clients[p.ClientID] == nil && !h.roomForClient() {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the host has too many clients"}
	}
	h.leaveAll(p.ClientID) // a client that begins anew has forgotten what it took part in
	h.clients[p.ClientID] = cl
	c.client = cl
	h.log.Debug("client initialized", "version", version)
	info := h.opts.Info
	prefix := ""
	if h.opts.Terminals && terminal.Supported {
		prefix = shellPrefix
	}
	var characters []string
	if h.opts.Files != NoFiles {
		characters = strings.Split(triggers, "")
	}
	return protocol.At(version, &protocol.InitializeResult{
		ProtocolVersion:  version.String(),
		ServerSeq:        h.seq,
		ServerInfo:       &info,
		Snapshots:        h.subscribeAll(cl, p.InitialSubscriptions),
		DefaultDirectory: h.opts.DefaultDirectory,

		TerminalCommandPrefix: prefix, CompletionTriggerCharacters: characters,
	}), nil
}

// hasNewer reports whether a client has come back over a newer connection than
// the one that it greets on. The greeting was under way for so long that the
// client has stopped waiting: it must not take the pushes away from the newer one.
func (h *Host) hasNewer(c *conn, clientID string) bool {
	cl := h.clients[clientID]
	return cl != nil && cl.conn != nil && cl.conn.number > c.number
}

func superseded() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client has a newer connection"}
}

// negotiate takes the highest version that is offered and accepted.
func (h *Host) negotiate(offered []string) (best protocol.Version, ok bool) {
	for _, s := range offered {
		v, err := protocol.ParseVersion(s)
		if err != nil || !slices.Contains(h.opts.Versions, v) {
			continue
		}
		if !ok || v.AtLeast(best) {
			best, ok = v, true
		}
	}
	return best, ok
}

func (h *Host) refuseVersions(offered []string) *jsonrpc.Error {
	var data protocol.UnsupportedVersionData
	for _, v := range h.opts.Versions {
		data.SupportedVersions = append(data.SupportedVersions, v.String())
	}
	raw, err := protocol.Marshal(data)
	if err != nil {
		raw = nil // strings encode
	}
	const shown = 20
	return &jsonrpc.Error{
		Code: protocol.CodeUnsupportedProtocolVersion,
		Message: fmt.Sprintf("the client offers the protocol versions %q, this host speaks %s",
			offered[:min(len(offered), shown)], strings.Join(data.SupportedVersions, ", ")),
		Data: raw,
	}
}

// roomForClient forgets the client that has been gone longest if there are too many.
func (h *Host) roomForClient() bool {
	if len(h.clients) < maxClients {
		return true
	}
	var oldest *client
	for _, c := range h.clients {
		if c.conn == nil && (oldest == nil || c.goneAt.Before(oldest.goneAt)) {
			oldest = c
		}
	}
	if oldest == nil {
		return false
	}
	h.leaveAll(oldest.id)
	delete(h.clients, oldest.id)
	return true
}

func (h *Host) reconnect(c *conn, p *protocol.ReconnectParams) (any, *jsonrpc.Error) {
	cl := h.clients[p.ClientID]
	if cl == nil {
		return nil, &jsonrpc.Error{Code: protocol.CodeNotFound, Message: "this host does not know the client; use initialize"}
	}
	if h.hasNewer(c, p.ClientID) {
		return nil, superseded()
	}
	cl.conn, cl.goneAt, c.client = c, time.Time{}, cl
	for _, s := range h.sessions {
		if !slices.Contains(p.Subscriptions, s.uri) {
			h.leave(s, cl.id)
		}
	}
	if result, ok := h.replayFor(cl, p); ok {
		return result, nil
	}
	return &protocol.ReconnectResult{Type: protocol.ReconnectSnapshot, Snapshots: h.subscribeAll(cl, p.Subscriptions)}, nil
}

// replayFor answers a reconnect with what was missed, if that is known: the
// client's number must be one of ours, recent enough, and every channel one
// whose state it had, which is not so for a channel that is younger: the answer
// that told of it may have been lost.
func (h *Host) replayFor(c *client, p *protocol.ReconnectParams) (*protocol.ReconnectResult, bool) {
	if p.LastSeenServerSeq > h.seq {
		return nil, false
	}
	result := &protocol.ReconnectResult{Type: protocol.ReconnectReplay, Actions: []*protocol.Envelope{}, Missing: []protocol.URI{}}
	kept := map[protocol.URI]*subscription{}
	for _, channel := range p.Subscriptions {
		switch {
		case h.channels[channel] == nil:
			result.Missing = append(result.Missing, channel)
		case c.subscribed[channel] == nil || h.born[channel] > p.LastSeenServerSeq:
			return nil, false
		default:
			kept[channel] = c.subscribed[channel]
		}
	}
	missed, ok := h.replay.since(p.LastSeenServerSeq, c.id, kept)
	if !ok {
		return nil, false
	}
	for _, e := range missed {
		if at := envelopeAt(c.version, e.Envelope); at != nil {
			result.Actions = append(result.Actions, at)
		}
	}
	c.subscribed = kept
	return result, true
}
