package host

import (
	"net/url"
	"strings"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// newTitle is the title of a session until its first message gives it one.
const newTitle = "New session"

// createSession gives up the lock while it reads the session's directory.
func (h *Host) createSession(c *conn, p *protocol.CreateSessionParams) (any, *jsonrpc.Error) {
	dir := p.WorkingDirectory
	if len(p.WorkingDirectories) > 0 {
		dir = p.WorkingDirectories[0]
	}
	h.mu.Unlock()
	w, tree := readWorkspace(dir), h.treeOf(dir)
	h.mu.Lock()
	provider, failure := h.agentFor(p.Provider)
	if failure == nil {
		failure = h.mayCreate(c, p)
	}
	if failure != nil {
		return nil, failure
	}
	s := h.newSession(SessionSpec{
		URI: p.Channel, Chat: protocol.URI("ahp-chat:/" + newID()), Provider: provider,
		Title: newTitle, Directory: dir, Read: true, Servers: w.servers, Config: p.Config,
	}, tree)
	if entry := w.entry(); entry != nil {
		s.state.Customizations = append(s.state.Customizations, entry)
	}
	if p.ActiveClient != nil {
		s.state = protocol.ReduceSession(profile, s.state, &protocol.SessionActiveClientSet{ActiveClient: p.ActiveClient})
	}
	h.announce(s)
	h.apply(s.uri, &protocol.SessionReady{}, nil)
	return nil, nil
}

// mayCreate says what is wrong with a request for a session.
func (h *Host) mayCreate(c *conn, p *protocol.CreateSessionParams) *jsonrpc.Error {
	switch {
	case h.closed:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: ErrClosed.Error()}
	case !canBeChannel(p.Channel) || strings.HasPrefix(string(p.Channel), "ahp-chat:"):
		return invalid("the session needs a URI of its own")
	case h.channels[p.Channel] != nil:
		return &jsonrpc.Error{Code: protocol.CodeSessionAlreadyExists, Message: "the session exists already"}
	case h.channels[p.Channel+"/annotations"] != nil:
		return invalid("the channel of the session's annotations is taken")
	case len(p.WorkingDirectories) > 1:
		return invalid("the agent works in one directory")
	case p.ActiveClient != nil && p.ActiveClient.ClientID != c.client.id:
		return invalid("activeClient.clientId is not the client's own")
	case len(h.sessions) >= maxSessions:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the host has too many sessions; dispose of some"}
	}
	if _, err := h.sessionConfig(p.Config); err != nil {
		return invalid("%v", err)
	}
	if p.ActiveClient != nil {
		if err := checkActiveClient(p.ActiveClient); err != nil {
			return invalid("%v", err)
		}
	}
	return nil
}

// disposeSession answers when the session's servers are gone.
func (h *Host) disposeSession(req *jsonrpc.Request) {
	p := new(protocol.ChannelParams)
	if failure := decodeParams(req, p); failure != nil {
		req.Fail(failure)
		return
	}
	s := h.sessions[p.Channel]
	if s == nil {
		req.Fail(notFound(p.Channel))
		return
	}
	servers := h.remove(s)
	h.work.Go(func() {
		if err := closeServers(h.background(), servers); err != nil {
			h.log.Error("a server does not end", "session", s.uri, "err", err)
		}
		req.Reply(nil)
	})
}

// canBeChannel reports whether a client may choose this URI for a session or a chat.
func canBeChannel(uri protocol.URI) bool {
	u, err := url.Parse(string(uri))
	if err != nil || len(uri) > maxURIBytes {
		return false
	}
	switch u.Scheme {
	case "", "ahp-root", "mcp", "file":
		return false
	}
	return true
}
