package tui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// askSignOut asks what to sign out of, the least first.
func (m *Model) askSignOut() {
	host := m.conn.Identity.ID
	choices := []store.Which{{Host: host}, {}}
	in := prompt.PickInput{
		Title:   safetext.Const("Sign out?"),
		Text:    []safetext.Text{safetext.Const("The tokens are removed here, revoked where their servers offer that, and taken from the host. Nothing is handed over again until you ask for it.")},
		Options: []safetext.Text{safetext.Concat(safetext.Const("everything of the host "), m.hostName()), safetext.Const("everything of all hosts")},
	}
	if srv, ok := m.selectedServer(); ok {
		if resource := m.resourceOf(m.current.session, srv); resource != "" {
			choices = slices.Insert(choices, 0, store.Which{Host: host, Resource: resource})
			in.Options = slices.Insert(in.Options, 0, safetext.Concat(clean(srv.Name), safetext.Const(": "), safetext.URL(resource).Text()))
		}
	}
	m.pick(func() prompt.PickInput { return in }, func(option int) tea.Cmd { return m.signOut(choices[option]) })
}

// signedOutMsg tells what came of signing out.
type signedOutMsg struct {
	which   store.Which
	out     auth.SignedOut
	emptied int   // resources of which the host has no token any more
	err     error // of the store, or of the host
}

// signOutTime bounds how long a host may take to give tokens back.
const signOutTime = 15 * time.Second

// signOut removes tokens, and takes them from the host.
func (m *Model) signOut(which store.Which) tea.Cmd {
	if s := m.signIn; s != nil && (which.Resource == "" || which.Resource == s.challenge.Resource) {
		m.endSignIn(s)
	}
	m.tell(status.Info, "signing out")
	broker, host, identity := m.conn.Auth, m.conn.Host, m.conn.Identity
	given := given(m.view, which)
	return m.link.do(func(ctx context.Context) tea.Msg {
		out, err := broker.SignOut(ctx, which, identity)
		for _, s := range out.Subjects {
			if s.Host == identity.ID && !slices.Contains(given, s.Resource) {
				given = append(given, s.Resource)
			}
		}
		ctx, cancel := context.WithTimeout(ctx, signOutTime)
		defer cancel()
		emptied, failures := 0, []error{err}
		for _, resource := range given {
			err := host.Authenticate(ctx, auth.Emptied(resource))
			if _, none := errors.AsType[*ahpclient.AuthRequiredError](err); !none && err != nil { // else it has none
				failures = append(failures, fmt.Errorf("the host may still have the token for %s: %w", resource, err))
				continue
			}
			emptied++
		}
		return signedOutMsg{which, out, emptied, errors.Join(failures...)}
	})
}

// given are the resources that the host was given a token for, by this program
// now or before.
func given(v *ahpclient.View, which store.Which) []string {
	var list []string
	for _, r := range v.Auth {
		if (!r.Handed.IsZero() || r.Before) && (which.Resource == "" || which.Resource == r.Resource.Resource) {
			list = append(list, r.Resource.Resource)
		}
	}
	if which.Resource != "" && !slices.Contains(list, which.Resource) {
		list = append(list, which.Resource)
	}
	return list
}

// signedOut tells what came of it.
func (m *Model) signedOut(msg signedOutMsg) {
	revoked, kept := 0, 0
	for _, t := range msg.out.Tokens {
		switch {
		case t.Err == nil:
			revoked++
		case !errors.Is(t.Err, auth.ErrNoRevocation):
			m.tell(status.Warning, "not revoked, and good until it ends: "+t.Err.Error())
			kept++
		default:
			kept++
		}
	}
	if msg.err != nil {
		m.tell(status.Problem, "signing out: "+msg.err.Error())
	}
	for _, path := range msg.out.Unread {
		m.tell(status.Warning, "what is in "+path+" could not be read, and not be revoked")
	}
	m.tell(status.Success, fmt.Sprintf("signed out: %d revoked, %d only removed; taken from the host: %d", revoked, kept, msg.emptied))
	maps.DeleteFunc(m.granted, func(_ target, r grantRecord) bool {
		return msg.which.Resource == "" || msg.which.Resource == r.resource
	})
}

// resourceOf is what a server needs, or needed when it last asked; empty if it
// never did.
func (m *Model) resourceOf(session protocol.URI, srv protocol.Server) string {
	if r := srv.State.Requirement(); r != nil && r.Resource != nil {
		return r.Resource.Resource
	}
	return m.handovers.resources[target{session, srv.ID}]
}

// whyNoSignOut says why there is nothing to sign out of, or "".
func (m *Model) whyNoSignOut() safetext.Text {
	if m.conn.Auth == nil {
		return safetext.Const("signing in is not possible on this connection")
	}
	return m.offline()
}
