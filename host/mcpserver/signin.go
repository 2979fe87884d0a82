package mcpserver

import (
	"context"
	"errors"
	"net/http"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// SetToken makes token what each request to the server carries from now on, to
// its own origin and nowhere else; the zero Value takes the token away. A server
// that waits for a sign-in, or is being started, starts with it. One that is
// ready goes on as it is, and so do calls that it has accepted.
func (s *Server) SetToken(token secret.Value) {
	s.redact.Add(token)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bearer.set(token)
	if s.state.Kind == AuthRequired || s.state.Kind == Starting {
		s.requestLocked(&request{run: true, resume: s.state.Kind == AuthRequired})
	}
}

// resume takes a connection into use again that was left open while the server
// waited for a sign-in, if the server accepts the new token on it.
func (s *Server) resume(r *request, c *conn) bool {
	ctx, cancel := context.WithTimeout(awaiting(r.ctx), listTimeout)
	defer cancel()
	s.changed() // starting
	if err := c.session.Ping(ctx, nil); err != nil {
		return false
	}
	tools, err := listTools(ctx, c.session)
	return err == nil && s.settle(r, State{Kind: Ready}, c, tools)
}

// authError says what a refused call needs. Where the server refuses everything
// else as well, it waits for a sign-in from now on.
func (s *Server) authError(ctx context.Context, c *conn, ch *challenge) *AuthError {
	e := &AuthError{Requirement: s.requirement(ctx, ch), Token: ch.token}
	if ch.status == http.StatusUnauthorized && refuses(ctx, c) {
		e.Server = true
		s.suspend(c, ch, e.Requirement)
	}
	return e
}

// refuses reports whether a server answers even a ping with a challenge.
func refuses(ctx context.Context, c *conn) bool {
	ctx, cancel := context.WithTimeout(awaiting(ctx), listTimeout)
	defer cancel()
	_, refused := errors.AsType[*challenge](c.session.Ping(ctx, nil))
	return refused
}

// suspend makes a ready server wait for a sign-in, unless it has got another
// token since the challenge. The connection stays open: calls that the server
// has accepted go on.
func (s *Server) suspend(c *conn, ch *challenge, auth *protocol.McpAuthRequirement) {
	s.mu.Lock()
	ours := s.conn == c && s.bearer.get().Equal(ch.token)
	if ours {
		s.state, s.conn, s.tools = State{Kind: AuthRequired, Auth: auth}, nil, nil
	}
	s.mu.Unlock()
	if ours {
		s.changed()
	}
}

// followRefusals waits for challenges to requests that are no calls. They show
// that the token has expired before a call does.
func (s *Server) followRefusals(c *conn) {
	for {
		select {
		case <-c.ctx.Done():
			return
		case ch := <-c.gate.refused:
			if ch.status == http.StatusUnauthorized {
				s.suspend(c, ch, s.requirement(c.ctx, ch))
			}
		}
	}
}
