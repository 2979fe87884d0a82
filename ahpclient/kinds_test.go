package ahpclient

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// TestKinds: a channel of every kind is opened, changed by the host and by the
// client, and kept over a cut that is replayed, one that is not, and a restart.
func TestKinds(t *testing.T) {
	tried := map[protocol.ChannelKind]bool{}
	for _, test := range []struct {
		kind   protocol.ChannelKind
		state  string
		action string          // of the host
		shows  string          // what it leaves in the state
		mine   protocol.Action // nil: there is none for clients
	}{
		{protocol.RootKind, `{"agents":[]}`, `{"type":"root/activeSessionsChanged","activeSessions":7}`, `"activeSessions":7`, nil},
		{protocol.SessionKind, `{"chats":[],"title":"a"}`, `{"type":"session/titleChanged","title":"b"}`, `"title":"b"`, retitle("b")},
		{protocol.ChatKind, `{"turns":[]}`, `{"type":"chat/activityChanged","activity":"b"}`, `"activity":"b"`, &protocol.ChatDraftChanged{}},
		{
			protocol.TerminalKind, `{"title":"a","content":[]}`, `{"type":"terminal/data","data":"out"}`, `"value":"out`,
			&protocol.TerminalResized{Cols: 100, Rows: 40},
		},
		{protocol.TerminalKind, `{"title":"a","content":[]}`, `{"type":"terminal/data","data":"in"}`, `"value":"in`, &protocol.TerminalInput{Data: protocol.NewText("in")}},
		{protocol.ChangesetKind, `{"status":"computing","files":[]}`, `{"type":"changeset/statusChanged","status":"ready"}`, `"status":"ready"`, nil},
		{
			protocol.AnnotationsKind, `{"annotations":[]}`, `{"type":"annotations/set","annotation":{"id":"a","resource":"file:///a","resolved":false,"entries":[]}}`, `"id":"a"`,
			&protocol.AnnotationsRemoved{AnnotationID: "b"},
		},
		{protocol.ResourceWatchKind, `{"root":"file:///w","recursive":true}`, `{"type":"resourceWatch/changed","changes":{"items":[]}}`, `"recursive":true`, nil},
		{
			protocol.AutomationKind, `{"entries":[]}`, `{"type":"automation/set","automation":{"resource":"a:/1","operations":[]}}`, `"resource":"a:/1"`,
			&protocol.AutomationRemoved{Resource: "a:/2"},
		},
		{
			protocol.AutomationRunKind, `{"resource":"r:/1","sessions":[]}`, `{"type":"automationRun/sessionSet","session":"s:/1"}`, `"sessions":["s:/1"]`,
			&protocol.AutomationRunCancelRequested{},
		},
		{protocol.CanvasKind, `{"title":"a"}`, `{"type":"canvas/stateChanged","canvas":{"title":"b"}}`, `"title":"b"`, nil},
		{"novelty", `{"x":[1,2,null]}`, `{"type":"novelty/changed","x":[]}`, `{"x":[1,2,null]}`, nil},
	} {
		tried[test.kind] = true
		bubbleRun(t, fmt.Sprintf("%s %T", test.kind, test.mine), func(t *testing.T) {
			h := newTestHost(t)
			uri := protocol.URI("test:/" + test.kind)
			if test.kind == protocol.RootKind {
				uri = protocol.RootChannel
			}
			h.states[uri] = decodeState(t, test.kind, test.state)
			c := h.start(Options{Retry: true})
			c.Open(uri, test.kind)
			synctest.Wait()
			check := func(when string) {
				t.Helper()
				synctest.Wait()
				ch := c.View().Channels[uri]
				if ch.Stale || ch.Err != nil || len(ch.Pending) > 0 || !strings.Contains(text(t, ch.State), test.shows) && when != "at first" {
					t.Errorf("%s: %+v, %s", when, ch, text(t, ch.State))
				}
				if diff := same(t, ch.State, h.states[uri]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", when, diff)
				}
			}
			check("at first")
			h.act(uri, test.action)
			check("changed by the host")
			if test.mine != nil {
				ticket, err := c.Dispatch(uri, test.mine)
				if err != nil {
					t.Fatal(err)
				}
				check("changed by the client")
				if o := outcome(t, ticket); o.Kind != Accepted {
					t.Errorf("outcome %+v", o)
				}
			}
			for i, how := range []func(){h.cutAll, func() { h.forget(); h.cutAll() }, h.restart} {
				how()
				h.act(uri, test.action)
				sleep(5 * time.Second)
				check(fmt.Sprint("connected again ", i))
			}
		})
	}
	for _, kind := range protocol.ChannelKinds() {
		if !tried[kind] {
			t.Errorf("%s was not tried", kind)
		}
	}
}

// TestTerminalInput: what is typed shows once it comes back, and that a host does
// not echo it is no failure.
func TestTerminalInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		const uri protocol.URI = "test:/terminal"
		h.states[uri] = decodeState(t, protocol.TerminalKind, `{"title":"a","content":[]}`)
		h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
		c := h.opened(Options{})
		c.Open(uri, protocol.TerminalKind)
		synctest.Wait()
		ticket, err := c.Dispatch(uri, &protocol.TerminalInput{Data: protocol.NewText("ls\n")})
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, c.View().Channels[uri].State); strings.Contains(got, "ls") {
			t.Errorf("it shows at once: %s", got)
		}
		sleep(defaultPatience)
		if o := outcome(t, ticket); o.Kind != Accepted || len(c.View().Notices) != 0 {
			t.Errorf("outcome %+v, notices %v", o, kinds(c.View().Notices))
		}
	})
}

// TestUnknown: actions that are not known here are counted, whatever the kind of
// their channel, and a fresh snapshot has what they did.
func TestUnknown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		const novelty, empty protocol.URI = "new:/1", "new:/2"
		h.states[novelty] = &protocol.RawState{Value: protocol.Raw(`{"n":1}`)}
		h.answerWith("subscribe", func(conn *hostConn, req *jsonrpc.Request) {
			if strings.Contains(string(req.Params), string(empty)) {
				conn.subscribed[empty] = true
				req.Reply(jsontext.Value(`{}`))
				return
			}
			conn.answer(req)
		})
		c := h.opened(Options{})
		c.Open(novelty, "novelty")
		c.Open(empty, "novelty")
		synctest.Wait()
		h.act(sessionURI, `{"type":"session/unheardOf"}`)
		h.act(novelty, `{"type":"novelty/changed","n":2}`)
		h.act(novelty, `{"type":"session/titleChanged","title":"misplaced"}`)
		synctest.Wait()
		v := c.View()
		for uri, want := range map[protocol.URI]int{sessionURI: 1, novelty: 2, empty: 0, chatURI: 0} {
			if got := v.Channels[uri].Unknown; got != want {
				t.Errorf("%s: %d unknown actions", uri, got)
			}
		}
		if got := text(t, v.Channels[novelty].State); got != `{"n":1}` {
			t.Errorf("held as %s", got)
		}
		h.mu.Lock()
		h.states[novelty] = &protocol.RawState{Value: protocol.Raw(`{"n":2}`)}
		h.mu.Unlock()
		c.Refresh(novelty)
		synctest.Wait()
		if ch := c.View().Channels[novelty]; ch.Unknown != 0 || text(t, ch.State) != `{"n":2}` {
			t.Errorf("afresh: %+v, %s", ch, text(t, ch.State))
		}
	})
}

// TestClosedMeanwhile: the host does not go on sending what was closed while it
// worked out an answer that has it.
func TestClosedMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Retry: true})
		for _, how := range []func(){h.cutAll, h.restart} {
			c.Open(chatURI, protocol.ChatKind)
			synctest.Wait()
			how()
			h.hold()
			sleep(time.Second)
			c.Close(chatURI)
			h.release()
			synctest.Wait()
			h.mu.Lock()
			if conn := h.conns[len(h.conns)-1]; conn.subscribed[chatURI] || !conn.subscribed[sessionURI] {
				t.Errorf("the host has subscribed it to %v", conn.subscribed)
			}
			h.mu.Unlock()
		}
	})
}
