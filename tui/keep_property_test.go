package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ahptui/ahpclient"
	"ahptui/config"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

// writer drives programs, one after the other on one host, in which somebody writes whatever happens.
type writer struct {
	*driver
	rt        *rapid.T
	t         *testing.T
	words     []string // that were typed
	delivered strings.Builder
	open      []*request
	seen      int
}

// TestNothingIsLost: whatever is typed, sent, looked up and taken back, whatever the host, its other clients and the connection do, and however
// often the program is killed, each word that was typed is in the composer, or kept for one, or was sent and not refused.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &writer{rt: rt, t: t}
		w.driver = newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 30}, busyHost)
		w.drafts = config.DraftsIn(t.TempDir())
		w.m.opts.Drafts, w.m.conn.KeepAs = w.drafts, "ws://127.0.0.1:1/"
		w.m.draftsFound(keptFor(w.m.conn.KeepAs, w.drafts))
		steps := map[string]func(){
			"write": w.anyWord, "write more": w.anyWord, "key": w.anyKey, "settle": w.anySettle, "connection": w.anyConnection, "draft": w.anyDraft,
			"go": w.anyChat, "take back": w.anyTakeBack, "wait": w.wait, "end of turn": w.anyEnd, "killed": w.killed, "prompt": w.anyPrompt,
		}
		names := slices.Sorted(maps.Keys(steps))
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			steps[rapid.SampledFrom(names).Draw(rt, "step")]()
			w.check()
		}
	})
}

// check looks for all words.
func (w *writer) check() {
	w.open = append(w.open, w.host.asked[w.seen:]...)
	w.seen = len(w.host.asked)
	var all strings.Builder
	all.WriteString(w.delivered.String())
	all.WriteString(w.m.composer.Value())
	all.WriteString(w.m.unsent().text)
	for _, x := range w.m.drafts.kept {
		all.WriteString(x.text)
	}
	for _, x := range w.m.drafts.loose {
		all.WriteString(x.text)
	}
	for _, r := range w.host.asked {
		if o, ok := r.Outcome(); !ok || o.Kind == ahpclient.Accepted {
			all.WriteString(spoken(r.Action))
		}
	}
	for _, word := range w.words {
		if !strings.Contains(all.String(), word) {
			w.rt.Fatalf("%q is lost; there is %q\n%s", word, all.String(), w.screen())
		}
	}
}

// spoken is the message that is sent by an action.
func spoken(a protocol.Action) string {
	switch a := a.(type) {
	case *protocol.ChatTurnStarted:
		return a.Message.Text.String()
	case *protocol.ChatPendingMessageSet:
		return a.Message.Text.String()
	}
	return ""
}

func (w *writer) anyWord() {
	if w.m.place() != keymap.Composer {
		w.key("i")
	}
	if w.m.place() != keymap.Composer {
		return
	}
	word := fmt.Sprintf("<%d>", len(w.words))
	w.words = append(w.words, word)
	w.write(word)
}

// anyKey presses a key that removes nothing.
func (w *writer) anyKey() {
	keys := []string{"enter", "ctrl+s", "esc", "up", "up", "down", "ctrl+j", "ctrl+g", "f1", "home", "end"}
	if w.m.place() != keymap.Composer {
		keys = []string{"esc", "tab", "i", "i", "up", "down", "a", "n", "alt+up"}
	}
	w.key(rapid.SampledFrom(keys).Draw(w.rt, "key"))
}

func (w *writer) anySettle() {
	if len(w.open) == 0 {
		return
	}
	r := w.open[0]
	w.open = w.open[1:]
	if _, ok := r.Outcome(); ok {
		return
	}
	kind := rapid.SampledFrom([]ahpclient.OutcomeKind{ahpclient.Accepted, ahpclient.Rejected, ahpclient.Expired, ahpclient.Unknown}).Draw(w.rt, "outcome")
	w.host.settle(r, ahpclient.Outcome{Kind: kind, Reason: "because"})
	w.look()
}

func (w *writer) anyConnection() {
	if w.m.stale() {
		w.host.restore()
	} else {
		w.host.drop(errGone)
	}
	w.look()
}

// anyDraft is what another client writes: something else, more, or nothing.
func (w *writer) anyDraft() {
	chat := rapid.SampledFrom([]protocol.URI{chatA, chatB}).Draw(w.rt, "chat")
	text := rapid.SampledFrom([]string{"", "theirs", "theirs and more", "before " + w.m.composer.Value() + " after"}).Draw(w.rt, "draft")
	var draft *protocol.Message
	if text != "" {
		draft = protocol.UserMessage(text)
	}
	w.host.act(chat, &protocol.ChatDraftChanged{Draft: draft})
	w.look()
}

func (w *writer) anyChat() {
	if w.m.top() == nil {
		w.visit(rapid.SampledFrom([]protocol.URI{sessionA, sessionB}).Draw(w.rt, "session"))
	}
}

// anyTakeBack takes the last message back that waits.
func (w *writer) anyTakeBack() {
	if w.m.top() != nil || w.m.focus == keymap.Composer {
		return
	}
	w.m.setFocus(keymap.Transcript)
	w.key("end", "up")
	if w.m.transcript.Selected().Kind == transcript.Pending {
		w.key("u")
	}
}

func (w *writer) anyEnd() {
	if turn := w.host.states[chatA].(*protocol.ChatState).ActiveTurn; turn != nil {
		w.host.act(chatA, &protocol.ChatTurnComplete{TurnID: turn.ID})
		w.look()
	}
}

func (w *writer) anyPrompt() {
	if turn := w.host.states[chatA].(*protocol.ChatState).ActiveTurn; turn != nil && turn.ID == "t1" {
		w.host.ask(fmt.Sprintf("c%d", w.clock.UnixNano()), "{}")
		w.look()
	}
}

// wait lets so much time pass that drafts are shared and kept.
func (w *writer) wait() {
	w.pass(time.Second)
	w.send(shareMsg{w.m.current.chat})
	if cmd := w.m.save(); cmd != nil {
		w.send(cmd())
	}
	w.look()
}

// killed ends the program without a word, a moment after something was typed, and starts another. What was under way has
// arrived at the host, or not.
func (w *writer) killed() {
	w.wait()
	for _, r := range w.host.asked {
		o, ok := r.Outcome()
		if ok && o.Kind == ahpclient.Accepted || !ok && rapid.Bool().Draw(w.rt, "arrived") {
			w.delivered.WriteString(spoken(r.Action))
			if !ok {
				w.host.states[r.Channel] = protocol.Reduce(w.host.profile(), w.host.states[r.Channel], r.Action)
			}
		}
	}
	host, drafts, clock := w.host, w.drafts, w.clock
	for _, c := range host.open {
		c.pending = nil
	}
	host.asked, w.open, w.seen = nil, nil, 0
	host.restore()
	w.driver = &driver{t: w.t, clock: clock, drafts: drafts}
	w.start(viewtest.Plain(w.t), viewtest.Size{Width: 100, Height: 30}, func(func() time.Time) *fakeHost { return host }, func() time.Time { return w.clock })
	w.send(keptFor(w.m.conn.KeepAs, drafts))
	w.look()
}
