package protocol

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ToolCallStatus is the place of a tool call in its life.
type ToolCallStatus string

// The statuses of a tool call.
const (
	ToolStreaming                 ToolCallStatus = "streaming"
	ToolPendingConfirmation       ToolCallStatus = "pending-confirmation"
	ToolRunning                   ToolCallStatus = "running"
	ToolAuthRequired              ToolCallStatus = "auth-required"
	ToolPendingResultConfirmation ToolCallStatus = "pending-result-confirmation"
	ToolCompleted                 ToolCallStatus = "completed"
	ToolCancelled                 ToolCallStatus = "cancelled"
)

// Ended reports whether nothing can happen to the call any more.
func (s ToolCallStatus) Ended() bool { return s == ToolCompleted || s == ToolCancelled }

// WaitsForUser reports whether the call stands until a person acts.
func (s ToolCallStatus) WaitsForUser() bool {
	return s == ToolPendingConfirmation || s == ToolPendingResultConfirmation || s == ToolAuthRequired
}

// ToolCall is a tool call in one of its statuses. Which members are set depends
// on the status; the groups below are in the order of its life.
type ToolCall struct {
	Status      ToolCallStatus `json:"status"`
	ToolCallID  string         `json:"toolCallId"`
	ToolName    string         `json:"toolName"`
	DisplayName string         `json:"displayName"`
	Intention   string         `json:"intention,omitzero"`
	Contributor *Contributor   `json:"contributor,omitzero"`
	Meta        Raw            `json:"_meta,omitzero"`

	PartialInput      Text             `json:"partialInput,omitzero"` // streaming
	InvocationMessage StringOrMarkdown `json:"invocationMessage,omitzero"`
	ToolInput         ToolInput        `json:"toolInput,omitzero"`

	// Pending confirmation.
	ConfirmationTitle StringOrMarkdown      `json:"confirmationTitle,omitzero"`
	RiskAssessment    Raw                   `json:"riskAssessment,omitzero" since:"0.6.0"` // read by [ToolCall.Risk]
	Edits             *FileEdits            `json:"edits,omitzero"`
	Editable          *bool                 `json:"editable,omitzero"`
	Options           []*ConfirmationOption `json:"options,omitzero"`

	// After confirmation.
	Confirmed      string              `json:"confirmed,omitzero"` // not-needed, user-action, setting
	SelectedOption *ConfirmationOption `json:"selectedOption,omitzero"`

	Auth *McpAuthRequirement `json:"auth,omitzero" since:"0.6.0"` // auth required

	// Running and later.
	Content []*ToolResultContent `json:"content,omitzero"`

	// Result.
	Success           *bool            `json:"success,omitzero"`
	PastTenseMessage  StringOrMarkdown `json:"pastTenseMessage,omitzero"`
	StructuredContent Raw              `json:"structuredContent,omitzero"`
	Error             *ToolError       `json:"error,omitzero"`

	// Cancelled.
	Reason         string           `json:"reason,omitzero"` // denied, skipped, result-denied
	ReasonMessage  StringOrMarkdown `json:"reasonMessage,omitzero"`
	UserSuggestion *Message         `json:"userSuggestion,omitzero"`

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed"`
}

// Contributor says who runs a tool: a client, or an MCP server by the id of its
// customization. Absent, it is a tool of the host.
type Contributor struct {
	Kind            string `json:"kind"`
	ClientID        string `json:"clientId,omitzero"`
	CustomizationID string `json:"customizationId,omitzero"`
	Extra           Raw    `json:",embed"`
}

// The kinds of contributors.
const (
	ContributorClient = "client"
	ContributorMcp    = "mcp"
)

// ConfirmationOption is one of the host's own answers to a confirmation. Kind
// is approve or deny; options of different groups are set apart.
type ConfirmationOption struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`
	Kind  string   `json:"kind"`
	Group *float64 `json:"group,omitzero"`
	Extra Raw      `json:",embed"`
}

// Approves reports whether choosing the option approves the call.
func (o *ConfirmationOption) Approves() bool { return o.Kind == "approve" }

// ToolError is why a tool call failed.
type ToolError struct {
	Message string `json:"message"`
	Code    string `json:"code,omitzero"`
	Extra   Raw    `json:",embed"`
}

// ToolResult is the outcome of a tool call.
type ToolResult struct {
	Success           bool                 `json:"success"`
	PastTenseMessage  StringOrMarkdown     `json:"pastTenseMessage"`
	Content           []*ToolResultContent `json:"content,omitzero"`
	StructuredContent Raw                  `json:"structuredContent,omitzero"`
	Error             *ToolError           `json:"error,omitzero"`
	Extra             Raw                  `json:",embed"`
}

// The types of [ToolResultContent].
const (
	ContentText             = "text"
	ContentEmbedded         = "embeddedResource"
	ContentResource         = "resource"
	ContentFileEdit         = "fileEdit"
	ContentTerminal         = "terminal"
	ContentTerminalComplete = "terminalComplete" // 0.5.2 and 0.6
	ContentSubagent         = "subagent"
)

// ToolResultContent is one piece of a tool's output. Which members are set
// depends on the type.
type ToolResultContent struct {
	Type string `json:"type"`
	Text Text   `json:"text,omitzero"` // text

	Title    string `json:"title,omitzero"`    // terminal, subagent
	Resource URI    `json:"resource,omitzero"` // a terminal's channel, a sub-agent's chat

	IsPty  *bool                  `json:"isPty,omitzero" since:"0.7.0"`  // terminal
	Result *TerminalCommandResult `json:"result,omitzero" since:"0.7.0"` // terminal

	Before *FileVersion `json:"before,omitzero"` // fileEdit: a [FileEdit]
	After  *FileVersion `json:"after,omitzero"`
	Diff   *DiffCount   `json:"diff,omitzero"`

	URI         URI    `json:"uri,omitzero"`         // resource: a [ContentRef]
	ContentType string `json:"contentType,omitzero"` // resource, embedded
	Data        string `json:"data,omitzero"`        // embedded: base64

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed" keeps:"sizeHint,nonce,agentName,description,exitCode,cwd,preview,truncated"`
}

// TextContent is a piece of plain text output.
func TextContent(s string) *ToolResultContent {
	return &ToolResultContent{Type: "text", Text: NewText(s)}
}

// ToolInput is the input of a call: a string, or from 0.7 on a reference whose
// content is fetched with resourceRead.
type ToolInput struct {
	Text Text
	Ref  *ContentRef
}

// InputText makes a ToolInput of a string.
func InputText(s string) ToolInput { return ToolInput{Text: NewText(s)} }

// IsZero reports whether there is no input.
func (i ToolInput) IsZero() bool { return i.Ref == nil && i.Text.IsZero() }

// UnmarshalJSONFrom reads either form.
func (i *ToolInput) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*i = ToolInput{}
	if dec.PeekKind() == '{' {
		return json.UnmarshalDecode(dec, &i.Ref)
	}
	return i.Text.UnmarshalJSONFrom(dec)
}

// MarshalJSONTo writes the form the value has.
func (i ToolInput) MarshalJSONTo(enc *jsontext.Encoder) error {
	if i.Ref != nil {
		return json.MarshalEncode(enc, i.Ref)
	}
	return i.Text.MarshalJSONTo(enc)
}
