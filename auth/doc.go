// Package auth gets access tokens for the protected resources of agent hosts: the OAuth client of the program, by the
// rules of the Model Context Protocol's authorization pages (revision 2026-07-28).
//
// An agent host says that a server or a tool call needs access ([NewChallenge]). A [Broker] makes a [Flow] of it, which
// reports what it does as events, asks what only a person can say, and ends with a [Grant] for the host or a [Failure]
// that names the step, the cause and a remedy. Nothing here knows of terminals or of the connection to the host.
//
// Everybody on the other end is distrusted: the host that relays the challenge, the resource, the authorization server,
// the name service, and other programs of this machine. See package guard for where a request may go.
package auth
