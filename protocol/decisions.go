package protocol

import "slices"

// Decision is one way to switch a plugin or a server on or off.
type Decision struct {
	Scope     string
	Workspace URI   // of that scope alone
	On        *bool // nil: the decision of the scope is taken back
	Action    *SessionCustomizationToggled
	Then      bool // whether it is on once that is decided: a narrower scope may say otherwise
}

// maxWorkspaces bounds the directories that are offered.
const maxWorkspaces = 3

// Decisions are the ways to switch a server on or off, the one for the session first. Up to 0.7 that is the only one. From 0.8
// on there are those for each of the session's directories and for everything, and those that take a decision back by
// which the server is not as it is wanted. What a client has brought is decided for everything by that client alone.
func Decisions(v Version, s *SessionState, srv Server, on bool) []Decision {
	var list []Decision
	add := func(scope string, workspace URI, to *bool) {
		a, ok := Decide(v, srv.Customization, scope, workspace, to)
		if !ok {
			return
		}
		d := Decision{Scope: scope, Workspace: workspace, On: to, Action: a, Then: on}
		if a.Enabled == nil {
			d.Then = len(a.Enablement) == 0 || a.Enablement[0].Enabled
		}
		list = append(list, d)
	}
	add(ScopeSession, "", &on)
	if !v.AtLeast(V0_8_0) {
		return list
	}
	dirs := s.Directories()
	for _, dir := range dirs[:min(len(dirs), maxWorkspaces)] {
		add(ScopeWorkspace, dir, &on)
	}
	theirs := srv.Container != nil && srv.Container.ClientID != ""
	if !theirs {
		add(ScopeGlobal, "", &on)
	}
	for _, e := range srv.Enablement {
		known := slices.Contains([]string{ScopeSession, ScopeWorkspace, ScopeGlobal}, e.Kind)
		if known && e.Enabled != on && (e.Kind != ScopeGlobal || !theirs) && len(list) < 8 {
			add(e.Kind, e.URI, nil)
		}
	}
	return slices.DeleteFunc(list, func(d Decision) bool { return d.On == nil && d.Then != on })
}
