package protocol

import (
	"reflect"
	"slices"
)

// ReduceAutomation folds an action into the catalogue of automations
// (specification: automation channel). It returns s itself where the action
// changes nothing.
func ReduceAutomation(_ Profile, s *AutomationState, a Action) *AutomationState {
	entries := s.Entries
	switch a := a.(type) {
	case *AutomationSet:
		if a.Automation == nil {
			return s
		}
		entries = upserted(entries, a.Automation, func(e *AutomationEntry) bool { return e.Resource == a.Automation.Resource })
	case *AutomationRemoved:
		entries, _ = without(entries, func(e *AutomationEntry) bool { return e.Resource == a.Resource })
	}
	if slices.Equal(entries, s.Entries) {
		return s
	}
	return changed(s, func(s *AutomationState) { s.Entries = entries })
}

// ReduceAutomationRun folds an action into the state of a run (specification:
// automation run channel). It returns s itself where the action changes nothing.
func ReduceAutomationRun(_ Profile, s *AutomationRunState, a Action) *AutomationRunState {
	switch a := a.(type) {
	case *AutomationRunLifecycleChanged:
		if a.Lifecycle == nil || reflect.DeepEqual(a.Lifecycle, s.Lifecycle) {
			return s
		}
		return changed(s, func(s *AutomationRunState) { s.Lifecycle = a.Lifecycle })
	case *AutomationRunSessionSet:
		if slices.Contains(s.Sessions, a.Session) {
			return s
		}
		return changed(s, func(s *AutomationRunState) { s.Sessions = appended(s.Sessions, a.Session) })
	case *AutomationRunSessionRemoved:
		sessions, ok := without(s.Sessions, func(u URI) bool { return u == a.Session })
		if !ok {
			return s
		}
		return changed(s, func(s *AutomationRunState) {
			s.Sessions = sessions
			if s.PrimarySession == a.Session {
				s.PrimarySession = ""
			}
		})
	case *AutomationRunPrimarySessionChanged:
		if s.PrimarySession == a.PrimarySession {
			return s
		}
		return changed(s, func(s *AutomationRunState) { s.PrimarySession = a.PrimarySession })
	}
	return s
}
