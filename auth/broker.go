package auth

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ahptui/internal/guard"
)

// callbackTime is how long a request waits for its answer.
const callbackTime = 10 * time.Minute

// Opener shows a URL to the person.
type Opener interface {
	// Open starts a browser. It returns once it is known whether that worked, and soon in any case. It must end when ctx
	// does.
	Open(ctx context.Context, url string) error
}

// Config is what a [Broker] stands on. The zero value works, and leaves it to the person to open URLs.
type Config struct {
	Opener  Opener        // nil: URLs are only told
	Network guard.Options // the machine's own when zero
	// Place is where the program runs, which decides the method; the zero Place is a desktop. Method is one that the
	// person has asked for, where it is possible; empty leaves the choice.
	Place  Place
	Method Method
	// Redirect is where browsers come back to.
	Redirect Redirect
	// Issuers are what the person's configuration says of authorization servers, one entry for each at most.
	Issuers []IssuerSettings
	// ClientDocument is the address of the document that describes this program ([ClientMetadata]), as its client id;
	// empty when there is none.
	ClientDocument string
	// Supplies are tokens that are got elsewhere, by their resource.
	Supplies map[string]Supply
	// Interactive says that whoever drives the flows answers [NeedClient] and [NeedToken]. Without it a flow that would
	// have to ask fails.
	Interactive bool
}

// Check refuses what could never work.
func (c Config) Check() error {
	if err := c.Redirect.Check(); err != nil {
		return err
	}
	if c.ClientDocument != "" {
		if err := CheckClientDocument(c.ClientDocument); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, s := range c.Issuers {
		if err := s.Check(); err != nil {
			return err
		}
		if seen[s.Issuer] {
			return fmt.Errorf("issuer %q: there are two entries", s.Issuer)
		}
		seen[s.Issuer] = true
	}
	return nil
}

// Broker starts flows, at most one at a time for each [Key], and remembers between them what a person agreed to, what is
// held, and under which name this program is registered. It remembers until it is closed, and keeps no tokens. It is
// safe for concurrent use.
type Broker struct {
	config       Config
	callbackTime time.Duration
	listen       func(context.Context, Redirect, int) (*listener, error)

	running sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	flows   map[Key]*Flow
	memory  memory
}

// NewBroker returns a broker that remembers nothing yet.
func NewBroker(config Config) *Broker {
	return &Broker{config: config, callbackTime: callbackTime, listen: listen, flows: map[Key]*Flow{}, memory: newMemory()}
}

// Start begins a flow, which lasts until its end or until ctx ends. When one is under way for the same key, that one is
// returned instead, and ctx has no part in it: who was asked the same at the same time is answered together.
func (b *Broker) Start(ctx context.Context, c Challenge) *Flow { return b.StartBy(ctx, "", c) }

// StartBy is [Broker.Start] by a method that the person asks for, where it is possible.
func (b *Broker) StartBy(ctx context.Context, m Method, c Challenge) *Flow {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.flows[c.Key()]; f != nil {
		return f
	}
	ctx, cancel := context.WithCancelCause(ctx)
	f := newFlow(b, c, m, cancel)
	if b.closed {
		cancel(ErrCancelled)
		f.log.end(Failed{ended(ctx, StepChallenge)})
		close(f.over)
		return f
	}
	b.flows[c.Key()] = f
	b.running.Go(func() { f.run(ctx) })
	return f
}

// Held returns the scopes of the last token that was got for the host and the resource. It reports false when there was
// none in the life of this program; the scopes are nil when nobody knows them.
func (b *Broker) Held(key Key) (scopes []string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h, ok := b.memory.held[key]
	return h.granted, ok
}

// Settle says that what the challenge stopped went on: its server or its call may ask for more access again.
func (b *Broker) Settle(c Challenge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.memory.stepUps, operation{c.Key(), c.Source})
}

// Close cancels the flows that are under way and waits for them. No flow starts any more.
func (b *Broker) Close() {
	b.mu.Lock()
	b.closed = true
	flows := make([]*Flow, 0, len(b.flows))
	for _, f := range b.flows {
		flows = append(flows, f)
	}
	b.mu.Unlock()
	for _, f := range flows {
		f.Cancel()
	}
	b.running.Wait()
}

// memory is what a broker knows from earlier flows. The broker's lock guards it.
type memory struct {
	consents      map[Key]consent
	reach         map[reachKey]guard.Policy
	held          map[Key]holding
	registrations map[registrationKey]registration
	asked         map[string]Client // that the person named, by issuer
	stepUps       map[operation]int
}

func newMemory() memory {
	return memory{
		consents:      map[Key]consent{},
		reach:         map[reachKey]guard.Policy{},
		held:          map[Key]holding{},
		registrations: map[registrationKey]registration{},
		asked:         map[string]Client{},
		stepUps:       map[operation]int{},
	}
}

// consent is what a person said yes to. The zero consent is none.
type consent struct {
	given   bool
	issuer  string
	origins []string
}

// covers reports whether nothing has been added to what was agreed to.
func (c consent) covers(issuer string, origins []string) bool {
	return c.given && c.issuer == issuer && len(missing(origins, c.origins)) == 0
}

// reachKey is for whom an address outside of the public internet was allowed.
type reachKey struct{ host, issuer string }

// holding is what a token was asked for and got.
type holding struct {
	issuer             string
	requested, granted []string
}

// registrationKey is whom a registration is for: devices have one of their own, since it is for no port.
type registrationKey struct {
	issuer string
	device bool
}

// operation is what the cap on step-ups counts by.
type operation struct {
	key    Key
	source Source
}

// before returns what was asked for and held at an issuer.
func (b *Broker) before(key Key, issuer string) holding {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.memory.held[key]; h.issuer == issuer {
		return h
	}
	return holding{}
}

func (b *Broker) consented(key Key) consent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.memory.consents[key]
}

func (b *Broker) consent(key Key, c consent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.memory.consents[key] = c
}

// policy says where a flow may lead. What the host's own place allows goes no further than an issuer that says itself
// that it is on this machine.
func (b *Broker) policy(host Host, rawURL string) guard.Policy {
	b.mu.Lock()
	policy := b.memory.reach[reachKey{host.ID, rawURL}]
	b.mu.Unlock()
	if host.Loopback && isLoopback(rawURL) {
		policy.Loopback = true
	}
	return policy
}

func (b *Broker) allowReach(host Host, issuer string, class guard.Class) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := reachKey{host.ID, issuer}
	policy := b.memory.reach[key]
	policy.Loopback = policy.Loopback || class == guard.Loopback
	policy.Private = policy.Private || class == guard.Private
	b.memory.reach[key] = policy
}

func (b *Broker) registration(issuer string, device bool) registration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.memory.registrations[registrationKey{issuer, device}]
}

func (b *Broker) isRegistered(issuer string) bool {
	return b.registration(issuer, false).client.id != "" || b.registration(issuer, true).client.id != ""
}

func (b *Broker) registered(issuer string, device bool, r registration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.memory.registrations[registrationKey{issuer, device}] = r
}

// asked is the client that the person named for an issuer; nil when none was.
func (b *Broker) asked(issuer string) *Client {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.memory.asked[issuer]; ok {
		return &c
	}
	return nil
}

func (b *Broker) keepAsked(issuer string, c Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.memory.asked[issuer] = c
}

// forget drops the clients of this program that an issuer may no longer know.
func (b *Broker) forget(issuer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.memory.registrations, registrationKey{issuer, false})
	delete(b.memory.registrations, registrationKey{issuer, true})
	delete(b.memory.asked, issuer)
}

// supply is where a token for a resource comes from when it comes from elsewhere; nil when it does not.
func (b *Broker) supply(resource string) Supply { return b.config.Supplies[resource] }

func (b *Broker) stepUps(c Challenge) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.memory.stepUps[operation{c.Key(), c.Source}]
}

// granted remembers what came of a flow.
func (b *Broker) granted(c Challenge, h holding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h.requested, h.granted = slices.Clone(h.requested), slices.Clone(h.granted)
	b.memory.held[c.Key()] = h
	if c.Reason == InsufficientScope {
		b.memory.stepUps[operation{c.Key(), c.Source}]++
	}
}

// ended takes a flow that is over off the list, so that who asks next gets a new one.
func (b *Broker) ended(f *Flow) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if key := f.Challenge().Key(); b.flows[key] == f {
		delete(b.flows, key)
	}
}
