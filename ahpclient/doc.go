// Package ahpclient is one connection to one agent host: handshake,
// subscriptions, the optimistic store, and reconnecting.
//
// A [Client] is created with [New] and lives in [Client.Run]. What it knows is
// read as an immutable [View]; what a person wants is said with
// [Client.Dispatch], whose [Ticket] tells what became of it.
//
// An action that was dispatched shows at once and is settled by its echo, by the
// host's refusal, by the state, or by time. Over a cut the host replays what was
// missed or sends fresh states; what it says of neither is unknown, and is never
// sent again. While a snapshot is on its way, what overtakes it is kept.
//
// What no state shows (telemetry, a change of a watched file, what an MCP server
// tells) is an [Event] for whoever listens; what the host asks of the client is
// for a [Responder], and refused without one. All commands are sent in the form
// of the negotiated version.
//
// Whatever a host does, it costs no more than the connection or the channel that
// it does it with: see [Limits].
//
// The goroutine that reads the socket decodes messages and folds them into the
// store, so that a snapshot of any size never holds up a key; callers touch
// the store only for as long as it takes to note an intent or to publish a view.
package ahpclient
