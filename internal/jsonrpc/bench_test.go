package jsonrpc

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// actionText is an action as a host streams them, of a usual size.
const actionText = `{"jsonrpc":"2.0","method":"action","params":{"channel":"ahp-chat://default/Y29waWxvdGNsaTovMDE5YTZjYjQtNzI5MS03YzRk",` +
	`"action":{"type":"chat/delta","turnId":"0199c6f2-7b7e-7c1a-9d2e-5f0b8f9f6a31","partId":"0199c6f2-7b7e-7c1a-9d2e-5f0b8f9f6a32",` +
	`"content":" the redirect that the login page makes once the session is there,\nso that \"back\" works"},"serverSeq":123456,` +
	`"origin":{"clientId":"0199c6f2-7b7e-7c1a-9d2e-5f0b8f9f6a30","clientSeq":17}}}`

// snapshotText is an answer of about a megabyte.
func snapshotText() string {
	turns := strings.Repeat(`{"id":"t","responseParts":[{"kind":"markdown","content":"`+strings.Repeat("some words and \\n ", 50)+`"}]},`, 1100)
	return `{"jsonrpc":"2.0","id":1,"result":{"snapshot":{"resource":"c","fromSeq":1,"state":{"turns":[` + turns + `null]}}}}`
}

func reportActions(b *testing.B, size int) {
	b.Helper()
	b.SetBytes(int64(size))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
}

func BenchmarkDispatch(b *testing.B) {
	for name, text := range map[string]string{"action": actionText, "snapshot": snapshotText()} {
		b.Run(name, func(b *testing.B) {
			mine, _ := Pipe()
			handled := 0
			p := New(mine, handlerFuncs{notification: func(string, jsontext.Value) { handled++ }}, Options{})
			msg := []byte(text)
			b.ReportAllocs()
			for b.Loop() {
				p.dispatch(msg)
			}
			reportActions(b, len(text))
			if name == "action" && handled != b.N {
				b.Fatalf("handled %d of %d", handled, b.N)
			}
		})
	}
}

// BenchmarkLimits looks at each byte of what may go over a limit, and of a deep message no further than that.
func BenchmarkLimits(b *testing.B) {
	limits := Limits{}.withDefaults()
	for name, text := range map[string][]byte{"snapshot": []byte(snapshotText()), "too deep": bytes.Repeat([]byte("["), 200_000)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if over := limits.check(text); (over != nil) != (name == "too deep") {
					b.Fatal(over)
				}
			}
		})
	}
}

// BenchmarkWebSocket is the whole way: one peer notifies, over loopback, the other handles.
func BenchmarkWebSocket(b *testing.B) {
	conns := make(chan *WebSocket, 1)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w, err := new(Upgrader).Upgrade(rw, r); err == nil {
			conns <- w
		}
	}))
	defer server.Close()
	client, err := Dial(b.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), DialOptions{})
	if err != nil {
		b.Fatal(err)
	}
	handled := make(chan struct{}, 1)
	count := 0
	receiver := New(client, handlerFuncs{notification: func(string, jsontext.Value) {
		if count++; count == b.N {
			handled <- struct{}{}
		}
	}}, Options{})
	sender := New(<-conns, handlerFuncs{}, Options{MaxQueuedMessages: 1 << 30})
	for _, p := range []*Peer{receiver, sender} {
		go func() { _ = p.Run(b.Context()) }()
	}
	params := jsontext.Value(actionText[strings.Index(actionText, `"params":`)+len(`"params":`) : len(actionText)-1])
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if err := sender.Notify("action", params); err != nil {
			b.Fatal(err)
		}
	}
	<-handled
	b.StopTimer()
	reportActions(b, len(actionText))
	sender.Close()
	for _, p := range []*Peer{receiver, sender} {
		<-p.Done()
	}
}
