package protocol

import "strings"

// InitializeParams opens a connection (method initialize).
type InitializeParams struct {
	Channel              URI                 `json:"channel"`
	ProtocolVersions     []string            `json:"protocolVersions"`
	ClientID             string              `json:"clientId"`
	ClientInfo           *Implementation     `json:"clientInfo,omitzero"`
	InitialSubscriptions []URI               `json:"initialSubscriptions,omitzero"`
	Locale               string              `json:"locale,omitzero"`
	Capabilities         *ClientCapabilities `json:"capabilities,omitzero"`
	Meta                 Raw                 `json:"_meta,omitzero"`
}

// ClientCapabilities tells by presence what a client can do.
type ClientCapabilities struct {
	McpApps Raw `json:"mcpApps,omitzero"`
}

// InitializeResult is the answer to initialize.
type InitializeResult struct {
	ProtocolVersion             string                  `json:"protocolVersion"`
	ServerSeq                   int64                   `json:"serverSeq"`
	ServerInfo                  *Implementation         `json:"serverInfo,omitzero" since:"0.5.2"`
	Snapshots                   []*Snapshot             `json:"snapshots"`
	DefaultDirectory            URI                     `json:"defaultDirectory,omitzero"`
	CompletionTriggerCharacters []string                `json:"completionTriggerCharacters,omitzero"`
	TerminalCommandPrefix       string                  `json:"terminalCommandPrefix,omitzero" since:"0.5.2"`
	Telemetry                   *TelemetryCapabilities  `json:"telemetry,omitzero"`
	Automations                 *AutomationCapabilities `json:"automations,omitzero" since:"0.9.0"`
	Meta                        Raw                     `json:"_meta,omitzero" since:"0.9.0"`
	Extra                       Raw                     `json:",embed"`
}

// ShellCommand is the command of a message that the host runs in a shell instead
// of asking the agent; ok is false where it does not.
func (r *InitializeResult) ShellCommand(text string) (command string, ok bool) {
	if r.TerminalCommandPrefix == "" {
		return "", false
	}
	return strings.CutPrefix(text, r.TerminalCommandPrefix)
}

// TelemetryCapabilities are the channels of a host's own telemetry: URIs, that of
// the logs perhaps a template that takes a level ([ExpandTemplate]).
type TelemetryCapabilities struct {
	Logs    string `json:"logs,omitzero"`
	Traces  string `json:"traces,omitzero"`
	Metrics string `json:"metrics,omitzero"`
	Extra   Raw    `json:",embed"`
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
	Meta              Raw    `json:"_meta,omitzero" since:"0.8.0"`
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
// nothing but their channel: ping, unsubscribe, disposeSession, disposeChat and
// disposeTerminal.
type ChannelParams struct {
	Channel URI `json:"channel"`
	Meta    Raw `json:"_meta,omitzero" since:"0.8.0"`
}

// EmptyResult is the answer of methods that have nothing to say but that they
// did it. Some answer with null, some with an empty object.
type EmptyResult struct {
	Extra Raw `json:",embed"`
}

// SubscribeParams subscribes to a channel.
type SubscribeParams struct {
	Channel  URI       `json:"channel"`
	Delivery *Delivery `json:"delivery,omitzero"`
	View     *View     `json:"view,omitzero"`
	Meta     Raw       `json:"_meta,omitzero" since:"0.8.0"`
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

// AuthenticateParams hands a token to the host (method authenticate). Token is a
// secret; an empty one revokes. The lifetime is in seconds from when it is sent.
type AuthenticateParams struct {
	Channel   URI      `json:"channel"`
	Resource  string   `json:"resource"`
	Token     string   `json:"token"`
	Scopes    []string `json:"scopes,omitzero" since:"0.6.0"`
	ExpiresIn *int64   `json:"expiresIn,omitzero" since:"0.9.0"`
	Meta      Raw      `json:"_meta,omitzero" since:"0.8.0"`
}
