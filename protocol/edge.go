package protocol

// The functions of this file are a host's edge: inside, one form of everything,
// that of 0.9; outside, for each client the form of the version negotiated with
// it. They share what they do not change and return what they got where nothing
// changes.

// StateAt is a channel's state, given in the form of 0.9, in the form of v.
func StateAt(v Version, s ChannelState) ChannelState {
	if v.AtLeast(V0_9_0) {
		return s
	}
	switch s := s.(type) {
	case *RootState:
		return changed(s, func(s *RootState) { s.Agents = agentsAt(v, s.Agents) })
	case *SessionState:
		return sessionAt(v, s)
	case *ChatState:
		return chatAt(v, s)
	}
	return s
}

// ActionAt is an action, given in the form of 0.9, in the form of v.
func ActionAt(v Version, a Action) Action {
	if v.AtLeast(V0_9_0) {
		return a
	}
	switch a := a.(type) {
	case *RootAgentsChanged:
		return &RootAgentsChanged{Agents: agentsAt(v, a.Agents)}
	case *SessionChatAdded:
		return &SessionChatAdded{Summary: chatSummaryAt(v, a.Summary)}
	case *SessionActiveClientSet:
		return &SessionActiveClientSet{ActiveClient: activeClientAt(v, a.ActiveClient)}
	case *SessionCustomizationsChanged:
		return &SessionCustomizationsChanged{Customizations: customizationsAt(v, a.Customizations)}
	case *SessionCustomizationUpdated:
		return &SessionCustomizationUpdated{Customization: customizationAt(v, a.Customization)}
	case *SessionCustomizationToggled:
		return toggleAt(v, a)
	case *ChatTurnsLoaded:
		return &ChatTurnsLoaded{Turns: turnsAt(v, a.Turns), TurnsNextCursor: a.TurnsNextCursor}
	case *ChatError:
		return errorAt(a)
	}
	return a
}

// SummaryAt is an entry of the session list, given in the form of 0.9, in the
// form of v.
func SummaryAt(v Version, s *SessionSummary) *SessionSummary {
	if v.AtLeast(V0_7_0) || s == nil {
		return s
	}
	return changed(s, func(s *SessionSummary) { s.WorkingDirectory, s.WorkingDirectories = oneDirectory(s.WorkingDirectories) })
}

func sessionAt(v Version, s *SessionState) *SessionState {
	return changed(s, func(s *SessionState) {
		if s.Lifecycle == LifecycleFailed {
			s.Lifecycle = LifecycleCreationFailed
		}
		s.Customizations = customizationsAt(v, s.Customizations)
		s.ActiveClients = mapped(s.ActiveClients, func(c *SessionActiveClient) *SessionActiveClient { return activeClientAt(v, c) })
		if !v.AtLeast(V0_7_0) {
			s.WorkingDirectory, s.WorkingDirectories = oneDirectory(s.WorkingDirectories)
			s.Chats = mapped(s.Chats, func(c *ChatSummary) *ChatSummary { return chatSummaryAt(v, c) })
		}
	})
}

func chatAt(v Version, s *ChatState) *ChatState {
	return changed(s, func(s *ChatState) {
		s.Turns = turnsAt(v, s.Turns)
		if !v.AtLeast(V0_7_0) {
			s.WorkingDirectory, s.WorkingDirectories = oneDirectory(s.WorkingDirectories)
		}
	})
}

func chatSummaryAt(v Version, c *ChatSummary) *ChatSummary {
	if v.AtLeast(V0_7_0) || c == nil {
		return c
	}
	return changed(c, func(c *ChatSummary) { c.WorkingDirectory, c.WorkingDirectories = oneDirectory(c.WorkingDirectories) })
}

// oneDirectory is what of several directories can be said up to 0.6.
func oneDirectory(dirs []URI) (one URI, many []URI) {
	if len(dirs) == 0 {
		return "", nil
	}
	return dirs[0], nil
}

func agentsAt(v Version, list []*AgentInfo) []*AgentInfo {
	return mapped(list, func(a *AgentInfo) *AgentInfo {
		if a.Customizations == nil {
			return a
		}
		return changed(a, func(a *AgentInfo) { a.Customizations = customizationsAt(v, a.Customizations) })
	})
}

func activeClientAt(v Version, c *SessionActiveClient) *SessionActiveClient {
	if c == nil || c.Customizations == nil {
		return c
	}
	return changed(c, func(c *SessionActiveClient) { c.Customizations = customizationsAt(v, c.Customizations) })
}

func customizationsAt(v Version, list []*Customization) []*Customization {
	return mapped(list, func(c *Customization) *Customization { return customizationAt(v, c) })
}

// customizationAt: up to 0.7 plugins and servers have one decision, which is
// always there.
func customizationAt(v Version, c *Customization) *Customization {
	if v.AtLeast(V0_8_0) || c == nil || c.Type != TypePlugin && c.Type != TypeMcpServer && c.Children == nil {
		return c
	}
	return changed(c, func(c *Customization) {
		if c.Type == TypePlugin || c.Type == TypeMcpServer {
			on := c.On()
			c.Enabled, c.Enablement = &on, nil
		}
		c.Children = customizationsAt(v, c.Children)
	})
}

func toggleAt(v Version, a *SessionCustomizationToggled) *SessionCustomizationToggled {
	if v.AtLeast(V0_8_0) || a.Enablement == nil && a.Enabled != nil {
		return a
	}
	on := len(a.Enablement) == 0 || a.Enablement[0].Enabled
	return &SessionCustomizationToggled{ID: a.ID, Enabled: &on}
}

// turnsAt: up to 0.8 a turn's error stands beside its parts.
func turnsAt(_ Version, turns []*Turn) []*Turn {
	return mapped(turns, func(t *Turn) *Turn {
		failure, _ := t.Failure()
		if failure == nil || t.Error != nil {
			return t
		}
		return changed(t, func(t *Turn) {
			last := len(t.ResponseParts) - 1
			t.Error, t.ResponseParts = failure, t.ResponseParts[:last:last]
		})
	})
}

func errorAt(a *ChatError) *ChatError {
	if a.Part == nil {
		return a
	}
	return changed(a, func(a *ChatError) { a.Error, a.Part = a.Part.Error, nil })
}

// mapped applies f to every element. A nil list stays nil, and a list in which
// nothing changes stays the list it is.
func mapped[T comparable](list []T, f func(T) T) []T {
	var fresh []T
	for i, item := range list {
		other := f(item)
		if other != item && fresh == nil {
			fresh = append(make([]T, 0, len(list)), list[:i]...)
		}
		if fresh != nil {
			fresh = append(fresh, other)
		}
	}
	if fresh == nil {
		return list
	}
	return fresh
}
