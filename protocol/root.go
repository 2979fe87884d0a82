package protocol

// RootState is the state of [RootChannel].
type RootState struct {
	Agents         []*AgentInfo    `json:"agents"`
	ActiveSessions *float64        `json:"activeSessions,omitzero"`
	Terminals      []*TerminalInfo `json:"terminals,omitzero"`
	Config         *Config         `json:"config,omitzero"`
	Meta           Raw             `json:"_meta,omitzero"`
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
	MultipleWorkingDirectories *MultipleWorkingDirectories `json:"multipleWorkingDirectories,omitzero" since:"0.7.0"`
	Extra                      Raw                         `json:",embed"`
}

// MultipleChats is the capability to have several chats in a session.
type MultipleChats struct {
	Fork     *bool `json:"fork,omitzero"`
	SideChat *bool `json:"sideChat,omitzero" since:"0.7.0"`
	Extra    Raw   `json:",embed"`
}

// MultipleWorkingDirectories is the capability to work in several directories.
type MultipleWorkingDirectories struct {
	ImmutablePrimary   *bool `json:"immutablePrimary,omitzero"`
	PrimaryReplacement *bool `json:"primaryReplacement,omitzero" since:"0.8.0"`
	Extra              Raw   `json:",embed"`
}

// MayFork reports whether a chat of the agent can be forked.
func (a *AgentInfo) MayFork() bool {
	return a.Capabilities != nil && a.Capabilities.MultipleChats != nil && isTrue(a.Capabilities.MultipleChats.Fork)
}

// MaySideChat reports whether a side chat can grow from a chat of the agent.
func (a *AgentInfo) MaySideChat() bool {
	return a.Capabilities != nil && a.Capabilities.MultipleChats != nil && isTrue(a.Capabilities.MultipleChats.SideChat)
}

// MayHaveChats reports whether a session of the agent can have a second chat.
func (a *AgentInfo) MayHaveChats() bool {
	return a.Capabilities != nil && a.Capabilities.MultipleChats != nil
}

// MayChangeDirectories reports whether the directories of a session of the agent
// can change, and whether its first directory can be replaced.
func (a *AgentInfo) MayChangeDirectories() (set, replacePrimary bool) {
	if a.Capabilities == nil || a.Capabilities.MultipleWorkingDirectories == nil {
		return false, false
	}
	return true, isTrue(a.Capabilities.MultipleWorkingDirectories.PrimaryReplacement)
}

func isTrue(b *bool) bool { return b != nil && *b }

// The policy states of a model that the protocol names.
const (
	PolicyEnabled      = "enabled"
	PolicyDisabled     = "disabled"
	PolicyUnconfigured = "unconfigured"
)

// SessionModelInfo is a model that an agent offers. The sizes are in tokens.
type SessionModelInfo struct {
	ID               string   `json:"id"`
	Provider         string   `json:"provider"`
	Name             string   `json:"name"`
	MaxContextWindow *float64 `json:"maxContextWindow,omitzero"`
	MaxOutputTokens  *float64 `json:"maxOutputTokens,omitzero"`
	MaxPromptTokens  *float64 `json:"maxPromptTokens,omitzero"`
	SupportsVision   *bool    `json:"supportsVision,omitzero"`
	PolicyState      string   `json:"policyState,omitzero"`
	ConfigSchema     Raw      `json:"configSchema,omitzero"` // read by [ConfigProperties]
	Meta             Raw      `json:"_meta,omitzero"`
	Extra            Raw      `json:",embed"`
}

// Usable reports whether policy lets the model be used.
func (m *SessionModelInfo) Usable() bool { return m.PolicyState != PolicyDisabled }
