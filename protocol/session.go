package protocol

// Lifecycle is the stage of a session's creation.
type Lifecycle string

// The stages. LifecycleCreationFailed is the word up to 0.8 for what
// LifecycleFailed says from 0.9 on.
const (
	LifecycleCreating       Lifecycle = "creating"
	LifecycleReady          Lifecycle = "ready"
	LifecycleCreationFailed Lifecycle = "creationFailed"
	LifecycleFailed         Lifecycle = "failed"
)

// Failed reports whether the session could not be created, in either word.
func (l Lifecycle) Failed() bool { return l == LifecycleFailed || l == LifecycleCreationFailed }

// SessionState is the state of a session channel.
//
// Status carries flags that can be trusted; its activity bits are only a start
// value, because no action carries chat activity into them. [SessionState.Activity]
// derives what is going on.
type SessionState struct {
	Provider           string                 `json:"provider"`
	Title              string                 `json:"title"`
	Status             Status                 `json:"status"`
	ActivityText       string                 `json:"activity,omitzero"`
	Origin             *SessionOrigin         `json:"origin,omitzero" since:"0.9.0"`
	Project            *ProjectInfo           `json:"project,omitzero"`
	WorkingDirectory   URI                    `json:"workingDirectory,omitzero" until:"0.6.0"`
	WorkingDirectories []URI                  `json:"workingDirectories,omitzero" since:"0.7.0"`
	Annotations        *AnnotationsSummary    `json:"annotations,omitzero"`
	Lifecycle          Lifecycle              `json:"lifecycle"`
	CreationError      *ErrorInfo             `json:"creationError,omitzero"`
	ServerTools        []*ToolDefinition      `json:"serverTools,omitzero"`
	ActiveClients      []*SessionActiveClient `json:"activeClients,omitzero"`
	Chats              []*ChatSummary         `json:"chats"`
	DefaultChat        URI                    `json:"defaultChat,omitzero"`
	Config             *Config                `json:"config,omitzero"`
	Customizations     []*Customization       `json:"customizations,omitzero"`
	Changesets         []*Changeset           `json:"changesets,omitzero"`
	InputNeeded        []*SessionInputRequest `json:"inputNeeded,omitzero"`
	Artifacts          []*Artifact            `json:"artifacts,omitzero" since:"1.0.0"`
	Meta               Raw                    `json:"_meta,omitzero"`
	Extra              Raw                    `json:",embed"`
}

// Directories are the session's working directories in either form.
func (s *SessionState) Directories() []URI {
	return directories(s.WorkingDirectory, s.WorkingDirectories)
}

// Directories are the chat's own working directories in either form; nil where it
// has those of the session.
func (s *ChatState) Directories() []URI {
	return directories(s.WorkingDirectory, s.WorkingDirectories)
}

// Directories are the chat's own working directories in either form; nil where it
// has those of the session.
func (c *ChatSummary) Directories() []URI {
	return directories(c.WorkingDirectory, c.WorkingDirectories)
}

func directories(one URI, many []URI) []URI {
	if many == nil && one != "" {
		return []URI{one}
	}
	return many
}

// SessionOrigin says what made a session (from 0.9): of kind automation, a run of one.
type SessionOrigin struct {
	Kind       string `json:"kind"`
	Automation URI    `json:"automation,omitzero"`
	Run        URI    `json:"run,omitzero"`
	Extra      Raw    `json:",embed"`
}

// Artifact is something that a session made. Only its URI is known here.
type Artifact struct {
	URI   URI `json:"uri"`
	Extra Raw `json:",embed"`
}

// AnnotationsSummary counts the annotations of a session.
type AnnotationsSummary struct {
	Resource        URI     `json:"resource"`
	AnnotationCount float64 `json:"annotationCount"`
	EntryCount      float64 `json:"entryCount"`
}

// ChangesSummary counts changed lines and files.
type ChangesSummary struct {
	Additions *float64 `json:"additions,omitzero"`
	Deletions *float64 `json:"deletions,omitzero"`
	Files     *float64 `json:"files,omitzero"`
}

// SessionSummary is an entry of the session list.
type SessionSummary struct {
	Resource           URI                 `json:"resource"`
	Provider           string              `json:"provider"`
	Title              string              `json:"title"`
	Status             Status              `json:"status"`
	ActivityText       string              `json:"activity,omitzero"`
	Origin             *SessionOrigin      `json:"origin,omitzero" since:"0.9.0"`
	Project            *ProjectInfo        `json:"project,omitzero"`
	WorkingDirectory   URI                 `json:"workingDirectory,omitzero" until:"0.6.0"`
	WorkingDirectories []URI               `json:"workingDirectories,omitzero" since:"0.7.0"`
	Annotations        *AnnotationsSummary `json:"annotations,omitzero"`
	CreatedAt          string              `json:"createdAt"`
	ModifiedAt         string              `json:"modifiedAt"`
	Changes            *ChangesSummary     `json:"changes,omitzero"`

	Chats       []*SessionChatSummary `json:"chats,omitzero" since:"1.0.0"`
	DefaultChat URI                   `json:"defaultChat,omitzero" since:"1.0.0"`
	Artifacts   []*Artifact           `json:"artifacts,omitzero" since:"1.0.0"`

	Meta  Raw `json:"_meta,omitzero"`
	Extra Raw `json:",embed"`
}

// SessionChatSummary is a chat in an entry of the session list (from 1.0).
type SessionChatSummary struct {
	Resource      URI             `json:"resource"`
	Title         string          `json:"title,omitzero"`
	Origin        *ChatOrigin     `json:"origin,omitzero"`
	Interactivity string          `json:"interactivity,omitzero"`
	Status        Status          `json:"status,omitzero"`
	Changes       *ChangesSummary `json:"changes,omitzero"`
	Extra         Raw             `json:",embed"`
}

// Directories are the session's working directories in either form.
func (s *SessionSummary) Directories() []URI {
	return directories(s.WorkingDirectory, s.WorkingDirectories)
}

// ChatSummary is an entry of a session's chat catalogue.
type ChatSummary struct {
	Resource           URI             `json:"resource"`
	Title              string          `json:"title"`
	Status             Status          `json:"status"`
	ActivityText       string          `json:"activity,omitzero"`
	ModifiedAt         string          `json:"modifiedAt"`
	Origin             *ChatOrigin     `json:"origin,omitzero"`
	Interactivity      string          `json:"interactivity,omitzero"`
	WorkingDirectory   URI             `json:"workingDirectory,omitzero" until:"0.6.0"`
	WorkingDirectories []URI           `json:"workingDirectories,omitzero" since:"0.7.0"`
	Changes            *ChangesSummary `json:"changes,omitzero" since:"1.0.0"`
	Movable            *bool           `json:"movable,omitzero" since:"1.0.0"`
	Description        string          `json:"description,omitzero" since:"1.0.0"`
	Extra              Raw             `json:",embed"`
}

// TitleIn is the chat's title, or the session's where the chat has none of its own.
func (c *ChatSummary) TitleIn(s *SessionState) string {
	if c.Title == "" {
		return s.Title
	}
	return c.Title
}

// The interactivities of a chat; absent means full.
const (
	InteractivityFull     = "full"
	InteractivityReadOnly = "read-only"
	InteractivityHidden   = "hidden"
)

// ChatOrigin says where a chat comes from: user, fork, sideChat or tool.
type ChatOrigin struct {
	Kind       string `json:"kind"`
	Chat       URI    `json:"chat,omitzero"`
	TurnID     string `json:"turnId,omitzero"`
	ToolCallID string `json:"toolCallId,omitzero"`
	Selection  Raw    `json:"selection,omitzero"`
	Extra      Raw    `json:",embed"`
}

// SessionActiveClient is a client that takes part in a session with tools and
// plugins of its own.
type SessionActiveClient struct {
	ClientID       string            `json:"clientId"`
	DisplayName    string            `json:"displayName,omitzero"`
	Tools          []*ToolDefinition `json:"tools"`
	Customizations []*Customization  `json:"customizations,omitzero"`
	Extra          Raw               `json:",embed"`
}

// ToolDefinition describes a tool; the schemas are kept raw.
type ToolDefinition struct {
	Name         string           `json:"name"`
	Title        string           `json:"title,omitzero"`
	Description  string           `json:"description,omitzero"`
	InputSchema  Raw              `json:"inputSchema,omitzero"`
	OutputSchema Raw              `json:"outputSchema,omitzero"`
	Annotations  *ToolAnnotations `json:"annotations,omitzero"`
	Meta         Raw              `json:"_meta,omitzero"`
	Extra        Raw              `json:",embed"`
}

// ToolAnnotations are hints of who made a tool; nobody has checked them. The
// methods have MCP's defaults, which are the cautious ones.
type ToolAnnotations struct {
	Title           string `json:"title,omitzero"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitzero"`
	DestructiveHint *bool  `json:"destructiveHint,omitzero"`
	IdempotentHint  *bool  `json:"idempotentHint,omitzero"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitzero"`
	Extra           Raw    `json:",embed"`
}

// ReadOnly reports whether the tool is said to change nothing.
func (a *ToolAnnotations) ReadOnly() bool { return a != nil && isTrue(a.ReadOnlyHint) }

// Destructive reports whether the tool may destroy something.
func (a *ToolAnnotations) Destructive() bool {
	return !a.ReadOnly() && (a == nil || a.DestructiveHint == nil || *a.DestructiveHint)
}

// Idempotent reports whether calling the tool again is said to change nothing more.
func (a *ToolAnnotations) Idempotent() bool { return a != nil && isTrue(a.IdempotentHint) }

// OpenWorld reports whether the tool may reach out to anything.
func (a *ToolAnnotations) OpenWorld() bool {
	return a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint
}

// InputRequestKind says what an entry of inputNeeded waits for.
type InputRequestKind string

// The kinds of [SessionInputRequest].
const (
	InputChat            InputRequestKind = "chatInput"
	InputConfirmation    InputRequestKind = "toolConfirmation"
	InputClientExecution InputRequestKind = "toolClientExecution"
	InputAuthentication  InputRequestKind = "toolAuthentication"
)

// SessionInputRequest is one thing in a session that waits for somebody. It is
// answered on Chat, which need not be subscribed.
type SessionInputRequest struct {
	Kind     InputRequestKind  `json:"kind"`
	ID       string            `json:"id"`
	Chat     URI               `json:"chat"`
	TurnID   string            `json:"turnId,omitzero"`
	ClientID string            `json:"clientId,omitzero"`
	Request  *ChatInputRequest `json:"request,omitzero"`
	ToolCall *ToolCall         `json:"toolCall,omitzero"`
	Raw      Raw               `json:"-"` // the whole value, where it is no object
	Extra    Raw               `json:",embed"`
}

// MainChat is the chat that a message to the session goes to: the default chat,
// else the first that is not hidden; "" where there is none.
func (s *SessionState) MainChat() URI {
	if s.DefaultChat != "" {
		return s.DefaultChat
	}
	for _, c := range s.Chats {
		if c.Interactivity != InteractivityHidden {
			return c.Resource
		}
	}
	return ""
}
