package auth

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// R5: what to do for a challenge, given what is held.
func TestDecide(t *testing.T) {
	t.Parallel()
	good := Held{Token: true, Scopes: []string{"read"}, Refresh: true, Consented: true}
	with := func(changes ...func(*Held)) Held {
		h := good
		for _, change := range changes {
			change(&h)
		}
		return h
	}
	ended := func(h *Held) { h.Ended = true }
	handed := func(h *Held) { h.Handed = true }
	noRefresh := func(h *Held) { h.Refresh = false }
	refreshed := func(h *Held) { h.Refreshed = 1 }
	pending := func(h *Held) { h.Pending = true }
	pushed := func(n int) func(*Held) { return func(h *Held) { h.Pushed = n } }
	for _, tt := range []struct {
		name     string
		reason   Reason
		required string
		held     Held
		act      Act
		scopes   string
		why      error
	}{
		// There is nothing to hand over.
		{"no token", Required, "read", Held{}, ActAsk, "read", ErrNoToken},
		{"no token, expired", Expired, "read", Held{}, ActAsk, "read", ErrNoToken},
		{"no token, more scopes", InsufficientScope, "write", Held{}, ActAsk, "write", ErrNoToken},
		{"no token, no scopes known", Required, "", Held{}, ActAsk, "", ErrNoToken},

		// B61, B47: a valid token is handed over without a question, whether or not it can be refreshed.
		{"a valid token", Required, "read", good, ActPush, "", nil},
		{"a valid token, nothing required", Required, "", good, ActPush, "", nil},
		{"a valid token without a refresh token", Required, "read", with(noRefresh), ActPush, "", nil},
		{"a token that is good for nothing", Required, "write", with(func(h *Held) { h.Scopes = []string{} }), ActAsk, "write", ErrTooFewScopes},
		{"a token for something else", Required, "write", good, ActAsk, "read write", ErrTooFewScopes},
		{"a token of which nobody knows the scopes", Required, "write", with(func(h *Held) { h.Scopes = nil }), ActPush, "", nil},
		{"the host has it, another session asks", Required, "read", with(handed), ActPush, "", nil},
		{"a reason that is not known", "newReason", "read", good, ActPush, "", nil},
		{"a token for less than is required", Required, "read write", good, ActAsk, "read write", ErrTooFewScopes},

		// An ended token is refreshed once, then a person is asked.
		{"an ended token", Required, "read", with(ended), ActRefresh, "", nil},
		{"an ended token, refreshed before", Required, "read", with(ended, refreshed), ActAsk, "read", ErrStillExpired},
		{"an ended token that cannot be refreshed", Required, "read", with(ended, noRefresh), ActAsk, "read", ErrEnded},

		// expired: never the same token again, one refresh, then a person.
		{"expired", Expired, "read", with(handed), ActRefresh, "", nil},
		{"expired, and ended here", Expired, "read", with(handed, ended), ActRefresh, "", nil},
		{"expired, refreshed before", Expired, "read", with(handed, refreshed), ActAsk, "read", ErrStillExpired},
		{"expired, refreshed before by somebody else", Expired, "read", with(refreshed), ActPush, "", nil},
		{"expired, without a refresh token", Expired, "read", with(handed, noRefresh), ActAsk, "read", ErrEnded},
		{"expired, and the host has an older one", Expired, "read", good, ActPush, "", nil},

		// insufficientScope: never a refresh, held and required together, two rounds.
		{"more scopes", InsufficientScope, "write", with(handed), ActAsk, "read write", ErrTooFewScopes},
		{"more scopes, ended", InsufficientScope, "write", with(handed, ended), ActAsk, "read write", ErrTooFewScopes},
		{"more scopes, after one round", InsufficientScope, "write", with(handed, func(h *Held) { h.StepUps = 1 }), ActAsk, "read write", ErrTooFewScopes},
		{"more scopes, after two rounds", InsufficientScope, "write", with(handed, func(h *Held) { h.StepUps = 2 }), ActStop, "", errTooManyStepUps},
		{"expired, after two rounds for more", Expired, "read", with(handed, func(h *Held) { h.StepUps = 2 }), ActRefresh, "", nil},
		{"more scopes, and it has them: the host is behind", InsufficientScope, "read", good, ActPush, "", nil},
		{"more scopes, and it has them: the host as well", InsufficientScope, "read", with(handed), ActAsk, "read", ErrTooFewScopes},
		{"more scopes, nobody knows which it has", InsufficientScope, "write", with(func(h *Held) { h.Scopes, h.Requested = nil, []string{"read"} }), ActAsk, "read write", ErrTooFewScopes},
		{"more scopes, of which nobody says which", InsufficientScope, "", good, ActAsk, "read", ErrTooFewScopes},
		{"what was asked for before and not granted is asked for again", InsufficientScope, "write", with(handed, func(h *Held) { h.Requested = []string{"read", "list"} }), ActAsk, "read list write", ErrTooFewScopes},

		// B60: what has just been handed over is waited for.
		{"a moment after", Required, "read", with(handed, pending, pushed(1)), ActWait, "", nil},
		{"a moment after, expired", Expired, "read", with(handed, pending, pushed(1)), ActWait, "", nil},
		{"a moment after, more scopes", InsufficientScope, "write", with(handed, pending, pushed(1)), ActAsk, "read write", ErrTooFewScopes},

		// It ends.
		{"the host asks again after one", Required, "read", with(handed, pushed(1)), ActPush, "", nil},
		{"the host asks again after two", Required, "read", with(handed, pushed(2)), ActAsk, "read", ErrStillAsks},
		{"a token refused twice", Required, "read", with(func(h *Held) { h.Quarantined = true }), ActAsk, "read", ErrQuarantined},

		// What a person said goes before what could be done without one.
		{"signed out", Required, "read", with(func(h *Held) { h.SignedOut = true }), ActAsk, "read", ErrSignedOut},
		{"never", Required, "read", with(func(h *Held) { h.Never = true }), ActStop, "", ErrNever},
		{"never, and no token", Required, "read", Held{Never: true}, ActStop, "", ErrNever},
		{"a token without consent", Required, "read", with(func(h *Held) { h.Consented = false }), ActAsk, "read", ErrNotConsented},
	} {
		c := Challenge{Reason: tt.reason, RequiredScopes: strings.Fields(tt.required)}
		got := Decide(c, tt.held)
		if got.Act != tt.act || !errors.Is(got.Why, tt.why) || strings.Join(got.Scopes, " ") != tt.scopes {
			t.Errorf("%s: %s %q (%v), want %s %q (%v)", tt.name, got.Act, got.Scopes, got.Why, tt.act, tt.scopes, tt.why)
		}
	}
}

// Whatever is held: more access is never refreshed for, nothing goes out against what a person said, a person is asked for
// all that is required, and doing what was decided comes to an end.
func TestDecideHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 3)
		flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
		c := Challenge{
			Reason:         rapid.SampledFrom([]Reason{Required, Expired, InsufficientScope, "other"}).Draw(t, "reason"),
			RequiredScopes: words.Draw(t, "required"),
		}
		h := Held{
			Token: flag("token"), Scopes: words.Draw(t, "scopes"), Requested: words.Draw(t, "requested"), Ended: flag("ended"), Refresh: flag("refresh"),
			Quarantined: flag("quarantined"), Handed: flag("handed"), Consented: flag("consented"), Never: flag("never"), SignedOut: flag("signed out"),
		}
		if flag("scopes unknown") {
			h.Scopes = nil
		}
		for round := 0; ; round++ {
			d := Decide(c, h)
			if d.Act == ActPush || d.Act == ActRefresh {
				if h.Never || h.SignedOut || !h.Consented || h.Quarantined || !h.Token {
					t.Fatalf("%+v: %+v", h, d)
				}
				if h.Scopes != nil && len(missing(c.RequiredScopes, h.Scopes)) > 0 {
					t.Fatalf("%+v: a token for too little goes out", h)
				}
			}
			switch d.Act {
			case ActRefresh:
				if c.Reason == InsufficientScope || !h.Refresh {
					t.Fatalf("%+v: refreshed", h)
				}
				h.Refreshed, h.Handed, h.Ended = h.Refreshed+1, false, false
			case ActPush:
				if h.Ended || c.Reason == Expired && h.Handed {
					t.Fatalf("%+v: pushed", h)
				}
				h.Pushed, h.Handed = h.Pushed+1, true
			case ActAsk:
				if len(missing(c.RequiredScopes, d.Scopes)) > 0 || d.Why == nil {
					t.Fatalf("%+v: asks for %v, because %v", h, d.Scopes, d.Why)
				}
				if c.Reason == InsufficientScope && len(missing(slices.Concat(h.Scopes, h.Requested), d.Scopes)) > 0 {
					t.Fatalf("%+v: asks for %v and would lose what is held", h, d.Scopes)
				}
				return
			case ActStop, ActWait:
				return
			}
			if round > 2*maxPushes {
				t.Fatalf("%+v goes on for ever", h)
			}
		}
	})
}
