package ahpclient

import (
	"testing"

	"ahptui/protocol"
)

// FuzzHost lets a host send anything where a client expects something: no
// message may crash it, nor the questions that a screen asks of its view.
func FuzzHost(f *testing.F) {
	methods := []string{
		"action", "root/sessionAdded", "root/sessionRemoved", "root/sessionSummaryChanged", "auth/required",
		"root/progress", "otlp/exportLogs", "notifications/tools/list_changed",
	}
	const (
		initialize = iota + 100
		reconnect
		subscribe
		list
		overLimit
	)
	for i, text := range []string{
		`{"channel":"test:/s","action":{"type":"session/titleChanged","title":"x"},"serverSeq":9,"origin":{"clientId":"me","clientSeq":1},"rejectionReason":"no"}`,
		`{"channel":"ahp-root://","summary":{"resource":"s:/1","modifiedAt":"1"}}`,
		`{"session":"test:/s"}`,
		`{"session":"s:/1","changes":{"title":"x","_meta":null}}`,
		`{"channel":"ahp-root://","resource":{"resource":"https://r"},"reason":"expired"}`,
	} {
		f.Add(uint8(i), []byte(text))
	}
	f.Add(uint8(initialize), []byte(`{"protocolVersion":"0.9.0","serverSeq":3,"snapshots":[{"resource":"test:/s","state":{"chats":[null]},"fromSeq":3},null]}`))
	f.Add(uint8(reconnect), []byte(`{"type":"replay","actions":[{"channel":"test-chat:/c","action":{"type":"chat/delta"},"serverSeq":9},null],"missing":["test:/s",null]}`))
	f.Add(uint8(reconnect), []byte(`{"type":"snapshot","snapshots":[{"resource":"ahp-root://","state":null}]}`))
	f.Add(uint8(subscribe), []byte(`{"snapshot":{"state":{"chats":[],"inputNeeded":[{"kind":"chatInput"}]},"fromSeq":3}}`))
	f.Add(uint8(list), []byte(`{"items":[{"resource":"s:/1"},null,{}],"nextCursor":"x"}`))
	f.Add(uint8(overLimit), []byte(`{"channel":"test:/s","action":{"type":"session/titleChanged"}}`))
	f.Add(uint8(5), []byte(`{"channel":"ahp-root://","progressToken":"p","progress":1}`))
	f.Add(uint8(7), []byte(`{"channel":"x:/","action":[]}`))
	f.Fuzz(func(_ *testing.T, what uint8, text []byte) {
		c := New(Options{Limits: Limits{StateBytes: 1000, Turns: 2, Kept: 3, KeptBytes: 200, Sessions: 3, SessionBytes: 300, Subscriptions: 4, Events: 2, EventBytes: 100}})
		s := c.store
		s.clientID = "me"
		s.life = life{stage: up, phase: Connected, been: true}
		if _, err := c.Listen("x:/"); err != nil {
			panic(err)
		}
		for uri, kind := range map[protocol.URI]protocol.ChannelKind{sessionURI: protocol.SessionKind, chatURI: protocol.ChatKind, "x:/": "other"} {
			s.open(uri, kind)
		}
		s.install(decoded{uri: sessionURI, kind: protocol.SessionKind, state: &protocol.SessionState{Chats: []*protocol.ChatSummary{{Resource: chatURI}}}, fromSeq: 5}, testTime)
		s.install(decoded{uri: chatURI, kind: protocol.ChatKind, state: &protocol.ChatState{}, fromSeq: 5}, testTime)
		s.dispatch(sessionURI, retitle("x"), testTime, 1)
		c.View()
		switch what {
		case initialize:
			_ = c.initialized(text, &protocol.InitializeParams{ProtocolVersions: versionNames(protocol.Offered())})
		case reconnect:
			s.disconnected()
			c.reconnected(text, &protocol.ReconnectParams{Subscriptions: s.subscriptions()})
		case subscribe:
			ch := s.channels[sessionURI]
			s.ask(ch, testTime)
			c.subscribed(ch, text, nil)
		case list:
			var page protocol.ListSessionsResult
			s.sessions.begin()
			err := protocol.Unmarshal(text, &page)
			s.sessions.finish(page.Items, len(text), err)
		case overLimit:
			(&handler{client: c}).overLimit("action", text, &LimitError{What: "bytes"})
		default:
			h := &handler{client: c}
			for range 3 { // said again, as hosts do
				h.Notification(methods[int(what)%len(methods)], text)
			}
		}
		v := c.View()
		v.Blocked()
		s.expire(testTime.Add(1), true)
		s.abandon(testTime)
		c.View()
		if s.channels[protocol.RootChannel] == nil {
			panic("the root channel is gone")
		}
	})
}
