package tui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// TestMemoryOfALongChat: a hundred megabytes of a chat take less than as much again, however much of it was looked at.
func TestMemoryOfALongChat(t *testing.T) {
	const parts, size, most = 1000, 100_000, 200 << 20
	d := newDriver(t, viewtest.Colour(t), viewtest.Size{Width: 120, Height: 40}, func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		chat := *h.states[chatA].(*protocol.ChatState)
		for i := range parts {
			text := strings.Repeat(fmt.Sprintf("Paragraph of part %d with *some* words, as agents write them.\n\n", i), size/64)
			chat.Turns = append(chat.Turns, &protocol.Turn{
				ID: fmt.Sprint("old", i), Message: protocol.UserMessage("go on"), State: protocol.TurnComplete,
				ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartMarkdown, ID: fmt.Sprint("m", i), Content: protocol.Markdown(text)}},
			})
		}
		h.states[chatA] = &chat
		return h
	})
	d.key("tab")
	for range 500 {
		d.key("pgup")
	}
	d.key("home")
	for range 100 {
		d.key("pgdown")
	}
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	if mem.HeapAlloc > most {
		t.Errorf("%d MB in use", mem.HeapAlloc>>20)
	}
	runtime.KeepAlive(d)
	t.Logf("%d MB in use", mem.HeapAlloc>>20)
}
