package linear

import (
	"context"
	"errors"
	"slices"
	"time"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// heldTokens are what is done about what the host asks for without a person: a
// token that is held is handed over, once, and refreshed before if it has to be.
type heldTokens struct {
	since  time.Time // of the connection that they belong to
	looked map[auth.Key]*heldToken
}

// heldToken is what was done about one thing.
type heldToken struct {
	challenge auth.Challenge
	from      []protocol.Block
	running   bool
	person    bool      // somebody has to sign in
	due       time.Time // when the host has had time enough to go on; zero: it need not
}

// maxChallenges bounds how many different things are asked for at once.
const maxChallenges = 64

// challenge is what a block asks for.
func (f *front) challenge(b protocol.Block) (auth.Challenge, error) {
	source := auth.Source{}
	switch {
	case b.Server != nil:
		source.Server = b.Server.Name
	case b.ToolCall != nil:
		source.Server, source.Tool = f.serverName(b), b.ToolCall.ToolName
	}
	return auth.NewChallenge(f.opts.Identity, source, b.Auth)
}

// serverName is the server of a call that waits.
func (f *front) serverName(b protocol.Block) string {
	if s, c := f.view.Session(b.Session), b.ToolCall.Contributor; s != nil && c != nil {
		if srv, ok := protocol.ServerByID(s, c.CustomizationID); ok {
			return srv.Name
		}
	}
	return b.ToolCall.DisplayName
}

// hostBlock is what the host itself asks for.
func hostBlock(r ahpclient.Auth) protocol.Block {
	reason := r.Reason
	if reason == "" {
		reason = string(auth.Required)
	}
	return protocol.Block{
		ID: "resource:" + r.Resource.Resource, Kind: protocol.BlockServerAuth,
		Auth: &protocol.McpAuthRequirement{Reason: reason, Resource: r.Resource},
	}
}

// wantsToken reports whether the host wants a token for a resource by itself: by
// saying so, since an agent of its needs it, or since it had one on the connection
// before.
func wantsToken(r ahpclient.Auth) bool {
	return r.Resource != nil && (!r.Asked.IsZero() || r.Handed.IsZero() && (r.Before || len(r.Agents) > 0))
}

// attend looks at what the host asks for that it did not ask for before.
func (f *front) attend() {
	h := &f.held
	if f.opts.Auth == nil {
		return
	}
	if since := f.view.Connection.Since; !since.Equal(h.since) { // tokens count for one connection
		if !h.since.IsZero() {
			f.opts.Auth.Gone(f.opts.Identity.ID)
		}
		h.since = since
		clear(h.looked)
	}
	if f.view.Connection.Phase != ahpclient.Connected {
		return
	}
	asked := f.wants()
	for key, blocks := range asked {
		f.attendTo(key, blocks)
	}
	for key, t := range h.looked {
		switch {
		case asked[key] != nil || t.running:
		case slices.ContainsFunc(t.from, f.starts) && len(h.looked) <= maxChallenges:
			t.from[0].Auth = nil // what is said from here on is said anew
		default:
			delete(h.looked, key)
			f.opts.Auth.Settle(t.challenge)
		}
	}
}

// wants is all that tokens are wanted for.
func (f *front) wants() map[auth.Key][]protocol.Block {
	list := f.view.Blocked()
	for _, r := range f.view.Auth {
		if wantsToken(r) {
			list = append(list, hostBlock(r))
		}
	}
	asked := map[auth.Key][]protocol.Block{}
	for _, b := range list {
		if b.Auth == nil || b.Auth.Resource == nil {
			continue
		}
		if key := f.key(b); asked[key] != nil || len(asked) < maxChallenges {
			asked[key] = append(asked[key], b)
		}
	}
	return asked
}

// starts reports whether what asked for a token has only been told to go on.
func (f *front) starts(b protocol.Block) bool {
	s := f.view.Session(b.Session)
	if s == nil || b.Server == nil {
		return false
	}
	srv, ok := protocol.ServerByID(s, b.Server.ID)
	return ok && srv.StateKind() == protocol.McpStarting
}

// attendTo looks at one thing that a token is wanted for.
func (f *front) attendTo(key auth.Key, blocks []protocol.Block) {
	if s := f.signIn; s != nil && s.challenge.Key() == key {
		return // which will do
	}
	t := f.held.looked[key]
	anew := t == nil || !slices.EqualFunc(t.from, blocks, sameAsk)
	due := t != nil && !t.due.IsZero() && !f.now().Before(t.due)
	switch {
	case t != nil && t.running:
		return
	case !anew && !due:
		if t != nil && !t.due.IsZero() {
			f.wake(t.due)
		}
		return
	}
	challenge, err := f.merged(blocks)
	if err != nil { // who is asked about it is told why
		f.held.looked[key] = &heldToken{from: blocks, person: true}
		return
	}
	t = &heldToken{challenge: challenge, from: blocks, running: true}
	f.held.looked[key] = t
	broker, host := f.opts.Auth, f.opts.Host
	f.do(func(ctx context.Context) func() {
		if anew {
			broker.Again(challenge)
		}
		grant, decision := broker.Silent(ctx, challenge)
		if grant != nil {
			err = handToHost(ctx, host, broker, *grant)
		}
		return func() { f.attended(t, grant != nil, decision, err) }
	})
}

// merged is what several that want the same ask for.
func (f *front) merged(blocks []protocol.Block) (auth.Challenge, error) {
	var list []auth.Challenge
	for _, b := range blocks {
		c, err := f.challenge(b)
		if err != nil {
			return c, err
		}
		list = append(list, c)
	}
	return auth.Merge(list)[0], nil
}

// sameAsk reports whether two blocks ask for the same.
func sameAsk(a, b protocol.Block) bool {
	return a.ID == b.ID && a.Auth != nil && b.Auth != nil && a.Auth.Reason == b.Auth.Reason && slices.Equal(a.Auth.RequiredScopes, b.Auth.RequiredScopes)
}

// attended tells what was done without a person.
func (f *front) attended(t *heldToken, handed bool, d auth.Decision, err error) {
	t.running = false
	name := askedFor(t.challenge)
	switch {
	case d.Act == auth.ActWait, handed && err == nil:
		t.due = f.now().Add(auth.HostPatience)
		if handed {
			f.out.sayf("handed the token for %s to the host, as you agreed before", name)
		}
	case err != nil:
		t.person = true
		f.out.sayf("the host did not take the token for %s: %v", name, err)
	default:
		t.person = true
	}
}

// needsPerson reports whether a person has to do something about what waits for
// access.
func (f *front) needsPerson(b protocol.Block) bool {
	if f.opts.Auth == nil || b.Auth.Resource == nil {
		return true
	}
	t := f.held.looked[f.key(b)]
	return t != nil && t.person
}

// askedFor is what to call what is asked for.
func askedFor(c auth.Challenge) string {
	for _, name := range []string{c.Source.Server, c.ResourceName} {
		if name != "" {
			return name
		}
	}
	return c.Resource
}

// renewed hands over a token that was refreshed ahead of its end.
func (f *front) renewed(grant auth.Grant) {
	broker, host := f.opts.Auth, f.opts.Host
	f.do(func(ctx context.Context) func() {
		err := handToHost(ctx, host, broker, grant)
		return func() {
			if err != nil {
				f.out.sayf("the host did not take a token that was refreshed ahead of its end: %v", err)
			}
		}
	})
}

// errRefused marks a host's answer to a token that it does not take.
var errRefused = errors.New("the host refused it")

// handToHost hands a token to its host. The error does not quote it; it is
// errRefused if the host has answered.
func handToHost(ctx context.Context, host Host, broker *auth.Broker, grant auth.Grant) error {
	err := host.Authenticate(ctx, grant.Params(time.Now()))
	if err == nil {
		return nil
	}
	var redactor secret.Redactor
	redactor.Add(grant.Token)
	safe := errors.New(redactor.String(err.Error()))
	if _, refused := errors.AsType[*jsonrpc.Error](err); refused {
		_ = broker.Refused(ctx, grant) // what cannot be noted is refused once more at worst
		return errors.Join(errRefused, safe)
	}
	return safe
}
