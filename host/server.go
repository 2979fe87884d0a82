package host

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host/mcpserver"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// ServerSpec describes an MCP server of a session, or a plugin that bundles some.
type ServerSpec struct {
	// ID is unique in the session.
	ID string
	// URI is where the entry comes from.
	URI protocol.URI
	// Config says how the server is reached. Its name is the entry's name.
	Config mcpserver.Config
	// Stopped keeps the server from being started with its session.
	Stopped bool
	// Blocking makes messages wait while the server is starting, until it is there,
	// has failed, or a client says that they need not.
	Blocking bool
	// Plugin, when not empty, is the name of a plugin that has the server among
	// its children. Servers that name the same plugin share it.
	Plugin string
}

// A server is a configured MCP server of a session.
type server struct {
	*mcpserver.Server
	id      string
	session *session
	// auto: it is to be started with the session.
	auto bool
	// mayBlock: messages wait for it while it is starting, unless a client has said
	// otherwise; blocking: they do.
	mayBlock, blocking bool
	// resume: it ran until it was disabled, so enabling it starts it again.
	resume bool
	// token is the last one that was given to it, resource what it last said it
	// is; both are for sign-ins.
	token    secret.Value
	resource *protocol.ProtectedResourceMetadata
	// side is the channel for requests past the agent; "" while the server is not
	// ready. What it is good for are caps.
	side protocol.URI
	caps mcpserver.Capabilities
	// turned is closed, and replaced, when the runtime state has changed.
	turned chan struct{}
	// stopping counts the stop requests that are under way; until they are
	// echoed the runtime state is not published.
	stopping int
}

// What follows runs under the host's lock, except where it says otherwise.

// newServers makes the servers of a session and returns its customizations.
func (h *Host) newServers(s *session, specs []ServerSpec) []*protocol.Customization {
	var list []*protocol.Customization
	plugins := map[string]*protocol.Customization{}
	for _, spec := range specs {
		srv := &server{id: spec.ID, session: s, auto: !spec.Stopped, mayBlock: spec.Blocking, blocking: spec.Blocking, turned: make(chan struct{})}
		srv.Server = mcpserver.New(spec.Config, func() { h.serverChanged(srv) })
		srv.OnNotification(func(method string, params jsontext.Value) { h.serverNotified(srv, method, params) })
		s.servers[spec.ID] = srv
		entry := &protocol.Customization{
			Type: protocol.TypeMcpServer, ID: spec.ID, URI: spec.URI, Name: spec.Config.Name,
			State: &protocol.McpServerState{Kind: protocol.McpStopped},
		}
		if spec.Plugin == "" {
			list = append(list, entry)
			continue
		}
		p := plugins[spec.Plugin]
		if p == nil {
			p = &protocol.Customization{
				Type: protocol.TypePlugin, ID: "plugin:" + spec.Plugin, URI: spec.URI, Name: spec.Plugin,
				Load: &protocol.LoadState{Kind: "loaded"},
			}
			plugins[spec.Plugin] = p
			list = append(list, p)
		}
		p.Children = append(p.Children, entry)
	}
	return list
}

// startServers starts what is to be started with the session.
func (h *Host) startServers(s *session) {
	for _, srv := range s.servers {
		if srv.auto {
			srv.Start()
			h.reconcile(srv)
		}
	}
}

// serverChanged is called by the server's own goroutine, without the lock.
func (h *Host) serverChanged(srv *server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	srv.wake()
	h.reconcile(srv)
}

// wake lets those go on who wait for something to happen to the server.
func (srv *server) wake() {
	close(srv.turned)
	srv.turned = make(chan struct{})
}

// reconcile publishes the runtime state of a server if it is not the one that
// the session says, and does what follows from it.
func (h *Host) reconcile(srv *server) {
	s := srv.session
	if srv.stopping > 0 || h.closed || h.sessions[s.uri] != s {
		return
	}
	st := srv.State()
	if st.Kind == mcpserver.AuthRequired && h.useRemembered(srv, st.Auth) {
		st = srv.State()
	}
	h.openSide(srv)
	entry, ok := protocol.ServerByID(s.state, srv.id)
	if !ok {
		return
	}
	if state := srv.wireState(st); !reflect.DeepEqual(state, entry.State) || srv.side != entry.Channel {
		h.apply(s.uri, &protocol.SessionMcpServerStateChanged{ID: srv.id, State: state, Channel: srv.side}, nil)
	}
	h.releaseCalls(srv, st.Kind)
}

// wireState is the protocol's form of a runtime state.
func (srv *server) wireState(st mcpserver.State) *protocol.McpServerState {
	out := &protocol.McpServerState{Kind: protocol.McpStateKind(st.Kind.String())}
	if srv.mayBlock && st.Kind == mcpserver.Starting {
		blocking := srv.blocking
		out.Blocking = &blocking
	}
	if st.Err != nil {
		out.Error = &protocol.ErrorInfo{ErrorType: st.Err.Type, Message: st.Err.Message}
	}
	if a := st.Auth; a != nil {
		out.Reason, out.Resource, out.RequiredScopes, out.Description = a.Reason, a.Resource, a.RequiredScopes, a.Description
		out.OAuthClient = a.OAuthClient
	}
	return out
}

// start carries out a client's start request, which restarts a running server.
func (h *Host) start(srv *server, a protocol.Action, origin *protocol.ActionOrigin) {
	srv.resume, srv.blocking = false, srv.mayBlock
	srv.Start()
	h.apply(srv.session.uri, a, origin)
	h.reconcile(srv)
}

// stopTimeout bounds the wait for a server's end; what is left by then is
// killed all the same, only later.
const stopTimeout = 5 * time.Second

// stop carries out a client's stop request. It gives up the lock while the
// server ends, so that the echo, which says stopped, is true.
func (h *Host) stop(srv *server, a protocol.Action, origin *protocol.ActionOrigin) {
	srv.resume = false
	srv.stopping++
	ended := srv.Stop()
	h.mu.Unlock()
	late := time.NewTimer(stopTimeout)
	select {
	case <-ended:
	case <-late.C:
	}
	late.Stop()
	h.mu.Lock()
	srv.stopping--
	h.apply(srv.session.uri, a, origin)
	h.reconcile(srv)
	h.enforce(srv.session) // it may have been started again meanwhile, and then disabled
}

// enforce stops the servers of a session that are switched off and starts again
// those that were stopped in that way.
func (h *Host) enforce(s *session) {
	for _, entry := range protocol.Servers(s.state) {
		srv := s.servers[entry.ID]
		if srv == nil {
			continue
		}
		running := srv.State().Kind != mcpserver.Stopped && srv.stopping == 0
		switch {
		case !entry.Effective() && running:
			srv.resume = true
			srv.Stop()
		case entry.Effective() && srv.resume:
			srv.resume = false
			srv.Start()
			h.reconcile(srv)
		}
	}
}

// closeServers closes servers side by side and waits. It takes no lock.
func closeServers(ctx context.Context, servers []*server) error {
	errs := make([]error, len(servers))
	var closing sync.WaitGroup
	for i, srv := range servers {
		closing.Go(func() { errs[i] = srv.Close(ctx) })
	}
	closing.Wait()
	return errors.Join(errs...)
}
