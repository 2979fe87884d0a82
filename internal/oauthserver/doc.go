// Package oauthserver is a small OAuth 2.1 authorization server for the demo and
// for tests: metadata (RFC 8414), dynamic registration (RFC 7591) and client id
// metadata documents, the authorization code grant with PKCE S256 (RFC 7636) and
// resource indicators (RFC 8707), the issuer in the answer (RFC 9207), the device
// grant (RFC 8628), refresh tokens that rotate and whose reuse ends all that came
// of them (RFC 9700 section 4.14), and revocation (RFC 7009). Tokens are opaque
// and short-lived; a resource server in the same process asks [Server.Verify].
//
// It is strict, so that a client that passes here passes elsewhere. It can be made
// to misbehave: [Alter] changes what it says, and [Options.Intercept] anything
// else. Its pages are plain forms that work without JavaScript. There are no
// users: whoever has the page decides.
package oauthserver
