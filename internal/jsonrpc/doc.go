// Package jsonrpc is a JSON-RPC 2.0 peer over a message transport, and the transports themselves: WebSocket, and a pipe in
// memory. An AHP client and an AHP host both stand on it; it knows nothing of AHP.
//
// A [Peer] owns one connection. [Peer.Run] reads on the goroutine of its caller and writes on one of its own; the handler,
// and the callbacks of [Peer.Go], run on the reading goroutine in the order in which the messages came. So the answer to a
// subscription is dealt with before the notifications that follow it.
//
// What the other side sends is taken as hostile: its messages are bounded in size, depth and duration, its silence in
// writing is bounded by a queue, and nothing it says is printed as it is.
package jsonrpc
