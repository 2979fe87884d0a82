package protocol

// InitializeParams opens a connection (method initialize).
type InitializeParams struct {
	Channel              URI                 `json:"channel"`
	ProtocolVersions     []string            `json:"protocolVersions"`
	ClientID             string              `json:"clientId"`
	ClientInfo           *Implementation     `json:"clientInfo,omitzero"`
	InitialSubscriptions []URI               `json:"initialSubscriptions,omitzero"`
	Locale               string              `json:"locale,omitzero"`
	Capabilities         *ClientCapabilities `json:"capabilities,omitzero"`
}

// ClientCapabilities tells by presence what a client can do.
type ClientCapabilities struct {
	McpApps Raw `json:"mcpApps,omitzero"`
}

// InitializeResult is the answer to initialize.
type InitializeResult struct {
	ProtocolVersion             string          `json:"protocolVersion"`
	ServerSeq                   int64           `json:"serverSeq"`
	ServerInfo                  *Implementation `json:"serverInfo,omitzero"`
	Snapshots                   []*Snapshot     `json:"snapshots"`
	DefaultDirectory            URI             `json:"defaultDirectory,omitzero"`
	CompletionTriggerCharacters []string        `json:"completionTriggerCharacters,omitzero"`
	TerminalCommandPrefix       string          `json:"terminalCommandPrefix,omitzero"`
	Extra                       Raw             `json:",embed"`
}

// Snapshot is a channel's state at a sequence number. Nothing in it says which
// type the state has: [DecodeState] takes the kind that was asked for.
type Snapshot struct {
	Resource URI   `json:"resource"`
	State    Raw   `json:"state"`
	FromSeq  int64 `json:"fromSeq"`
}

// ReconnectParams resumes a connection (method reconnect).
type ReconnectParams struct {
	Channel           URI    `json:"channel"`
	ClientID          string `json:"clientId"`
	LastSeenServerSeq int64  `json:"lastSeenServerSeq"`
	Subscriptions     []URI  `json:"subscriptions"`
}

// ReconnectResult is the answer to reconnect: Type is "replay", with Actions and
// Missing, or "snapshot", with Snapshots; what a snapshot answer lacks is gone.
type ReconnectResult struct {
	Type      string      `json:"type"`
	Actions   []*Envelope `json:"actions,omitzero"`
	Missing   []URI       `json:"missing,omitzero"`
	Snapshots []*Snapshot `json:"snapshots,omitzero"`
}

// The types of a [ReconnectResult].
const (
	ReconnectReplay   = "replay"
	ReconnectSnapshot = "snapshot"
)

// ChannelParams are the parameters of requests and notifications that name
// nothing but their channel.
type ChannelParams struct {
	Channel URI `json:"channel"`
}

// SubscribeParams subscribes to a channel.
type SubscribeParams struct {
	Channel  URI       `json:"channel"`
	Delivery *Delivery `json:"delivery,omitzero"`
	View     *View     `json:"view,omitzero"`
}

// Delivery bounds how long a host may hold messages back on purpose.
type Delivery struct {
	MaxLatencyMs *float64 `json:"maxLatencyMs,omitzero"`
}

// View bounds what a snapshot holds: about that many of the newest turns.
type View struct {
	Turns *float64 `json:"turns,omitzero"`
}

// SubscribeResult holds the snapshot; stateless channels have none.
type SubscribeResult struct {
	Snapshot *Snapshot `json:"snapshot,omitzero"`
}

// DispatchActionParams asks for a change of state (notification dispatchAction).
type DispatchActionParams struct {
	Channel   URI   `json:"channel"`
	ClientSeq int64 `json:"clientSeq"`
	Action    Raw   `json:"action"`
}

// ListSessionsParams asks for a page of the session list.
type ListSessionsParams struct {
	Channel URI    `json:"channel"`
	Limit   *int   `json:"limit,omitzero"`
	Cursor  string `json:"cursor,omitzero"`
}

// ListSessionsResult is a page of the session list.
type ListSessionsResult struct {
	Items      []*SessionSummary `json:"items"`
	NextCursor string            `json:"nextCursor,omitzero"`
}

// CreateSessionParams creates a session under a URI that the client chose.
type CreateSessionParams struct {
	Channel            URI                  `json:"channel"`
	Provider           string               `json:"provider,omitzero"`
	WorkingDirectory   URI                  `json:"workingDirectory,omitzero"`   // up to 0.6
	WorkingDirectories []URI                `json:"workingDirectories,omitzero"` // from 0.7
	Config             map[string]Raw       `json:"config,omitzero"`
	ActiveClient       *SessionActiveClient `json:"activeClient,omitzero"`
	ProgressToken      string               `json:"progressToken,omitzero"`
}

// NewCreateSession makes the parameters in the form of a version.
func NewCreateSession(v Version, channel URI, provider string, dir URI) *CreateSessionParams {
	p := &CreateSessionParams{Channel: channel, Provider: provider}
	switch {
	case dir == "":
	case v.AtLeast(V0_7_0):
		p.WorkingDirectories = []URI{dir}
	default:
		p.WorkingDirectory = dir
	}
	return p
}

// CreateChatParams creates a chat in a session.
type CreateChatParams struct {
	Channel            URI         `json:"channel"`
	Chat               URI         `json:"chat"`
	InitialMessage     *Message    `json:"initialMessage,omitzero"`
	Source             *ChatSource `json:"source,omitzero"`
	WorkingDirectories []URI       `json:"workingDirectories,omitzero"`
}

// ChatSource says what a new chat grows from: Kind is fork or sideChat, and is
// absent up to 0.6, where it means fork.
type ChatSource struct {
	Kind      string             `json:"kind,omitzero"`
	Chat      URI                `json:"chat"`
	TurnID    string             `json:"turnId"`
	Selection *SideChatSelection `json:"selection,omitzero"`
}

// SideChatSelection is the text a side chat is about.
type SideChatSelection struct {
	Text           string `json:"text"`
	ResponsePartID string `json:"responsePartId,omitzero"`
}

// FetchTurnsParams asks for older turns; they arrive as chat/turnsLoaded.
type FetchTurnsParams struct {
	Channel URI    `json:"channel"`
	Cursor  string `json:"cursor,omitzero"`
}

// AuthenticateParams hands a token to the host. Token is a secret.
type AuthenticateParams struct {
	Channel   URI      `json:"channel"`
	Resource  string   `json:"resource"`
	Token     string   `json:"token"`
	Scopes    []string `json:"scopes,omitzero"`
	ExpiresIn *int64   `json:"expiresIn,omitzero"` // seconds
}

// SessionAddedParams announces a session (notification root/sessionAdded).
type SessionAddedParams struct {
	Channel URI             `json:"channel"`
	Summary *SessionSummary `json:"summary"`
	Extra   Raw             `json:",embed"`
}

// SessionRemovedParams announces the end of a session (root/sessionRemoved).
type SessionRemovedParams struct {
	Channel URI `json:"channel"`
	Session URI `json:"session"`
}

// SessionSummaryChangedParams carries changed members of a summary
// (root/sessionSummaryChanged).
type SessionSummaryChangedParams struct {
	Channel URI `json:"channel"`
	Session URI `json:"session"`
	Changes Raw `json:"changes"`
}

// ProgressParams tells how far a request is (root/progress).
type ProgressParams struct {
	Channel       URI      `json:"channel"`
	ProgressToken string   `json:"progressToken"`
	Progress      float64  `json:"progress"`
	Total         *float64 `json:"total,omitzero"`
	Message       string   `json:"message,omitzero"`
}

// AuthRequiredParams says that an agent needs a sign-in (auth/required).
type AuthRequiredParams struct {
	Channel  URI              `json:"channel"`
	Resource ResourceOrString `json:"resource"`
	Reason   string           `json:"reason,omitzero"`
}
