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
	Project            *ProjectInfo           `json:"project,omitzero"`
	WorkingDirectory   URI                    `json:"workingDirectory,omitzero"`   // up to 0.6
	WorkingDirectories []URI                  `json:"workingDirectories,omitzero"` // from 0.7
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
	Meta               Raw                    `json:"_meta,omitzero"`
	Extra              Raw                    `json:",embed"`
}

// Directories are the session's working directories in either form.
func (s *SessionState) Directories() []URI {
	return directories(s.WorkingDirectory, s.WorkingDirectories)
}

func directories(one URI, many []URI) []URI {
	if many == nil && one != "" {
		return []URI{one}
	}
	return many
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
	Project            *ProjectInfo        `json:"project,omitzero"`
	WorkingDirectory   URI                 `json:"workingDirectory,omitzero"`   // up to 0.6
	WorkingDirectories []URI               `json:"workingDirectories,omitzero"` // from 0.7
	Annotations        *AnnotationsSummary `json:"annotations,omitzero"`
	CreatedAt          string              `json:"createdAt"`
	ModifiedAt         string              `json:"modifiedAt"`
	Changes            *ChangesSummary     `json:"changes,omitzero"`
	Meta               Raw                 `json:"_meta,omitzero"`
	Extra              Raw                 `json:",embed"`
}

// Directories are the session's working directories in either form.
func (s *SessionSummary) Directories() []URI {
	return directories(s.WorkingDirectory, s.WorkingDirectories)
}

// ChatSummary is an entry of a session's chat catalogue.
type ChatSummary struct {
	Resource           URI         `json:"resource"`
	Title              string      `json:"title"`
	Status             Status      `json:"status"`
	ActivityText       string      `json:"activity,omitzero"`
	ModifiedAt         string      `json:"modifiedAt"`
	Origin             *ChatOrigin `json:"origin,omitzero"`
	Interactivity      string      `json:"interactivity,omitzero"`
	WorkingDirectory   URI         `json:"workingDirectory,omitzero"`   // up to 0.6
	WorkingDirectories []URI       `json:"workingDirectories,omitzero"` // from 0.7
	Extra              Raw         `json:",embed"`
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
	Name         string `json:"name"`
	Title        string `json:"title,omitzero"`
	Description  string `json:"description,omitzero"`
	InputSchema  Raw    `json:"inputSchema,omitzero"`
	OutputSchema Raw    `json:"outputSchema,omitzero"`
	Annotations  Raw    `json:"annotations,omitzero"`
	Extra        Raw    `json:",embed"`
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
