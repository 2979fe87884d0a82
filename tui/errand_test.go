package tui

import (
	"context"
	"sync/atomic"
	"testing"

	"ahptui/ahpclient"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/oauthserver"
	"ahptui/protocol"
)

// needsSignIn is the host's refusal of a command until somebody has signed in.
func (d *signInDriver) needsSignIn() error {
	return &ahpclient.AuthRequiredError{
		Resources: []*protocol.ProtectedResourceMetadata{d.requirement("required").Resource},
		Err:       &jsonrpc.Error{Code: protocol.CodeAuthRequired, Message: "sign in"},
	}
}

// TestOpenNeedsSignIn: a session that the host does not let be opened before a
// sign-in is opened after it, and asked for once.
func TestOpenNeedsSignIn(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.signedIn()
	d.host.change(func() { d.host.open[sessionB] = &fakeChannel{kind: protocol.SessionKind, err: d.needsSignIn()} })
	opened := len(d.host.opened)
	d.m.show(sessionB)
	d.look()
	d.handed() // what is held does
	d.until("the session is opened once more", func() bool { return d.m.errand == nil })
	if got := d.host.opened[opened:]; len(got) == 0 || got[len(got)-1] != sessionB {
		t.Errorf("opened %v", got)
	}
	d.quiet() // although it is refused all the same
}

// TestOlderTurnsNeedSignIn: earlier turns are loaded after a sign-in that the host
// wants first.
func TestOlderTurnsNeedSignIn(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.resolve("c1")
	var asked atomic.Int32
	d.host.change(func() {
		d.host.fetch = func(context.Context, protocol.URI) error {
			if asked.Add(1) == 1 {
				return d.needsSignIn()
			}
			return nil
		}
		chat, _ := d.host.states[chatA].(*protocol.ChatState)
		older := *chat
		older.TurnsNextCursor = "before"
		d.host.states[chatA] = &older
	})
	d.look()
	d.consent()
	d.handed()
	d.until("earlier turns are asked for again", func() bool { return asked.Load() == 2 })
}
