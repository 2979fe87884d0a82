package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// TestCommands: what is sent at each version, and what comes of the answer.
func TestCommands(t *testing.T) {
	type versions = []protocol.Version
	all := protocol.Offered()
	for _, test := range []struct {
		name   string
		at     versions
		do     func(context.Context, *Client) (any, error)
		answer string
		sent   string // "" with an UnsupportedError: nothing
		result string
	}{
		{
			"dispose a session", all, func(ctx context.Context, c *Client) (any, error) { return nil, c.DisposeSession(ctx, "s:/1") },
			"null", `"disposeSession","params":{"channel":"s:/1"}`, "<nil>",
		},
		{"create a chat", all, func(ctx context.Context, c *Client) (any, error) {
			return c.CreateChat(ctx, protocol.NewCreateChat("s:/1", "c:/1"))
		}, "null", `"createChat","params":{"channel":"s:/1","chat":"c:/1"}`, "c:/1"},
		{"fork a chat", all[:5], func(ctx context.Context, c *Client) (any, error) {
			return c.CreateChat(ctx, &protocol.CreateChatParams{Channel: "s:/1", Chat: "c:/1", Source: &protocol.ChatSource{Kind: protocol.SourceFork, Chat: "c:/0", TurnID: "t"}})
		}, "{}", `"createChat","params":{"channel":"s:/1","chat":"c:/1","source":{"kind":"fork","chat":"c:/0","turnId":"t"}}`, "c:/1"},
		{"fork a chat", all[5:], func(ctx context.Context, c *Client) (any, error) {
			return c.CreateChat(ctx, &protocol.CreateChatParams{Channel: "s:/1", Chat: "c:/1", Source: &protocol.ChatSource{Kind: protocol.SourceFork, Chat: "c:/0", TurnID: "t"}})
		}, "{}", `"createChat","params":{"channel":"s:/1","chat":"c:/1","source":{"chat":"c:/0","turnId":"t"}}`, "c:/1"},
		{"create a side chat", all[:5], func(ctx context.Context, c *Client) (any, error) {
			return c.CreateChat(ctx, &protocol.CreateChatParams{Channel: "s:/1", Chat: "c:/1", Source: &protocol.ChatSource{Kind: protocol.SourceSideChat, Chat: "c:/0", TurnID: "t"}})
		}, "null", `"source":{"kind":"sideChat","chat":"c:/0","turnId":"t"}}`, "c:/1"},
		{"create a side chat", all[5:], func(ctx context.Context, c *Client) (any, error) {
			return c.CreateChat(ctx, &protocol.CreateChatParams{Channel: "s:/1", Chat: "c:/1", Source: &protocol.ChatSource{Kind: protocol.SourceSideChat, Chat: "c:/0", TurnID: "t"}})
		}, "null", "", ""},
		{
			"dispose a chat", all, func(ctx context.Context, c *Client) (any, error) { return nil, c.DisposeChat(ctx, "c:/1") },
			"null", `"disposeChat","params":{"channel":"c:/1"}`, "<nil>",
		},
		{"create a terminal", all, func(ctx context.Context, c *Client) (any, error) {
			return c.CreateTerminal(ctx, &protocol.CreateTerminalParams{Channel: "t:/1", Name: "n"})
		}, "null", `"createTerminal","params":{"channel":"t:/1","claim":{"kind":"client","clientId":"ME"},"name":"n"}`, "t:/1"},
		{
			"dispose a terminal", all, func(ctx context.Context, c *Client) (any, error) { return nil, c.DisposeTerminal(ctx, "t:/1") },
			"null", `"disposeTerminal","params":{"channel":"t:/1"}`, "<nil>",
		},
		{"resolve a configuration", all, func(ctx context.Context, c *Client) (any, error) {
			result, err := c.ResolveSessionConfig(ctx, &protocol.ResolveSessionConfigParams{Provider: "p", WorkingDirectory: "file:///w"})
			return result.Values["a"].String(), err
		}, `{"schema":{"type":"object","properties":{}},"values":{"a":true}}`, `"resolveSessionConfig","params":{"channel":"ahp-root://","provider":"p","workingDirectory":"file:///w"}`, "true"},
		{"values of a configuration", all, func(ctx context.Context, c *Client) (any, error) {
			items, err := c.SessionConfigCompletions(ctx, &protocol.SessionConfigCompletionsParams{Property: "p", Query: "q"})
			return len(items), err
		}, `{"items":[{"value":"a","label":"A"},null]}`, `"sessionConfigCompletions","params":{"channel":"ahp-root://","property":"p","query":"q"}`, "1"},
		{"operate on a changeset", all, func(ctx context.Context, c *Client) (any, error) {
			result, err := c.InvokeChangesetOperation(ctx, &protocol.InvokeChangesetOperationParams{Channel: "x:/1", OperationID: "commit"})
			return result.FollowUp.Content.URI, err
		}, `{"message":"done","followUp":{"content":{"uri":"https://x"}}}`, `"invokeChangesetOperation","params":{"channel":"x:/1","operationId":"commit"}`, "https://x"},
		{
			"run an automation", all[:3], func(ctx context.Context, c *Client) (any, error) { return c.RunAutomation(ctx, "a:/1", "r") },
			`{"resource":"run:/1"}`, `"runAutomation","params":{"channel":"ahp-automations://","automation":"a:/1","requestId":"r"}`, "run:/1",
		},
		{"run an automation", all[3:], func(ctx context.Context, c *Client) (any, error) { return c.RunAutomation(ctx, "a:/1", "r") }, "{}", "", ""},
		{
			"runs of an automation", all[:3], func(ctx context.Context, c *Client) (any, error) { return nil, c.FetchAutomationRuns(ctx, "a:/1", "x") },
			"{}", `"fetchAutomationRuns","params":{"channel":"ahp-automations://","automation":"a:/1","cursor":"x"}`, "<nil>",
		},
		{"triggers", all[:3], func(ctx context.Context, c *Client) (any, error) {
			items, err := c.AutomationTriggers(ctx, &protocol.ListAutomationTriggerDefinitionsParams{Provider: "p"})
			return len(items), err
		}, `null`, `"listAutomationTriggerDefinitions","params":{"channel":"ahp-root://","provider":"p"}`, "0"},
		{"read a text", all, func(ctx context.Context, c *Client) (any, error) {
			content, err := c.ReadResource(ctx, "file:///a")
			return string(content.Data) + " " + content.Type, err
		}, `{"data":"text","encoding":"utf-8","contentType":"text/plain"}`, `"resourceRead","params":{"channel":"ahp-root://","uri":"file:///a"}`, "text text/plain"},
		{"read bytes", all, func(ctx context.Context, c *Client) (any, error) {
			content, err := c.ReadResource(ctx, "file:///a")
			return fmt.Sprintf("%x", content.Data), err
		}, `{"data":"AP8=","encoding":"base64"}`, `"resourceRead"`, "00ff"},
		{"list a directory", all, func(ctx context.Context, c *Client) (any, error) {
			result, err := c.ListResource(ctx, "file:///a")
			return len(result.Entries), err
		}, `{"entries":[{"name":"x","type":"file"}]}`, `"resourceList","params":{"channel":"ahp-root://","uri":"file:///a"}`, "1"},
		{"what is there", all, func(ctx context.Context, c *Client) (any, error) {
			result, err := c.ResolveResource(ctx, "file:///a")
			return result.Type, err
		}, `{"uri":"file:///b","type":"file","size":7}`, `"resourceResolve","params":{"channel":"ahp-root://","uri":"file:///a"}`, "file"},
		{"ask to be let in", all, func(ctx context.Context, c *Client) (any, error) {
			yes := true
			return nil, c.RequestResource(ctx, &protocol.ResourceRequestParams{URI: "file:///a", Write: &yes})
		}, `{}`, `"resourceRequest","params":{"channel":"ahp-root://","uri":"file:///a","write":true}`, "<nil>"},
		{"sign in", all[:3], func(ctx context.Context, c *Client) (any, error) {
			lifetime := int64(60)
			return nil, c.Authenticate(ctx, &protocol.AuthenticateParams{Channel: protocol.RootChannel, Resource: "r", Token: "t", Scopes: []string{"x"}, ExpiresIn: &lifetime})
		}, `{}`, `"authenticate","params":{"channel":"ahp-root://","resource":"r","token":"t","scopes":["x"],"expiresIn":60}`, "<nil>"},
		{"sign in", all[6:], func(ctx context.Context, c *Client) (any, error) {
			lifetime := int64(60)
			return nil, c.Authenticate(ctx, &protocol.AuthenticateParams{Channel: protocol.RootChannel, Resource: "r", Token: "t", Scopes: []string{"x"}, ExpiresIn: &lifetime})
		}, `{}`, `"authenticate","params":{"channel":"ahp-root://","resource":"r","token":"t"}`, "<nil>"},
	} {
		for _, version := range test.at {
			bubbleRun(t, fmt.Sprint(test.name, " ", version), func(t *testing.T) {
				h := newTestHost(t)
				h.version = version
				c := h.opened(Options{})
				for _, m := range protocol.Methods() {
					switch m.Name {
					case "initialize", "subscribe", "listSessions", "ping":
					default:
						h.answerWith(m.Name, func(_ *hostConn, req *jsonrpc.Request) { req.Reply(jsontext.Value(test.answer)) })
					}
				}
				h.heard(c)
				result, err := test.do(t.Context(), c)
				synctest.Wait()
				frames := strings.Join(h.heard(c), "\n")
				var unsupported *UnsupportedError
				if test.sent == "" {
					if !errors.As(err, &unsupported) || unsupported.Version != version || frames != "" {
						t.Errorf("%v, sent %s", err, frames)
					}
					return
				}
				if err != nil || fmt.Sprint(result) != test.result {
					t.Errorf("%v, %v", result, err)
				}
				if !strings.Contains(frames, `"method":`+test.sent) && !strings.Contains(frames, test.sent) {
					t.Errorf("sent %s, want %s", frames, test.sent)
				}
			})
		}
	}
}

// TestCommandsWithoutConnection: nothing is sent, and it is said why.
func TestCommandsWithoutConnection(t *testing.T) {
	t.Parallel()
	c := New(Options{})
	_, err := c.RunAutomation(t.Context(), "a:/1", "r")
	if !errors.Is(err, ErrNotConnected) {
		t.Errorf("run: %v", err)
	}
	_, err = c.CreateChat(t.Context(), &protocol.CreateChatParams{Source: &protocol.ChatSource{Kind: protocol.SourceSideChat}})
	if !errors.Is(err, ErrNotConnected) {
		t.Errorf("create a chat: %v", err)
	}
	if err := c.DisposeSession(t.Context(), "s:/1"); !errors.Is(err, ErrNotConnected) {
		t.Errorf("dispose: %v", err)
	}
}

// TestFreshURIs: what is created without a name gets one that nobody has, and is
// open from then on.
func TestFreshURIs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		for method, state := range map[string]protocol.ChannelState{
			"createSession": &protocol.SessionState{}, "createChat": &protocol.ChatState{}, "createTerminal": &protocol.TerminalState{},
		} {
			h.answerWith(method, func(_ *hostConn, req *jsonrpc.Request) {
				var p struct {
					Channel protocol.URI `json:"channel"`
					Chat    protocol.URI `json:"chat"`
				}
				h.must(protocol.Unmarshal(req.Params, &p))
				if p.Chat != "" {
					p.Channel = p.Chat
				}
				h.states[p.Channel] = state
				req.Reply(nil)
			})
		}
		c := h.opened(Options{})
		create := map[string]func() (protocol.URI, error){
			"ahp-session:/": func() (protocol.URI, error) {
				return c.CreateSessionWith(t.Context(), &protocol.CreateSessionParams{})
			},
			"p:/":            func() (protocol.URI, error) { return c.CreateSession(t.Context(), "p", "") },
			"ahp-chat:/":     func() (protocol.URI, error) { return c.CreateChat(t.Context(), protocol.NewCreateChat(sessionURI, "")) },
			"ahp-terminal:/": func() (protocol.URI, error) { return c.CreateTerminal(t.Context(), &protocol.CreateTerminalParams{}) },
		}
		seen := map[protocol.URI]bool{}
		for prefix, f := range create {
			for range 2 {
				uri, err := f()
				if err != nil || !strings.HasPrefix(string(uri), prefix) || len(uri) != len(prefix)+36 || seen[uri] {
					t.Errorf("%s: %s, %v", prefix, uri, err)
				}
				seen[uri] = true
				synctest.Wait()
				if ch := c.View().Channels[uri]; ch == nil || ch.State == nil {
					t.Errorf("%s: %+v", prefix, ch)
				}
			}
		}
	})
}

// TestDispose: what is disposed of from here goes without a word, wherever the
// host's own word of it comes.
func TestDispose(t *testing.T) {
	for name, refused := range map[string]bool{"done": false, "refused": true} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			h.answerWith("disposeSession", func(_ *hostConn, req *jsonrpc.Request) {
				if refused {
					req.Fail(&jsonrpc.Error{Code: protocol.CodeSessionNotFound})
					return
				}
				h.tellAll("root/sessionRemoved", protocol.SessionRemovedParams{Session: sessionURI})
				req.Reply(nil)
			})
			c := h.opened(Options{})
			if err := c.DisposeSession(t.Context(), sessionURI); (err != nil) != refused {
				t.Error(err)
			}
			synctest.Wait()
			v := c.View()
			if len(v.Notices) != 0 || (v.Channels[sessionURI] != nil) != refused || (v.Channels[chatURI] != nil) != refused {
				t.Errorf("notices %v, channels %v", kinds(v.Notices), v.Channels)
			}
			if refused { // when it goes all the same, that is news
				h.tell("root/sessionRemoved", protocol.SessionRemovedParams{Session: sessionURI})
				synctest.Wait()
				if diff := cmp.Diff([]NoticeKind{NoticeGone}, kinds(c.View().Notices)); diff != "" {
					t.Errorf("notices (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestAnswers: what a host answers in another form than it should is an error, and
// no more.
func TestAnswers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		answer := func(method, text string) {
			h.answerWith(method, func(_ *hostConn, req *jsonrpc.Request) { req.Reply(jsontext.Value(text)) })
		}
		for _, text := range []string{`{"data":"!","encoding":"base64"}`, `{"data":"x","encoding":"latin1"}`, `7`, `"x"`, `[]`} {
			answer("resourceRead", text)
			if content, err := c.ReadResource(t.Context(), "file:///a"); err == nil {
				t.Errorf("%s is read as %q", text, content.Data)
			}
		}
		for _, text := range []string{`{}`, `null`, `{"channel":7}`} {
			answer("createResourceWatch", text)
			if _, err := c.WatchResource(t.Context(), &protocol.CreateResourceWatchParams{}); err == nil {
				t.Errorf("%s names no channel", text)
			}
		}
		h.answerWith("resourceRead", func(_ *hostConn, req *jsonrpc.Request) {
			req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Error: boom\n    at read (fs.js:1)\n    at more"})
		})
		if _, err := c.ReadResource(t.Context(), "file:///a"); err == nil || err.Error() != "resourceRead: Error: boom (-32603)" {
			t.Errorf("an internal error: %v", err)
		}
		for data, want := range map[string]protocol.URI{`{"request":{"uri":"file:///a","read":true}}`: "file:///a", `{}`: "", "": "", `[1]`: ""} {
			h.answerWith("resourceRead", func(_ *hostConn, req *jsonrpc.Request) {
				req.Fail(&jsonrpc.Error{Code: protocol.CodePermissionDenied, Data: jsontext.Value(data)})
			})
			_, err := c.ReadResource(t.Context(), "file:///a")
			var denied *PermissionError
			if !errors.As(err, &denied) || (denied.Request != nil) != (want != "") || want != "" && denied.Request.URI != want {
				t.Errorf("%s: %v", data, err)
			}
		}
	})
}

func TestWatchResource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		const watch protocol.URI = "test-watch:/1"
		h.states[watch] = decodeState(t, protocol.ResourceWatchKind, `{"root":"file:///w","recursive":true}`)
		h.answerWith("createResourceWatch", func(_ *hostConn, req *jsonrpc.Request) { req.Reply(jsontext.Value(`{"channel":"test-watch:/1"}`)) })
		c := h.opened(Options{})
		l, err := c.WatchResource(t.Context(), &protocol.CreateResourceWatchParams{URI: "file:///w"})
		if err != nil || l.Channel() != watch {
			t.Fatal(err)
		}
		synctest.Wait()
		h.act(watch, `{"type":"resourceWatch/changed","changes":{"items":[{"uri":"file:///w/a","type":"deleted"}]}}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		e, err := l.Next(ctx)
		changed, ok := e.Action.(*protocol.ResourceWatchChanged)
		if err != nil || !ok || changed.Changes.Items[0].Type != protocol.ResourceDeleted || e.At.IsZero() {
			t.Errorf("%+v, %v", e, err)
		}
		l.Stop()
		h.heard(c)
		c.Close(watch)
		synctest.Wait()
		if frames := h.heard(c); len(frames) != 1 || !strings.Contains(frames[0], `"unsubscribe"`) {
			t.Errorf("sent %q", frames)
		}
	})
}

// TestCompletions: offsets are bytes here and UTF-16 units there.
func TestCompletions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		text := "é😀 /fi" // 1 and 2 units, 2 and 4 bytes
		h.answerWith("completions", func(_ *hostConn, req *jsonrpc.Request) {
			if want := `{"channel":"test-chat:/c","kind":"userMessage","text":"é😀 /fi","offset":7}`; string(req.Params) != want {
				t.Errorf("asked %s", req.Params)
			}
			req.Reply(jsontext.Value(`{"items":[{"insertText":"/find","rangeStart":4,"rangeEnd":7,"attachment":{"type":"simple","label":"x","_meta":{"k":1}}},
				{"insertText":"here"},{"insertText":"half","rangeStart":2,"rangeEnd":99},{"insertText":"backwards","rangeStart":5,"rangeEnd":4},{"insertText":"x","rangeStart":-1,"rangeEnd":1},null]}`))
		})
		c := h.opened(Options{})
		list, err := c.Completions(t.Context(), chatURI, text, len(text)+5)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range list {
			got = append(got, fmt.Sprintf("%s %q", x.InsertText, text[x.Start:x.End]))
		}
		want := []string{`/find "/fi"`, `here ""`, `half "😀 /fi"`, `x "é"`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("completions (-want +got):\n%s", diff)
		}
		if !strings.Contains(string(list[0].Attachment.Meta), `"k"`) {
			t.Errorf("the attachment lost its meta: %s", list[0].Attachment.Meta)
		}
	})
}

func FuzzUnits(f *testing.F) {
	f.Add("é😀x\xff", 3)
	f.Fuzz(func(t *testing.T, text string, unit int) {
		if n := units(text); n != len(utf16.Encode([]rune(text))) {
			t.Errorf("%q has %d units", text, n)
		}
		n := bytesOf(text, unit)
		if n < 0 || n > len(text) || unit >= 0 && units(text[:n]) > unit {
			t.Errorf("%d units of %q are %d bytes", unit, text, n)
		}
		if whole := bytesOf(text, units(text)); whole != len(text) {
			t.Errorf("all of %q is %d bytes", text, whole)
		}
	})
}
