package protocol

import (
	"reflect"
	"slices"
)

// What has another shape at an earlier version, one method a type. Members that
// an earlier version merely lacks are told by their tags.

func (s *SessionState) at(v Version) any {
	if v.AtLeast(V0_9_0) || v.AtLeast(V0_7_0) && s.Lifecycle != LifecycleFailed {
		return s
	}
	return changed(s, func(s *SessionState) {
		if s.Lifecycle == LifecycleFailed {
			s.Lifecycle = LifecycleCreationFailed
		}
		s.WorkingDirectory = oneDirectory(v, s.WorkingDirectory, s.WorkingDirectories)
	})
}

func (s *SessionSummary) at(v Version) any {
	if v.AtLeast(V0_7_0) {
		return s
	}
	return changed(s, func(s *SessionSummary) {
		s.WorkingDirectory = oneDirectory(v, s.WorkingDirectory, s.WorkingDirectories)
	})
}

func (p *CreateSessionParams) at(v Version) any {
	if v.AtLeast(V0_7_0) {
		return p
	}
	return changed(p, func(p *CreateSessionParams) {
		p.WorkingDirectory = oneDirectory(v, p.WorkingDirectory, p.WorkingDirectories)
	})
}

func (c *ChatSummary) at(v Version) any {
	if v.AtLeast(V0_7_0) {
		return c
	}
	return changed(c, func(c *ChatSummary) {
		c.WorkingDirectory = oneDirectory(v, c.WorkingDirectory, c.WorkingDirectories)
	})
}

// Up to 0.5.2 open requests stood in a list of the chat's own.
func (s *ChatState) at(v Version) any {
	if v.AtLeast(V0_7_0) {
		return s
	}
	return changed(s, func(s *ChatState) {
		s.WorkingDirectory = oneDirectory(v, s.WorkingDirectory, s.WorkingDirectories)
		if !v.AtLeast(V0_6_0) {
			s.InputRequests = nilIfEmpty(s.OpenInputs())
		}
	})
}

// oneDirectory is what of several directories can be said up to 0.6.
func oneDirectory(v Version, one URI, many []URI) URI {
	if v.AtLeast(V0_7_0) || len(many) == 0 {
		return one
	}
	return many[0]
}

// Side chats are of 0.7; where a chat comes from need not be said.
func (o *ChatOrigin) at(v Version) any {
	if o.Kind == SourceSideChat && !v.AtLeast(V0_7_0) {
		return (*ChatOrigin)(nil)
	}
	return o
}

// Calls that wait for a sign-in are of 0.6.
func (r *SessionInputRequest) at(v Version) any {
	if r.Kind == InputAuthentication && !v.AtLeast(V0_6_0) {
		return (*SessionInputRequest)(nil)
	}
	return r
}

func (a *SessionInputNeededSet) at(v Version) any {
	if a.Request != nil && a.Request.Kind == InputAuthentication && !v.AtLeast(V0_6_0) {
		return (*SessionInputNeededSet)(nil)
	}
	return a
}

func (a *SessionChatUpdated) at(v Version) any {
	if v.AtLeast(V1_0_0) {
		return a
	}
	return changed(a, func(a *SessionChatUpdated) { a.Changes = changesAt[ChatSummary](v, a.Changes) })
}

func (p *SessionSummaryChangedParams) at(v Version) any {
	if v.AtLeast(V1_0_0) {
		return p
	}
	return changed(p, func(p *SessionSummaryChangedParams) { p.Changes = changesAt[SessionSummary](v, p.Changes) })
}

// changesAt gives some members of a T the form of a version.
func changesAt[T any](v Version, changes Raw) Raw {
	var given map[string]Raw
	whole := new(T)
	if Unmarshal(changes, &given) != nil || Unmarshal(changes, whole) != nil {
		return changes
	}
	form, err := Marshal(At(v, whole))
	var members map[string]Raw
	if err != nil || Unmarshal(form, &members) != nil {
		return changes
	}
	if one, ok := members["workingDirectory"]; ok {
		given["workingDirectory"] = one // of the several that were given
	}
	for name, old := range given {
		value, there := members[name]
		switch {
		case !memberKnown[T](v, name), !there && old.Kind() == '{': // it has no shape at v
			delete(given, name)
		case there && old.Kind() != 'n':
			given[name] = value
		}
	}
	raw, err := Marshal(given)
	if err != nil {
		return changes
	}
	return raw
}

// memberKnown reports whether a version has a member of that name in a T.
func memberKnown[T any](v Version, name string) bool {
	t := reflect.TypeFor[T]()
	for _, f := range formPlan()[t].fields {
		if memberName(t.Field(f.index)) == name {
			return f.known(v)
		}
	}
	return true
}

// Up to 0.7 plugins and servers have one decision, which is always there; that of
// the children of containers is of 0.5.2.
func (c *Customization) at(v Version) any {
	decides := c.Type == TypePlugin || c.Type == TypeMcpServer
	switch {
	case v.AtLeast(V0_8_0) || c.Raw != nil:
		return c
	case decides:
		return changed(c, func(c *Customization) { c.Enabled = new(c.On()) })
	case c.Type != TypeDirectory && c.Enabled != nil && !v.AtLeast(V0_5_2):
		return changed(c, func(c *Customization) { c.Enabled = nil })
	}
	return c
}

func (a *SessionCustomizationToggled) at(v Version) any {
	if v.AtLeast(V0_8_0) || a.Enablement == nil && a.Enabled != nil {
		return a
	}
	on := len(a.Enablement) == 0 || a.Enablement[0].Enabled
	return &SessionCustomizationToggled{ID: a.ID, Enabled: &on}
}

// Requests to start and to stop are of 0.5.2; before, what comes of them is told.
func (a *SessionMcpServerStartRequested) at(v Version) any {
	if v.AtLeast(V0_5_2) {
		return a
	}
	return &SessionMcpServerStateChanged{ID: a.ID, State: &McpServerState{Kind: McpStarting}}
}

func (a *SessionMcpServerStopRequested) at(v Version) any {
	if v.AtLeast(V0_5_2) {
		return a
	}
	return &SessionMcpServerStateChanged{ID: a.ID, State: &McpServerState{Kind: McpStopped}}
}

// Up to 0.8 a turn's error stands beside its parts. Input requests are parts from
// 0.6 on, and at 0.5.2 when they have been answered.
func (t *Turn) at(v Version) any {
	if v.AtLeast(V0_9_0) {
		return t
	}
	failure, _ := t.Failure()
	parts, _ := without(t.ResponseParts, func(p *ResponsePart) bool { return p.Kind == PartError })
	if !v.AtLeast(V0_6_0) {
		parts = inputsAt(v, parts, t.State != "")
	}
	if slices.Equal(parts, t.ResponseParts) {
		return t
	}
	return changed(t, func(t *Turn) { t.Error, t.ResponseParts = failure, parts })
}

// inputsAt are parts without requests that are open, which stand in a list of the
// chat's own up to 0.5.2, and at 0.5.1 without any. One that a turn left open when
// it ended is one that was cancelled.
func inputsAt(v Version, parts []*ResponsePart, ended bool) []*ResponsePart {
	parts, _ = without(parts, func(p *ResponsePart) bool {
		return p.Kind == PartInputRequest && (p.Response == "" && !ended || !v.AtLeast(V0_5_2))
	})
	return mapped(parts, func(p *ResponsePart) *ResponsePart {
		if !p.Open() {
			return p
		}
		return changed(p, func(p *ResponsePart) { p.Response = ResponseCancel })
	})
}

func (a *ChatError) at(v Version) any {
	if v.AtLeast(V0_9_0) || a.Part == nil {
		return a
	}
	return changed(a, func(a *ChatError) { a.Error = a.Part.Error })
}

// A request for input is a part from 0.6 on.
func (a *ChatResponsePart) at(v Version) any {
	switch p := a.Part; {
	case p != nil && p.Kind == PartError && !v.AtLeast(V0_9_0):
		return (*ChatResponsePart)(nil)
	case p == nil || p.Kind != PartInputRequest || v.AtLeast(V0_6_0):
		return a
	case p.Open():
		return &ChatInputRequested{Request: p.Request}
	case !v.AtLeast(V0_5_2):
		return (*ChatResponsePart)(nil)
	}
	return a
}

func (p *ResponsePart) at(v Version) any {
	if p.Kind != PartSystemNotification || p.Extra == nil || v.AtLeast(V0_6_0) {
		return p
	}
	return changed(p, func(p *ResponsePart) { p.Extra = withoutMember(p.Extra, "_meta") })
}

// withoutMember is an object less one member, or nil where nothing is left.
func withoutMember(object Raw, name string) Raw {
	var members map[string]Raw
	if Unmarshal(object, &members) != nil {
		return object
	}
	if _, ok := members[name]; !ok {
		return object
	}
	delete(members, name)
	rest, err := Marshal(members)
	if err != nil || len(members) == 0 {
		return nil
	}
	return rest
}

// Who starts a conversation by the clock is not known up to 0.8.
func (m *Message) at(v Version) any {
	if m.Origin.Kind != OriginAutomation || v.AtLeast(V0_9_0) {
		return m
	}
	return changed(m, func(m *Message) { m.Origin.Kind = OriginSystemNotification })
}

// Chats are attachments from 0.7 on.
func (a *MessageAttachment) at(v Version) any {
	if a.Type != AttachmentChat || v.AtLeast(V0_7_0) {
		return a
	}
	return &MessageAttachment{Type: AttachmentSimple, Label: a.Label, Range: a.Range, DisplayKind: a.DisplayKind, Meta: a.Meta}
}

// Calls wait for a sign-in from 0.6 on; before, they just run. Their input is a
// string up to 0.6.
func (c *ToolCall) at(v Version) any {
	if v.AtLeast(V0_7_0) || c.Raw != nil {
		return c
	}
	return changed(c, func(c *ToolCall) {
		c.ToolInput = inputAt(c.ToolInput)
		c.Content = contentAt(v, c.Content)
		if c.Status == ToolAuthRequired && !v.AtLeast(V0_6_0) {
			c.Status = ToolRunning
		}
	})
}

func inputAt(i ToolInput) ToolInput {
	if i.Ref != nil {
		return ToolInput{}
	}
	return i
}

func (a *ChatToolCallReady) at(v Version) any {
	if v.AtLeast(V0_7_0) {
		return a
	}
	return changed(a, func(a *ChatToolCallReady) { a.ToolInput = inputAt(a.ToolInput) })
}

func (r *ToolResult) at(v Version) any {
	if v.AtLeast(V0_7_0) {
		return r
	}
	return changed(r, func(r *ToolResult) { r.Content = contentAt(v, r.Content) })
}

func (a *ChatToolCallContentChanged) at(v Version) any {
	if v.AtLeast(V0_7_0) {
		return a
	}
	return changed(a, func(a *ChatToolCallContentChanged) { a.Content = contentAt(v, a.Content) })
}

// contentAt: at 0.5.2 and 0.6 the end of a command was a piece of its own.
func contentAt(v Version, list []*ToolResultContent) []*ToolResultContent {
	var fresh []*ToolResultContent
	for i, c := range list {
		if c.Type != ContentTerminal || c.Result == nil || !v.AtLeast(V0_5_2) {
			if fresh != nil {
				fresh = append(fresh, c)
			}
			continue
		}
		if fresh == nil {
			fresh = append(make([]*ToolResultContent, 0, len(list)+1), list[:i]...)
		}
		end := &ToolResultContent{Type: ContentTerminalComplete, Resource: c.Resource}
		if extra, err := Marshal(c.Result); err == nil && string(extra) != "{}" {
			end.Extra = extra
		}
		fresh = append(fresh, c, end)
	}
	if fresh == nil {
		return list
	}
	return fresh
}

// Up to 0.8 the end of a terminal was its exit code.
func (s *TerminalState) at(v Version) any {
	if s.Lifecycle == nil || v.AtLeast(V0_9_0) {
		return s
	}
	return changed(s, func(s *TerminalState) { s.ExitCode, _ = s.Exited() })
}

func (i *TerminalInfo) at(v Version) any {
	if i.Lifecycle == nil || v.AtLeast(V0_9_0) {
		return i
	}
	return changed(i, func(i *TerminalInfo) { i.ExitCode, _ = i.Exited() })
}

// Up to 0.8 an annotation grew from a turn, always.
func (a *Annotation) at(v Version) any {
	switch {
	case v.AtLeast(V0_9_0), a.Origin == nil && a.TurnID != "":
		return a
	case a.Origin == nil || a.Origin.TurnID == "":
		return (*Annotation)(nil)
	}
	return changed(a, func(a *Annotation) { a.TurnID = a.Origin.TurnID })
}

func (a *AnnotationsSet) at(v Version) any {
	if a.Annotation == nil || !reachable(a.Annotation, v) {
		return (*AnnotationsSet)(nil)
	}
	return a
}

func reachable(a *Annotation, v Version) bool {
	shape, _ := a.at(v).(*Annotation)
	return shape != nil
}

func (a *AnnotationsUpdated) at(v Version) any {
	if a.Origin == nil || v.AtLeast(V0_9_0) {
		return a
	}
	return changed(a, func(a *AnnotationsUpdated) { a.TurnID = a.Origin.TurnID })
}

// A changeset that is computed anew is one that is there, up to 0.9.
func (s *ChangesetState) at(v Version) any {
	if s.Status != ChangesetRecomputing || v.AtLeast(V1_0_0) {
		return s
	}
	return changed(s, func(s *ChangesetState) { s.Status = ChangesetReady })
}

func (a *ChangesetStatusChanged) at(v Version) any {
	if a.Status != ChangesetRecomputing || v.AtLeast(V1_0_0) {
		return a
	}
	return changed(a, func(a *ChangesetStatusChanged) { a.Status = ChangesetReady })
}

// The name and the member were others at 0.5.2.
func (a *ChangesetFilesReviewChanged) at(v Version) any {
	if v.AtLeast(V0_6_0) {
		return a
	}
	return &ChangesetFilesReviewedChanged{FileIDs: present(slices.Concat(a.Files, a.FileIDs)), Reviewed: a.Reviewed}
}

// Up to 0.7 the resource is named.
func (p *AuthRequiredParams) at(v Version) any {
	if v.AtLeast(V0_8_0) {
		return p
	}
	return changed(p, func(p *AuthRequiredParams) { p.Resource.Named = true })
}
