package auth

import (
	"context"
	"errors"
	"fmt"

	"ahptui/internal/guard"
)

// deviceRedirectURI is what a client is registered with that comes back to no port: servers want one.
const deviceRedirectURI = "http://" + ipv4 + callbackPath

// knownClient is the client that need not be made: the host's, the one of the person's configuration, the one that the
// person named when asked, or the one whose id is the address of a document. Its id is empty when there is none.
func (f *Flow) knownClient(m *serverMetadata) (oauthClient, error) {
	asked := f.broker.asked(m.named)
	switch own := f.broker.settings(m.named); {
	case f.Challenge().Client != nil:
		return newClient(*f.Challenge().Client, ClientOfHost, m)
	case own.Client != nil:
		return newClient(*own.Client, ClientConfigured, m)
	case asked != nil:
		return newClient(*asked, ClientAsked, m)
	case f.broker.config.ClientDocument != "" && m.ClientDocuments:
		return newClient(Client{ID: f.broker.config.ClientDocument}, ClientDocument, m)
	}
	return oauthClient{}, nil
}

// clientOrigin says how this program will be known to the server.
func (f *Flow) clientOrigin(m *serverMetadata) (ClientOrigin, error) {
	known, err := f.knownClient(m)
	switch {
	case err != nil:
		return "", fail(StepDiscovery, err, askHost)
	case known.id != "":
		return known.origin, nil
	case f.broker.isRegistered(m.named):
		return ClientRegistered, nil
	case m.RegistrationEndpoint != "":
		return ClientToRegister, nil
	case f.broker.config.Interactive:
		return ClientToAsk, nil
	}
	return "", fail(StepDiscovery,
		errors.New("the authorization server knows no client of the host's, and lets none register itself"), nameClient(m.named))
}

// nameClient says how a client that somebody registered is made known here.
func nameClient(issuer string) string {
	return fmt.Sprintf("Register this program there and name its client id: [[auth.issuer]] with issuer = %q and client_id in the configuration file; or ask the host's operator to name one.", issuer)
}

// client is the one to use for a redirect URI and a grant: one that is known, one that was registered for it, a new one,
// or what the person says.
func (f *Flow) client(ctx context.Context, p *plan, use clientUse) (oauthClient, error) {
	known, err := f.knownClient(p.metadata)
	if err != nil {
		return oauthClient{}, fail(StepRegistration, err, askHost)
	}
	if known.id != "" {
		return known, nil
	}
	if r := f.broker.registration(p.issuer, use.device); r.client.id != "" && r.redirectURI == use.redirectURI {
		return r.client, nil
	}
	if p.metadata.RegistrationEndpoint == "" {
		return f.askClient(ctx, p, use, nil)
	}
	f.emit(Registering{Issuer: p.issuer})
	r, err := register(ctx, p.client, p.metadata, use.redirectURI, use.grants())
	switch refused, ok := errors.AsType[*OAuthError](err); {
	case ctx.Err() != nil:
		return oauthClient{}, ended(ctx, StepRegistration)
	case ok && refused.Code == "invalid_redirect_uri" && use.mayMove:
		return oauthClient{}, errMove
	case ok && f.broker.config.Interactive:
		return f.askClient(ctx, p, use, err)
	case err != nil:
		return oauthClient{}, fail(StepRegistration, fmt.Errorf("register this program: %w", err), nameClient(p.issuer))
	}
	r.redirect = use.redirect
	f.broker.registered(p.issuer, use.device, r)
	return r.client, nil
}

// clientUse is what a client is wanted for.
type clientUse struct {
	redirectURI string
	redirect    Redirect // the host and the port of that
	device      bool
	mayMove     bool // another name of this machine may be tried, once
}

// errMove says that the server refuses a redirect to an address, and may take one to a name.
var errMove = errors.New("the redirect has to be to localhost")

func (u clientUse) grants() []string {
	if u.device {
		return []string{grantCode, grantRefresh, grantDevice}
	}
	return []string{grantCode, grantRefresh}
}

// askClient asks the person for a client id, as the last way that there is. why is what went wrong before.
func (f *Flow) askClient(ctx context.Context, p *plan, use clientUse, why error) (oauthClient, error) {
	if !f.broker.config.Interactive {
		return oauthClient{}, fail(StepRegistration, errors.New("the authorization server lets no client register itself"), nameClient(p.issuer))
	}
	answer, err := f.ask(ctx, StepRegistration, func(n int) Event {
		return NeedClient{Question: n, Issuer: p.issuer, RedirectURI: use.redirectURI, Why: why}
	})
	switch {
	case err != nil:
		return oauthClient{}, err
	case !answer.Yes || answer.ClientID == "":
		return oauthClient{}, fail(StepRegistration, ErrDeclined, nameClient(p.issuer))
	case len(answer.ClientID)+len(answer.Secret.Reveal()) > maxClientBytes:
		return oauthClient{}, fail(StepRegistration, errors.New("the client id is longer than any"), "")
	}
	named := Client{ID: answer.ClientID, Secret: answer.Secret}
	client, err := newClient(named, ClientAsked, p.metadata)
	if err != nil {
		return oauthClient{}, fail(StepRegistration, err, askServer)
	}
	f.broker.keepAsked(p.issuer, named)
	return client, nil
}

// ClientMetadata is the document that describes this program at the address that is its client id, for an authorization
// server that supports such documents. It is to be published there as it is.
func ClientMetadata(clientID string, r Redirect) ([]byte, error) {
	if err := CheckClientDocument(clientID); err != nil {
		return nil, err
	}
	return clientDocument(clientID, r)
}

// CheckClientDocument refuses what cannot be the address of a client's document: it has to be https, with a path, and
// without a query.
func CheckClientDocument(clientID string) error {
	u, err := (guard.Policy{}).CheckURL(clientID)
	switch {
	case err != nil:
		return fmt.Errorf("the client id %q: %w", clientID, err)
	case u.Scheme != "https":
		return fmt.Errorf("the client id %q is not https", clientID)
	case len(u.Path) < 2:
		return fmt.Errorf("the client id %q has no path", clientID)
	case u.RawQuery != "" || u.ForceQuery:
		return fmt.Errorf("the client id %q has a query", clientID)
	}
	return nil
}
