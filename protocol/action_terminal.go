package protocol

// TerminalData is output of the terminal's program.
type TerminalData struct {
	Data Text `json:"data"`
}

// ActionType is terminal/data.
func (*TerminalData) ActionType() string { return "terminal/data" }

// TerminalInput is input for the terminal's program. It changes no state: what
// is to be seen of it comes back as data.
type TerminalInput struct {
	Data Text `json:"data"`
}

// ActionType is terminal/input.
func (*TerminalInput) ActionType() string { return "terminal/input" }

// TerminalResized sets the size in character cells.
type TerminalResized struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// ActionType is terminal/resized.
func (*TerminalResized) ActionType() string { return "terminal/resized" }

// TerminalClaimed hands the terminal to somebody.
type TerminalClaimed struct {
	Claim *TerminalClaim `json:"claim"`
}

// ActionType is terminal/claimed.
func (*TerminalClaimed) ActionType() string { return "terminal/claimed" }

// TerminalTitleChanged renames the terminal.
type TerminalTitleChanged struct {
	Title string `json:"title"`
}

// ActionType is terminal/titleChanged.
func (*TerminalTitleChanged) ActionType() string { return "terminal/titleChanged" }

// TerminalCwdChanged says where the terminal's program is now.
type TerminalCwdChanged struct {
	Cwd URI `json:"cwd"`
}

// ActionType is terminal/cwdChanged.
func (*TerminalCwdChanged) ActionType() string { return "terminal/cwdChanged" }

// TerminalExited says that the terminal's program has ended.
type TerminalExited struct {
	ExitCode *int `json:"exitCode,omitzero"`
}

// ActionType is terminal/exited.
func (*TerminalExited) ActionType() string { return "terminal/exited" }

// TerminalCleared drops the content.
type TerminalCleared struct{}

// ActionType is terminal/cleared.
func (*TerminalCleared) ActionType() string { return "terminal/cleared" }

// TerminalCommandDetectionAvailable says that commands will be told apart.
type TerminalCommandDetectionAvailable struct{}

// ActionType is terminal/commandDetectionAvailable.
func (*TerminalCommandDetectionAvailable) ActionType() string {
	return "terminal/commandDetectionAvailable"
}

// TerminalCommandExecuted opens a command; what follows is its output. Timestamp
// is in milliseconds since 1970.
type TerminalCommandExecuted struct {
	CommandID   string   `json:"commandId"`
	CommandLine Text     `json:"commandLine"`
	Timestamp   *float64 `json:"timestamp,omitzero"`
}

// ActionType is terminal/commandExecuted.
func (*TerminalCommandExecuted) ActionType() string { return "terminal/commandExecuted" }

// TerminalCommandFinished ends a command.
type TerminalCommandFinished struct {
	CommandID  string   `json:"commandId"`
	ExitCode   *int     `json:"exitCode,omitzero"`
	DurationMs *float64 `json:"durationMs,omitzero"`
}

// ActionType is terminal/commandFinished.
func (*TerminalCommandFinished) ActionType() string { return "terminal/commandFinished" }
