// Package ahpclient is one connection to one agent host: handshake,
// subscriptions, the optimistic store, and reconnecting.
//
// A [Client] is created with [New] and lives in [Client.Run]. What it knows is
// read as an immutable [View]; what a person wants is said with
// [Client.Dispatch], whose [Ticket] tells what became of it.
//
// The goroutine that reads the socket decodes messages and folds them into the
// store, so that a snapshot of any size never holds up a key; callers touch
// the store only for as long as it takes to note an intent or to publish a view.
package ahpclient
