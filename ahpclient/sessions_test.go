package ahpclient

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

func summary(uri protocol.URI, modified, title string) *protocol.SessionSummary {
	return &protocol.SessionSummary{Resource: uri, ModifiedAt: modified, Title: title}
}

func newList() *sessionList {
	return &sessionList{limits: limits, byURI: map[protocol.URI]*protocol.SessionSummary{}}
}

// TestSessionListOrder changes a list at random, with looks at it in between,
// and compares it with a plain map that is sorted at every look.
func TestSessionListOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, model := newList(), map[protocol.URI]*protocol.SessionSummary{}
		var looked [][]*protocol.SessionSummary
		var copies [][]*protocol.SessionSummary
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			uri := protocol.URI(fmt.Sprint("s:/", rapid.IntRange(0, 100).Draw(t, "session")))
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				list.note(sessionChange{session: uri})
				delete(model, uri)
			case 1:
				got, want := list.inOrder(), slices.SortedFunc(maps.Values(model), newestFirst)
				if !slices.Equal(want, got) {
					t.Fatalf("the list (-want +got):\n%s", cmp.Diff(want, got))
				}
				looked, copies = append(looked, got), append(copies, slices.Clone(got))
			default:
				s := summary(uri, fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "modified")), "")
				list.note(sessionChange{session: uri, added: s})
				model[uri] = s
			}
		}
		for i := range looked {
			if !slices.Equal(looked[i], copies[i]) {
				t.Fatal("a list that was handed out has changed")
			}
		}
	})
}

func TestSessionListReread(t *testing.T) {
	t.Parallel()
	list := newList()
	titles := func() (got []string) {
		for _, s := range list.inOrder() {
			got = append(got, s.Title)
		}
		return got
	}
	check := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, titles()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	boom := errors.New("boom")

	list.begin()
	list.finish([]*protocol.SessionSummary{summary("s:/1", "1", "one")}, 0, boom)
	check("part of a first list", "one")
	if list.listed || !errors.Is(list.err, boom) {
		t.Errorf("listed %t, %v", list.listed, list.err)
	}

	list.begin()
	list.note(sessionChange{session: "s:/2", added: summary("s:/2", "2", "two")})
	list.finish([]*protocol.SessionSummary{summary("s:/1", "1", "uno"), nil, summary("", "9", "nobody")}, 0, nil)
	check("the whole list", "two", "uno")
	if !list.listed || list.err != nil {
		t.Errorf("listed %t, %v", list.listed, list.err)
	}

	list.begin()
	list.note(sessionChange{session: "s:/1"})
	list.finish([]*protocol.SessionSummary{summary("s:/9", "9", "nine")}, 0, boom)
	check("part of a later list", "two")
	if !list.listed || !errors.Is(list.err, boom) {
		t.Errorf("listed %t, %v", list.listed, list.err)
	}
}

func TestSessionListLimit(t *testing.T) {
	t.Parallel()
	list := newList()
	items := make([]*protocol.SessionSummary, limits.Sessions+1)
	for i := range items {
		items[i] = summary(protocol.URI(fmt.Sprint("s:/", i)), "", "")
	}
	list.begin()
	list.finish(items, 0, nil)
	list.note(sessionChange{session: "s:/new", added: summary("s:/new", "", "")})
	list.note(sessionChange{session: "s:/1", added: summary("s:/1", "", "fresh")})
	if n := len(list.inOrder()); n != limits.Sessions || list.err == nil || list.byURI["s:/1"].Title != "fresh" {
		t.Errorf("%d sessions, %v", n, list.err)
	}
	list.begin()
	for range limits.Sessions + 1 {
		list.note(sessionChange{session: "s:/1"})
	}
	if len(list.since) != limits.Sessions {
		t.Errorf("%d changes are kept", len(list.since))
	}
	list.finish(nil, 0, nil)
	if !errors.Is(list.err, errListRaced) {
		t.Errorf("%v", list.err)
	}
}

// TestSessionRemovedWithAnnotations: so do the remarks about what a session has made,
// also where its state does not name them.
func TestSessionRemovedWithAnnotations(t *testing.T) {
	for name, named := range map[string]string{"named": `"annotations":{"resource":"test:/s/annotations","annotationCount":0,"entryCount":0},`, "not named": ""} {
		bubbleRun(t, name, func(t *testing.T) {
			const annotationsURI protocol.URI = "test:/s/annotations"
			h := newTestHost(t)
			h.states[sessionURI] = decodeState(t, protocol.SessionKind, `{"provider":"test","title":"T","status":1,"lifecycle":"ready",`+named+`"chats":[]}`)
			h.states[annotationsURI] = decodeState(t, protocol.AnnotationsKind, `{"annotations":[]}`)
			c := h.opened(Options{})
			c.Open(annotationsURI, protocol.AnnotationsKind)
			synctest.Wait()
			h.mu.Lock()
			delete(h.states, sessionURI)
			delete(h.states, annotationsURI)
			h.tellAll("root/sessionRemoved", protocol.SessionRemovedParams{Session: sessionURI})
			h.mu.Unlock()
			sleep(time.Second)
			if v := c.View(); v.Channels[annotationsURI] != nil {
				t.Errorf("the annotations are still shown: %+v", v.Channels[annotationsURI])
			}
		})
	}
}

// TestSessionRemovedUnseen: a chat whose session is not open, or not there yet,
// goes with it all the same, whether that is told when the client is in step or
// before.
func TestSessionRemovedUnseen(t *testing.T) {
	for name, closed := range map[string]bool{"the session is not open": true, "the session is not there yet": false} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{Retry: true})
			remove := func() {
				delete(h.states, sessionURI)
				delete(h.states, chatURI)
				h.tellAll("root/sessionRemoved", protocol.SessionRemovedParams{Session: sessionURI})
			}
			if closed {
				c.Close(sessionURI)
				synctest.Wait()
				h.mu.Lock()
				remove()
				h.mu.Unlock()
			} else {
				h.answerWith("listSessions", func(conn *hostConn, req *jsonrpc.Request) {
					remove()
					conn.answer(req)
				})
				c.Close(sessionURI)
				h.cutAll()
				c.Open(sessionURI, protocol.SessionKind)
				h.forget()
				h.mu.Lock()
				delete(h.states, sessionURI) // the answer to the reconnect has the chat alone
				h.mu.Unlock()
			}
			sleep(time.Second)
			if v := c.View(); v.Channels[chatURI] != nil {
				t.Errorf("the chat is still shown: %+v", v.Channels[chatURI])
			}
		})
	}
}
