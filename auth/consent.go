package auth

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// NeedConsent asks whether a token for the resource may be asked for and handed to the host. It is answered by
// [Flow.Answer]. It comes the first time for a host and a resource, and again when something was added to what was agreed
// to; otherwise the consent stands.
//
// That the resource itself contradicts is no question: it ends a flow before.
type NeedConsent struct {
	Question int
	Host     Host
	NewHost  bool // nothing was agreed to for this host before
	// FirstTime reports that nothing was agreed to for this host and this resource before.
	FirstTime    bool
	Source       Source
	Also         []Source // others that wait for the same
	Reason       Reason
	Resource     string
	ResourceSite string // the registrable domain of the resource: see [Site]
	ResourceName string // a peer's text
	Description  string // a peer's text
	Issuer       string
	IssuerSite   string
	Issuers      []string // all that there are; an answer may choose another
	// PreviousIssuer is the one that was agreed to before for this host and resource, when it was another.
	PreviousIssuer string
	// OtherOrigins are where the flow leads beside the issuer's own origin, OtherSites their registrable domains as far as
	// these are not the issuer's.
	OtherOrigins, OtherSites []string
	Scopes                   Scopes
	Client                   ClientOrigin // empty for a token from elsewhere
	ClientID                 string       // where it is known already
	Agreement                Agreement
	// Exceptions are rules that do not hold for this server because the person's configuration says so.
	Exceptions []Exception
	// Method is the way that will be taken, Methods are all that an answer may choose from.
	Method  Method
	Methods []Method
	// Supply says where the token comes from when it comes from elsewhere.
	Supply   string
	Receives Receipt
}

// Scopes are what access is about.
type Scopes struct {
	Required []string // by the challenge
	Held     []string // by the last token that this program got for the host and the resource
	// Request is what will be asked for; empty when the authorization server is left to decide. An answer may ask for less.
	Request []string
}

// Receipt is what the host will be given: an access token for one resource, its scopes and how long it lives. Nothing else
// goes there; a refresh token and a client's secret stay here.
type Receipt struct {
	Resource string
	Scopes   []string // nil when the authorization server decides
	// Renewed reports that newer tokens follow by themselves for as long as the host is connected.
	Renewed bool
}

// Site is the registrable domain that a URL leads to, in ASCII, such as example.co.uk: the part that somebody has bought,
// and can lie least with. It is the host itself where there is no such part, as with an address.
func Site(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	host := inASCII(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return site
}

// inASCII is a host's name as it is looked up: an international name can look like any other one. What is no name is escaped.
func inASCII(host string) string {
	if name, err := idna.Lookup.ToASCII(host); err == nil {
		return name
	}
	if name, err := idna.Punycode.ToASCII(host); err == nil {
		return name
	}
	return url.PathEscape(host)
}

// sites are the registrable domains of URLs, each once, without one of them.
func sites(urls []string, without string) []string {
	var all []string
	for _, u := range urls {
		if site := Site(u); site != without && !slices.Contains(all, site) {
			all = append(all, site)
		}
	}
	return all
}

// need is what a consent is about.
func (f *Flow) need(ctx context.Context, c Challenge, p *plan, issuers []string, previous consent) NeedConsent {
	need := NeedConsent{
		Host: c.Host, NewHost: !f.broker.knows(ctx, c.Host), FirstTime: previous.Consent == nil,
		Source: c.Source, Also: c.Also, Reason: c.Reason,
		Resource: c.Resource, ResourceSite: Site(c.Resource), ResourceName: c.ResourceName, Description: c.Description,
		Issuer: p.issuer, IssuerSite: Site(p.issuer), Issuers: issuers,
		OtherOrigins: p.origins(), OtherSites: sites(p.origins(), Site(p.issuer)), Exceptions: p.exceptions,
		Scopes: p.scopes, Client: p.known.origin, ClientID: p.known.id, Agreement: p.agreement,
		Method: p.method, Methods: p.methods,
		Receives: Receipt{Resource: c.Resource, Scopes: p.scopes.Request, Renewed: f.broker.config.Renewed != nil},
	}
	if p.method == ByToken {
		need.Supply = f.supplyName()
	}
	if previous.issuer() != p.issuer {
		need.PreviousIssuer = previous.issuer()
	}
	return need
}

// knows reports whether anything was agreed to for a host.
func (b *Broker) knows(ctx context.Context, host Host) bool {
	all, err := b.store.Memory().All(ctx)
	if err != nil {
		return false
	}
	for _, about := range all {
		if about.Host == host.ID && about.Consent != nil {
			return true
		}
	}
	return false
}

// decided takes what the person said about a plan.
func (f *Flow) decided(ctx context.Context, p *plan, issuers []string, answer Answer) error {
	switch {
	case !answer.Yes:
		return f.declined(ctx, answer)
	case answer.Issuer != "" && !slices.Contains(issuers, answer.Issuer):
		return fail(StepConsent, ErrDeclined, "")
	case answer.Issuer != "" && answer.Issuer != p.issuer:
		return nil // they want to see another one
	}
	if err := p.apply(answer); err != nil {
		return err
	}
	if answer.Register {
		f.broker.forget(ctx, p.issuer)
	}
	f.told(f.broker.agree(ctx, f.fix(), p.issuer, p.origins()))
	return nil
}

// declined notes that the person said no.
func (f *Flow) declined(ctx context.Context, answer Answer) error {
	key := f.fix().Key()
	f.broker.mu.Lock()
	makeRoom(f.broker.declined)
	f.broker.declined[key] = time.Now()
	f.broker.mu.Unlock()
	if answer.Never {
		f.told(f.broker.store.Memory().Never(ctx, key.subject()))
		return fail(StepConsent, ErrNever, "")
	}
	return fail(StepConsent, ErrDeclined, "")
}

// apply takes over what the person chose within what was shown.
func (p *plan) apply(a Answer) error {
	if a.Method != "" {
		if !slices.Contains(p.methods, a.Method) {
			return fail(StepConsent, fmt.Errorf("%q is none of the ways that were offered", a.Method), "")
		}
		p.method = a.Method
	}
	if a.Scopes != nil {
		if more := missing(a.Scopes, p.scopes.Request); len(more) > 0 {
			return fail(StepConsent, fmt.Errorf("the scope %q was not among those that were shown", more[0]), "")
		}
		p.scopes.Request = union(a.Scopes)
	}
	return nil
}
