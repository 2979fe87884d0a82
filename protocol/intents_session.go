package protocol

import (
	"cmp"
	"slices"
)

// Toggle is the action that switches a customization on or off. From 0.8 on it
// decides for the session and keeps the decisions of the other scopes.
func Toggle(v Version, c *Customization, on bool) *SessionCustomizationToggled {
	a, _ := Decide(v, c, ScopeSession, "", &on)
	return a
}

// Decide is the action that decides in one scope whether a customization is on;
// nil takes the decision of that scope back, so that the next scope's counts. The
// workspace is named for that scope alone. From 0.8 on the action carries the
// complete list, so the other scopes' decisions are kept; before there is one
// decision, the session's, and none to take back.
func Decide(v Version, c *Customization, scope string, workspace URI, on *bool) (a *SessionCustomizationToggled, ok bool) {
	if !v.AtLeast(V0_8_0) {
		if scope != ScopeSession || on == nil {
			return nil, false
		}
		return &SessionCustomizationToggled{ID: c.ID, Enabled: on}, true
	}
	decisions := []*Enablement{}
	if on != nil {
		decisions = append(decisions, &Enablement{Kind: scope, URI: workspace, Enabled: *on})
	}
	for _, e := range c.Enablement {
		if e.Kind != scope || scope == ScopeWorkspace && e.URI != workspace {
			decisions = append(decisions, e)
		}
	}
	slices.SortStableFunc(decisions, func(a, b *Enablement) int { return cmp.Compare(scopeOrder(a.Kind), scopeOrder(b.Kind)) })
	return &SessionCustomizationToggled{ID: c.ID, Enablement: decisions}, true
}

func scopeOrder(kind string) int {
	switch kind {
	case ScopeSession:
		return 0
	case ScopeWorkspace:
		return 1
	case ScopeGlobal:
		return 2
	}
	return 3
}

// CanToggle reports whether a version's hosts let this server be switched:
// 0.5.1 reaches only what stands at the top level and is a container.
func CanToggle(v Version, s Server) bool {
	return v.AtLeast(V0_5_2) || s.Container == nil && s.Type != TypeMcpServer
}

// StartServer is the action that starts a server, or starts it again (from 0.5.2).
func StartServer(v Version, id string) (a *SessionMcpServerStartRequested, ok bool) {
	if !v.AtLeast(V0_5_2) {
		return nil, false
	}
	return &SessionMcpServerStartRequested{ID: id}, true
}

// StopServer is the action that stops a server (from 0.5.2).
func StopServer(v Version, id string) (a *SessionMcpServerStopRequested, ok bool) {
	if !v.AtLeast(V0_5_2) {
		return nil, false
	}
	return &SessionMcpServerStopRequested{ID: id}, true
}

// BackgroundServer is the action that goes on without a server for which messages
// wait (from 1.0).
func BackgroundServer(v Version, c *Customization) (a *SessionMcpServerBackgroundRequested, ok bool) {
	if !v.AtLeast(V1_0_0) || !c.Blocks() {
		return nil, false
	}
	return &SessionMcpServerBackgroundRequested{ID: c.ID}, true
}

// AddDirectory is the action that adds a working directory to a session (from 0.7).
func AddDirectory(v Version, agent *AgentInfo, dir URI) (a *SessionWorkingDirectorySet, ok bool) {
	if set, _ := agent.MayChangeDirectories(); !set || !v.AtLeast(V0_7_0) {
		return nil, false
	}
	return &SessionWorkingDirectorySet{Directory: dir}, true
}

// RemoveDirectory is the action that takes a working directory from a session (from 0.7).
func RemoveDirectory(v Version, agent *AgentInfo, dir URI) (a *SessionWorkingDirectoryRemoved, ok bool) {
	if set, _ := agent.MayChangeDirectories(); !set || !v.AtLeast(V0_7_0) {
		return nil, false
	}
	return &SessionWorkingDirectoryRemoved{Directory: dir}, true
}

// ReplaceDirectory is the action that puts a working directory in the place of
// another, which may be the first (from 0.8).
func ReplaceDirectory(v Version, agent *AgentInfo, dir, replacement URI) (a *SessionWorkingDirectoryReplaced, ok bool) {
	if _, replace := agent.MayChangeDirectories(); !replace || !v.AtLeast(V0_8_0) {
		return nil, false
	}
	return &SessionWorkingDirectoryReplaced{Directory: dir, Replacement: replacement}, true
}

// AddChatDirectory is the action that gives a chat a directory of its session's
// (from 0.7). VS Code's host refuses it.
func AddChatDirectory(v Version, agent *AgentInfo, s *SessionState, dir URI) (a *ChatWorkingDirectorySet, ok bool) {
	if set, _ := agent.MayChangeDirectories(); !set || !v.AtLeast(V0_7_0) || !slices.Contains(s.Directories(), dir) {
		return nil, false
	}
	return &ChatWorkingDirectorySet{Directory: dir}, true
}

// RemoveChatDirectory is the action that takes a directory from a chat (from 0.7).
// VS Code's host refuses it.
func RemoveChatDirectory(v Version, agent *AgentInfo, dir URI) (a *ChatWorkingDirectoryRemoved, ok bool) {
	if set, _ := agent.MayChangeDirectories(); !set || !v.AtLeast(V0_7_0) {
		return nil, false
	}
	return &ChatWorkingDirectoryRemoved{Directory: dir}, true
}

// Review is the action that marks files of a changeset as reviewed or not (from 0.6).
func Review(v Version, c *Changeset, files []string, reviewed bool) (a *ChangesetFilesReviewChanged, ok bool) {
	if !v.AtLeast(V0_6_0) || !c.MayReview() {
		return nil, false
	}
	return &ChangesetFilesReviewChanged{Files: files, Reviewed: reviewed}, true
}

// Annotate is the action that adds an annotation or replaces it. Up to 0.8 it has
// to grow from a turn.
func Annotate(v Version, n *Annotation) (a *AnnotationsSet, ok bool) {
	a = At(v, &AnnotationsSet{Annotation: n})
	return a, a != nil
}

// MoveAnnotation is the action that gives an annotation another origin, another
// resource or another range, each where it is given.
func MoveAnnotation(v Version, id string, origin *AnnotationOrigin, resource URI, at *TextRange) *AnnotationsUpdated {
	return At(v, &AnnotationsUpdated{AnnotationID: id, Origin: origin, Resource: resource, Range: at})
}

// ResolveAnnotation is the action that marks an annotation as done with, or not.
func ResolveAnnotation(id string, resolved bool) *AnnotationsUpdated {
	return &AnnotationsUpdated{AnnotationID: id, Resolved: &resolved}
}

// JoinSession is the action that takes part in a session with tools and plugins.
func JoinSession(v Version, c *SessionActiveClient) *SessionActiveClientSet {
	return At(v, &SessionActiveClientSet{ActiveClient: c})
}
