package auth

import (
	"time"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// Event is something that a flow did or wants. It is one of the types of this file.
type Event interface{ event() }

// Discovering says that the metadata of the resource and of its authorization server is fetched.
type Discovering struct {
	Resource string
	Issuer   string // empty when the host named none
}

// NeedReach asks whether an authorization server in a network of its own may be contacted, before anything is known about
// it. It is answered by [Flow.Answer].
type NeedReach struct {
	Question int
	Host     Host
	Resource string
	Issuer   string
	// Address is where the name of the server, or of one of its endpoints, leads.
	Address string
	// Private reports that this is in a private network; otherwise it is this machine.
	Private bool
}

// NeedConsent asks whether a token for the resource may be asked for and handed to the host. It is answered by
// [Flow.Answer].
type NeedConsent struct {
	Question     int
	Host         Host
	Source       Source
	Reason       Reason
	Resource     string
	ResourceName string // a peer's text
	Description  string // a peer's text
	Issuer       string
	Issuers      []string // all that there are; an answer may choose another
	// PreviousIssuer is the one that was agreed to before for this host and resource, when it was another.
	PreviousIssuer string
	// OtherOrigins are where the flow leads beside the issuer's own origin.
	OtherOrigins []string
	Scopes       Scopes
	Client       ClientOrigin
	Agreement    Agreement
}

// Scopes are what access is about.
type Scopes struct {
	Required []string // by the challenge
	Held     []string // by the last token that this program got for the host and the resource
	Request  []string // what will be asked for; empty when the authorization server is left to decide
}

// Registering says that this program makes itself known to the authorization server.
type Registering struct{ Issuer string }

// OpenURL says what the person has to open in a browser. It is told whether or not the program opens one itself.
type OpenURL struct{ URL string }

// Waiting says that the port is open and the browser is waited for.
type Waiting struct {
	RedirectURI string
	Until       time.Time
}

// NotOpened says that no browser was started, or seems not to have been, and why. The flow waits all the same.
type NotOpened struct{ Err error }

// Exchanging says that the person has agreed and the token is fetched.
type Exchanging struct{ Issuer string }

// Done is the last event of a flow that succeeded.
type Done struct{ Grant Grant }

// Failed is the last event of a flow that did not.
type Failed struct{ Failure *Failure }

func (Discovering) event() {}
func (NeedReach) event()   {}
func (NeedConsent) event() {}
func (Registering) event() {}
func (OpenURL) event()     {}
func (Waiting) event()     {}
func (NotOpened) event()   {}
func (Exchanging) event()  {}
func (Done) event()        {}
func (Failed) event()      {}

// Grant is a token, bound to what it is for. It must go to no host but its own.
type Grant struct {
	Host     Host
	Resource string
	Issuer   string
	Token    secret.Value
	Scopes   []string // what was granted; nil when nobody knows
	Missing  []string // what was asked for and not granted
	Expires  time.Time
}

// Params is the request that hands the token to the host, which is to be sent at the time now. Whoever calls it holds the
// token in plain text, and must neither log nor keep it.
func (g Grant) Params(now time.Time) *protocol.AuthenticateParams {
	p := &protocol.AuthenticateParams{
		Channel:  protocol.RootChannel,
		Resource: g.Resource,
		Token:    g.Token.Reveal(),
		Scopes:   g.Scopes,
	}
	if !g.Expires.IsZero() {
		// The least that the protocol can say; a token that ended on the way is refused by the server.
		seconds := max(1, int64(g.Expires.Sub(now)/time.Second))
		p.ExpiresIn = &seconds
	}
	return p
}
