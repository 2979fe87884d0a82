package auth

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ahptui/auth/store"
)

// callbackTime is how long a request waits for its answer.
const callbackTime = 10 * time.Minute

// Opener shows a URL to the person.
type Opener interface {
	// Open starts a browser. It returns once it is known whether that worked, and soon in any case. It must end when ctx
	// does.
	Open(ctx context.Context, url string) error
}

// Broker gets tokens for hosts: from its store where that is possible without a person ([Broker.Silent]), and by flows,
// of which there is at most one for each [Key]. It is safe for concurrent use.
type Broker struct {
	config       Config
	store        *store.Store
	callbackTime time.Duration
	listen       func(context.Context, Redirect, int) (*listener, error)

	life    context.Context // until the broker is closed
	end     context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	flows    map[Key]*Flow
	busy     map[Key]chan struct{} // closed when what is done without a person is done
	tried    map[operation]tries
	declined map[Key]time.Time
	held     map[Key]holding // the scopes of the last token, for a screen
	handed   store.Holders
	renewal  *renewal              // nil when nothing is renewed ahead of time
	skews    map[string]store.Skew // by issuer
}

// NewBroker returns a broker. [Broker.Close] ends it.
func NewBroker(config Config) *Broker {
	b := &Broker{
		config: config, store: config.Store, callbackTime: callbackTime, listen: listen,
		flows: map[Key]*Flow{}, busy: map[Key]chan struct{}{}, tried: map[operation]tries{}, declined: map[Key]time.Time{},
		held: map[Key]holding{}, skews: map[string]store.Skew{},
	}
	b.life, b.end = context.WithCancel(context.Background())
	if b.store == nil {
		b.store = store.Open(b.life, store.Options{})
	}
	if config.Renewed != nil {
		b.renewal = newRenewal(b)
	}
	return b
}

// maxWaiting is how many flows can be under way. A host that asks for more at once wants to tire somebody.
const maxWaiting = 20

// Start begins a flow because a person asks for it, which undoes that they signed out of it or did not want to be asked.
// It lasts until its end or until ctx ends. When one is under way for the same key, that one is returned instead, and ctx
// has no part in it: who was asked the same at the same time is answered together. As long as nobody has agreed to it,
// such a flow takes over what else is required.
//
// Where a token is there that has not been tried, that is what the flow ends with, without a question.
func (b *Broker) Start(ctx context.Context, c Challenge) *Flow { return b.StartBy(ctx, "", c) }

// StartBy is [Broker.Start] by a method that the person asks for, where it is possible. What there is already is not used
// then: the person wants to sign in anew.
func (b *Broker) StartBy(ctx context.Context, m Method, c Challenge) *Flow {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.flows[c.Key()]; f != nil && f.join(c) {
		return f
	}
	ctx, cancel := context.WithCancelCause(ctx)
	f := newFlow(b, c, m, cancel)
	switch {
	case b.closed:
		cancel(ErrCancelled)
		return f.refused(ended(ctx, StepChallenge))
	case len(b.flows) >= maxWaiting:
		cancel(ErrCancelled)
		return f.refused(fail(StepChallenge, fmt.Errorf("%d sign-ins are under way", maxWaiting), "End one of them first."))
	}
	b.flows[c.Key()] = f
	b.running.Go(func() { f.run(ctx) })
	return f
}

// Held returns the scopes of the last token that was got or found for the host and the resource. It reports false when
// there was none in the life of this broker; the scopes are nil when nobody knows them.
func (b *Broker) Held(key Key) (scopes []string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h, ok := b.held[key]
	return h.granted, ok
}

// Requested returns the scopes that were asked for when the last token for the host and the resource was got; nil when
// there was none in the life of this broker, or none were asked for.
func (b *Broker) Requested(key Key) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held[key].requested
}

// Ends returns when the last token for the host and the resource ends, by this machine's clock, and whether it is refreshed
// before that. The time is zero when nobody knows, or there was none in the life of this broker.
func (b *Broker) Ends(key Key) (at time.Time, renews bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.held[key]
	return h.ends, h.renews
}

// Close cancels the flows that are under way and waits for them. No flow starts any more.
func (b *Broker) Close() {
	b.mu.Lock()
	b.closed = true
	flows := make([]*Flow, 0, len(b.flows))
	for _, f := range b.flows {
		flows = append(flows, f)
	}
	renewal := b.renewal
	b.renewal = nil
	b.mu.Unlock()
	b.end()
	for _, f := range flows {
		f.Cancel()
	}
	if renewal != nil {
		renewal.close()
	}
	b.running.Wait()
}

// ended takes a flow that is over off the list, so that who asks next gets a new one.
func (b *Broker) ended(f *Flow) {
	key := f.Challenge().Key()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flows[key] == f {
		delete(b.flows, key)
	}
}
