package auth

import (
	"time"

	"ahptui/auth/store"
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

// Refreshing says that a token that is held is exchanged for a newer one.
type Refreshing struct{ Issuer string }

// PersonNeeded says why a token that is held does not do, so that a person has to sign in.
type PersonNeeded struct{ Why error }

// NotKept says that something could not be kept beyond this program, and why. The flow goes on.
type NotKept struct{ Err error }

// Registering says that this program makes itself known to the authorization server.
type Registering struct{ Issuer string }

// Excepted says that rules do not hold for an authorization server because the person's configuration says so. It comes
// whenever they would have stopped the flow, with or without a question.
type Excepted struct {
	Issuer     string
	Exceptions []Exception
}

// Chosen says which way is taken from here on, and which ones [Flow.Switch] can go over to.
type Chosen struct {
	Method  Method
	Methods []Method
}

// NeedClient asks for the id of a client that somebody has registered at the authorization server, since there is no
// other way to be known there. It is answered by [Flow.Answer] with a client id, and a secret where the client has one.
type NeedClient struct {
	Question    int
	Issuer      string
	RedirectURI string // what the client has to be registered with
	Why         error  // what was tried before; nil when there was nothing to try
}

// NeedToken asks for a token that the person has got elsewhere. It is answered by [Flow.Answer] with a secret.
type NeedToken struct {
	Question     int
	Host         Host
	Resource     string
	ResourceName string // a peer's text
}

// Supplying says that a token is fetched from where the person's configuration says.
type Supplying struct{ From string }

// UserCode says what the person has to type, and where: in any browser, on any machine. The code comes from the
// authorization server alone; one in a text of the host's is no such code.
type UserCode struct {
	UserCode                string // a peer's text, to be shown large
	VerificationURI         string
	VerificationURIComplete string // with the code in it, for a picture of it; may be empty
	ExpiresIn               time.Duration
	Until                   time.Time
}

// OpenURL says what the person has to open in a browser. It is told whether or not the program opens one itself.
type OpenURL struct{ URL string }

// Waiting says that the browser is waited for. The address at which it ends can be pasted as well: [Flow.Paste].
type Waiting struct {
	RedirectURI string
	Until       time.Time
	// Tunnel is the command that lets a browser on the person's machine come back here; empty when this is that machine.
	Tunnel string
}

// NotOpened says that no browser was started, or seems not to have been, and why. The flow waits all the same.
type NotOpened struct{ Err error }

// Exchanging says that the person has agreed and the token is fetched.
type Exchanging struct{ Issuer string }

// Done is the last event of a flow that succeeded.
type Done struct{ Grant Grant }

// Failed is the last event of a flow that did not.
type Failed struct{ Failure *Failure }

func (Discovering) event()  {}
func (NeedReach) event()    {}
func (NeedConsent) event()  {}
func (NeedClient) event()   {}
func (NeedToken) event()    {}
func (Excepted) event()     {}
func (Chosen) event()       {}
func (Refreshing) event()   {}
func (PersonNeeded) event() {}
func (NotKept) event()      {}
func (Registering) event()  {}
func (Supplying) event()    {}
func (UserCode) event()     {}
func (OpenURL) event()      {}
func (Waiting) event()      {}
func (NotOpened) event()    {}
func (Exchanging) event()   {}
func (Done) event()         {}
func (Failed) event()       {}

// Grant is a token, bound to what it is for. It must go to no host but its own.
type Grant struct {
	Host     Host
	Resource string
	Issuer   string
	Token    secret.Value
	Scopes   []string // what was granted; nil when nobody knows
	Missing  []string // what was asked for and not granted
	Expires  time.Time
	// Exceptions are rules that did not hold on the way because the person's configuration says so.
	Exceptions []Exception
	// OtherAudiences are what the token says that it is for, where it can be read and that is not the resource: its server
	// may refuse it, or it may be good for more than was agreed to. Each is a peer's text.
	OtherAudiences []string

	edition store.Ref // of the store
}

func (g Grant) key() Key { return Key{g.Host.ID, g.Resource} }

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
