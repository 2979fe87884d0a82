package protocol

// ListSessionsParams asks for a page of the session list (method listSessions).
type ListSessionsParams struct {
	Channel URI    `json:"channel"`
	Limit   *int   `json:"limit,omitzero"`
	Cursor  string `json:"cursor,omitzero"`
	Meta    Raw    `json:"_meta,omitzero" since:"0.8.0"`
}

// ListSessionsResult is a page of the session list.
type ListSessionsResult struct {
	Items      []*SessionSummary `json:"items"`
	NextCursor string            `json:"nextCursor,omitzero"`
}

// CreateSessionParams creates a session under a URI that the client chose
// (method createSession).
type CreateSessionParams struct {
	Channel            URI                  `json:"channel"`
	Provider           string               `json:"provider,omitzero"`
	WorkingDirectory   URI                  `json:"workingDirectory,omitzero" until:"0.6.0"`
	WorkingDirectories []URI                `json:"workingDirectories,omitzero" since:"0.7.0"`
	Fork               *SessionForkSource   `json:"fork,omitzero" until:"0.8.0"`
	Config             map[string]Raw       `json:"config,omitzero"`
	ActiveClient       *SessionActiveClient `json:"activeClient,omitzero"`
	ProgressToken      string               `json:"progressToken,omitzero"`
	Meta               Raw                  `json:"_meta,omitzero" since:"0.8.0"`
}

// SessionForkSource is the session and turn that a new session grows from (up to
// 0.8; later chats are forked).
type SessionForkSource struct {
	Session URI    `json:"session"`
	TurnID  string `json:"turnId"`
}

// CreateChatParams creates a chat in a session (method createChat).
type CreateChatParams struct {
	Channel            URI         `json:"channel"`
	Chat               URI         `json:"chat"`
	InitialMessage     *Message    `json:"initialMessage,omitzero"`
	Source             *ChatSource `json:"source,omitzero"`
	WorkingDirectories []URI       `json:"workingDirectories,omitzero" since:"0.7.0"`
	Title              string      `json:"title,omitzero" since:"1.0.0"`
	Meta               Raw         `json:"_meta,omitzero" since:"0.8.0"`
}

// The kinds of [ChatSource].
const (
	SourceFork     = "fork"
	SourceSideChat = "sideChat"
)

// ChatSource says what a new chat grows from: Kind is fork or sideChat, and is
// absent up to 0.6, where it means fork.
type ChatSource struct {
	Kind      string             `json:"kind,omitzero" since:"0.7.0"`
	Chat      URI                `json:"chat"`
	TurnID    string             `json:"turnId"`
	Selection *SideChatSelection `json:"selection,omitzero" since:"0.7.0"`
}

// Forks reports whether the source is forked, which it is where nothing is said.
func (s *ChatSource) Forks() bool { return s.Kind == "" || s.Kind == SourceFork }

// SideChatSelection is the text a side chat is about.
type SideChatSelection struct {
	Text           string `json:"text"`
	ResponsePartID string `json:"responsePartId,omitzero"`
}

// FetchTurnsParams asks for older turns; they arrive as chat/turnsLoaded (method
// fetchTurns).
type FetchTurnsParams struct {
	Channel URI    `json:"channel"`
	Cursor  string `json:"cursor,omitzero"`
	Meta    Raw    `json:"_meta,omitzero" since:"0.8.0"`
}

// MoveChatParams moves a chat to another place (method moveChat, from 1.0). Where
// to is not known here and in Extra.
type MoveChatParams struct {
	Channel URI `json:"channel"`
	Meta    Raw `json:"_meta,omitzero"`
	Extra   Raw `json:",embed"`
}

// CompletionsUserMessage is the kind of completions: for a message that somebody
// is writing.
const CompletionsUserMessage = "userMessage"

// CompletionsParams asks for completions of a text (method completions). Offset
// counts UTF-16 units.
type CompletionsParams struct {
	Channel URI    `json:"channel"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Offset  int    `json:"offset"`
	Meta    Raw    `json:"_meta,omitzero" since:"0.8.0"`
}

// CompletionsResult is the answer to completions, in the order to show them.
type CompletionsResult struct {
	Items []*CompletionItem `json:"items"`
}

// CompletionItem is one completion. It replaces the text between RangeStart and
// RangeEnd, in UTF-16 units of the text that was sent, or goes in at the cursor.
// The attachment goes with the message, with all that is in it.
type CompletionItem struct {
	InsertText string             `json:"insertText"`
	RangeStart *int               `json:"rangeStart,omitzero"`
	RangeEnd   *int               `json:"rangeEnd,omitzero"`
	Attachment *MessageAttachment `json:"attachment,omitzero"`
	Extra      Raw                `json:",embed"`
}

// ResolveSessionConfigParams asks what can be configured in a session that is to
// be created (method resolveSessionConfig). The directory is a single one at
// every version.
type ResolveSessionConfigParams struct {
	Channel          URI            `json:"channel"`
	Provider         string         `json:"provider,omitzero"`
	WorkingDirectory URI            `json:"workingDirectory,omitzero"`
	Config           map[string]Raw `json:"config,omitzero"`
	Meta             Raw            `json:"_meta,omitzero" since:"0.8.0"`
}

// ResolveSessionConfigResult is the schema and the values, as of a [Config].
type ResolveSessionConfigResult = Config

// SessionConfigCompletionsParams asks for values of a property whose values the
// host knows (method sessionConfigCompletions).
type SessionConfigCompletionsParams struct {
	Channel          URI            `json:"channel"`
	Provider         string         `json:"provider,omitzero"`
	WorkingDirectory URI            `json:"workingDirectory,omitzero"`
	Config           map[string]Raw `json:"config,omitzero"`
	Property         string         `json:"property"`
	Query            string         `json:"query,omitzero"`
	Meta             Raw            `json:"_meta,omitzero" since:"0.8.0"`
}

// SessionConfigCompletionsResult is the answer to sessionConfigCompletions.
type SessionConfigCompletionsResult struct {
	Items []*SessionConfigValue `json:"items"`
}

// SessionConfigValue is one value that a property may have.
type SessionConfigValue struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
	Extra       Raw    `json:",embed"`
}

// CreateTerminalParams creates a terminal under a URI that the client chose
// (method createTerminal).
type CreateTerminalParams struct {
	Channel URI            `json:"channel"`
	Claim   *TerminalClaim `json:"claim"`
	Name    string         `json:"name,omitzero"`
	Cwd     URI            `json:"cwd,omitzero"`
	Cols    *int           `json:"cols,omitzero"`
	Rows    *int           `json:"rows,omitzero"`
	Meta    Raw            `json:"_meta,omitzero" since:"0.8.0"`
}

// InvokeChangesetOperationParams does something with a changeset (method
// invokeChangesetOperation).
type InvokeChangesetOperationParams struct {
	Channel     URI                       `json:"channel"`
	OperationID string                    `json:"operationId"`
	Target      *ChangesetOperationTarget `json:"target,omitzero"`
	Meta        Raw                       `json:"_meta,omitzero" since:"0.8.0"`
}

// InvokeChangesetOperationResult is what came of it, in words and to be looked at.
type InvokeChangesetOperationResult struct {
	Message  StringOrMarkdown   `json:"message,omitzero"`
	FollowUp *OperationFollowUp `json:"followUp,omitzero"`
	Extra    Raw                `json:",embed"`
}

// OperationFollowUp is something to look at after an operation, outside of the
// client where External is set.
type OperationFollowUp struct {
	Content  *ContentRef `json:"content"`
	External *bool       `json:"external,omitzero"`
	Extra    Raw         `json:",embed"`
}

// RunAutomationParams starts a run (method runAutomation, from 0.9). A second
// request with the same RequestID names the run that is there.
type RunAutomationParams struct {
	Channel    URI    `json:"channel"`
	Automation URI    `json:"automation"`
	RequestID  string `json:"requestId"`
	Meta       Raw    `json:"_meta,omitzero"`
}

// RunAutomationResult names the run.
type RunAutomationResult struct {
	Resource URI `json:"resource"`
	Extra    Raw `json:",embed"`
}

// FetchAutomationRunsParams asks for older runs; they arrive as automation/set
// (method fetchAutomationRuns, from 0.9).
type FetchAutomationRunsParams struct {
	Channel    URI    `json:"channel"`
	Automation URI    `json:"automation"`
	Cursor     string `json:"cursor,omitzero"`
	Meta       Raw    `json:"_meta,omitzero"`
}

// ListAutomationTriggerDefinitionsParams asks which triggers there are for a
// session made so (method listAutomationTriggerDefinitions, from 0.9).
type ListAutomationTriggerDefinitionsParams struct {
	Channel            URI            `json:"channel"`
	Provider           string         `json:"provider,omitzero"`
	WorkingDirectories []URI          `json:"workingDirectories,omitzero"`
	SessionConfig      map[string]Raw `json:"sessionConfig,omitzero"`
	Meta               Raw            `json:"_meta,omitzero"`
}

// ListAutomationTriggerDefinitionsResult is the answer.
type ListAutomationTriggerDefinitionsResult struct {
	Items []*AutomationTriggerDefinition `json:"items"`
}
