package protocol

// RootAgentsChanged replaces the agents.
type RootAgentsChanged struct {
	Agents []*AgentInfo `json:"agents"`
}

// ActionType is root/agentsChanged.
func (*RootAgentsChanged) ActionType() string { return "root/agentsChanged" }

// RootActiveSessionsChanged replaces the number of active sessions.
type RootActiveSessionsChanged struct {
	ActiveSessions float64 `json:"activeSessions"`
}

// ActionType is root/activeSessionsChanged.
func (*RootActiveSessionsChanged) ActionType() string { return "root/activeSessionsChanged" }

// RootTerminalsChanged replaces the catalogue of terminals.
type RootTerminalsChanged struct {
	Terminals []*TerminalInfo `json:"terminals"`
}

// ActionType is root/terminalsChanged.
func (*RootTerminalsChanged) ActionType() string { return "root/terminalsChanged" }

// RootConfigChanged merges into the configuration values, or replaces them.
type RootConfigChanged struct {
	Config  map[string]Raw `json:"config"`
	Replace *bool          `json:"replace,omitzero"`
}

// ActionType is root/configChanged.
func (*RootConfigChanged) ActionType() string { return "root/configChanged" }
