package ahpclient

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// draftHost makes the host one of the time between the draft of 0.8 and its
// release: its entries have the boolean, which is all that it reads of a toggle.
func (h *testHost) draftHost() {
	h.version = protocol.V0_8_0
	h.states[sessionURI] = decodeState(h.t, protocol.SessionKind, `{"provider":"test","title":"T","status":1,"lifecycle":"ready","chats":[],
		"customizations":[{"type":"plugin","id":"p","name":"p","enabled":true,"children":[
			{"type":"mcpServer","id":"m","name":"m","enabled":true,"state":{"kind":"stopped"}}]}]}`)
	h.fold = func(s protocol.ChannelState, a protocol.Action) protocol.ChannelState {
		if t, ok := a.(*protocol.SessionCustomizationToggled); ok {
			if t.Enabled == nil {
				return s
			}
			a = &protocol.SessionCustomizationToggled{ID: t.ID, Enabled: t.Enabled}
		}
		return protocol.Reduce(protocol.ProfileOf(h.version), s, a)
	}
}

func server(t testing.TB, s protocol.ChannelState) *protocol.Customization {
	t.Helper()
	session, ok := s.(*protocol.SessionState)
	if !ok {
		t.Fatalf("a %T", s)
	}
	m, ok := protocol.ServerByID(session, "m")
	if !ok {
		t.Fatal("no server")
	}
	return m.Customization
}

// toggles are the toggles among what was sent, in short.
func sentToggles(frames []string) (list []string) {
	for _, f := range frames {
		if _, action, ok := strings.Cut(f, `"action":{"type":"session/customizationToggled",`); ok {
			list = append(list, strings.TrimRight(action, "}"))
		}
	}
	return list
}

func (h *testHost) toggle(c *Client, on bool) *Ticket {
	h.t.Helper()
	v := c.View()
	ticket, err := c.Dispatch(sessionURI, protocol.Toggle(v.Connection.Version, server(h.t, v.Channels[sessionURI].State), on))
	if err != nil {
		h.t.Fatal(err)
	}
	synctest.Wait()
	return ticket
}

// TestToggleOfADraft: a host that says 0.8 and knows only the boolean gets it,
// once it has shown that; and never more than one toggle too many.
func TestToggleOfADraft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.draftHost()
		h.judge = nil // what is sent to such a host is of no version
		c := h.start(Options{Retry: true})
		c.Open(sessionURI, protocol.SessionKind)
		synctest.Wait()
		h.heard(c)
		for i, on := range []bool{false, true, false} {
			o := outcome(t, h.toggle(c, on))
			if got := server(t, c.View().Session(sessionURI)); o.Kind != Accepted || got.On() != on || got.On() != server(t, h.states[sessionURI]).On() {
				t.Errorf("%d: %+v, it is on: %t", i, o, got.On())
			}
		}
		want := []string{
			`"id":"m","enablement":[{"kind":"session","enabled":false`, // and the ends of lists and objects
			`"id":"m","enabled":false`, `"id":"m","enabled":true`, `"id":"m","enabled":false`,
		}
		frames := h.heard(c)
		got := sentToggles(frames)
		for i := range got {
			got[i] = strings.TrimSuffix(got[i], "}]")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if n := strings.Count(strings.Join(frames, "\n"), `"subscribe"`); n != 1 {
			t.Errorf("%d snapshots were asked for", n)
		}
		if n := len(c.View().Notices); n != 0 {
			t.Errorf("notices %v", kinds(c.View().Notices))
		}
		// What comes back may be a release.
		h.mu.Lock()
		h.fold = nil
		h.mu.Unlock()
		h.cutAll()
		sleep(time.Second)
		h.heard(c)
		h.toggle(c, true)
		if got := sentToggles(h.heard(c)); len(got) != 1 || !strings.Contains(got[0], "enablement") {
			t.Errorf("after a reconnect: sent %q", got)
		}
	})
}

// TestToggleOfARelease: an honest host is asked for a snapshot at most once, and
// only if its entries had the boolean.
func TestToggleOfARelease(t *testing.T) {
	for entry, snapshots := range map[string]int{`"enabled":true,`: 1, "": 0, `"enabled":true,"enablement":[{"kind":"global","enabled":true}],`: 0} {
		for _, version := range []protocol.Version{protocol.V0_7_0, protocol.V0_8_0, protocol.V0_9_0, protocol.V1_0_0} {
			bubbleRun(t, fmt.Sprint(entry, version), func(t *testing.T) {
				h := newTestHost(t)
				h.version = version
				h.states[sessionURI] = decodeState(t, protocol.SessionKind, `{"chats":[],"customizations":[{"type":"mcpServer","id":"m","name":"m",`+entry+`"state":{"kind":"ready"}}]}`)
				c := h.opened(Options{})
				h.heard(c)
				for _, on := range []bool{false, true, false} {
					o := outcome(t, h.toggle(c, on))
					if got := server(t, c.View().Session(sessionURI)); o.Kind != Accepted || got.On() != on {
						t.Errorf("%+v, it is on: %t", o, got.On())
					}
				}
				frames := h.heard(c)
				want := snapshots
				if version == protocol.V0_7_0 {
					want = 0
				}
				if n := strings.Count(strings.Join(frames, "\n"), `"subscribe"`); n != want {
					t.Errorf("%d snapshots were asked for", n)
				}
				lists := slices.ContainsFunc(sentToggles(frames), func(s string) bool { return strings.Contains(s, "enablement") })
				if n := len(sentToggles(frames)); n != 3 || lists != version.AtLeast(protocol.V0_8_0) {
					t.Errorf("sent %q", sentToggles(frames))
				}
			})
		}
	}
}

// TestToggleProbed: what is in the way of a probe does not make it tell something
// else.
func TestToggleProbed(t *testing.T) {
	for name, spoil := range map[string]func(*testHost, *Client){
		"an older snapshot is on its way": func(h *testHost, c *Client) {
			h.hold()
			c.Refresh(sessionURI)
			synctest.Wait()
		},
		"the entry is gone": func(h *testHost, _ *Client) {
			h.answerWith("subscribe", func(conn *hostConn, req *jsonrpc.Request) {
				h.states[sessionURI] = &protocol.SessionState{Title: "without"}
				conn.answer(req)
			})
		},
		"the connection breaks": func(h *testHost, _ *Client) {
			h.answerWith("subscribe", func(conn *hostConn, _ *jsonrpc.Request) {
				h.answerWithLocked("subscribe", nil)
				conn.cut()
			})
		},
		"it is refused": func(h *testHost, _ *Client) {
			h.decide = func(string, *protocol.DispatchActionParams) verdict { return reject }
		},
	} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			h.states[sessionURI] = decodeState(t, protocol.SessionKind, `{"chats":[],"customizations":[{"type":"mcpServer","id":"m","name":"m","enabled":true}]}`)
			c := h.opened(Options{Retry: true})
			h.heard(c)
			spoil(h, c)
			h.toggle(c, false)
			h.release()
			sleep(defaultPatience)
			if got := sentToggles(h.heard(c)); len(got) != 1 || c.store.toggles == booleans {
				t.Errorf("sent %q", got)
			}
			if diff := same(t, c.View().Session(sessionURI), h.states[sessionURI]); diff != "" {
				t.Errorf("session (-want +got):\n%s", diff)
			}
		})
	}
}
