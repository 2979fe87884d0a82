// Package oauthserver is a small OAuth 2.1 authorization server for the demo and
// for tests: metadata (RFC 8414), dynamic registration (RFC 7591), the
// authorization code grant with PKCE S256 (RFC 7636) and resource indicators
// (RFC 8707), and the issuer in the answer (RFC 9207). Tokens are opaque and
// short-lived; a resource server in the same process asks [Server.Verify].
//
// It is strict, so that a client that passes here passes elsewhere, and it can
// be made to misbehave at any endpoint with [Options.Intercept]. Its consent page
// is a plain form that works without JavaScript. There are no users: whoever has
// the page decides.
package oauthserver
