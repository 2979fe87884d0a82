package protocol

// ChatTurnStarted starts a turn and replaces the active one. StartedAt is sent from 0.6 on.
type ChatTurnStarted struct {
	TurnID          string   `json:"turnId"`
	StartedAt       string   `json:"startedAt,omitzero" since:"0.6.0"`
	Message         *Message `json:"message"`
	QueuedMessageID string   `json:"queuedMessageId,omitzero"`
	Meta            Raw      `json:"_meta,omitzero"`
}

// ActionType is chat/turnStarted.
func (*ChatTurnStarted) ActionType() string { return "chat/turnStarted" }

// ChatDelta appends to a markdown part.
type ChatDelta struct {
	TurnID  string `json:"turnId"`
	PartID  string `json:"partId"`
	Content Text   `json:"content"`
	Meta    Raw    `json:"_meta,omitzero"`
}

// ActionType is chat/delta.
func (*ChatDelta) ActionType() string { return "chat/delta" }

// ChatReasoning appends to a reasoning part.
type ChatReasoning struct {
	TurnID  string `json:"turnId"`
	PartID  string `json:"partId"`
	Content Text   `json:"content"`
	Meta    Raw    `json:"_meta,omitzero"`
}

// ActionType is chat/reasoning.
func (*ChatReasoning) ActionType() string { return "chat/reasoning" }

// ChatResponsePart appends a part.
type ChatResponsePart struct {
	TurnID string        `json:"turnId"`
	Part   *ResponsePart `json:"part"`
	Meta   Raw           `json:"_meta,omitzero"`
}

// ActionType is chat/responsePart.
func (*ChatResponsePart) ActionType() string { return "chat/responsePart" }

// ChatUsage replaces the active turn's usage.
type ChatUsage struct {
	TurnID string     `json:"turnId"`
	Usage  *UsageInfo `json:"usage"`
	Meta   Raw        `json:"_meta,omitzero"`
}

// ActionType is chat/usage.
func (*ChatUsage) ActionType() string { return "chat/usage" }

// ChatTurnComplete ends the active turn. Duration is in milliseconds, from 0.6 on.
type ChatTurnComplete struct {
	TurnID   string   `json:"turnId"`
	Duration *float64 `json:"duration,omitzero" since:"0.6.0"`
	Meta     Raw      `json:"_meta,omitzero"`
}

// ActionType is chat/turnComplete.
func (*ChatTurnComplete) ActionType() string { return "chat/turnComplete" }

// ChatTurnCancelled cancels the active turn. Duration is in milliseconds, from 0.6 on.
type ChatTurnCancelled struct {
	TurnID   string   `json:"turnId"`
	Duration *float64 `json:"duration,omitzero" since:"0.6.0"`
	Meta     Raw      `json:"_meta,omitzero"`
}

// ActionType is chat/turnCancelled.
func (*ChatTurnCancelled) ActionType() string { return "chat/turnCancelled" }

// ChatError ends the active turn with an error: Error up to 0.8, Part from 0.9 on.
type ChatError struct {
	TurnID   string        `json:"turnId"`
	Duration *float64      `json:"duration,omitzero" since:"0.6.0"`
	Error    *ErrorInfo    `json:"error,omitzero" until:"0.8.0"`
	Part     *ResponsePart `json:"part,omitzero" since:"0.9.0"`
	Meta     Raw           `json:"_meta,omitzero"`
}

// ActionType is chat/error.
func (*ChatError) ActionType() string { return "chat/error" }

// ChatTurnResume resumes the last turn after a resumable error (from 0.9).
type ChatTurnResume struct {
	TurnID string `json:"turnId"`
}

// ActionType is chat/turnResume.
func (*ChatTurnResume) ActionType() string { return "chat/turnResume" }

// ChatToolCallStart opens a tool call.
type ChatToolCallStart struct {
	TurnID      string       `json:"turnId"`
	ToolCallID  string       `json:"toolCallId"`
	Meta        Raw          `json:"_meta,omitzero"`
	ToolName    string       `json:"toolName"`
	DisplayName string       `json:"displayName"`
	Intention   string       `json:"intention,omitzero"`
	Contributor *Contributor `json:"contributor,omitzero"`
}

// ActionType is chat/toolCallStart.
func (*ChatToolCallStart) ActionType() string { return "chat/toolCallStart" }

// ChatToolCallDelta appends to the partial input of a streaming call.
type ChatToolCallDelta struct {
	TurnID            string           `json:"turnId"`
	ToolCallID        string           `json:"toolCallId"`
	Meta              Raw              `json:"_meta,omitzero"`
	Content           Text             `json:"content,omitzero"`
	InvocationMessage StringOrMarkdown `json:"invocationMessage,omitzero"`
}

// ActionType is chat/toolCallDelta.
func (*ChatToolCallDelta) ActionType() string { return "chat/toolCallDelta" }

// ChatToolCallReady completes the input: the call runs (Confirmed set) or waits for confirmation.
type ChatToolCallReady struct {
	TurnID            string                `json:"turnId"`
	ToolCallID        string                `json:"toolCallId"`
	Meta              Raw                   `json:"_meta,omitzero"`
	InvocationMessage StringOrMarkdown      `json:"invocationMessage"`
	ToolInput         ToolInput             `json:"toolInput,omitzero"`
	ConfirmationTitle StringOrMarkdown      `json:"confirmationTitle,omitzero"`
	RiskAssessment    Raw                   `json:"riskAssessment,omitzero" since:"0.6.0"`
	Edits             *FileEdits            `json:"edits,omitzero"`
	Editable          *bool                 `json:"editable,omitzero"`
	Confirmed         string                `json:"confirmed,omitzero"`
	Options           []*ConfirmationOption `json:"options,omitzero"`
	Contributor       *Contributor          `json:"contributor,omitzero" since:"0.7.0"`
	Intention         string                `json:"intention,omitzero" since:"0.7.0"`
}

// ActionType is chat/toolCallReady.
func (*ChatToolCallReady) ActionType() string { return "chat/toolCallReady" }

// ChatToolCallConfirmed approves or denies a call that waits for confirmation.
type ChatToolCallConfirmed struct {
	TurnID           string           `json:"turnId"`
	ToolCallID       string           `json:"toolCallId"`
	Meta             Raw              `json:"_meta,omitzero"`
	Approved         bool             `json:"approved"`
	Confirmed        string           `json:"confirmed,omitzero"`
	EditedToolInput  *string          `json:"editedToolInput,omitzero"`
	SelectedOptionID string           `json:"selectedOptionId,omitzero"`
	Reason           string           `json:"reason,omitzero"`
	UserSuggestion   *Message         `json:"userSuggestion,omitzero"`
	ReasonMessage    StringOrMarkdown `json:"reasonMessage,omitzero"`
}

// ActionType is chat/toolCallConfirmed.
func (*ChatToolCallConfirmed) ActionType() string { return "chat/toolCallConfirmed" }

// ChatToolCallComplete ends a call with its result.
type ChatToolCallComplete struct {
	TurnID                     string      `json:"turnId"`
	ToolCallID                 string      `json:"toolCallId"`
	Meta                       Raw         `json:"_meta,omitzero"`
	Result                     *ToolResult `json:"result"`
	RequiresResultConfirmation *bool       `json:"requiresResultConfirmation,omitzero"`
}

// ActionType is chat/toolCallComplete.
func (*ChatToolCallComplete) ActionType() string { return "chat/toolCallComplete" }

// ChatToolCallResultConfirmed accepts or refuses a result that waits for confirmation.
type ChatToolCallResultConfirmed struct {
	TurnID     string `json:"turnId"`
	ToolCallID string `json:"toolCallId"`
	Meta       Raw    `json:"_meta,omitzero"`
	Approved   bool   `json:"approved"`
}

// ActionType is chat/toolCallResultConfirmed.
func (*ChatToolCallResultConfirmed) ActionType() string { return "chat/toolCallResultConfirmed" }

// ChatToolCallContentChanged replaces the output of a running call.
type ChatToolCallContentChanged struct {
	TurnID     string               `json:"turnId"`
	ToolCallID string               `json:"toolCallId"`
	Meta       Raw                  `json:"_meta,omitzero"`
	Content    []*ToolResultContent `json:"content"`
}

// ActionType is chat/toolCallContentChanged.
func (*ChatToolCallContentChanged) ActionType() string { return "chat/toolCallContentChanged" }

// ChatToolCallAuthRequired stops a running call until somebody signs in (from 0.6).
type ChatToolCallAuthRequired struct {
	TurnID     string              `json:"turnId"`
	ToolCallID string              `json:"toolCallId"`
	Meta       Raw                 `json:"_meta,omitzero"`
	Auth       *McpAuthRequirement `json:"auth"`
}

// ActionType is chat/toolCallAuthRequired.
func (*ChatToolCallAuthRequired) ActionType() string { return "chat/toolCallAuthRequired" }

// ChatToolCallAuthResolved lets a call that waited for a sign-in go on (from 0.6).
type ChatToolCallAuthResolved struct {
	TurnID     string `json:"turnId"`
	ToolCallID string `json:"toolCallId"`
	Meta       Raw    `json:"_meta,omitzero"`
}

// ActionType is chat/toolCallAuthResolved.
func (*ChatToolCallAuthResolved) ActionType() string { return "chat/toolCallAuthResolved" }
