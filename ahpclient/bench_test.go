package ahpclient

import (
	"fmt"
	"testing"
	"time"

	"ahptui/protocol"
)

// busyClient has sessions open, each with its chat, a turn that streams and
// eight MCP servers, and listed sessions in all.
func busyClient(b *testing.B, open, listed int) *Client {
	b.Helper()
	c := New(Options{})
	s := c.store
	var items []*protocol.SessionSummary
	for i := range listed {
		items = append(items, summary(protocol.URI(fmt.Sprintf("copilotcli:/%036d", i)), protocol.FormatTime(testTime.Add(time.Duration(i)*time.Second)), "a session"))
	}
	s.sessions.begin()
	s.sessions.finish(items, 0, nil)
	for i := range open {
		uri, chat := items[i].Resource, benchChat(i)
		servers := ""
		for j := range 8 {
			servers += fmt.Sprintf(`{"type":"mcpServer","id":"file:///w/.mcp.json#mcp=server%d","name":"server%d","state":{"kind":"ready"}},`, j, j)
		}
		s.open(uri, protocol.SessionKind)
		s.install(decoded{uri: uri, kind: protocol.SessionKind, state: decodeState(b, protocol.SessionKind,
			`{"title":"t","status":8,"lifecycle":"ready","chats":[{"resource":"`+string(chat)+`","status":8}],"customizations":[`+servers[:len(servers)-1]+`]}`)}, testTime)
		s.open(chat, protocol.ChatKind)
		s.install(decoded{uri: chat, kind: protocol.ChatKind, state: decodeState(b, protocol.ChatKind,
			`{"resource":"`+string(chat)+`","status":8,"turns":[],"activeTurn":{"id":"t1","message":{"text":"hi"},"responseParts":[{"kind":"markdown","id":"p1","content":""}]}}`)}, testTime)
	}
	return c
}

func benchChat(i int) protocol.URI {
	return protocol.URI(fmt.Sprintf("ahp-chat://default/%048d", i))
}

func benchDelta(seq, chat int) []byte {
	return fmt.Appendf(nil, `{"channel":%q,"action":{"type":"chat/delta","turnId":"t1","partId":"p1","content":"some more words "},"serverSeq":%d}`, benchChat(chat), seq+1)
}

// BenchmarkActions folds streamed deltas as the reading goroutine does, with a
// view after every n of them: 1,000 is what a host sends in a frame's time at
// 60,000 actions a second.
func BenchmarkActions(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprintf("view every %d", n), func(b *testing.B) {
			c := busyClient(b, 4, 40)
			h := &handler{client: c}
			frames := make([][]byte, b.N)
			for i := range frames {
				frames[i] = benchDelta(i, i%4)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i, f := range frames {
				h.Notification("action", f)
				if i%n == 0 {
					c.View()
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "actions/s")
		})
	}
}

// BenchmarkView publishes a view after one chat of 64 open sessions has changed.
func BenchmarkView(b *testing.B) {
	c := busyClient(b, 64, 1000)
	h := &handler{client: c}
	c.View()
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		h.Notification("action", benchDelta(i, i%64))
		b.StartTimer()
		c.View()
	}
}

// BenchmarkViewAllChanged is the worst frame: all of 64 chats have changed.
func BenchmarkViewAllChanged(b *testing.B) {
	c := busyClient(b, 64, 1000)
	h := &handler{client: c}
	c.View()
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		for chat := range 64 {
			h.Notification("action", benchDelta(i*64+chat, chat))
		}
		b.StartTimer()
		c.View()
	}
}

// BenchmarkSessionList changes one of 10,000 listed sessions and publishes.
func BenchmarkSessionList(b *testing.B) {
	c := busyClient(b, 1, 10_000)
	h := &handler{client: c}
	c.View()
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		h.Notification("root/sessionSummaryChanged", fmt.Appendf(nil,
			`{"channel":"ahp-root://","session":"copilotcli:/%036d","changes":{"status":8,"modifiedAt":%q}}`, i%10_000, protocol.FormatTime(testTime.Add(time.Duration(20_000+i)*time.Second))))
		c.View()
	}
}

// BenchmarkFirstList takes a list of 10,000 sessions and publishes it.
func BenchmarkFirstList(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		b.StopTimer()
		c := busyClient(b, 0, 10_000)
		b.StartTimer()
		c.View()
	}
}
