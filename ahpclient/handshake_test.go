package ahpclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

func TestFrames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.start(Options{Retry: true, Info: protocol.Implementation{Name: "ahptui", Version: "1"}})
		synctest.Wait()
		want := []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","protocolVersions":["1.0.0","0.10.0","0.9.0","0.8.0","0.7.0","0.6.0","0.5.2","0.5.1"],` +
				`"clientId":"ME","clientInfo":{"name":"ahptui","version":"1"},"initialSubscriptions":["ahp-root://"]}}`,
			`{"jsonrpc":"2.0","id":2,"method":"listSessions","params":{"channel":"ahp-root://"}}`,
			`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"channel":"ahp-root://"}}`,
		}
		if diff := cmp.Diff(want, h.heard(c)); diff != "" {
			t.Errorf("connect (-want +got):\n%s", diff)
		}

		c.Open(sessionURI, protocol.SessionKind)
		c.Open(sessionURI, protocol.SessionKind)
		synctest.Wait()
		if _, err := c.Dispatch(sessionURI, retitle("x")); err != nil {
			t.Error(err)
		}
		c.Refresh(sessionURI)
		c.Close(sessionURI)
		c.Close(sessionURI)
		c.Close(protocol.RootChannel)
		synctest.Wait()
		want = []string{
			`{"jsonrpc":"2.0","id":4,"method":"subscribe","params":{"channel":"test:/s"}}`,
			`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"test:/s","clientSeq":1,"action":{"type":"session/titleChanged","title":"x"}}}`,
			`{"jsonrpc":"2.0","id":5,"method":"subscribe","params":{"channel":"test:/s"}}`,
			`{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"test:/s"}}`,
		}
		if diff := cmp.Diff(want, h.heard(c)); diff != "" {
			t.Errorf("use (-want +got):\n%s", diff)
		}

		c.Open(sessionURI, protocol.SessionKind)
		synctest.Wait()
		h.heard(c)
		h.act(sessionURI, `{"type":"session/titleChanged","title":"y"}`)
		synctest.Wait()
		h.cutAll()
		sleep(time.Second)
		want = []string{
			`{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"ME","lastSeenServerSeq":102,"subscriptions":["ahp-root://","test:/s"]}}`,
			`{"jsonrpc":"2.0","id":2,"method":"listSessions","params":{"channel":"ahp-root://"}}`,
			`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"channel":"ahp-root://"}}`,
		}
		if diff := cmp.Diff(want, h.heard(c)); diff != "" {
			t.Errorf("reconnect (-want +got):\n%s", diff)
		}

		h.restart()
		sleep(time.Second)
		got := h.heard(c)
		if len(got) != 4 || !strings.Contains(got[0], `"id":1,"method":"reconnect"`) || !strings.Contains(got[1], `"id":2,"method":"initialize"`) ||
			!strings.Contains(got[1], `"initialSubscriptions":["ahp-root://","test:/s"]`) {
			t.Errorf("after a restart: %q", got)
		}
	})
}

func TestVersions(t *testing.T) {
	refusal := func(data string) func(*hostConn, *jsonrpc.Request) {
		return func(_ *hostConn, req *jsonrpc.Request) {
			req.Fail(&jsonrpc.Error{Code: protocol.CodeUnsupportedProtocolVersion, Message: "no", Data: jsontext.Value(data)})
		}
	}
	many := `"` + strings.Repeat(`v\u001b`, 100) + `"`
	for _, test := range []struct {
		name   string
		answer func(*hostConn, *jsonrpc.Request)
		want   []string
	}{
		{"ranges", refusal(`{"supportedVersions":["^0.9.0"],"_meta":{}}`), []string{"^0.9.0"}},
		{"nothing said", refusal(""), nil},
		{"nonsense said", refusal(`[1]`), nil},
		{"hostile", refusal(`{"supportedVersions":[` + many + strings.Repeat(","+many, 99) + `]}`), slices.Repeat([]string{strings.Repeat("v\ufffd", 10) + "…"}, maxVersions)},
		{"not offered", func(_ *hostConn, req *jsonrpc.Request) {
			req.Reply(protocol.InitializeResult{ProtocolVersion: "2.0.0"})
		}, []string{"2.0.0"}},
		{"no version", func(_ *hostConn, req *jsonrpc.Request) { req.Reply(protocol.InitializeResult{ProtocolVersion: "^1"}) }, []string{"^1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newTestHost(t)
				h.answerWith("initialize", test.answer)
				c, ended := h.run(Options{Retry: true})
				err := <-ended
				var version *VersionError
				if !errors.As(err, &version) {
					t.Fatalf("Run returned %v", err)
				}
				if diff := cmp.Diff(test.want, version.Supported); diff != "" {
					t.Errorf("supported (-want +got):\n%s", diff)
				}
				if want := "offered 1.0.0, 0.10.0, 0.9.0, 0.8.0, 0.7.0, 0.6.0, 0.5.2, 0.5.1"; !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say what was offered", err)
				}
				if v := c.View(); v.Connection.Phase != Failed || !errors.Is(v.Connection.Err, err) {
					t.Errorf("connection: %+v", v.Connection)
				}
			})
		})
	}
}

func TestNegotiated(t *testing.T) {
	for _, version := range protocol.Offered() {
		t.Run(version.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newTestHost(t)
				h.version = version
				c := h.opened(Options{})
				if got := c.View().Connection.Version; got != version {
					t.Errorf("version %s", got)
				}
				_, err := c.Dispatch(sessionURI, &protocol.SessionMcpServerStartRequested{ID: "m"})
				if may := version != protocol.V0_5_1; may != (err == nil) {
					t.Errorf("start a server: %v", err)
				}
				if _, err := c.Dispatch(sessionURI, &protocol.SessionReady{}); err == nil {
					t.Error("an action of hosts was sent")
				}
			})
		})
	}
}

func TestNotAHP(t *testing.T) {
	for name, answer := range map[string]func(*hostConn, *jsonrpc.Request){
		"echo":   func(_ *hostConn, req *jsonrpc.Request) { req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound}) },
		"string": func(_ *hostConn, req *jsonrpc.Request) { req.Reply("hello") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newTestHost(t)
				h.answerWith("initialize", answer)
				_, ended := h.run(Options{Retry: true})
				if err := <-ended; !errors.Is(err, jsonrpc.ErrNotAHP) {
					t.Errorf("Run returned %v", err)
				}
			})
		})
	}
}

// TestFirstFailure: without Retry, every way to fail ends Run with what tells
// the kind.
func TestFirstFailure(t *testing.T) {
	silent := func(*hostConn, *jsonrpc.Request) {}
	var refused *jsonrpc.Error
	for _, test := range []struct {
		name  string
		spoil func(*testHost)
		after time.Duration
		is    error
	}{
		{"dial", func(h *testHost) { h.setDialErr(fmt.Errorf("%w: %w", jsonrpc.ErrUnreachable, errNoRoute)) }, 0, jsonrpc.ErrUnreachable},
		{"no answer to initialize", func(h *testHost) { h.answerWith("initialize", silent) }, answerPatience, jsonrpc.ErrUnreachable},
		{"busy, but no answer", func(h *testHost) {
			h.answerWith("initialize", func(conn *hostConn, _ *jsonrpc.Request) { h.newest["x"] = conn })
			go func() {
				for range 1000 {
					<-time.After(time.Second)
					h.tell("noise", nil)
				}
			}()
		}, handshakePatience, jsonrpc.ErrUnreachable},
		{"cut at initialize", func(h *testHost) {
			h.answerWith("initialize", func(conn *hostConn, _ *jsonrpc.Request) { conn.cut() })
		}, 0, jsonrpc.ErrClosed},
		{"cut at the list", func(h *testHost) {
			h.answerWith("listSessions", func(conn *hostConn, _ *jsonrpc.Request) { conn.cut() })
		}, 0, jsonrpc.ErrClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newTestHost(t)
				test.spoil(h)
				began := time.Now()
				c, ended := h.run(Options{})
				err := <-ended
				if !errors.Is(err, test.is) {
					t.Errorf("Run returned %v", err)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("it took %v", took)
				}
				if v, awaited := c.Await(t.Context(), func(v *View) bool { return v.Connection.Phase == Connected }); !errors.Is(awaited, err) || v.Connection.Phase != Failed {
					t.Errorf("Await: %v, %+v", awaited, v.Connection)
				}
				<-time.After(time.Hour) // let the noise end
			})
		})
	}
	t.Run("refused", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newTestHost(t)
			h.answerWith("initialize", func(_ *hostConn, req *jsonrpc.Request) {
				req.Fail(&jsonrpc.Error{Code: protocol.CodeAuthRequired, Message: strings.Repeat("sign in\n", 1000)})
			})
			c, ended := h.run(Options{})
			if err := <-ended; !errors.As(err, &refused) || refused.Code != protocol.CodeAuthRequired {
				t.Errorf("Run returned %v", err)
			}
			if text := c.View().Connection.Err.Error(); len(text) > maxText+10 {
				t.Errorf("the error is %d bytes long", len(text))
			}
		})
	})
}

// TestListTrouble: a host whose session list cannot be had is good for the rest.
func TestListTrouble(t *testing.T) {
	page := func(cursor func(string) string, uri string) func(*hostConn, *jsonrpc.Request) {
		return func(_ *hostConn, req *jsonrpc.Request) {
			var p protocol.ListSessionsParams
			_ = protocol.Unmarshal(req.Params, &p)
			req.Reply(protocol.ListSessionsResult{
				Items:      []*protocol.SessionSummary{{Resource: protocol.URI(uri + p.Cursor)}},
				NextCursor: cursor(p.Cursor),
			})
		}
	}
	for _, test := range []struct {
		name   string
		answer func(*hostConn, *jsonrpc.Request)
		items  int
		listed bool
		want   string // of the error
	}{
		{"refused", func(_ *hostConn, req *jsonrpc.Request) {
			req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "boom\n at x"})
		}, 0, false, "boom"},
		{"unanswered", func(*hostConn, *jsonrpc.Request) {}, 0, false, "did not answer"},
		{"no list", func(_ *hostConn, req *jsonrpc.Request) { req.Reply("what list?") }, 0, false, "decode"},
		{"nulls", func(_ *hostConn, req *jsonrpc.Request) {
			req.Reply(jsontext.Value(`{"items":[null,{"resource":"a:/1"},{},null]}`))
		}, 1, true, ""},
		{"three pages", page(func(at string) string { return map[string]string{"": "b", "b": "c"}[at] }, "p"), 3, true, ""},
		{"the same page", page(func(string) string { return "b" }, "p"), 2, false, "same page"},
		{"pages without end", page(func(at string) string { return at + "x" }, "p"), maxListPages, false, "pages"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newTestHost(t)
				h.answerWith("listSessions", test.answer)
				c := h.start(Options{})
				sleep(time.Minute)
				v := c.View()
				if v.Connection.Phase != Connected || len(v.Sessions) != test.items || v.Listed != test.listed {
					t.Errorf("phase %s, %d sessions, listed %t", v.Connection.Phase, len(v.Sessions), v.Listed)
				}
				if test.want == "" != (v.ListErr == nil) || v.ListErr != nil && !strings.Contains(v.ListErr.Error(), test.want) {
					t.Errorf("ListErr: %v", v.ListErr)
				}
				h.tell("root/sessionAdded", map[string]any{"channel": "ahp-root://", "summary": map[string]any{"resource": "s:/new"}})
				synctest.Wait()
				if c.View().Summary("s:/new") == nil {
					t.Error("a session that was announced is not there")
				}
			})
		})
	}
}

// TestListLate: a list that comes when nobody waits for it any more is asked for once
// more, as long as the host lives.
func TestListLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.summaries["s:/1"] = &protocol.SessionSummary{Resource: "s:/1"}
		var late func()
		h.answerWith("listSessions", func(conn *hostConn, req *jsonrpc.Request) { late = func() { conn.answer(req) } })
		c := h.start(Options{})
		sleep(time.Minute)
		if v := c.View(); v.Connection.Phase != Connected || v.Listed || v.ListErr == nil {
			t.Fatalf("phase %s, listed %t, %v", v.Connection.Phase, v.Listed, v.ListErr)
		}
		h.mu.Lock()
		late()
		h.mu.Unlock()
		sleep(time.Second)
		if v := c.View(); !v.Listed || v.ListErr != nil || v.Summary("s:/1") == nil {
			t.Errorf("listed %t, %v, %d sessions", v.Listed, v.ListErr, len(v.Sessions))
		}
	})
}

// TestListRace: what is said of sessions while the list is on its way holds,
// whether the list has it or not.
func TestListRace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.summaries = map[protocol.URI]*protocol.SessionSummary{
			"s:/old": {Resource: "s:/old", Title: "old", ModifiedAt: "2"}, "s:/gone": {Resource: "s:/gone", ModifiedAt: "1"},
		}
		h.answerWith("listSessions", func(conn *hostConn, req *jsonrpc.Request) {
			h.holding = true
			conn.answer(req)
			h.tellAll("root/sessionAdded", protocol.SessionAddedParams{Summary: &protocol.SessionSummary{Resource: "s:/new", ModifiedAt: "3"}})
			h.tellAll("root/sessionRemoved", protocol.SessionRemovedParams{Session: "s:/gone"})
			h.tellAll("root/sessionSummaryChanged", protocol.SessionSummaryChangedParams{Session: "s:/old", Changes: protocol.Raw(`{"title":"fresh","resource":"no"}`)})
			h.tellAll("root/sessionSummaryChanged", protocol.SessionSummaryChangedParams{Session: "s:/unknown", Changes: protocol.Raw(`{"title":"x"}`)})
		})
		c := h.start(Options{})
		synctest.Wait()
		h.release()
		synctest.Wait()
		var got []string
		for _, s := range c.View().Sessions {
			got = append(got, string(s.Resource)+" "+s.Title)
		}
		if diff := cmp.Diff([]string{"s:/new ", "s:/old fresh"}, got); diff != "" {
			t.Errorf("sessions (-want +got):\n%s", diff)
		}
	})
}

func TestReverseRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		got := map[string]int{}
		methods := []string{"resourceRead", "resourceList", "resourceRequest", "createResourceWatch", "vscode/requestWorkspaceTrust", "x", "ping"}
		for _, method := range methods {
			h.mu.Lock()
			// The host's ids count from 1 as ours do; parameters may be anything.
			err := h.conns[0].Go(method, []int{1}, func(_ rawValue, err error) {
				var e *jsonrpc.Error
				if errors.As(err, &e) {
					got[method] = e.Code
				}
			})
			h.mu.Unlock()
			if err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		want := map[string]int{
			"resourceRead": -32009, "resourceList": -32009, "resourceRequest": -32009, "createResourceWatch": -32009,
			"vscode/requestWorkspaceTrust": -32601, "x": -32601, "ping": -32601,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("codes (-want +got):\n%s", diff)
		}
		if v := c.View(); v.Connection.Phase != Connected {
			t.Errorf("phase %s", v.Connection.Phase)
		}
	})
}
