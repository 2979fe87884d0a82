package protocol

// Purpose is what the call is for, in words: its intention, or its name.
func (c *ToolCall) Purpose() string {
	if c.Intention != "" {
		return c.Intention
	}
	return c.DisplayName
}

// RiskAssessment is what a judge says about a call that wants to run (from 0.6).
// Safety goes from 0, unsafe, to 1; it is nil while the judge is at it.
type RiskAssessment struct {
	Kind   string           `json:"kind"`
	Status string           `json:"status"`
	Reason StringOrMarkdown `json:"reason,omitzero"`
	Safety *float64         `json:"safety,omitzero"`
	Extra  Raw              `json:",embed"`
}

// The statuses of a [RiskAssessment].
const (
	RiskLoading  = "loading"
	RiskComplete = "complete"
)

// Risk is the call's risk assessment, or nil where there is none that can be read.
func (c *ToolCall) Risk() *RiskAssessment {
	var risk RiskAssessment
	if c.RiskAssessment == nil || Unmarshal(c.RiskAssessment, &risk) != nil {
		return nil
	}
	return &risk
}

// TerminalCommandResult is how a command that a tool ran in a terminal ended.
// Preview is the end of its output as text.
type TerminalCommandResult struct {
	ExitCode  *int  `json:"exitCode,omitzero"`
	Preview   Text  `json:"preview,omitzero"`
	Truncated *bool `json:"truncated,omitzero"`
	Extra     Raw   `json:",embed"`
}

// TerminalUse is what a tool's output says about a terminal: the channel, if it
// can be subscribed to, and the end of the command, if it has ended.
type TerminalUse struct {
	Resource URI
	Title    string
	Result   *TerminalCommandResult
}

// Terminal is what the piece says about a terminal in either form: from 0.7 on
// the terminal has its result with it, before the result was a piece of its own.
// It is nil where the piece is about something else.
func (c *ToolResultContent) Terminal() *TerminalUse {
	switch c.Type {
	case ContentTerminal:
		return &TerminalUse{Resource: c.Resource, Title: c.Title, Result: c.Result}
	case ContentTerminalComplete:
		result := new(TerminalCommandResult)
		if c.Extra != nil && Unmarshal(c.Extra, result) != nil {
			result = new(TerminalCommandResult)
		}
		return &TerminalUse{Resource: c.Resource, Title: c.Title, Result: result}
	}
	return nil
}

// Subagent is the chat of the sub-agent that the call has started, as far as the call tells: a piece of its output, or a
// member of its _meta that is the URI of one of the chats. It is "" where the call tells of none. A chat tells as well which
// call it came from: see [ChatOrigin].
func (c *ToolCall) Subagent(isChat func(URI) bool) (chat URI, title string) {
	for _, piece := range c.Content {
		if piece != nil && piece.Type == ContentSubagent && piece.Resource != "" {
			return piece.Resource, piece.Title
		}
	}
	var meta map[string]Raw
	if c.Meta == nil || Unmarshal(c.Meta, &meta) != nil {
		return "", ""
	}
	for _, value := range meta {
		var uri URI
		if Unmarshal(value, &uri) == nil && uri != "" && isChat(uri) {
			return uri, ""
		}
	}
	return "", ""
}

// OfTool is the kind of a [ChatOrigin] of a chat that a tool call has started: a sub-agent's.
const OfTool = "tool"

// Edit is the change of a file that the piece tells of, or nil.
func (c *ToolResultContent) Edit() *FileEdit {
	if c.Type != ContentFileEdit {
		return nil
	}
	return &FileEdit{Before: c.Before, After: c.After, Diff: c.Diff}
}
