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

// Edit is the change of a file that the piece tells of, or nil.
func (c *ToolResultContent) Edit() *FileEdit {
	if c.Type != ContentFileEdit {
		return nil
	}
	return &FileEdit{Before: c.Before, After: c.After, Diff: c.Diff}
}
