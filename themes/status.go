package themes

import "charm.land/lipgloss/v2"

// Status is a state that something on the screen can be in.
type Status uint8

// The states of MCP servers, sessions, tool calls and the connection, and the
// marks that may stand beside them.
const (
	ServerUnknown Status = iota
	ServerStarting
	ServerReady
	ServerAuthRequired
	ServerError
	ServerStopped

	SessionIdle
	SessionCreating
	SessionWorking
	SessionInputNeeded
	SessionError

	ToolStreaming
	ToolConfirmation
	ToolRunning
	ToolAuthRequired
	ToolResultConfirmation
	ToolCompleted
	ToolFailed
	ToolCancelled
	ToolUnknown

	Connecting
	Connected
	Reconnecting
	Disconnected

	MarkDisabled
	MarkPending
	MarkRejected
	MarkStale

	statuses
)

// Badge is how a status is shown: a sign, a word and a style, so that it reads
// without colour and without the sign.
type Badge struct {
	Glyph string // one column wide
	Word  string
	Style lipgloss.Style
}

// Badge returns the badge of a status; one that is not known is unknown.
func (t Theme) Badge(s Status) Badge {
	d := describe(s)
	b := Badge{Glyph: d.glyph, Word: d.word, Style: t.tones[d.tone]}
	if t.ascii {
		b.Glyph = d.ascii
	}
	return b
}

// tone is what a colour says.
type tone uint8

const (
	good   tone = iota // as it should be
	busy               // on its way, nothing to do
	waits              // for a person
	failed             // will not go on by itself
	idle               // at rest
	odd                // not known
)

// look is a status as data.
type look struct {
	glyph, ascii, word string
	tone               tone
}

// describe is the table of looks.
func describe(s Status) look {
	switch s {
	case ServerStarting:
		return look{"◐", "~", "starting", busy}
	case ServerReady:
		return look{"●", "*", "ready", good}
	case ServerAuthRequired:
		return look{"▲", "!", "needs access", waits}
	case ServerError:
		return look{"✖", "x", "error", failed}
	case ServerStopped:
		return look{"○", "o", "stopped", idle}

	case SessionIdle:
		return look{"●", "*", "idle", good}
	case SessionCreating:
		return look{"◌", "~", "creating", busy}
	case SessionWorking:
		return look{"◐", "~", "working", busy}
	case SessionInputNeeded:
		return look{"▲", "!", "needs you", waits}
	case SessionError:
		return look{"✖", "x", "error", failed}

	case ToolStreaming:
		return look{"◌", "~", "preparing", busy}
	case ToolConfirmation:
		return look{"▲", "!", "asks to run", waits}
	case ToolRunning:
		return look{"◐", "~", "running", busy}
	case ToolAuthRequired:
		return look{"▲", "!", "needs access", waits}
	case ToolResultConfirmation:
		return look{"▲", "!", "asks to use the result", waits}
	case ToolCompleted:
		return look{"✓", "+", "done", good}
	case ToolFailed:
		return look{"✖", "x", "failed", failed}
	case ToolCancelled:
		return look{"⊘", "-", "cancelled", idle}

	case Connecting:
		return look{"◌", "~", "connecting", busy}
	case Connected:
		return look{"●", "*", "connected", good}
	case Reconnecting:
		return look{"◐", "~", "reconnecting", waits}
	case Disconnected:
		return look{"✖", "x", "disconnected", failed}

	case MarkDisabled:
		return look{"⊝", "-", "off", idle}
	case MarkPending:
		return look{"↻", "~", "not confirmed yet", busy}
	case MarkRejected:
		return look{"✖", "x", "rejected", failed}
	case MarkStale:
		return look{"◌", "?", "not up to date", idle}
	}
	return look{"?", "?", "unknown", odd}
}
