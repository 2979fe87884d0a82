package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// pagingHost gives the host a chat of many turns, of which it sends as many as it
// is asked for, and older ones page by page.
func (h *testHost) pagingHost(turns, page int) {
	all := make([]*protocol.Turn, turns)
	for i := range all {
		all[i] = &protocol.Turn{ID: fmt.Sprint("t", i), Message: protocol.UserMessage("x"), State: protocol.TurnComplete}
	}
	h.states[chatURI] = &protocol.ChatState{Resource: chatURI, Turns: all}
	h.answerWith("subscribe", func(conn *hostConn, req *jsonrpc.Request) {
		var p protocol.SubscribeParams
		h.must(protocol.Unmarshal(req.Params, &p))
		chat, ok := h.states[p.Channel].(*protocol.ChatState)
		if !ok || p.View == nil {
			conn.answer(req)
			return
		}
		part := *chat
		if from := len(part.Turns) - int(*p.View.Turns); from > 0 {
			part.Turns, part.TurnsNextCursor = part.Turns[from:], fmt.Sprint(from)
		}
		conn.subscribed[p.Channel] = true
		raw, err := protocol.EncodeState(&part)
		h.must(err)
		req.Reply(protocol.SubscribeResult{Snapshot: &protocol.Snapshot{Resource: p.Channel, State: raw, FromSeq: h.seq}})
	})
	h.answerWith("fetchTurns", func(conn *hostConn, req *jsonrpc.Request) {
		var p protocol.FetchTurnsParams
		h.must(protocol.Unmarshal(req.Params, &p))
		until, err := strconv.Atoi(p.Cursor)
		if err != nil {
			req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Unknown cursor"})
			return
		}
		loaded := &protocol.ChatTurnsLoaded{Turns: all[max(0, until-page):until]}
		if until > page {
			loaded.TurnsNextCursor = fmt.Sprint(until - page)
		}
		h.seq++ // all turns are with the host
		h.must(conn.Notify("action", &protocol.Envelope{Channel: p.Channel, Action: loaded, ServerSeq: h.seq}))
		req.Reply(struct{}{})
	})
}

func turnsOf(c *Client) (ids []string) {
	for _, turn := range c.View().Chat(chatURI).Turns {
		ids = append(ids, turn.ID)
	}
	return ids
}

func TestFetchTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.pagingHost(10, 3)
		c := h.start(Options{Terms: Terms{Turns: 4}})
		c.Open(chatURI, protocol.ChatKind)
		synctest.Wait()
		if diff := cmp.Diff([]string{"t6", "t7", "t8", "t9"}, turnsOf(c)); diff != "" {
			t.Errorf("at first (-want +got):\n%s", diff)
		}
		var results []string
		for range 4 {
			more, err := c.FetchTurns(t.Context(), chatURI)
			results = append(results, fmt.Sprint(len(turnsOf(c)), more, err))
		}
		if diff := cmp.Diff([]string{"7 true <nil>", "10 false <nil>", "10 false <nil>", "10 false <nil>"}, results); diff != "" {
			t.Errorf("fetched (-want +got):\n%s", diff)
		}
		if got := turnsOf(c); !slices.IsSortedFunc(got, strings.Compare) {
			t.Errorf("turns %v", got)
		}
		for uri, want := range map[protocol.URI]string{"x:/": "not open", protocol.RootChannel: "not here"} {
			if _, err := c.FetchTurns(t.Context(), uri); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", uri, err)
			}
		}
	})
}

// TestFetchTurnsTogether: however many want older turns, the host is asked once at
// a time; and what it does wrong is an error.
func TestFetchTurnsTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.pagingHost(30, 10)
		c := h.start(Options{Terms: Terms{Turns: 10}})
		c.Open(chatURI, protocol.ChatKind)
		synctest.Wait()
		honest := h.on["fetchTurns"]
		asked := 0
		h.answerWith("fetchTurns", func(conn *hostConn, req *jsonrpc.Request) {
			asked++
			go func() {
				<-time.After(time.Second)
				h.mu.Lock()
				defer h.mu.Unlock()
				honest(conn, req)
			}()
		})
		results := make(chan string, 5)
		for range 5 {
			go func() {
				more, err := c.FetchTurns(t.Context(), chatURI)
				results <- fmt.Sprint(more, err)
			}()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		synctest.Wait()
		if _, err := c.FetchTurns(ctx, chatURI); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who does not want to wait: %v", err)
		}
		for range 5 {
			if got := <-results; got != "true <nil>" {
				t.Error(got)
			}
		}
		if asked != 1 || len(turnsOf(c)) != 20 {
			t.Errorf("asked %d times, %d turns", asked, len(turnsOf(c)))
		}
		refuse := func(_ *hostConn, req *jsonrpc.Request) {
			req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Unknown cursor"})
		}
		h.answerWith("fetchTurns", refuse)
		if more, err := c.FetchTurns(t.Context(), chatURI); err == nil || !more {
			t.Errorf("refused: %t, %v", more, err)
		}
		h.answerWith("fetchTurns", func(_ *hostConn, req *jsonrpc.Request) { req.Reply(struct{}{}) })
		if more, err := c.FetchTurns(t.Context(), chatURI); err == nil || !more {
			t.Errorf("nothing loaded: %t, %v", more, err)
		}
		h.answerWith("fetchTurns", func(conn *hostConn, req *jsonrpc.Request) { // somebody else was quicker
			h.send(&protocol.Envelope{Channel: chatURI, Action: &protocol.ChatTurnsLoaded{}})
			refuse(conn, req)
		})
		if more, err := c.FetchTurns(t.Context(), chatURI); err != nil || more {
			t.Errorf("loaded by somebody else: %t, %v", more, err)
		}
	})
}

// TestTerms: what a subscribe asks for follows what Open and the options say, for
// fresh snapshots too.
func TestTerms(t *testing.T) {
	for _, test := range []struct {
		options, open Terms
		chat, session string
	}{
		{Terms{}, Terms{}, `{"channel":"test-chat:/c","view":{"turns":200}}`, `{"channel":"test:/s"}`},
		{Terms{Turns: 7, Latency: 50 * time.Millisecond}, Terms{}, `{"channel":"test-chat:/c","delivery":{"maxLatencyMs":50},"view":{"turns":7}}`, `{"channel":"test:/s","delivery":{"maxLatencyMs":50}}`},
		{Terms{Turns: 7, Latency: time.Second}, Terms{Turns: AllTurns, Latency: NoLatency}, `{"channel":"test-chat:/c","delivery":{"maxLatencyMs":0}}`, `{"channel":"test:/s","delivery":{"maxLatencyMs":0}}`},
		{Terms{Turns: AllTurns}, Terms{Turns: 3}, `{"channel":"test-chat:/c","view":{"turns":3}}`, `{"channel":"test:/s"}`},
	} {
		bubbleRun(t, fmt.Sprint(test.options, test.open), func(t *testing.T) {
			h := newTestHost(t)
			c := h.start(Options{Terms: test.options, Retry: true})
			open := func() {
				c.OpenOn(chatURI, protocol.ChatKind, test.open)
				c.OpenOn(sessionURI, protocol.SessionKind, test.open)
			}
			if test.open == (Terms{}) {
				open() // before there is a connection
			}
			synctest.Wait()
			open()
			synctest.Wait()
			c.Refresh(sessionURI)
			c.Refresh(chatURI)
			synctest.Wait()
			h.restart()
			sleep(time.Second)
			frames := strings.Join(h.heard(c), "\n")
			if n := strings.Count(frames, `"subscribe","params":`+test.chat+"}"); n != 2 {
				t.Errorf("the chat is subscribed to %d times as %s, of %s", n, test.chat, frames)
			}
			if n := strings.Count(frames, `"subscribe","params":`+test.session+"}"); n < 1 {
				t.Errorf("the session is subscribed to %d times as %s, of %s", n, test.session, frames)
			}
			if strings.Contains(frames, "flowControl") {
				t.Error("flow control was asked for")
			}
			if v := c.View(); v.Chat(chatURI) == nil || v.Channels[chatURI].Stale {
				t.Errorf("chat %+v", v.Channels[chatURI])
			}
		})
	}
}

// TestTruncatedElsewhere: a chat is truncated at a turn that was not loaded, which
// the actions alone cannot tell.
func TestTruncatedElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.pagingHost(10, 3)
		c := h.start(Options{Terms: Terms{Turns: 4}})
		c.Open(chatURI, protocol.ChatKind)
		synctest.Wait()
		h.act(chatURI, `{"type":"chat/truncated","turnId":"t2"}`)
		synctest.Wait()
		if diff := cmp.Diff([]string{"t0", "t1", "t2"}, turnsOf(c)); diff != "" {
			t.Errorf("turns (-want +got):\n%s", diff)
		}
		h.heard(c)
		h.act(chatURI, `{"type":"chat/truncated","turnId":"nowhere"}`) // all is here: it is nonsense
		synctest.Wait()
		if frames := h.heard(c); len(frames) != 0 {
			t.Errorf("asked %q", frames)
		}
	})
}
