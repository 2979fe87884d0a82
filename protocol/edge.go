package protocol

// The functions of this file are a host's edge: inside, one form of everything,
// that of 1.0; outside, for each client the form of the version negotiated with
// it. They share what they do not change and return what they got where nothing
// changes. At 0.10 the form is that of 0.9.

// StateAt is a channel's state, given in the form of 1.0, in the form of v.
func StateAt(v Version, s ChannelState) ChannelState {
	if v.AtLeast(V1_0_0) {
		return s
	}
	switch s := s.(type) {
	case *RootState:
		return At(v, s)
	case *SessionState:
		return At(v, s)
	case *ChatState:
		return At(v, s)
	case *TerminalState:
		return At(v, s)
	case *ChangesetState:
		return At(v, s)
	case *AnnotationsState:
		return At(v, s)
	case *AutomationState:
		return At(v, s)
	}
	return s
}

// ActionAt is an action, given in the form of 1.0, in the form of v. It is nil
// where v has no word for it: a client of that version is told nothing, and sees
// the effect, as far as it can, with its next snapshot.
func ActionAt(v Version, a Action) Action {
	if _, unknown := a.(*UnknownAction); unknown {
		return a
	}
	a = former{v, formPlan()}.action(a)
	if a == nil || !KnownAt(v, a.ActionType()) {
		return nil
	}
	return a
}

// SummaryAt is an entry of the session list, given in the form of 1.0, in the
// form of v.
func SummaryAt(v Version, s *SessionSummary) *SessionSummary { return At(v, s) }
