// Package authflow is the overlay in which a person grants access: what is
// asked and by whom before anything happens, then how the sign-in goes on.
package authflow

import "ahptui/internal/safetext"

// Stage is how far a sign-in is.
type Stage uint8

// The stages.
const (
	Consent Stage = iota // the person is asked whether to go on
	Working              // the sign-in runs
	Failed               // it ended without access
	Done                 // the host has the token and goes on
)

// Input is what the overlay shows. What is empty is left out. The overlay keeps
// it until the next one, so it must not be changed.
type Input struct {
	Stage Stage

	// Server is the name of the MCP server that asks, Call the tool call that
	// waits for it, if one does, such as "tracker.create".
	Server safetext.Text
	Call   safetext.Text
	// Also are others that wait for the same and go on with it.
	Also []safetext.Text
	// Reason is why access is needed, in words, Description what the server
	// says to it: it is quoted, for nobody vouches for it.
	Reason      safetext.Text
	Description safetext.Text

	// Host is the name of the agent host that gets the token, HostURL where it
	// was reached, and Receives what it gets, in words.
	Host     safetext.Text
	HostURL  safetext.Link
	Receives safetext.Text

	// Resource is what the token is for, Issuer the authorization server that
	// makes it, OtherIssuers those that the resource names beside it, and
	// OtherOrigins the endpoints of the issuer that are elsewhere.
	//
	// The sites are their registrable domains, in ASCII: what somebody has bought,
	// and can lie least with.
	Resource     safetext.Link
	ResourceSite safetext.Text
	Issuer       safetext.Link
	IssuerSite   safetext.Text
	OtherIssuers []safetext.Link
	OtherOrigins []safetext.Link

	// Scopes are in the order in which they are shown. Without any, none are
	// asked for.
	Scopes []Scope
	// Client is how the issuer knows this program, in words, ClientID the id where
	// it is known already.
	Client   safetext.Text
	ClientID safetext.Text
	// Ways are how the token can be got, Kept where it is kept then.
	Ways []Way
	Kept safetext.Text
	// Metadata is what the resource's own metadata says to what the host said
	// of it, MetadataNote more about it, such as why it could not be fetched.
	Metadata     Verdict
	MetadataNote safetext.Text
	// Warnings are what has to be seen before all else, such as that the issuer
	// is another one than the last time.
	Warnings []safetext.Text

	// Progress is what is going on, Since for how long, such as "12 s", and
	// Passed what is done already.
	Progress safetext.Text
	Since    safetext.Text
	Passed   []safetext.Text
	// URL is the page that the person opens, byte for byte. Elsewhere says that it
	// may be opened on any machine, and Tunnel is the command that lets a browser on
	// another one come back here.
	URL       safetext.Link
	Elsewhere bool
	Tunnel    safetext.Text
	// UserCode is what the person types on the page at URL. Scan is what is shown
	// as a code for a camera, if ShowScan.
	UserCode safetext.Text
	Until    safetext.Text // when it is over, such as "the code ends in 9 min"
	Scan     string
	ShowScan bool
	// Failure is why a sign-in failed, at its stage.
	Failure Failure
	// Notice is what a key has just done, such as "copied".
	Notice safetext.Text

	Keys Keys
}

// Way is one way to get a token.
type Way struct {
	Name   safetext.Text // such as "browser"
	Key    safetext.Text // goes over to it
	Chosen bool
}

// Scope is one scope in the list.
type Scope struct {
	Name     safetext.Text
	Held     bool // granted already
	Required bool // what waits does not go on without it
	Asked    bool // will be asked for
}

// Verdict is what came of checking what the host said of a resource by the
// resource's own metadata (RFC 9728).
type Verdict uint8

// The verdicts.
const (
	Unchecked   Verdict = iota // it is not known yet; nothing is shown
	Verified                   // it says the same
	Unavailable                // it could not be fetched
	Contradicts                // it says otherwise
)

// Failure is why there is no access.
type Failure struct {
	Step  safetext.Text // such as "finding the authorization server"
	Cause safetext.Text
	// Expected and Received are two values that should be the same, below each
	// other, where that is what went wrong.
	Expected, Received safetext.Text

	Said   safetext.Text // what the server says to it: it is quoted
	Remedy safetext.Text // what the person can do
}

// Keys are the names of the keys that count, as the key map has them. A key
// without a name is not offered.
type Keys struct {
	GoOn   safetext.Text // gives consent; after a failure, tries again
	Copy   safetext.Text // copies the URL
	Open   safetext.Text // opens the browser once more
	NotNow safetext.Text // gives no consent
	Back   safetext.Text // leaves a sign-in that runs or has ended

	Scopes   safetext.Text // chooses what to ask for
	Issuer   safetext.Text // shows another authorization server
	Register safetext.Text // has this program registered anew
	Never    safetext.Text // gives no consent, for good
	Decline  safetext.Text // gives up the call that waits
	Paste    safetext.Text // opens a field for the address at which the browser ends
	Scan     safetext.Text // shows or hides the code for a camera
	Tunnel   safetext.Text // copies the command
	Keep     safetext.Text // chooses where tokens are kept
}
