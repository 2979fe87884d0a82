package protocol

import "strings"

// ChannelKind tells which reducer and which state type belong together.
type ChannelKind string

// The kinds of channels with a reducer here.
const (
	RootKind          ChannelKind = "root"
	SessionKind       ChannelKind = "session"
	ChatKind          ChannelKind = "chat"
	TerminalKind      ChannelKind = "terminal"
	ChangesetKind     ChannelKind = "changeset"
	AnnotationsKind   ChannelKind = "annotations"
	ResourceWatchKind ChannelKind = "resourceWatch"
	AutomationKind    ChannelKind = "automation"
	AutomationRunKind ChannelKind = "automationRun"
	CanvasKind        ChannelKind = "canvas"
)

// ChannelKinds lists the kinds of channels with a reducer here.
func ChannelKinds() []ChannelKind {
	return []ChannelKind{
		RootKind, SessionKind, ChatKind, TerminalKind, ChangesetKind, AnnotationsKind, ResourceWatchKind,
		AutomationKind, AutomationRunKind, CanvasKind,
	}
}

// KindOfAction is the kind of channel an action type belongs to: its prefix.
func KindOfAction(actionType string) ChannelKind {
	prefix, _, _ := strings.Cut(actionType, "/")
	return ChannelKind(prefix)
}

// ChannelState is the state of a channel: of the type that belongs to its kind,
// or *RawState for a channel without a reducer here.
type ChannelState interface{ channelState() }

func (*RootState) channelState()          {}
func (*SessionState) channelState()       {}
func (*ChatState) channelState()          {}
func (*TerminalState) channelState()      {}
func (*ChangesetState) channelState()     {}
func (*AnnotationsState) channelState()   {}
func (*ResourceWatchState) channelState() {}
func (*AutomationState) channelState()    {}
func (*AutomationRunState) channelState() {}
func (*CanvasState) channelState()        {}
func (*RawState) channelState()           {}

// RawState is the state of a channel of a kind not known here, as it came.
type RawState struct{ Value Raw }

// newState is an empty state of a kind, or nil for a kind not known here.
func newState(kind ChannelKind) ChannelState {
	switch kind {
	case RootKind:
		return new(RootState)
	case SessionKind:
		return new(SessionState)
	case ChatKind:
		return new(ChatState)
	case TerminalKind:
		return new(TerminalState)
	case ChangesetKind:
		return new(ChangesetState)
	case AnnotationsKind:
		return new(AnnotationsState)
	case ResourceWatchKind:
		return new(ResourceWatchState)
	case AutomationKind:
		return new(AutomationState)
	case AutomationRunKind:
		return new(AutomationRunState)
	case CanvasKind:
		return new(CanvasState)
	}
	return nil
}

// Reduce folds an action into a state with the reducer of the state's type. An
// action of another channel's, or of no known type, returns the state it got.
func Reduce(p Profile, s ChannelState, a Action) ChannelState {
	switch s := s.(type) {
	case *RootState:
		return ReduceRoot(p, s, a)
	case *SessionState:
		return ReduceSession(p, s, a)
	case *ChatState:
		return ReduceChat(p, s, a)
	case *TerminalState:
		return ReduceTerminal(p, s, a)
	case *ChangesetState:
		return ReduceChangeset(p, s, a)
	case *AnnotationsState:
		return ReduceAnnotations(p, s, a)
	case *AutomationState:
		return ReduceAutomation(p, s, a)
	case *AutomationRunState:
		return ReduceAutomationRun(p, s, a)
	case *CanvasState:
		return ReduceCanvas(p, s, a)
	}
	return s
}
