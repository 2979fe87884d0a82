package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// tokenSource is where a token for a resource would come from, as `auth
// token-source` prints it.
type tokenSource struct {
	Host     string     `json:"host"`
	Resource string     `json:"resource"`
	Server   string     `json:"server,omitzero"`
	Source   sourceKind `json:"source"`
	// From is the file or the command of a supply, else the authorization server.
	From string `json:"from,omitzero"`
	// Client is how this program would be known there.
	Client auth.ClientOrigin `json:"client,omitzero"`
	Scopes []string          `json:"scopes,omitzero"` // that would be asked for
	// Person reports that somebody has to agree or to sign in; Why is the reason,
	// or why nothing is done.
	Person bool   `json:"person"`
	Why    string `json:"why,omitzero"`
}

// sourceKind is what gives a token.
type sourceKind string

const (
	sourceStored  sourceKind = "stored"  // one that is held
	sourceRefresh sourceKind = "refresh" // one in exchange for a refresh token that is held
	sourceSupply  sourceKind = "supply"  // a file or a command of the configuration file
	sourceSignIn  sourceKind = "signIn"  // a person signs in
	sourceNone    sourceKind = "none"    // nothing is done
)

func (a *app) tokenSourceCommand() *cobra.Command {
	return &cobra.Command{
		Use: "token-source [NAME]", Short: "Say where a token for a resource would come from", Args: cobra.MaximumNArgs(1),
		Long: `token-source says, for each resource that the host at --url needs a token for and each
that is known from earlier sign-ins, where one would come from: stored (a token that
is held), refresh (a newer one in exchange for what is held), supply (a file or a
command of the configuration file), signIn (a person), or none, and why. NAME is a
server, a resource or a host. It asks nobody for a token, and prints none.

For a sign-in it says how this program would be known to the authorization server, as
far as that can be told without asking it: host (the host names a client), configured
(your configuration file does), document, registered, asked, or register.

With --json it is an array of objects with host, resource, server, source, from,
client, scopes, person (somebody has to agree or to sign in) and why.`,
		ValidArgsFunction: a.completeSignIns,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.tokenSources(cmd.Context(), name)
		},
	}
}

func (a *app) tokenSources(ctx context.Context, name string) error {
	config, err := a.authConfig(ctx)
	if err != nil {
		return err
	}
	known, err := knownSignIns(ctx, config.Store)
	if err != nil {
		return err
	}
	var challenges []auth.Challenge
	if a.url != "" {
		err = a.withClient(ctx, func(ctx context.Context, client *ahpclient.Client) error {
			view, uris, err := a.openSessions(ctx, client, "")
			if err != nil {
				return err
			}
			for _, wait := range allWaits(view, uris) {
				if c, err := wait.challenge(withoutToken(a.url)); err == nil { // else no token can be for it
					challenges = append(challenges, c)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, k := range known {
		if c, ok := k.challenge(a.url); ok {
			challenges = append(challenges, c)
		}
	}
	config.Opener = nil
	broker := auth.NewBroker(config)
	defer broker.Close()
	rows := []tokenSource{}
	for _, c := range auth.Merge(challenges) {
		if name != "" && !isNamed(c, name) {
			continue
		}
		row, err := sourceOf(ctx, broker, config, c)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if name != "" && len(rows) == 0 {
		return fail(exitFailed, "see what is known: ahptui auth ls; resources of a host are known with --url", "nothing is known of %q", name)
	}
	return a.printSources(rows)
}

// challenge is what the host of a known sign-in would say, at the connected host
// alone where there is one.
func (k knownSignIn) challenge(url string) (auth.Challenge, bool) {
	host, err := auth.ParseHost(k.Host)
	if err != nil || url != "" && !k.isAt(withoutToken(url)) || k.Consent == nil && len(k.tokens) == 0 {
		return auth.Challenge{}, false
	}
	resource := &protocol.ProtectedResourceMetadata{Resource: k.Resource}
	if issuer := k.issuer(); issuer != "" {
		resource.AuthorizationServers = []string{issuer}
	}
	c, err := auth.ResourceChallenge(host, auth.Source{Server: k.server()}, "", resource)
	return c, err == nil
}

// isNamed reports whether a name stands for what a challenge is about.
func isNamed(c auth.Challenge, name string) bool {
	k := knownSignIn{}
	k.Host, k.Resource = c.Host.ID, c.Resource
	of := func(s auth.Source) bool { return s.Server == name }
	return k.isOf(name) || k.isAt(name) || of(c.Source) || slices.ContainsFunc(c.Also, of)
}

// sourceOf says where a token for a challenge would come from.
func sourceOf(ctx context.Context, broker *auth.Broker, config auth.Config, c auth.Challenge) (tokenSource, error) {
	key, decision := broker.Foresee(ctx, c)
	row := tokenSource{Host: c.Host.ID, Resource: c.Resource, Server: c.Source.Server, Person: decision.Act == auth.ActAsk}
	if decision.Why != nil {
		row.Why = decision.Why.Error()
	}
	supply := config.Supplies[c.Resource]
	switch {
	case decision.Act == auth.ActStop:
		row.Source = sourceNone
	case supply != nil:
		row.Source, row.From = sourceSupply, supply.String()
	case decision.Act == auth.ActRefresh:
		row.Source, row.From = sourceRefresh, key.Issuer
	case decision.Act == auth.ActAsk:
		row.Source, row.Scopes = sourceSignIn, decision.Scopes
		about, err := config.Store.Memory().About(ctx, store.Subject{Host: c.Host.ID, Resource: c.Resource})
		if err != nil {
			return row, err
		}
		if len(c.Issuers) > 0 {
			row.From = c.Issuers[0]
		}
		if about.Consent != nil && slices.Contains(c.Issuers, about.Consent.Issuer) {
			row.From = about.Consent.Issuer
		}
		row.Client, err = clientAt(ctx, config, c, row.From)
		return row, err
	default:
		row.Source, row.From = sourceStored, cmp.Or(key.Issuer, "you")
	}
	return row, nil
}

// clientAt is how this program would be known to an authorization server, as far
// as that can be told without asking it.
func clientAt(ctx context.Context, config auth.Config, c auth.Challenge, issuer string) (auth.ClientOrigin, error) {
	configured := func(s auth.IssuerSettings) bool { return s.Issuer == issuer && s.Client != nil }
	switch {
	case c.Client != nil:
		return auth.ClientOfHost, nil
	case slices.ContainsFunc(config.Issuers, configured):
		return auth.ClientConfigured, nil
	case config.ClientDocument != "":
		return auth.ClientDocument, nil
	}
	registered, err := config.Store.Registrations(ctx, issuer)
	switch {
	case err != nil || len(registered) == 0:
		return auth.ClientToRegister, err
	case len(registered[0].RedirectURIs) == 0:
		return auth.ClientAsked, nil
	}
	return auth.ClientRegistered, nil
}

func (a *app) printSources(rows []tokenSource) error {
	if a.json {
		return printJSON(a.Out, rows)
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.Out, "nothing is known that needs a token; give --url to ask a host")
		return err
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SERVER\tSOURCE\tFROM\tCLIENT\tWHY\tRESOURCE\tHOST")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", safetext.Clean(r.Server, 30), r.Source, line(r.From), r.Client,
			line(r.Why), line(r.Resource), line(r.Host))
	}
	return w.Flush()
}
