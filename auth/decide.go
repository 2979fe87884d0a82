package auth

import (
	"errors"
	"fmt"
)

// How often something is done for one challenge, which is a server or a call that asks until it goes on.
const (
	maxStepUps = 2 // more access by a person
	maxPushes  = 2 // tokens handed over without one
)

// Held is what is known of a token for a challenge when it comes, and of what was done about it before.
type Held struct {
	Token     bool     // there is one for the host and the resource
	Scopes    []string // that it is good for; nil when nobody knows
	Requested []string // scopes that were asked for when it was got
	Ended     bool     // its life is over, by the clock
	Refresh   bool     // it can be refreshed
	// Quarantined: hosts have refused it too often.
	Quarantined bool
	// Handed: the host was given this edition of it on this connection.
	Handed bool
	// Pending: it was handed over for this very challenge a moment ago, and the host has not said anything since.
	Pending bool

	Refreshed int // how often it was refreshed for the challenge
	Pushed    int // how often a token was handed over for the challenge without a person
	StepUps   int // how often a person granted more access for the challenge

	Consented bool // the person has said yes to this host and this resource
	Never     bool // the person does not want to be asked for it
	SignedOut bool // the person signed out, and has not asked for it since
}

// Act is what to do about a challenge.
type Act string

// The acts.
const (
	ActPush    Act = "push"    // hand over the token that there is
	ActRefresh Act = "refresh" // get a new one in exchange for the refresh token, and hand that over
	ActAsk     Act = "ask"     // a person has to sign in
	ActWait    Act = "wait"    // the host has what it needs
	ActStop    Act = "stop"    // nothing more is to be done
)

// Decision is what to do about a challenge, and why nothing less than that.
type Decision struct {
	Act    Act
	Scopes []string // to ask for, where a person is needed; nil leaves it to the authorization server
	Why    error    // why a person is needed, or why it stops; nil otherwise
}

// Why a person is needed, or nothing more is done.
var (
	ErrNoToken        = errors.New("there is no token for it yet")
	ErrNever          = errors.New("you said that this host is never to ask for it")
	ErrSignedOut      = errors.New("you signed out of it")
	ErrNotConsented   = errors.New("you have not agreed to it yet")
	ErrQuarantined    = errors.New("the host has refused the token twice")
	ErrEnded          = errors.New("the token has ended and cannot be refreshed")
	ErrStillExpired   = errors.New("the token was refreshed, and the host says that it has expired all the same")
	ErrStillAsks      = errors.New("the host has got the token and asks again")
	ErrTooFewScopes   = errors.New("the token is not good for what is required")
	errTooManyStepUps = fmt.Errorf("more access was granted %d times, and each time it asked for more", maxStepUps)
)

// Decide says what to do about a challenge. What can be done without a person is, and once; what a person once said no to
// is not asked again by itself. More access is never a matter of refreshing: that gives the same access anew.
func Decide(c Challenge, h Held) Decision {
	ask := func(why error) Decision {
		return Decision{Act: ActAsk, Scopes: wanted(c, holding{requested: h.Requested, granted: h.Scopes}), Why: why}
	}
	covers := h.Scopes == nil || len(missing(c.RequiredScopes, h.Scopes)) == 0
	switch {
	case h.Never:
		return Decision{Act: ActStop, Why: ErrNever}
	case c.Reason == InsufficientScope && h.StepUps >= maxStepUps:
		return Decision{Act: ActStop, Why: errTooManyStepUps}
	case h.SignedOut:
		return ask(ErrSignedOut)
	case !h.Token:
		return ask(ErrNoToken)
	case !h.Consented:
		return ask(ErrNotConsented)
	case h.Quarantined:
		return ask(ErrQuarantined)
	case !covers:
		return ask(ErrTooFewScopes)
	case h.Pending:
		return Decision{Act: ActWait}
	case h.Pushed >= maxPushes:
		return ask(ErrStillAsks)
	}
	known := h.Scopes != nil && len(c.RequiredScopes) > 0
	switch c.Reason {
	case InsufficientScope:
		// Another session may have got more in the meantime. A host that has this token already has said what it lacks.
		if known && !h.Handed && !h.Ended {
			return Decision{Act: ActPush}
		}
		return ask(ErrTooFewScopes)
	case Expired:
		if !h.Handed && !h.Ended { // the host speaks of an older one
			return Decision{Act: ActPush}
		}
		return refreshOr(h, ask)
	}
	if h.Ended {
		return refreshOr(h, ask)
	}
	return Decision{Act: ActPush}
}

// refreshOr refreshes, once for a challenge, or asks.
func refreshOr(h Held, ask func(error) Decision) Decision {
	switch {
	case h.Refreshed > 0:
		return ask(ErrStillExpired)
	case !h.Refresh:
		return ask(ErrEnded)
	}
	return Decision{Act: ActRefresh}
}
