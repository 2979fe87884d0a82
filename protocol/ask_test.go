package protocol

// askAll asks the state all there is to ask; it must not fail whatever it holds.
func askAll(s ChannelState) {
	switch s := s.(type) {
	case *RootState:
		for _, a := range s.Agents {
			askAgent(a)
		}
		for _, i := range s.Terminals {
			i.Exited()
		}
		askConfig(s.Config)
	case *SessionState:
		askSession(s)
	case *ChatState:
		askChat(s)
	case *TerminalState:
		s.Exited()
		for _, p := range s.Content {
			_ = p.Text().String()
			p.Running()
		}
	case *ChangesetState:
		_, _ = s.Status.HasFiles(), s.Status.Working()
		for _, f := range s.Files {
			f.IsReviewed()
		}
	case *AnnotationsState:
		for _, a := range s.Annotations {
			a.Anchor("p:/1")
			Annotate(V0_8_0, a)
		}
	case *AutomationRunState:
		if s.Lifecycle != nil {
			_ = s.Lifecycle.Status.Ended()
		}
	}
}

func askAgent(a *AgentInfo) {
	NewFork(V1_0_0, a, "p:/1", "c:/2", "c:/1", "t")
	NewSideChat(V1_0_0, a, "p:/1", "c:/2", "c:/1", "t", nil)
	ReplaceDirectory(V1_0_0, a, "a", "b")
	a.MayHaveChats()
	for _, m := range a.Models {
		m.Usable()
		ConfigProperties(m.ConfigSchema)
	}
}

func askConfig(c *Config) {
	for _, p := range c.Properties() {
		p.Check(c.Values[p.Name])
		for i := range p.Enum {
			p.Label(i)
		}
	}
}

func askSession(s *SessionState) {
	chats := map[URI]*ChatState{"ahp-chat:/1": {Resource: "ahp-chat:/1"}}
	for _, srv := range Servers(s) {
		srv.Effective()
		srv.State.Requirement()
		ServerByID(s, srv.ID)
		Toggle(V1_0_0, srv.Customization, false)
		Decide(V1_0_0, srv.Customization, ScopeWorkspace, "file:///w", nil)
		BackgroundServer(V1_0_0, srv.Customization)
		srv.App().Serves("tools/list")
		srv.App().Forwards("notifications/tools/list_changed")
	}
	for _, tool := range s.ServerTools {
		tool.Annotations.Destructive()
		tool.Annotations.OpenWorld()
		tool.Annotations.Idempotent()
	}
	for _, c := range s.Changesets {
		c.Needs()
		Review(V1_0_0, c, nil, true)
	}
	for _, c := range s.Chats {
		c.TitleIn(s)
		c.Directories()
	}
	for _, r := range s.InputNeeded {
		if r.Request != nil {
			r.Request.Check(nil)
		}
	}
	Unparsed(s)
	AgeKeys("s", s, nil)
	AgeKeys("s", s, chats)
	s.Activity()
	s.Directories()
	s.MainChat()
	askConfig(s.Config)
}

func askChat(s *ChatState) {
	session := &SessionState{Chats: []*ChatSummary{{Resource: "ahp-chat:/1"}}}
	for _, b := range Blocked("s", session, map[URI]*ChatState{"ahp-chat:/1": s}) {
		if b.ToolCall != nil {
			Approve(b.TurnID, b.ToolCall)
			CancelCall(b.TurnID, b.ToolCall)
		}
		if b.Input != nil {
			b.Input.Check(nil)
			Answer(b.Input, ResponseAccept, nil)
		}
	}
	ResumeTurn(V1_0_0, s)
	s.Directories()
	turns := s.Turns
	if s.ActiveTurn != nil {
		turns = append(turns[:len(turns):len(turns)], s.ActiveTurn)
	}
	for _, turn := range turns {
		turn.Failure()
		for _, p := range turn.ResponseParts {
			if p.ToolCall != nil {
				p.ToolCall.Risk()
				p.ToolCall.Purpose()
				for _, c := range p.ToolCall.Content {
					c.Terminal()
					c.Edit()
				}
			}
		}
	}
}
