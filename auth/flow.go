package auth

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"ahptui/auth/store"
	"ahptui/internal/secret"
)

// Flow is one way from a challenge to a token. It is started by [Broker.Start], told about by its events, and over when
// the last of them, [Done] or [Failed], is there: then no port is open and nothing runs any more.
type Flow struct {
	broker *Broker
	wanted Method // what the person asked for from the start; empty leaves the choice to the flow
	cancel context.CancelCauseFunc
	log    *eventLog
	over   chan struct{}

	mu        sync.Mutex
	challenge Challenge
	fixed     bool          // what it is about has been agreed to
	givenUp   bool          // the person has left it or said no: nobody is to join it
	wider     chan struct{} // holds a value when it is about more than before
	question  int           // the number of the open one, or -1
	answers   chan Answer
	attempt   attempt
}

// attempt is what a flow is at that a person can have a part in, beside its questions.
type attempt struct {
	cancel      context.CancelCauseFunc // nil when there is none
	methods     []Method                // that can be switched to
	gate        *gate                   // for an address that is pasted; nil when none is waited for
	redirectURI string
}

// Answer is what a person says to a question of a flow.
type Answer struct {
	Yes bool
	// Never says, with a no, that the person does not want to be asked for the host and the resource any more.
	Never bool
	// Issuer chooses another one of [NeedConsent.Issuers]; the flow then asks about that. Empty means the one shown.
	Issuer string
	// Method chooses another one of [NeedConsent.Methods]. Empty means the one shown.
	Method Method
	// Scopes are those of [NeedConsent.Scopes] to ask for, when it is not to be all of them; nil means all.
	Scopes []string
	// Register has this program registered anew at the server.
	Register bool
	// ClientID answers [NeedClient], with Secret where the client has one. Secret alone answers [NeedToken].
	ClientID string
	Secret   secret.Value
}

func newFlow(b *Broker, c Challenge, wanted Method, cancel context.CancelCauseFunc) *Flow {
	return &Flow{
		broker: b, challenge: c, wanted: wanted, cancel: cancel, log: newEventLog(), over: make(chan struct{}),
		wider: make(chan struct{}, 1), question: -1,
	}
}

// refused ends a flow that never ran.
func (f *Flow) refused(why *Failure) *Flow {
	f.log.end(Failed{why})
	close(f.over)
	return f
}

// fix has nobody join any more, and returns what the flow is about.
func (f *Flow) fix() Challenge {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fixed = true
	return f.challenge
}

// Challenge returns what the flow is about.
func (f *Flow) Challenge() Challenge {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.challenge
}

// Event returns the event of number n, counted from 0, and waits until there is one. It reports false when the flow has
// ended before, or ctx has.
func (f *Flow) Event(ctx context.Context, n int) (Event, bool) { return f.log.event(ctx, n) }

// Events returns all events from the first to the last, which is [Done] or [Failed], as they come. It ends early when ctx
// does. Every reader gets all of them.
func (f *Flow) Events(ctx context.Context) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for n := 0; ; n++ {
			e, ok := f.log.event(ctx, n)
			if !ok || !yield(e) {
				return
			}
		}
	}
}

// Answer answers a question by its number. It reports false when that question is not open: an answer counts for what
// the person saw, and once.
func (f *Flow) Answer(question int, a Answer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if question < 0 || question != f.question {
		return false
	}
	f.question, f.givenUp = -1, !a.Yes
	f.answers <- a
	return true
}

// Cancel gives the flow up. It does not wait: the last event, or [Flow.Wait], says when all is undone.
func (f *Flow) Cancel() {
	f.mu.Lock()
	f.givenUp = true
	f.mu.Unlock()
	f.cancel(ErrCancelled)
}

// join has another challenge answered together with this one, as far as that can still be. It reports false when the flow
// was given up.
func (f *Flow) join(c Challenge) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.givenUp || f.fixed {
		return !f.givenUp
	}
	merged := merge(f.challenge, c)
	if len(missing(merged.RequiredScopes, f.challenge.RequiredScopes)) > 0 || merged.Reason != f.challenge.Reason {
		select {
		case f.wider <- struct{}{}:
		default: // it is to look again already
		}
	}
	f.challenge = merged
	return true
}

// Wait waits until the flow is over.
func (f *Flow) Wait() { <-f.over }

// Switch goes on by another method, one of those of the last [Chosen]. It reports false when that is not possible now.
func (f *Flow) Switch(to Method) bool {
	return f.change(&change{method: to}, func(a attempt) bool { return slices.Contains(a.methods, to) })
}

// RegisterAgain has this program registered anew at the authorization server, and goes on from there: for when its page
// says that it does not know the program. It reports false when that is not possible now.
func (f *Flow) RegisterAgain() bool {
	return f.change(&change{register: true}, func(attempt) bool { return true })
}

// change is why an attempt ends that is to be followed by another one.
type change struct {
	method   Method // empty: as before
	register bool
}

// Error implements error.
func (c *change) Error() string { return "the sign-in goes on in another way" }

func (f *Flow) change(c *change, possible func(attempt) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.attempt.cancel == nil || !possible(f.attempt) {
		return false
	}
	f.attempt.cancel(c)
	f.attempt = attempt{}
	return true
}

// Paste takes the address at which the browser ended, where one is waited for: the whole of it, since what it belongs to
// is checked as if the browser had come here. The error says why it was not taken; then the flow waits on.
func (f *Flow) Paste(text string) error {
	f.mu.Lock()
	a := f.attempt
	f.mu.Unlock()
	if a.gate == nil {
		return errors.New("no address is waited for now")
	}
	query, err := pastedQuery(text, a.redirectURI)
	if err != nil {
		return err
	}
	last, verdict := a.gate.take(query)
	switch {
	case last:
		a.gate.deliver(verdict)
		return nil
	case errors.Is(verdict, errForeign):
		return errors.New("the address is of another sign-in: its state is not the one that is waited for. Open the address shown here, and paste where that ends")
	}
	return verdict
}

func (f *Flow) emit(e Event) { f.log.add(func(int) Event { return e }) }

// errWider says that a question was withdrawn, as it is about more by now.
var errWider = errors.New("it is about more by now")

// ask puts a question, made from its number, and waits for the answer.
func (f *Flow) ask(ctx context.Context, step Step, question func(n int) Event) (Answer, error) {
	return f.askUnless(ctx, step, nil, question)
}

// askUnless is ask, unless it is about more by now.
func (f *Flow) askUnless(ctx context.Context, step Step, wider <-chan struct{}, question func(n int) Event) (Answer, error) {
	answers := make(chan Answer, 1)
	f.mu.Lock()
	f.answers = answers
	f.question = f.log.add(question)
	f.mu.Unlock()
	select {
	case a := <-answers:
		return a, nil
	case <-wider:
		f.withdraw()
		return Answer{}, errWider
	case <-ctx.Done():
		f.withdraw()
		select {
		case a := <-answers: // it was given before the end
			return a, nil
		default:
			return Answer{}, ended(ctx, step)
		}
	}
}

// withdraw has the open question answered by nobody any more.
func (f *Flow) withdraw() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.question = -1
}

// run is the flow's goroutine.
func (f *Flow) run(ctx context.Context) {
	grant, err := f.grant(ctx)
	f.finish(grant, err)
}

func (f *Flow) finish(grant *Grant, err error) {
	defer f.cancel(nil)
	defer close(f.over)
	f.broker.ended(f)
	if err != nil {
		f.log.end(Failed{fail(StepChallenge, err, "")})
		return
	}
	f.log.end(Done{*grant})
}

func (f *Flow) grant(ctx context.Context) (*Grant, error) {
	f.asked(ctx)
	if g, err := f.reuse(ctx); g != nil || err != nil {
		return g, err
	}
	p, err := f.prepare(ctx)
	if err != nil {
		return nil, err
	}
	t, client, err := f.authorize(ctx, p)
	if err != nil {
		return nil, err
	}
	return f.keep(ctx, p, client, t)
}

// asked notes that a person asks for it.
func (f *Flow) asked(ctx context.Context) {
	key := f.Challenge().Key()
	f.told(f.broker.store.Memory().Ask(ctx, key.subject()))
	f.broker.mu.Lock()
	defer f.broker.mu.Unlock()
	delete(f.broker.declined, key)
}

// told tells of something that could not be kept.
func (f *Flow) told(err error) {
	if err != nil {
		f.emit(NotKept{err})
	}
}

// reuse ends the flow with what there is, where that does. Who asked for a method wants to sign in anew.
func (f *Flow) reuse(ctx context.Context) (*Grant, error) {
	c, b := f.Challenge(), f.broker
	if b.config.Store != nil && f.wanted == "" {
		g, d := b.silent(ctx, c, f.emit)
		switch {
		case ctx.Err() != nil:
			return nil, ended(ctx, StepRefresh)
		case g != nil:
			f.told(d.Why)
			return g, nil
		case d.Why != nil && !errors.Is(d.Why, ErrNoToken) && d.Act == ActAsk:
			f.emit(PersonNeeded{d.Why})
		}
	}
	if c.Reason == InsufficientScope && b.triedFor(c).stepUps >= maxStepUps {
		return nil, fail(StepChallenge, errTooManyStepUps,
			"The server does not accept what it asks for: tell its operator. Cancel the call, or restart the program to try again.")
	}
	return nil, nil
}

// keep stores what was got, and makes a grant of it.
func (f *Flow) keep(ctx context.Context, p *plan, client oauthClient, t token) (*Grant, error) {
	c, b := f.fix(), f.broker
	key := store.NewKey(c.Host.ID, c.Resource, p.issuer, client.id, p.scopes.Request)
	scopes := t.granted
	switch {
	case p.method == ByToken:
		key, scopes = store.NewKey(c.Host.ID, c.Resource, "", "", nil), nil
		if old, err := b.store.Get(ctx, key); err == nil && old.Quarantined() && old.Access.Equal(t.access) {
			return nil, fail(StepSupply, ErrQuarantined, "Get a new one.")
		}
	case scopes == nil && len(p.scopes.Request) > 0:
		scopes = slices.Clone(p.scopes.Request)
	}
	kept, err := b.keep(context.WithoutCancel(ctx), key, client, t)
	f.told(err)
	g := grantOf(c.Host, kept)
	g.Scopes, g.Exceptions = scopes, p.exceptions
	if scopes != nil {
		g.Missing = slices.DeleteFunc(missing(p.scopes.Request, scopes), func(s string) bool { return s == offlineAccess })
	}
	b.hand(g, kept)
	b.try(c, func(t *tries) {
		t.pushedAt = time.Now()
		if c.Reason == InsufficientScope {
			t.stepUps++
		}
	})
	return g, nil
}
