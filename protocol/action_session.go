package protocol

// SessionReady says that the session can be used.
type SessionReady struct{}

// ActionType is session/ready.
func (*SessionReady) ActionType() string { return "session/ready" }

// SessionCreationFailed says that the session could not be created.
type SessionCreationFailed struct {
	Error *ErrorInfo `json:"error"`
}

// ActionType is session/creationFailed.
func (*SessionCreationFailed) ActionType() string { return "session/creationFailed" }

// SessionChatAdded adds a chat to the catalogue, or replaces its entry.
type SessionChatAdded struct {
	Summary *ChatSummary `json:"summary"`
}

// ActionType is session/chatAdded.
func (*SessionChatAdded) ActionType() string { return "session/chatAdded" }

// SessionChatRemoved removes a chat from the catalogue.
type SessionChatRemoved struct {
	Chat URI `json:"chat"`
}

// ActionType is session/chatRemoved.
func (*SessionChatRemoved) ActionType() string { return "session/chatRemoved" }

// SessionChatUpdated merges changed members into a chat's catalogue entry.
type SessionChatUpdated struct {
	Chat    URI `json:"chat"`
	Changes Raw `json:"changes"`
}

// ActionType is session/chatUpdated.
func (*SessionChatUpdated) ActionType() string { return "session/chatUpdated" }

// SessionChatsReordered gives the catalogue a new order (from 1.0).
type SessionChatsReordered struct {
	Chats []URI `json:"chats"`
}

// ActionType is session/chatsReordered.
func (*SessionChatsReordered) ActionType() string { return "session/chatsReordered" }

// SessionDefaultChatChanged sets or clears the default chat.
type SessionDefaultChatChanged struct {
	DefaultChat URI `json:"defaultChat,omitzero"`
}

// ActionType is session/defaultChatChanged.
func (*SessionDefaultChatChanged) ActionType() string { return "session/defaultChatChanged" }

// SessionTitleChanged renames the session.
type SessionTitleChanged struct {
	Title string `json:"title"`
}

// ActionType is session/titleChanged.
func (*SessionTitleChanged) ActionType() string { return "session/titleChanged" }

// SessionIsReadChanged sets or clears the IsRead flag.
type SessionIsReadChanged struct {
	IsRead bool `json:"isRead"`
}

// ActionType is session/isReadChanged.
func (*SessionIsReadChanged) ActionType() string { return "session/isReadChanged" }

// SessionIsArchivedChanged sets or clears the IsArchived flag.
type SessionIsArchivedChanged struct {
	IsArchived bool `json:"isArchived"`
}

// ActionType is session/isArchivedChanged.
func (*SessionIsArchivedChanged) ActionType() string { return "session/isArchivedChanged" }

// SessionActivityChanged sets or clears what the session is doing.
type SessionActivityChanged struct {
	Activity string `json:"activity,omitzero"`
}

// ActionType is session/activityChanged.
func (*SessionActivityChanged) ActionType() string { return "session/activityChanged" }

// SessionChangesetsChanged replaces or clears the changeset catalogue.
type SessionChangesetsChanged struct {
	Changesets []*Changeset `json:"changesets,omitzero"`
}

// ActionType is session/changesetsChanged.
func (*SessionChangesetsChanged) ActionType() string { return "session/changesetsChanged" }

// SessionConfigChanged merges into the configuration values, or replaces them.
type SessionConfigChanged struct {
	Config  map[string]Raw `json:"config"`
	Replace *bool          `json:"replace,omitzero"`
}

// ActionType is session/configChanged.
func (*SessionConfigChanged) ActionType() string { return "session/configChanged" }

// SessionMetaChanged replaces or clears the session's _meta.
type SessionMetaChanged struct {
	Meta Raw `json:"_meta,omitzero"`
}

// ActionType is session/metaChanged.
func (*SessionMetaChanged) ActionType() string { return "session/metaChanged" }

// SessionServerToolsChanged replaces the host's tools.
type SessionServerToolsChanged struct {
	Tools []*ToolDefinition `json:"tools"`
}

// ActionType is session/serverToolsChanged.
func (*SessionServerToolsChanged) ActionType() string { return "session/serverToolsChanged" }

// SessionActiveClientSet joins a session as an active client, or replaces one's entry.
type SessionActiveClientSet struct {
	ActiveClient *SessionActiveClient `json:"activeClient"`
}

// ActionType is session/activeClientSet.
func (*SessionActiveClientSet) ActionType() string { return "session/activeClientSet" }

// SessionActiveClientRemoved leaves a session as an active client.
type SessionActiveClientRemoved struct {
	ClientID string `json:"clientId"`
}

// ActionType is session/activeClientRemoved.
func (*SessionActiveClientRemoved) ActionType() string { return "session/activeClientRemoved" }

// SessionWorkingDirectorySet adds a working directory (from 0.7).
type SessionWorkingDirectorySet struct {
	Directory URI `json:"directory"`
}

// ActionType is session/workingDirectorySet.
func (*SessionWorkingDirectorySet) ActionType() string { return "session/workingDirectorySet" }

// SessionWorkingDirectoryRemoved removes a working directory (from 0.7).
type SessionWorkingDirectoryRemoved struct {
	Directory URI `json:"directory"`
}

// ActionType is session/workingDirectoryRemoved.
func (*SessionWorkingDirectoryRemoved) ActionType() string { return "session/workingDirectoryRemoved" }

// SessionWorkingDirectoryReplaced replaces a working directory (from 0.8).
type SessionWorkingDirectoryReplaced struct {
	Directory   URI `json:"directory"`
	Replacement URI `json:"replacement"`
}

// ActionType is session/workingDirectoryReplaced.
func (*SessionWorkingDirectoryReplaced) ActionType() string {
	return "session/workingDirectoryReplaced"
}

// SessionInputNeededSet adds or replaces a thing that waits for somebody.
type SessionInputNeededSet struct {
	Request *SessionInputRequest `json:"request"`
}

// ActionType is session/inputNeededSet.
func (*SessionInputNeededSet) ActionType() string { return "session/inputNeededSet" }

// SessionInputNeededRemoved removes a thing that waited.
type SessionInputNeededRemoved struct {
	ID string `json:"id"`
}

// ActionType is session/inputNeededRemoved.
func (*SessionInputNeededRemoved) ActionType() string { return "session/inputNeededRemoved" }

// SessionCustomizationsChanged replaces all customizations.
type SessionCustomizationsChanged struct {
	Customizations []*Customization `json:"customizations"`
}

// ActionType is session/customizationsChanged.
func (*SessionCustomizationsChanged) ActionType() string { return "session/customizationsChanged" }

// SessionCustomizationToggled switches a customization: Enabled up to 0.7, the complete list of decisions in Enablement from 0.8 on.
type SessionCustomizationToggled struct {
	ID         string        `json:"id"`
	Enabled    *bool         `json:"enabled,omitzero"`
	Enablement []*Enablement `json:"enablement,omitzero"`
}

// ActionType is session/customizationToggled.
func (*SessionCustomizationToggled) ActionType() string { return "session/customizationToggled" }

// SessionCustomizationUpdated adds or replaces a top-level customization as a whole.
type SessionCustomizationUpdated struct {
	Customization *Customization `json:"customization"`
}

// ActionType is session/customizationUpdated.
func (*SessionCustomizationUpdated) ActionType() string { return "session/customizationUpdated" }

// SessionCustomizationRemoved removes a customization or a child.
type SessionCustomizationRemoved struct {
	ID string `json:"id"`
}

// ActionType is session/customizationRemoved.
func (*SessionCustomizationRemoved) ActionType() string { return "session/customizationRemoved" }

// SessionMcpServerStateChanged is the host's word on a server's runtime state; an absent Channel clears it.
type SessionMcpServerStateChanged struct {
	ID      string          `json:"id"`
	State   *McpServerState `json:"state"`
	Channel URI             `json:"channel,omitzero"`
}

// ActionType is session/mcpServerStateChanged.
func (*SessionMcpServerStateChanged) ActionType() string { return "session/mcpServerStateChanged" }

// SessionMcpServerStartRequested asks for a start, or for a restart of a running server (from 0.5.2).
type SessionMcpServerStartRequested struct {
	ID string `json:"id"`
}

// ActionType is session/mcpServerStartRequested.
func (*SessionMcpServerStartRequested) ActionType() string { return "session/mcpServerStartRequested" }

// SessionMcpServerStopRequested asks for a stop (from 0.5.2).
type SessionMcpServerStopRequested struct {
	ID string `json:"id"`
}

// ActionType is session/mcpServerStopRequested.
func (*SessionMcpServerStopRequested) ActionType() string { return "session/mcpServerStopRequested" }

// SessionMcpServerBackgroundRequested asks not to wait for a blocking start (from 1.0).
type SessionMcpServerBackgroundRequested struct {
	ID string `json:"id"`
}

// ActionType is session/mcpServerBackgroundRequested.
func (*SessionMcpServerBackgroundRequested) ActionType() string {
	return "session/mcpServerBackgroundRequested"
}

// SessionArtifactSet adds an artifact or replaces it (a proposal for after 1.0).
type SessionArtifactSet struct {
	Artifact *Artifact `json:"artifact"`
}

// ActionType is session/artifactSet.
func (*SessionArtifactSet) ActionType() string { return "session/artifactSet" }

// SessionArtifactRemoved removes an artifact.
type SessionArtifactRemoved struct {
	URI URI `json:"uri"`
}

// ActionType is session/artifactRemoved.
func (*SessionArtifactRemoved) ActionType() string { return "session/artifactRemoved" }
