package protocol

import "github.com/go-json-experiment/json/jsontext"

// TerminalState is the state of a terminal channel.
type TerminalState struct {
	Title   string          `json:"title"`
	Cwd     URI             `json:"cwd,omitzero"`
	Cols    *int            `json:"cols,omitzero"`
	Rows    *int            `json:"rows,omitzero"`
	Content []*TerminalPart `json:"content"`
	Claim   *TerminalClaim  `json:"claim,omitzero"`

	// Whether the terminal has ended: Lifecycle from 0.9 on, ExitCode before.
	// [TerminalState.Exited] reads either.
	Lifecycle *TerminalLifecycle `json:"lifecycle,omitzero" since:"0.9.0"`
	ExitCode  *int               `json:"exitCode,omitzero" until:"0.8.0"`

	SupportsCommandDetection *bool `json:"supportsCommandDetection,omitzero"`
	IsPty                    *bool `json:"isPty,omitzero" since:"0.7.0"`
	Extra                    Raw   `json:",embed"`
}

// TerminalPartType tells the types of [TerminalPart] apart.
type TerminalPartType string

// The types of a terminal's content.
const (
	TerminalUnclassified TerminalPartType = "unclassified"
	TerminalCommand      TerminalPartType = "command"
)

// TerminalPart is one piece of a terminal's content, in the order of the output:
// a command with what it wrote, or output that belongs to no known command. It
// holds what the terminal's program wrote, control sequences and all.
type TerminalPart struct {
	Type TerminalPartType `json:"type"`

	Value Text `json:"value,omitzero"` // unclassified

	// A command.
	CommandID   string   `json:"commandId,omitzero"`
	CommandLine Text     `json:"commandLine,omitzero"`
	Output      Text     `json:"output,omitzero"`
	Timestamp   *float64 `json:"timestamp,omitzero"` // milliseconds since 1970
	IsComplete  *bool    `json:"isComplete,omitzero"`
	ExitCode    *int     `json:"exitCode,omitzero"`
	DurationMs  *float64 `json:"durationMs,omitzero"`

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed"`
}

// Text is what the terminal showed of the part.
func (p *TerminalPart) Text() Text {
	if p.Type == TerminalCommand {
		return p.Output
	}
	return p.Value
}

// Running reports whether the part is a command that has not finished.
func (p *TerminalPart) Running() bool {
	return p.Type == TerminalCommand && (p.IsComplete == nil || !*p.IsComplete)
}

type plainTerminalPart TerminalPart

// MarshalJSONTo writes the part, or the raw value it was kept as.
func (p TerminalPart) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, p.Raw, (*plainTerminalPart)(&p))
}

// The kinds of [TerminalClaim].
const (
	ClaimClient  = "client"
	ClaimSession = "session"
)

// TerminalClaim says who has a terminal: a client, or a session and, more
// closely, a chat (from 0.9), a turn and a tool call of it.
type TerminalClaim struct {
	Kind       string `json:"kind"`
	ClientID   string `json:"clientId,omitzero"`
	Session    URI    `json:"session,omitzero"`
	Chat       URI    `json:"chat,omitzero" since:"0.9.0"`
	TurnID     string `json:"turnId,omitzero"`
	ToolCallID string `json:"toolCallId,omitzero"`
	Extra      Raw    `json:",embed"`
}

// The statuses of a [TerminalLifecycle].
const (
	TerminalRunning = "running"
	TerminalEnded   = "exited"
)

// TerminalLifecycle says whether a terminal's program runs or has ended (from 0.9).
type TerminalLifecycle struct {
	Status   string `json:"status"`
	ExitCode *int   `json:"exitCode,omitzero"`
	Extra    Raw    `json:",embed"`
}

// TerminalInfo is an entry of the root's catalogue of terminals.
type TerminalInfo struct {
	Resource  URI                `json:"resource"`
	Title     string             `json:"title"`
	Claim     *TerminalClaim     `json:"claim,omitzero"`
	Lifecycle *TerminalLifecycle `json:"lifecycle,omitzero" since:"0.9.0"`
	ExitCode  *int               `json:"exitCode,omitzero" until:"0.8.0"`
	Extra     Raw                `json:",embed"`
}

// Exited reports whether the terminal's program has ended, and with which code,
// which is nil where nobody knows.
func (s *TerminalState) Exited() (code *int, ended bool) { return exited(s.Lifecycle, s.ExitCode) }

// Exited reports whether the terminal's program has ended, and with which code,
// which is nil where nobody knows.
func (i *TerminalInfo) Exited() (code *int, ended bool) { return exited(i.Lifecycle, i.ExitCode) }

func exited(l *TerminalLifecycle, code *int) (*int, bool) {
	if l != nil {
		return l.ExitCode, l.Status == TerminalEnded
	}
	return code, code != nil
}
