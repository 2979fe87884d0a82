package protocol

// DecodeState reads a channel's state as the kind that was asked for; other
// kinds are held raw.
func DecodeState(kind ChannelKind, raw Raw) (ChannelState, error) {
	switch kind {
	case RootKind:
		return decodeInto(raw, new(RootState))
	case SessionKind:
		return decodeInto(raw, new(SessionState))
	case ChatKind:
		return decodeInto(raw, new(ChatState))
	}
	return &RawState{Value: raw.Clone()}, nil
}

func decodeInto[S ChannelState](raw Raw, s S) (ChannelState, error) {
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
	var members map[string]Raw
	if Unmarshal(raw, &members) != nil {
		return ""
	}
	has := func(name string) bool { _, ok := members[name]; return ok }
	switch {
	case has("lifecycle") && has("chats"):
		return SessionKind
	case has("turns"):
		return ChatKind
	case has("agents"):
		return RootKind
	}
	return ""
}
