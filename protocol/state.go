package protocol

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// DecodeState reads a channel's state as the kind that was asked for; other
// kinds are held raw.
func DecodeState(kind ChannelKind, raw Raw) (ChannelState, error) {
	s := newState(kind)
	if s == nil {
		return &RawState{Value: raw.Clone()}, nil
	}
	if err := Unmarshal(raw, s); err != nil {
		return nil, err
	}
	return s, nil
}

// EncodeState writes a channel's state.
func EncodeState(s ChannelState) (Raw, error) {
	if raw, ok := s.(*RawState); ok {
		return raw.Value, nil
	}
	return Marshal(s)
}

// ProbeKind guesses the kind of a state that nobody asked for by its members.
func ProbeKind(raw Raw) ChannelKind {
	var has struct {
		Lifecycle   presence `json:"lifecycle"`
		Chats       presence `json:"chats"`
		Turns       presence `json:"turns"`
		Agents      presence `json:"agents"`
		Annotations presence `json:"annotations"`
		Files       presence `json:"files"`
		Content     presence `json:"content"`
		Claim       presence `json:"claim"`
		Root        presence `json:"root"`
		Recursive   presence `json:"recursive"`
		Entries     presence `json:"entries"`
		Automation  presence `json:"automation"`
		Sessions    presence `json:"sessions"`
		CanvasID    presence `json:"canvasId"`
	}
	if json.Unmarshal(raw, &has, lastWins) != nil {
		return ""
	}
	switch {
	case bool(has.Lifecycle && has.Chats):
		return SessionKind
	case bool(has.Turns):
		return ChatKind
	case bool(has.Agents):
		return RootKind
	case bool(has.Annotations):
		return AnnotationsKind
	case bool(has.Files):
		return ChangesetKind
	case bool(has.Content && has.Claim):
		return TerminalKind
	case bool(has.Root && has.Recursive):
		return ResourceWatchKind
	case bool(has.Entries):
		return AutomationKind
	case bool(has.Automation && has.Sessions):
		return AutomationRunKind
	case bool(has.CanvasID):
		return CanvasKind
	}
	return ""
}

// presence is whether a member is there.
type presence bool

// UnmarshalJSONFrom passes over the member.
func (p *presence) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = true
	return dec.SkipValue()
}
