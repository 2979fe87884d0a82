package tui

import (
	"context"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// Host is what the program draws from and speaks to: views out, intents in. The
// live client is one.
type Host interface {
	terminalHost
	changesHost
	// Watch returns what is known now, and a channel that is closed when there
	// is something newer.
	Watch() (*ahpclient.View, <-chan struct{})
	// Dispatch asks for a change and shows its effect at once.
	Dispatch(protocol.URI, protocol.Action) (*ahpclient.Ticket, error)
	// Open, Close and Refresh subscribe to a channel, end that, and take a
	// fresh snapshot.
	Open(protocol.URI, protocol.ChannelKind)
	Close(protocol.URI)
	Refresh(protocol.URI)
	// FetchTurns loads older turns of a chat, and tells whether there are more.
	FetchTurns(ctx context.Context, chat protocol.URI) (more bool, err error)
	// Reconnect makes a client that waits for its next attempt try at once.
	Reconnect()
	// CreateSessionWith makes a session and subscribes to it, from parameters in the form of the newest version.
	// DisposeSession ends one, and CreateChat makes a chat and subscribes to it. They may take as long as ctx allows.
	CreateSessionWith(ctx context.Context, params *protocol.CreateSessionParams) (protocol.URI, error)
	DisposeSession(ctx context.Context, session protocol.URI) error
	CreateChat(ctx context.Context, params *protocol.CreateChatParams) (protocol.URI, error)
	// ResolveSessionConfig and SessionConfigCompletions ask what can be configured of a session that is to be made.
	ResolveSessionConfig(ctx context.Context, params *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error)
	SessionConfigCompletions(ctx context.Context, params *protocol.SessionConfigCompletionsParams) ([]*protocol.SessionConfigValue, error)
	// Completions asks for completions of a message with the cursor before a byte of
	// it. It may take as long as ctx allows.
	Completions(ctx context.Context, chat protocol.URI, text string, cursor int) ([]ahpclient.Completion, error)
	// Authenticate hands a token to the host. It may take as long as ctx allows.
	Authenticate(ctx context.Context, params *protocol.AuthenticateParams) error
	// McpCall asks an MCP server something on its side channel. It may take as long
	// as ctx allows.
	McpCall(ctx context.Context, channel protocol.URI, method string, params, result any) error
}

// Connection is a host and what stands behind it.
type Connection struct {
	Host Host
	Name string // what to call the host until it says its own name
	// KeepAs names the host in what is kept from one run to the next; "" where nothing
	// is, as it will be another one then.
	KeepAs string
	// Auth signs in for what the host's servers and calls wait for; nil if that
	// is not possible. Identity is the host's for it, Opener opens a browser once
	// more, nil if there is none.
	Auth *auth.Broker
	// Store is where Auth keeps tokens; nil if it keeps none.
	Store    *store.Store
	Identity auth.Host
	Opener   auth.Opener
	// Renewed brings the tokens that Auth has refreshed ahead of their end; nil if
	// it does not do that.
	Renewed <-chan auth.Grant
	// Secrets are what must not leave the program with text that a peer wrote; the tokens that are handed to the host are
	// added. It may be nil.
	Secrets *secret.Redactor
	// Retry starts a connection anew that was given up, such as after the host
	// refused the token; nil if only a new program can.
	Retry func()
	// Close ends the connection and waits; nil if there is nothing to end.
	Close func()
}
