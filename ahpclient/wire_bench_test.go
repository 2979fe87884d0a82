package ahpclient

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	wireChat  = protocol.URI("ahp-chat:/c")
	deltaText = "a few words of text "
)

// appendDelta appends a delta as a host sends it.
func appendDelta(b []byte, seq int) []byte {
	return fmt.Appendf(b, `{"jsonrpc":"2.0","method":"action","params":{"channel":"ahp-chat:/c","action":{"type":"chat/delta","turnId":"ta","partId":"p1","content":%q},"serverSeq":%d}}`, deltaText, seq)
}

// frames are messages one behind the other: a million pieces of memory would keep
// the garbage collector busy.
type frames struct {
	text []byte
	ends []int
}

// add appends a message by way of write.
func (f *frames) add(write func([]byte) []byte) {
	f.text = write(f.text)
	f.ends = append(f.ends, len(f.text))
}

func (f *frames) at(i int) []byte {
	start := 0
	if i > 0 {
		start = f.ends[i-1]
	}
	return f.text[start:f.ends[i]]
}

// wire is the reading half of a connection on which a host has said all it had
// to say. A message is copied, as it is out of a socket.
type wire struct {
	frames *frames
	after  func(read int) // after every message that was dealt with
	read   int
}

func (w *wire) Read(context.Context) ([]byte, error) {
	if w.read > 0 && w.after != nil {
		w.after(w.read)
	}
	if w.read == len(w.frames.ends) {
		return nil, io.EOF
	}
	w.read++
	return bytes.Clone(w.frames.at(w.read - 1)), nil
}

// LastRead is asked by nobody here; a socket knows it better than its messages.
func (*wire) LastRead() time.Time { return time.Time{} }

func (*wire) Write(context.Context, []byte) error { return nil }
func (*wire) Close() error                        { return nil }

// streaming is a client with one chat, in which a turn streams.
func streaming(b *testing.B) *Client {
	b.Helper()
	c := New(Options{})
	c.store.open(wireChat, protocol.ChatKind)
	c.store.install(decoded{uri: wireChat, kind: protocol.ChatKind, state: decodeState(b, protocol.ChatKind,
		`{"resource":"ahp-chat:/c","title":"c","status":8,"modifiedAt":"2026-01-01T00:00:00.000Z","turns":[],"queuedMessages":[],
		"activeTurn":{"id":"ta","startedAt":"2026-01-01T00:00:00.000Z","message":{"text":"hi","origin":{"kind":"user"}},"responseParts":[{"kind":"markdown","id":"p1","content":""}]}}`), fromSeq: 5}, testTime)
	return c
}

// receive lets the client read what is on a wire, all the way from its bytes.
func (w *wire) receive(b *testing.B, c *Client) {
	b.Helper()
	if err := jsonrpc.New(w, &handler{client: c}, jsonrpc.Options{}).Run(b.Context()); err == nil {
		b.Fatal("the end of the wire is no error")
	}
}

func wireState(c *Client) *protocol.ChatState { return c.View().Chat(wireChat) }

func reportActions(b *testing.B, each int) {
	b.Helper()
	b.ReportMetric(float64(b.N)*float64(each)/b.Elapsed().Seconds(), "actions/s")
}

// BenchmarkWireToState reads N deltas to one message from the wire into the state.
func BenchmarkWireToState(b *testing.B) {
	for _, deltas := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("deltas=%d", deltas), func(b *testing.B) {
			var all frames
			for i := range deltas {
				all.add(func(b []byte) []byte { return appendDelta(b, i+6) })
			}
			b.SetBytes(int64(len(all.text)))
			b.ReportAllocs()
			var c *Client
			for b.Loop() {
				c = streaming(b)
				(&wire{frames: &all}).receive(b, c)
			}
			if text := wireState(c).ActiveTurn.ResponseParts[0].Content; text.Text.Len() != deltas*len(deltaText) || !strings.HasSuffix(text.String(), deltaText) {
				b.Fatalf("the message has %d bytes", text.Text.Len())
			}
			reportActions(b, deltas)
		})
	}
}

// mixedActions are turns as coding agents have them: thinking, text in small
// pieces, tool calls from their first letter to their result, usage, the end.
func mixedActions(n int) *frames {
	all := new(frames)
	add := func(format string, args ...any) {
		if len(all.ends) < n {
			all.add(func(b []byte) []byte {
				return fmt.Appendf(b, `{"jsonrpc":"2.0","method":"action","params":{"channel":"ahp-chat:/c","action":{"type":`+format+`},"serverSeq":%d}}`, append(args, len(all.ends)+6)...)
			})
		}
	}
	for turn := 0; len(all.ends) < n; turn++ {
		id := fmt.Sprintf("t%d", turn)
		if turn == 0 {
			id = "ta"
		} else {
			add(`"chat/turnStarted","turnId":%q,"startedAt":"2026-01-01T00:00:00.000Z","message":{"text":"go on","origin":{"kind":"user"}}`, id)
		}
		add(`"chat/responsePart","turnId":%q,"part":{"kind":"reasoning","id":"r","content":""}`, id)
		for range 10 {
			add(`"chat/reasoning","turnId":%q,"partId":"r","content":"let me think "`, id)
		}
		for call := range 3 {
			callID := fmt.Sprintf("c%d", call)
			part := fmt.Sprintf("m%d", call)
			add(`"chat/responsePart","turnId":%q,"part":{"kind":"markdown","id":%q,"content":""}`, id, part)
			for range 15 {
				add(`"chat/delta","turnId":%q,"partId":%q,"content":"some more words "`, id, part)
			}
			add(`"chat/toolCallStart","turnId":%q,"toolCallId":%q,"toolName":"read_file","displayName":"Read file"`, id, callID)
			for range 3 {
				add(`"chat/toolCallDelta","turnId":%q,"toolCallId":%q,"content":"{\"path\":"`, id, callID)
			}
			add(`"chat/toolCallReady","turnId":%q,"toolCallId":%q,"invocationMessage":"Reading main.go","toolInput":"{\"path\":\"main.go\"}","confirmed":"not-needed"`, id, callID)
			add(`"chat/toolCallContentChanged","turnId":%q,"toolCallId":%q,"content":[{"type":"text","text":"package main"}]`, id, callID)
			add(`"chat/toolCallComplete","turnId":%q,"toolCallId":%q,"result":{"success":true,"pastTenseMessage":"Read main.go","content":[{"type":"text","text":"package main\n\nfunc main() {}\n"}]}`, id, callID)
		}
		add(`"chat/usage","turnId":%q,"usage":{"inputTokens":1200,"outputTokens":300,"model":"m"}`, id)
		add(`"chat/activityChanged","activity":"turn %d"`, turn)
		add(`"chat/turnComplete","turnId":%q,"duration":1234`, id)
	}
	return all
}

// BenchmarkMixedReplay folds what a client missed while its connection was lost.
func BenchmarkMixedReplay(b *testing.B) {
	for _, actions := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("actions=%d", actions), func(b *testing.B) {
			all := mixedActions(actions)
			var replay bytes.Buffer
			replay.WriteString(`{"type":"replay","missing":[],"actions":[`)
			for i := range actions {
				if i > 0 {
					replay.WriteByte(',')
				}
				_, params, _ := bytes.Cut(all.at(i), []byte(`"params":`))
				replay.Write(params[:len(params)-1])
			}
			replay.WriteString(`]}`)
			b.SetBytes(int64(replay.Len()))
			b.ReportAllocs()
			var c *Client
			for b.Loop() {
				c = streaming(b)
				c.store.disconnected()
				c.reconnected(replay.Bytes(), &protocol.ReconnectParams{LastSeenServerSeq: 5, Subscriptions: []protocol.URI{wireChat}})
				c.View()
			}
			want := streaming(b)
			(&wire{frames: all}).receive(b, want)
			if got := wireState(c); len(got.Turns) != len(wireState(want).Turns) || got.ActiveTurn == nil != (wireState(want).ActiveTurn == nil) {
				b.Fatalf("%d turns, want %d", len(got.Turns), len(wireState(want).Turns))
			}
			reportActions(b, actions)
		})
	}
}

// BenchmarkPendingRebase folds 100,000 mixed actions while this many of our own
// wait for their echo, with a view after every 100, which is read.
func BenchmarkPendingRebase(b *testing.B) {
	const actions, each = 100_000, 100
	for _, pending := range []int{0, 50} {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			all := mixedActions(actions)
			b.ReportAllocs()
			var c *Client
			for b.Loop() {
				c = streaming(b)
				for i := range pending {
					c.store.dispatch(wireChat, &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: fmt.Sprint("q", i), Message: protocol.UserMessage("later")}, testTime, time.Hour)
				}
				views := 0
				w := &wire{frames: all, after: func(read int) {
					if read%each != 0 {
						return
					}
					views++
					if chat := wireState(c); len(chat.QueuedMessages) != pending || chat.ActivityText == "" && read > 1000 {
						b.Fatalf("a view of %d queued messages", len(chat.QueuedMessages))
					}
				}}
				w.receive(b, c)
				if views != actions/each {
					b.Fatalf("%d views", views)
				}
			}
			reportActions(b, actions)
		})
	}
}

// BenchmarkClientEndToEnd streams deltas from a host over a loopback WebSocket, and
// waits until the client shows them all.
func BenchmarkClientEndToEnd(b *testing.B) {
	const deltas = 100_000
	var all frames
	for i := range deltas {
		all.add(func(b []byte) []byte { return appendDelta(b, i+6) })
	}
	b.SetBytes(int64(len(all.text)))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		h := newTestHost(b)
		h.seq = 5
		h.states[wireChat] = wireState(streaming(b))
		c := New(Options{URL: serveWebSocket(b, h, "")})
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		c.Open(wireChat, protocol.ChatKind)
		await := func(text int) {
			if _, err := c.Await(ctx, func(v *View) bool {
				chat := v.Chat(wireChat)
				return v.Connection.Phase == Connected && chat != nil && chat.ActiveTurn.ResponseParts[0].Content.Text.Len() == text
			}); err != nil {
				b.Fatal(err)
			}
		}
		await(0)
		peer := h.conns[0].Peer
		b.StartTimer()
		for i := range deltas {
			_, params, _ := bytes.Cut(all.at(i), []byte(`"params":`))
			if err := peer.Notify("action", protocol.Raw(params[:len(params)-1])); err != nil {
				b.Fatal(err)
			}
		}
		await(deltas * len(deltaText))
		b.StopTimer()
		cancel()
		<-ended
		b.StartTimer()
	}
	reportActions(b, deltas)
}

// BenchmarkMemory measures what a chat of N turns holds in memory, as a multiple
// of its size on the wire.
func BenchmarkMemory(b *testing.B) {
	for _, m := range []struct {
		turns, text int
	}{{10_000, 36}, {10_000, 10 << 10}} {
		b.Run(fmt.Sprintf("turns=%d/text=%d", m.turns, m.text), func(b *testing.B) {
			raw := memorySnapshot(m.turns, m.text)
			var ratio float64
			for b.Loop() {
				before := heap()
				state, err := protocol.DecodeState(protocol.ChatKind, raw)
				if err != nil {
					b.Fatal(err)
				}
				ratio = float64(heap()-before) / float64(len(raw))
				if chat, _ := state.(*protocol.ChatState); len(chat.Turns) != m.turns || chat.Turns[m.turns-1].ResponseParts[0].Content.Text.Len() != m.text {
					b.Fatal("another state")
				}
			}
			b.ReportMetric(ratio, "held/wire")
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first one made free to be freed
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func memorySnapshot(turns, text int) protocol.Raw {
	var b bytes.Buffer
	b.WriteString(`{"resource":"ahp-chat:/c","title":"c","status":1,"modifiedAt":"2026-01-01T00:00:00.000Z","turns":[`)
	content := strings.Repeat("some answer text of moderate length ", text/36+1)[:text]
	for i := range turns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"t%d","message":{"text":"hello %d","origin":{"kind":"user"}},"state":"complete","responseParts":[{"kind":"markdown","id":"p%d","content":%q}]}`, i, i, i, content)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}
