package tui

import (
	"fmt"
	"time"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/toolcall"
	"ahptui/views/transcript"
)

// times is how long turns and tool calls have been running, and how long calls
// ran, of those that were seen running: the protocol does not tell, or by
// another clock. Calls are known by their turn and id.
type times struct {
	turns map[string]time.Time
	chat  protocol.URI // that the calls are of
	began map[callID]time.Time
	took  map[callID]safetext.Text
}

type callID struct{ turn, call string }

// The bounds of what is remembered.
const (
	maxTimes = 500 // calls of a chat
	maxTurns = 100
)

func newTimes() times {
	return times{turns: map[string]time.Time{}, began: map[callID]time.Time{}, took: map[callID]safetext.Text{}}
}

// observe looks at the chat on the screen.
func (t *times) observe(chat *protocol.ChatState, now time.Time) {
	if chat == nil {
		return
	}
	if chat.Resource != t.chat || len(t.took) > maxTimes || len(t.began) > maxTimes {
		t.chat = chat.Resource
		clear(t.began)
		clear(t.took)
	}
	if chat.ActiveTurn != nil {
		t.turn(chat.ActiveTurn.ID, now)
		t.calls(chat.ActiveTurn, now)
	}
	if n := len(chat.Turns); n > 0 && len(t.began) > 0 {
		t.calls(chat.Turns[n-1], now) // it may have ended together with its last call
	}
}

// turn is when a turn was first seen running; that is now, if it was not.
func (t *times) turn(id string, now time.Time) time.Time {
	began, ok := t.turns[id]
	if !ok {
		if len(t.turns) > maxTurns {
			clear(t.turns)
		}
		began = now
		t.turns[id] = now
	}
	return began
}

func (t *times) calls(turn *protocol.Turn, now time.Time) {
	for _, part := range turn.ResponseParts {
		call := part.ToolCall
		if part.Kind != protocol.PartToolCall || call == nil {
			continue
		}
		id := callID{turn.ID, call.ToolCallID}
		began, running := t.began[id]
		switch {
		case call.Status == protocol.ToolRunning && !running:
			t.began[id] = now
		case call.Status.Ended() && running:
			t.took[id] = took(now.Sub(began))
			delete(t.began, id)
		}
	}
}

// took words how long a call ran.
func took(d time.Duration) safetext.Text {
	switch {
	case d < time.Second:
		return own(fmt.Sprintf("%d ms", max(1, d.Milliseconds())))
	case d < time.Minute:
		return own(fmt.Sprintf("%.1f s", d.Seconds()))
	}
	return own(fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60))
}

// transcriptInput maps the chat on the screen.
func (m *Model) transcriptInput() transcript.Input {
	a := m.agents()
	return transcript.Input{
		Agents: a.chats, Started: a.started, AgentKey: m.keyName(keymap.AgentOpen),
		Chat: m.chat(), Empty: m.whyNoChat(), Stale: m.stale(), Now: m.clock.now, EndKey: m.keyName(keymap.MoveBottom),
		TakeKey: m.keyName(keymap.QueueTake), RemoveKey: m.keyName(keymap.TurnCancel),
		Keys: toolcall.Keys{
			Approve: m.keyName(keymap.CallApprove), Deny: m.keyName(keymap.CallDeny),
			Grant: m.keyName(keymap.AccessGrant),
			Edit:  m.keyName(keymap.CallEdit), Cancel: m.keyName(keymap.TurnCancel), Unfold: m.keyName(keymap.DetailToggle),
		},
		Clients: m.serversOf().clients, Fetched: m.fetches.have,
		Requests:    m.requestNotes(),
		RequestKeys: transcript.RequestKeys{Answer: m.keyName(keymap.RequestAnswer), Decline: m.keyName(keymap.CallDeny), Cancel: m.keyName(keymap.TurnCancel)},
		Servers:     m.serversOf().names, Notes: m.callNotes(), Older: m.olderWords(),
		Search: m.searchLine(),
	}
}

// callNotes tells of tool calls what their state does not: what became of
// answers, how long one waits, how long one ran.
func (m *Model) callNotes() map[string]toolcall.Note {
	chat := m.chat()
	if chat == nil {
		return nil
	}
	notes := make(map[string]toolcall.Note, len(m.times.took))
	for id, words := range m.times.took {
		notes[id.call] = toolcall.Note{Took: words}
	}
	m.addStories(func(call string, story safetext.Block) {
		note := notes[call]
		note.History = story
		notes[call] = note
	})
	for about := range m.granted {
		if about.channel == m.current.chat {
			note := notes[about.id]
			note.Granted = m.grantWords(about)
			notes[about.id] = note
		}
	}
	if chat.ActiveTurn == nil {
		return notes
	}
	for _, part := range chat.ActiveTurn.ResponseParts {
		call := part.ToolCall
		if part.Kind != protocol.PartToolCall || call == nil {
			continue
		}
		about := target{m.current.chat, call.ToolCallID}
		if call.Status.Ended() && !m.isPending(about) { // a denial is the end before the host says so
			continue
		}
		note := toolcall.Note{Pending: m.isPending(about), Refused: m.refusalOf(about, string(call.Status)).sentence(), Stale: m.stale()}
		note.Ends, note.History = m.ends(call), m.storyOf(chat.ActiveTurn.ID, call.ToolCallID)
		note.Access, note.Granted = m.accessNote(chat.ActiveTurn.ID, call), m.grantWords(about)
		if since, ok := m.times.began[callID{chat.ActiveTurn.ID, call.ToolCallID}]; ok && call.Status == protocol.ToolRunning {
			note.Since = m.clock.age(since)
		}
		notes[call.ToolCallID] = note
	}
	for _, b := range m.view.BlockedIn(m.current.session) {
		if b.ToolCall == nil || b.Chat != m.current.chat {
			continue
		}
		if since, ok := m.view.Ages.Since(b.ID); ok {
			note := notes[b.ToolCall.ToolCallID]
			note.Since = m.clock.age(since)
			notes[b.ToolCall.ToolCallID] = note
		}
	}
	return notes
}
