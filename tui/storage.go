package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/servers"
	"ahptui/views/status"
)

// storage is where tokens are kept, as it was looked at last.
type storage struct {
	status store.Status // its zero value: it was not looked at yet
	moving bool
	asked  bool // the person was told that there is a choice
}

// storageMsg brings where tokens are kept now.
type storageMsg struct {
	status store.Status
	moved  bool
	err    error
}

// lookAtStorage looks where tokens are kept.
func (m *Model) lookAtStorage() tea.Cmd {
	if m.conn == nil || m.conn.Store == nil {
		return nil
	}
	kept := m.conn.Store
	return m.link.do(func(context.Context) tea.Msg { return storageMsg{status: kept.Status()} })
}

// keepIn moves the tokens to another place, and remembers that.
func (m *Model) keepIn(place store.Place) tea.Cmd {
	m.storage.moving = true
	kept := m.conn.Store
	return m.link.do(func(ctx context.Context) tea.Msg {
		err := kept.Use(ctx, place)
		return storageMsg{kept.Status(), true, err}
	})
}

func (m *Model) storageLookedAt(msg storageMsg) {
	m.storage.status = msg.status
	if !msg.moved {
		return
	}
	m.storage.moving = false
	if msg.err != nil {
		m.tell(status.Problem, "tokens stay where they are: "+msg.err.Error())
		return
	}
	m.tell(status.Success, "tokens are kept "+msg.status.String())
}

// kept says where tokens are kept; empty while nobody knows.
func (m *Model) kept() safetext.Text {
	switch s := m.storage.status; {
	case s.Place == "":
		return safetext.Text{}
	case s.Ask:
		return own(s.String() + ", as there is no keyring; " + m.keyName(keymap.KeepTokens).String() + " keeps it for longer")
	default:
		return own(s.String())
	}
}

// tellChoice says once that there is no keyring, when there is something to keep.
func (m *Model) tellChoice() {
	if m.storage.status.Ask && !m.storage.asked {
		m.storage.asked = true
		m.tell(status.Info, "the token is kept "+m.kept().String())
	}
}

// fillToken tells what is held for a server.
func (m *Model) fillToken(row *servers.Row, s protocol.Server) {
	resource := m.resourceOf(m.current.session, s)
	if m.conn.Auth == nil || resource == "" {
		return
	}
	key := auth.Key{Host: m.conn.Identity.ID, Resource: resource}
	scopes, ok := m.conn.Auth.Held(key)
	if !ok {
		return
	}
	row.Token, row.Kept = own(m.tokenWords(key, scopes)), m.kept()
}

// tokenWords say what a token that is held is good for, and for how long.
func (m *Model) tokenWords(key auth.Key, scopes []string) string {
	words := "for " + strings.Join(scopes, " ")
	if len(scopes) == 0 {
		words = "held"
	}
	if at, renews := m.conn.Auth.Ends(key); !at.IsZero() {
		words += ", " + m.left(at)
		if renews {
			words += " and is refreshed before"
		}
	}
	return words
}

// askStorage asks where tokens are to be kept.
func (m *Model) askStorage() {
	places := []store.Place{store.InSession, store.InFile, store.InKeyring}
	m.pick(m.storageInput, func(option int) tea.Cmd { return m.keepIn(places[option]) })
}

// storageInput is that question: its options are in the order of the places.
func (m *Model) storageInput() prompt.PickInput {
	s := m.storage.status
	in := prompt.PickInput{
		Title: safetext.Const("Where are tokens kept?"),
		Text:  []safetext.Text{own("Now: " + s.String() + ".")},
		Options: []safetext.Text{
			safetext.Const("in this program, until it ends"),
			safetext.Const("in a file that only you can read, not encrypted"),
			safetext.Const("encrypted, with a key in the system's keyring"),
		},
	}
	if s.Reason != nil {
		in.Text = append(in.Text, own(fmt.Sprintf("Not the keyring: %v.", s.Reason)))
	}
	for _, path := range s.Elsewhere {
		in.Text = append(in.Text, own("There are tokens in "+path+" that are not used."))
	}
	for _, path := range s.SetAside {
		in.Text = append(in.Text, own("A damaged file was set aside as "+path+"."))
	}
	return in
}

// whyNoStorage says why there is nothing to choose.
func (m *Model) whyNoStorage() safetext.Text {
	switch {
	case m.conn.Store == nil || m.storage.status.Place == "":
		return safetext.Const("signing in is not possible on this connection")
	case m.storage.moving:
		return safetext.Const("the tokens are being moved")
	}
	return safetext.Text{}
}
