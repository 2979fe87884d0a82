package protocol

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
)

// ReduceSession folds an action into a session's state (specification: session
// channel). It returns s itself where the action changes nothing.
func ReduceSession(p Profile, s *SessionState, a Action) *SessionState {
	switch a := a.(type) {
	case *SessionReady:
		return setLifecycle(s, LifecycleReady, s.CreationError)
	case *SessionCreationFailed:
		return setLifecycle(s, p.failedLifecycle(), a.Error)
	case *SessionTitleChanged:
		if s.Title == a.Title {
			return s
		}
		return changed(s, func(s *SessionState) { s.Title = a.Title })
	case *SessionIsReadChanged:
		return setStatus(s, s.Status.With(StatusRead, a.IsRead))
	case *SessionIsArchivedChanged:
		return setStatus(s, s.Status.With(StatusArchived, a.IsArchived))
	case *SessionActivityChanged:
		if s.ActivityText == a.Activity {
			return s
		}
		return changed(s, func(s *SessionState) { s.ActivityText = a.Activity })
	case *SessionChangesetsChanged:
		if reflect.DeepEqual(s.Changesets, a.Changesets) {
			return s
		}
		return changed(s, func(s *SessionState) { s.Changesets = a.Changesets })
	case *SessionMetaChanged:
		if bytes.Equal(s.Meta, a.Meta) {
			return s
		}
		return changed(s, func(s *SessionState) { s.Meta = a.Meta })
	case *SessionConfigChanged:
		config := configured(s.Config, a.Config, a.Replace)
		if config == s.Config {
			return s
		}
		return changed(s, func(s *SessionState) { s.Config = config })
	case *SessionServerToolsChanged:
		tools := present(a.Tools)
		if reflect.DeepEqual(tools, s.ServerTools) {
			return s
		}
		return changed(s, func(s *SessionState) { s.ServerTools = tools })
	case *SessionInputNeededSet, *SessionInputNeededRemoved:
		return reduceInputNeeded(p, s, a)
	case *SessionArtifactSet, *SessionArtifactRemoved:
		return reduceArtifacts(s, a)
	}
	if r := reduceMembers(s, a); r != nil {
		return r
	}
	if r := reduceDirectories(s, a); r != nil {
		return r
	}
	return reduceCustomizations(p, s, a)
}

// present makes a list that an action sets differ from an absent one.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func setLifecycle(s *SessionState, l Lifecycle, err *ErrorInfo) *SessionState {
	if s.Lifecycle == l && s.CreationError == err {
		return s
	}
	return changed(s, func(s *SessionState) { s.Lifecycle, s.CreationError = l, err })
}

func setStatus(s *SessionState, status Status) *SessionState {
	if s.Status == status {
		return s
	}
	return changed(s, func(s *SessionState) { s.Status = status })
}

// reduceMembers handles the catalogue of chats and the active clients; nil
// where the action is neither's.
func reduceMembers(s *SessionState, a Action) *SessionState {
	switch a := a.(type) {
	case *SessionChatAdded:
		if a.Summary == nil {
			return s
		}
		return changed(s, func(s *SessionState) {
			s.Chats = upserted(s.Chats, a.Summary, func(c *ChatSummary) bool { return c.Resource == a.Summary.Resource })
		})
	case *SessionChatRemoved:
		chats, ok := without(s.Chats, func(c *ChatSummary) bool { return c.Resource == a.Chat })
		if !ok {
			return s
		}
		return changed(s, func(s *SessionState) {
			s.Chats = chats
			if s.DefaultChat == a.Chat {
				s.DefaultChat = ""
			}
		})
	case *SessionChatUpdated:
		i := slices.IndexFunc(s.Chats, func(c *ChatSummary) bool { return c.Resource == a.Chat })
		if i < 0 {
			return s
		}
		c := merge(s.Chats[i], a.Changes, "resource")
		if c == s.Chats[i] {
			return s
		}
		return changed(s, func(s *SessionState) { s.Chats = replaced(s.Chats, i, c) })
	case *SessionChatsReordered:
		chats := permuted(s.Chats, a.Chats)
		if slices.Equal(chats, s.Chats) {
			return s
		}
		return changed(s, func(s *SessionState) { s.Chats = chats })
	case *SessionDefaultChatChanged:
		if s.DefaultChat == a.DefaultChat {
			return s
		}
		return changed(s, func(s *SessionState) { s.DefaultChat = a.DefaultChat })
	case *SessionActiveClientSet:
		if a.ActiveClient == nil {
			return s
		}
		return changed(s, func(s *SessionState) {
			s.ActiveClients = upserted(s.ActiveClients, a.ActiveClient, func(c *SessionActiveClient) bool { return c.ClientID == a.ActiveClient.ClientID })
		})
	case *SessionActiveClientRemoved:
		clients, ok := without(s.ActiveClients, func(c *SessionActiveClient) bool { return c.ClientID == a.ClientID })
		if !ok {
			return s
		}
		return changed(s, func(s *SessionState) { s.ActiveClients = clients })
	}
	return nil
}

// permuted is the catalogue in the given order, or as it is where the order does
// not name every chat once.
func permuted(list []*ChatSummary, order []URI) []*ChatSummary {
	if len(order) != len(list) {
		return list
	}
	byURI := make(map[URI]*ChatSummary, len(list))
	for _, c := range list {
		byURI[c.Resource] = c
	}
	fresh := make([]*ChatSummary, 0, len(list))
	for _, uri := range order {
		c, ok := byURI[uri]
		if !ok {
			return list
		}
		delete(byURI, uri)
		fresh = append(fresh, c)
	}
	return fresh
}

func reduceArtifacts(s *SessionState, a Action) *SessionState {
	switch a := a.(type) {
	case *SessionArtifactSet:
		if a.Artifact == nil {
			return s
		}
		return changed(s, func(s *SessionState) {
			s.Artifacts = upserted(s.Artifacts, a.Artifact, func(x *Artifact) bool { return x.URI == a.Artifact.URI })
		})
	case *SessionArtifactRemoved:
		rest, ok := without(s.Artifacts, func(x *Artifact) bool { return x.URI == a.URI })
		if !ok {
			return s
		}
		return changed(s, func(s *SessionState) { s.Artifacts = nilIfEmpty(rest) })
	}
	return s
}

// reordered is list in the given order of keys (the first mention counts),
// followed by what the order does not name.
func reordered[T any, K comparable](list []T, order []K, key func(T) K) []T {
	rank := make(map[K]int, len(order))
	for i, k := range order {
		if _, again := rank[k]; !again {
			rank[k] = i
		}
	}
	rankOf := func(v T) int {
		if r, ok := rank[key(v)]; ok {
			return r
		}
		return len(order)
	}
	fresh := slices.Clone(list)
	slices.SortStableFunc(fresh, func(a, b T) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	return fresh
}

// reduceDirectories handles the session's working directories; nil where the
// action is not theirs.
func reduceDirectories(s *SessionState, a Action) *SessionState {
	dirs := s.WorkingDirectories
	switch a := a.(type) {
	case *SessionWorkingDirectorySet:
		dirs = directoryAdded(dirs, a.Directory)
	case *SessionWorkingDirectoryRemoved:
		dirs, _ = without(dirs, func(d URI) bool { return d == a.Directory })
	case *SessionWorkingDirectoryReplaced:
		dirs = directoryReplaced(dirs, a.Directory, a.Replacement)
	default:
		return nil
	}
	if slices.Equal(dirs, s.WorkingDirectories) {
		return s
	}
	return changed(s, func(s *SessionState) { s.WorkingDirectories = dirs })
}

func directoryAdded(dirs []URI, dir URI) []URI {
	if slices.Contains(dirs, dir) {
		return dirs
	}
	return appended(dirs, dir)
}

// directoryReplaced puts repl in the place of dir. A repl that stands before dir
// already makes dir go; one behind it is dropped as a duplicate.
func directoryReplaced(dirs []URI, dir, repl URI) []URI {
	at := slices.Index(dirs, dir)
	if at < 0 || dir == repl {
		return dirs
	}
	if slices.Contains(dirs[:at], repl) {
		return slices.Delete(slices.Clone(dirs), at, at+1)
	}
	fresh := append(slices.Clone(dirs[:at]), repl)
	for _, d := range dirs[at+1:] {
		if d != repl {
			fresh = append(fresh, d)
		}
	}
	return fresh
}

func reduceInputNeeded(p Profile, s *SessionState, a Action) *SessionState {
	waiting := s.InputNeeded
	switch a := a.(type) {
	case *SessionInputNeededSet:
		if a.Request == nil {
			return s
		}
		waiting = upserted(waiting, a.Request, func(r *SessionInputRequest) bool { return r.ID == a.Request.ID })
	case *SessionInputNeededRemoved:
		rest, ok := without(waiting, func(r *SessionInputRequest) bool { return r.ID == a.ID })
		if !ok {
			return s
		}
		waiting = nilIfEmpty(rest)
	}
	needs := slices.ContainsFunc(waiting, func(r *SessionInputRequest) bool {
		return r.Kind != InputClientExecution || p.executionNeedsInput()
	})
	return changed(s, func(s *SessionState) {
		s.InputNeeded = waiting
		if needs {
			s.Status = s.Status.WithActivity(StatusInputNeeded)
		} else {
			s.Status &^= inputNeededBit
		}
	})
}
