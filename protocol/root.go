package protocol

// RootState is the state of [RootChannel].
type RootState struct {
	Agents         []*AgentInfo    `json:"agents"`
	ActiveSessions *float64        `json:"activeSessions,omitzero"`
	Terminals      []*TerminalInfo `json:"terminals,omitzero"`
	Config         *Config         `json:"config,omitzero"`
	Extra          Raw             `json:",embed"`
}

// AgentInfo is a backend that sessions can be created with.
type AgentInfo struct {
	Provider           string                       `json:"provider"`
	DisplayName        string                       `json:"displayName"`
	Description        string                       `json:"description"`
	Models             []*SessionModelInfo          `json:"models"`
	ProtectedResources []*ProtectedResourceMetadata `json:"protectedResources,omitzero"`
	Customizations     []*Customization             `json:"customizations,omitzero"`
	Capabilities       *AgentCapabilities           `json:"capabilities,omitzero"`
	Extra              Raw                          `json:",embed"`
}

// AgentCapabilities tells by presence what an agent can do.
type AgentCapabilities struct {
	MultipleChats              *MultipleChats              `json:"multipleChats,omitzero"`
	MultipleWorkingDirectories *MultipleWorkingDirectories `json:"multipleWorkingDirectories,omitzero"`
	Extra                      Raw                         `json:",embed"`
}

// MultipleChats is the capability to have several chats in a session.
type MultipleChats struct {
	Fork     *bool `json:"fork,omitzero"`
	SideChat *bool `json:"sideChat,omitzero"`
	Extra    Raw   `json:",embed"`
}

// MultipleWorkingDirectories is the capability to work in several directories.
type MultipleWorkingDirectories struct {
	ImmutablePrimary   *bool `json:"immutablePrimary,omitzero"`
	PrimaryReplacement *bool `json:"primaryReplacement,omitzero"`
	Extra              Raw   `json:",embed"`
}

// SessionModelInfo is a model that an agent offers.
type SessionModelInfo struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
	Name     string `json:"name"`
	Extra    Raw    `json:",embed"`
}
