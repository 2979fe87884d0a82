package protocol

import "reflect"

// ReduceTerminal folds an action into a terminal's state (specification: terminal
// channel). It returns s itself where the action changes nothing.
func ReduceTerminal(p Profile, s *TerminalState, a Action) *TerminalState {
	switch a := a.(type) {
	case *TerminalData:
		return appendOutput(s, a.Data)
	case *TerminalResized:
		if equal(s.Cols, &a.Cols) && equal(s.Rows, &a.Rows) {
			return s
		}
		return changed(s, func(s *TerminalState) { s.Cols, s.Rows = &a.Cols, &a.Rows })
	case *TerminalClaimed:
		if a.Claim == nil || reflect.DeepEqual(s.Claim, a.Claim) {
			return s
		}
		return changed(s, func(s *TerminalState) { s.Claim = a.Claim })
	case *TerminalTitleChanged:
		if s.Title == a.Title {
			return s
		}
		return changed(s, func(s *TerminalState) { s.Title = a.Title })
	case *TerminalCwdChanged:
		if s.Cwd == a.Cwd {
			return s
		}
		return changed(s, func(s *TerminalState) { s.Cwd = a.Cwd })
	case *TerminalExited:
		return exitTerminal(p, s, a.ExitCode)
	case *TerminalCleared:
		if len(s.Content) == 0 {
			return s
		}
		return changed(s, func(s *TerminalState) { s.Content = []*TerminalPart{} })
	case *TerminalCommandDetectionAvailable:
		return detectsCommands(s)
	case *TerminalCommandExecuted:
		return changed(detectsCommands(s), func(s *TerminalState) {
			s.Content = appended(s.Content, &TerminalPart{
				Type: TerminalCommand, CommandID: a.CommandID, CommandLine: NewText("").Append(a.CommandLine), Output: NewText(""),
				Timestamp: a.Timestamp, IsComplete: new(false),
			})
		})
	case *TerminalCommandFinished:
		return finishCommand(s, a)
	}
	return s
}

// appendOutput grows the command that is running or the unclassified output at
// the end of the content, or opens a new part.
func appendOutput(s *TerminalState, data Text) *TerminalState {
	if last := len(s.Content) - 1; last >= 0 {
		part := s.Content[last]
		grows := part.Type == TerminalUnclassified || part.Running()
		switch {
		case grows && data.Len() == 0:
			return s
		case grows:
			return changed(s, func(s *TerminalState) { s.Content = replaced(s.Content, last, part.grown(data)) })
		}
	}
	return changed(s, func(s *TerminalState) {
		s.Content = appended(s.Content, &TerminalPart{Type: TerminalUnclassified, Value: NewText("").Append(data)})
	})
}

func (p *TerminalPart) grown(data Text) *TerminalPart {
	return changed(p, func(p *TerminalPart) {
		if p.Type == TerminalCommand {
			p.Output = p.Output.Append(data)
		} else {
			p.Value = p.Value.Append(data)
		}
	})
}

// exitTerminal writes the end where the version has it.
func exitTerminal(p Profile, s *TerminalState, code *int) *TerminalState {
	if !p.hasTerminalLifecycle() {
		if equal(s.ExitCode, code) {
			return s
		}
		return changed(s, func(s *TerminalState) { s.ExitCode = code })
	}
	if l := s.Lifecycle; l != nil && l.Status == TerminalEnded && equal(l.ExitCode, code) && l.Extra == nil {
		return s
	}
	return changed(s, func(s *TerminalState) { s.Lifecycle = &TerminalLifecycle{Status: TerminalEnded, ExitCode: code} })
}

func detectsCommands(s *TerminalState) *TerminalState {
	if s.SupportsCommandDetection != nil && *s.SupportsCommandDetection {
		return s
	}
	return changed(s, func(s *TerminalState) { s.SupportsCommandDetection = new(true) })
}

// finishCommand completes every part of the command.
func finishCommand(s *TerminalState, a *TerminalCommandFinished) *TerminalState {
	content := mapped(s.Content, func(p *TerminalPart) *TerminalPart {
		same := !p.Running() && equal(p.ExitCode, a.ExitCode) && equal(p.DurationMs, a.DurationMs)
		if p.Type != TerminalCommand || p.CommandID != a.CommandID || same {
			return p
		}
		return changed(p, func(p *TerminalPart) {
			p.IsComplete, p.ExitCode, p.DurationMs = new(true), a.ExitCode, a.DurationMs
		})
	})
	if sameList(content, s.Content) {
		return s
	}
	return changed(s, func(s *TerminalState) { s.Content = content })
}
