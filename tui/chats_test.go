package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

const chatA2 = protocol.URI("ahp-chat:/a2")

// chattyHost is a host whose first session has three chats, of which one is hidden, and whose agents may have more.
func chattyHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	s, _ := h.states[sessionA].(*protocol.SessionState)
	session := *s
	session.Chats = []*protocol.ChatSummary{
		{Resource: chatA, Title: "Chat", Status: protocol.StatusInProgress},
		{Resource: chatA2, Title: "Second thoughts", Status: protocol.StatusError, Interactivity: protocol.InteractivityReadOnly},
		{Resource: "ahp-chat:/hidden", Title: "Of a tool", Interactivity: protocol.InteractivityHidden},
	}
	h.states[sessionA] = &session
	h.states[chatA2] = &protocol.ChatState{Resource: chatA2, Title: "Second thoughts", Status: protocol.StatusError}
	h.root = &protocol.RootState{Agents: []*protocol.AgentInfo{{
		Provider: "copilot", DisplayName: "Copilot", Capabilities: &protocol.AgentCapabilities{MultipleChats: &protocol.MultipleChats{Fork: ptr(true)}},
	}}}
	return h
}

// TestChats lists the chats of a session, from any panel, and goes to one.
func TestChats(t *testing.T) {
	t.Parallel()
	for _, tabs := range [][]string{{}, {"tab"}, {"tab", "tab"}} {
		d := newDriver(t, viewtest.Plain(t), classic, chattyHost)
		d.host.ask("c1", "{}")
		d.look()
		d.key(tabs...)
		d.key("C")
		d.sees("Chats of this session", "▲ Chat", "1 blocked, on the screen", "✖ Second thoughts", "error, read-only", "make a new chat", "fork this chat after its last turn")
		d.lacks("Of a tool")
		d.write("second")
		d.key("enter")
		d.focused(keymap.Transcript)
		d.look()
		d.sees("Fix the login bug / Second")
		if d.m.current.chat != chatA2 {
			t.Errorf("on the screen is %s", d.m.current.chat)
		}
	}
}

// TestNewChat makes chats and forks, shows them, and says what went wrong.
func TestNewChat(t *testing.T) {
	inBubble(t, classic, chattyHost, func(t *testing.T, d *driver) {
		var got *protocol.CreateChatParams
		answer := make(chan error)
		d.host.createChat = func(_ context.Context, p *protocol.CreateChatParams) (protocol.URI, error) {
			got = p
			if err := <-answer; err != nil {
				return "", err
			}
			d.host.change(func() {
				d.host.states["ahp-chat:/new"] = &protocol.ChatState{Resource: "ahp-chat:/new", Title: "new one"}
			})
			return "ahp-chat:/new", nil
		}
		d.key("C")
		d.write("make")
		d.key("enter")
		d.sees("asking the host for a chat")
		d.key("C")
		d.write("make")
		d.sees("asked for a chat already")
		d.key("enter", "esc")
		answer <- errors.New("the host refused: three are enough")
		d.settle()
		d.sees("the chat was not made: the host refused: three are enough")
		d.key("C")
		d.write("fork")
		d.key("enter")
		answer <- nil
		d.settle()
		if got.Channel != sessionA || got.Source == nil || got.Source.Chat != chatA || got.Source.TurnID != "t0" {
			t.Errorf("asked for %+v", got)
		}
		d.focused(keymap.Composer)
		if d.m.current.chat != "ahp-chat:/new" {
			t.Errorf("on the screen is %s", d.m.current.chat)
		}
		d.look()
		d.sees("nothing was said yet")
	})
}

// TestWhyNoChats: what cannot be made says why.
func TestWhyNoChats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		prepare func(d *driver)
		item    string
		want    string
	}{
		{"one chat alone", func(d *driver) { d.host.root.Agents[0].Capabilities = nil }, "make", "Copilot has one chat in a session"},
		{"no forks", func(d *driver) { d.host.root.Agents[0].Capabilities.MultipleChats.Fork = nil }, "fork", "Copilot cannot fork chats"},
		{"offline", func(d *driver) { d.host.drop(errors.New("gone")) }, "make", "not connected"},
		{"no agent", func(d *driver) { d.host.root = nil }, "make", "does not say what this session's agent can do"},
		{"nothing said", func(d *driver) { d.host.states[chatA] = &protocol.ChatState{Resource: chatA} }, "fork", "no turn has ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 30}, chattyHost)
			tt.prepare(d)
			d.host.change(func() {})
			d.look()
			d.key("C")
			d.write(tt.item)
			d.sees(tt.want)
			d.key("enter")
			d.focused(keymap.Form)
		})
	}
	d := newDriver(t, viewtest.Plain(t), classic, newFakeHost)
	d.key("C")
	d.sees("no session is open")
}
