package auth

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"ahptui/auth/store"
	"ahptui/internal/guard"
)

// consent is what a person said yes to; nil is none.
type consent struct{ *store.Consent }

// covers reports whether nothing has been added to what was agreed to.
func (c consent) covers(issuer string, origins []string) bool {
	return c.Consent != nil && c.Issuer == issuer && len(missing(origins, c.Origins)) == 0
}

// issuer is the one that was agreed to; empty when none was.
func (c consent) issuer() string {
	if c.Consent == nil {
		return ""
	}
	return c.Issuer
}

func (k Key) subject() store.Subject { return store.Subject{Host: k.Host, Resource: k.Resource} }

// consented is what was agreed to. What cannot be read was not.
func (b *Broker) consented(ctx context.Context, key Key) consent {
	about, err := b.store.Memory().About(ctx, key.subject())
	if err != nil {
		return consent{}
	}
	return consent{about.Consent}
}

// agree remembers a yes to a challenge. What its server is called helps the person to find it again.
func (b *Broker) agree(ctx context.Context, c Challenge, issuer string, origins []string) error {
	return b.store.Memory().Agree(ctx, c.Key().subject(), store.Consent{
		Issuer: issuer, Origins: origins, Server: bounded(c.Source.Server), At: time.Now(),
	})
}

// policy says where a request may lead. What the host's own place allows goes no further than an issuer that says itself
// that it is on this machine.
func (b *Broker) policy(ctx context.Context, host Host, rawURL string) guard.Policy {
	reach, err := b.store.Memory().Reach(ctx, host.ID, rawURL)
	if err != nil {
		reach = store.Reach{}
	}
	return guard.Policy{Loopback: reach.Loopback || host.Loopback && isLoopback(rawURL), Private: reach.Private}
}

func (b *Broker) allowReach(ctx context.Context, host Host, issuer string, class guard.Class) error {
	return b.store.Memory().AllowReach(ctx, host.ID, issuer, store.Reach{Loopback: class == guard.Loopback, Private: class == guard.Private})
}

// holding is what a token was asked for and got.
type holding struct {
	requested, granted []string
	ends               time.Time // zero: nobody knows
	renews             bool      // it is refreshed before that
}

// holdingOf is what a token that is handed over, or could be, was got for.
func (b *Broker) holdingOf(t store.Token) holding {
	return holding{
		requested: t.Key.ScopeList(), granted: scopesOf(t), ends: t.Expires,
		renews: b.config.Renewed != nil && !t.Refresh.IsZero(),
	}
}

// before returns what was asked for and got last at an issuer.
func (b *Broker) before(ctx context.Context, key Key, issuer string) holding {
	t, ok := b.latest(ctx, key, func(t store.Token) bool { return t.Key.Issuer == issuer })
	if !ok {
		return holding{}
	}
	return holding{requested: t.Key.ScopeList(), granted: scopesOf(t)}
}

// latest is the token that was got last for a key, of those that match.
func (b *Broker) latest(ctx context.Context, key Key, match func(store.Token) bool) (store.Token, bool) {
	all, err := b.store.All(ctx)
	all = slices.DeleteFunc(all, func(t store.Token) bool { return t.Key.Subject() != key.subject() || !match(t) })
	if err != nil || len(all) == 0 {
		return store.Token{}, false
	}
	return slices.MaxFunc(all, func(a, b store.Token) int { return a.Obtained.Compare(b.Obtained) }), true
}

// scopesOf are what a token is good for; nil when nobody knows, since neither was anything asked for nor said.
func scopesOf(t store.Token) []string {
	if t.Granted == nil && t.Key.Scopes == "" {
		return nil
	}
	return t.Scopes()
}

// registration is a client that this program registered.
type registration struct {
	client      oauthClient
	redirectURI string
	redirect    Redirect // the host and the port of that
}

// registrations are the clients of this program at an issuer, the latest first: those that it registered, and those that
// the person named, which have no redirect URI.
func (b *Broker) registrations(ctx context.Context, issuer string) []registration {
	known, err := b.store.Registrations(ctx, issuer)
	if err != nil {
		return nil
	}
	var all []registration
	for _, k := range known {
		r := registration{client: oauthClient{id: k.Client, secret: k.Secret, method: authMethod(k.Method), origin: ClientRegistered}}
		if len(k.RedirectURIs) == 0 {
			r.client.origin = ClientAsked
		} else {
			r.redirectURI = k.RedirectURIs[0]
			r.redirect = redirectOf(r.redirectURI)
		}
		all = append(all, r)
	}
	return all
}

func redirectOf(redirectURI string) Redirect {
	u, err := url.Parse(redirectURI)
	if err != nil {
		return Redirect{}
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return Redirect{}
	}
	r := Redirect{Port: int(port)}
	if _, err := netip.ParseAddr(u.Hostname()); err != nil {
		r.Host = u.Hostname()
	}
	return r
}

// registration is the latest client for devices, or for browsers; the zero one when there is none.
func (b *Broker) registration(ctx context.Context, issuer string, device bool) registration {
	for _, r := range b.registrations(ctx, issuer) {
		if r.client.ours() && (r.redirectURI == deviceRedirectURI) == device {
			return r
		}
	}
	return registration{}
}

// asked is the client that the person named for an issuer; nil when none was.
func (b *Broker) asked(ctx context.Context, issuer string) *Client {
	for _, r := range b.registrations(ctx, issuer) {
		if r.client.origin == ClientAsked {
			return &Client{ID: r.client.id, Secret: r.client.secret}
		}
	}
	return nil
}

// keepClient keeps a client for an issuer. One for the same redirect goes: it is no longer needed.
func (b *Broker) keepClient(ctx context.Context, issuer string, c oauthClient, redirectURIs []string) error {
	known, err := b.store.Registrations(ctx, issuer)
	if err != nil {
		return err
	}
	isDevice := func(uris []string) bool { return slices.Contains(uris, deviceRedirectURI) }
	for _, k := range known {
		if (len(k.RedirectURIs) == 0) == (len(redirectURIs) == 0) && isDevice(k.RedirectURIs) == isDevice(redirectURIs) {
			err = errors.Join(err, b.store.Unregister(ctx, issuer, k.Client))
		}
	}
	return errors.Join(err, b.store.Register(ctx, store.Registration{
		Issuer: issuer, Client: c.id, Secret: c.secret, Method: string(c.method), RedirectURIs: redirectURIs, At: time.Now(),
	}))
}

// forget drops the clients of this program that an issuer may no longer know. Tokens name theirs themselves.
func (b *Broker) forget(ctx context.Context, issuer string) {
	for _, r := range b.registrations(ctx, issuer) {
		if !r.client.ours() { // what a person has named is theirs to change
			continue
		}
		_ = b.store.Unregister(ctx, issuer, r.client.id) // one that stays is refused again, and dropped then
	}
}

// supply is where a token for a resource comes from when it comes from elsewhere; nil when it does not.
func (b *Broker) supply(resource string) Supply { return b.config.Supplies[resource] }
