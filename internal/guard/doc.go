// Package guard is the HTTP client for URLs that a peer named: metadata documents, and the endpoints that they name in
// turn. Whoever names a URL chooses where a request of this machine goes, so the client decides where it may go.
//
//   - https only; plain http to this machine alone, and only when the [Policy] allows this machine.
//   - The address is checked when it is dialled, on what the name was resolved to. A name that resolves otherwise the
//     next time is checked again, because every request has a connection of its own. There is no proxy.
//   - A GET follows at most three redirects, each checked like a URL of its own; a POST follows none.
//   - Times, headers and bodies are bounded; a body is counted after it was unpacked.
//   - No error holds a body, a query or a header of the peer.
package guard
