package tui

import (
	"strings"
	"time"

	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// stories are what became of tool calls that waited for a person, as far as this
// program has seen it: the protocol keeps the latest decision, but not who made it,
// nor when.
type stories struct {
	chat protocol.URI // that the calls are of
	of   map[callID]*story
}

// story is what became of one call.
type story struct {
	status protocol.ToolCallStatus // as it was last seen
	mine   protocol.Action         // the answer from here that the host has taken
	lines  []string
	block  safetext.Block // of the lines
}

// The bounds of what is remembered.
const (
	maxStories   = 300 // calls of a chat
	maxStoryLine = 200 // columns
	maxStory     = 20  // lines
)

func (s *stories) at(id callID) *story {
	st := s.of[id]
	if st == nil {
		st = &story{}
		s.of[id] = st
	}
	return st
}

// tookAnswer notes that the host has taken an answer from here.
func (m *Model) tookAnswer(channel protocol.URI, a protocol.Action) {
	if channel != m.stories.chat {
		return
	}
	switch a := a.(type) {
	case *protocol.ChatToolCallConfirmed:
		m.stories.at(callID{a.TurnID, a.ToolCallID}).mine = a
	case *protocol.ChatToolCallResultConfirmed:
		m.stories.at(callID{a.TurnID, a.ToolCallID}).mine = a
	}
}

// followStories looks at the calls of the turn that runs, or has just ended.
func (m *Model) followStories() {
	chat := m.chat()
	if chat == nil {
		return
	}
	if chat.Resource != m.stories.chat || len(m.stories.of) > maxStories {
		m.stories = stories{chat: chat.Resource, of: map[callID]*story{}}
	}
	if n := len(chat.Turns); chat.ActiveTurn == nil && n > 0 && len(m.stories.of) > 0 {
		m.followTurn(chat.Turns[n-1])
	}
	if chat.ActiveTurn != nil {
		m.followTurn(chat.ActiveTurn)
	}
}

func (m *Model) followTurn(turn *protocol.Turn) {
	for _, part := range turn.ResponseParts {
		call := part.ToolCall
		if part.Kind != protocol.PartToolCall || call == nil {
			continue
		}
		id := callID{turn.ID, call.ToolCallID}
		known := m.stories.of[id] != nil
		if !known && !isDecision(call.Status) || m.isPending(target{m.stories.chat, call.ToolCallID}) {
			continue
		}
		st := m.stories.at(id)
		if st.status == call.Status {
			continue
		}
		if words := st.words(call); words != "" && len(st.lines) < maxStory {
			st.lines = append(st.lines, m.clock.now.Format(time.TimeOnly)+"  "+words)
			st.block = safetext.CleanBlock(strings.Join(st.lines, "\n"), maxStory*maxStoryLine)
		}
		st.status, st.mine = call.Status, nil
	}
}

// isDecision reports whether a person has to decide in a status.
func isDecision(s protocol.ToolCallStatus) bool {
	return s == protocol.ToolPendingConfirmation || s == protocol.ToolPendingResultConfirmation
}

// words says what happened to a call that is in another status now.
func (st *story) words(call *protocol.ToolCall) string {
	switch {
	case call.Status == protocol.ToolPendingConfirmation && st.status == protocol.ToolPendingResultConfirmation:
		return ""
	case call.Status == protocol.ToolPendingConfirmation:
		return "asked whether it may run"
	case call.Status == protocol.ToolPendingResultConfirmation:
		return "asked whether the result may be used"
	case st.status == protocol.ToolPendingConfirmation:
		return st.confirmed(call)
	case st.status == protocol.ToolPendingResultConfirmation:
		return st.resultConfirmed(call)
	}
	return ""
}

func (st *story) confirmed(call *protocol.ToolCall) string {
	by := "in another client"
	edited := false
	if a, ok := st.mine.(*protocol.ChatToolCallConfirmed); ok {
		by, edited = "by you", a.EditedToolInput != nil
	}
	var words string
	switch {
	case call.Status == protocol.ToolCancelled && call.Reason == "denied":
		words = "denied " + by
	case call.Status == protocol.ToolCancelled:
		return "nobody answered before the turn ended"
	case call.Confirmed == "user-action":
		words = "approved " + by
	case call.Confirmed == "setting":
		words = "approved by a setting"
	default:
		return "went on without an answer"
	}
	if o := call.SelectedOption; o != nil && o.Label != "" {
		words += ": " + o.Label
	}
	if edited {
		words += ", with another input"
	}
	return words
}

func (st *story) resultConfirmed(call *protocol.ToolCall) string {
	by := "in another client"
	if _, ok := st.mine.(*protocol.ChatToolCallResultConfirmed); ok {
		by = "by you"
	}
	switch {
	case call.Status == protocol.ToolCompleted:
		return "result approved " + by
	case call.Reason == "result-denied":
		return "result refused " + by
	}
	return "nobody answered before the turn ended"
}

// storyOf is the story of a call, a line each.
func (m *Model) storyOf(turn, call string) safetext.Block {
	if st := m.stories.of[callID{turn, call}]; st != nil {
		return st.block
	}
	return safetext.Block{}
}

// addStories adds to the notes what became of calls.
func (m *Model) addStories(each func(call string, story safetext.Block)) {
	if m.stories.chat != m.current.chat {
		return
	}
	for id := range m.stories.of {
		if story := m.storyOf(id.turn, id.call); !story.Empty() {
			each(id.call, story)
		}
	}
}
