package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// wireSnapshot is a chat of finished turns as a host sends it.
func wireSnapshot(turns int) Raw {
	var b strings.Builder
	b.WriteString(`{"resource":"ahp-chat:/c","title":"c","status":1,"modifiedAt":"2026-01-01T00:00:00.000Z","turns":[`)
	for i := range turns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"t%d","message":{"text":"hello %d","origin":{"kind":"user"}},"state":"complete","responseParts":[{"kind":"markdown","id":"p%d","content":"some answer text of moderate length"}]}`, i, i, i)
	}
	b.WriteString(`]}`)
	return Raw(b.String())
}

// BenchmarkSnapshotDecode decodes a chat snapshot of N turns.
func BenchmarkSnapshotDecode(b *testing.B) {
	for _, turns := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			raw := wireSnapshot(turns)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			var state ChannelState
			for b.Loop() {
				var err error
				if state, err = DecodeState(ChatKind, raw); err != nil {
					b.Fatal(err)
				}
			}
			chat := state.(*ChatState)
			if last := chat.Turns[len(chat.Turns)-1]; len(chat.Turns) != turns || last.ResponseParts[0].Content.String() != "some answer text of moderate length" {
				b.Fatalf("%d turns", len(chat.Turns))
			}
		})
	}
}
