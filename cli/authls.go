package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ahptui/auth/store"
	"ahptui/internal/safetext"
)

// signInRow is a sign-in as `auth ls` prints it. It never holds a token.
type signInRow struct {
	Host        string      `json:"host"`
	Resource    string      `json:"resource"`
	Server      string      `json:"server,omitzero"` // that it was agreed to for
	State       signInState `json:"state"`
	Issuer      string      `json:"issuer,omitzero"`
	Client      string      `json:"client,omitzero"`
	Scopes      []string    `json:"scopes,omitzero"`
	Obtained    time.Time   `json:"obtained,omitzero"`
	Expires     time.Time   `json:"expires,omitzero"`
	Expired     bool        `json:"expired"`
	Refreshable bool        `json:"refreshable"`
	Store       store.Place `json:"store,omitzero"` // where the token is; empty when there is none
}

// signInState is how a sign-in stands.
type signInState string

const (
	signInHeld        signInState = "held"        // there is a token
	signInQuarantined signInState = "quarantined" // there is one that its host has refused twice
	signInAgreed      signInState = "agreed"      // it was agreed to, and no token is kept here
	signInOut         signInState = "signedOut"   // nothing is handed over until somebody asks
	signInNever       signInState = "never"       // nobody is to be asked for it
)

func (a *app) authListCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List what is held and agreed to: for which host, which resource, until when", Args: cobra.NoArgs,
		Long: `ls lists the sign-ins of this machine. No token is printed, only what it is for.

The state is held (there is a token), quarantined (there is one that its host has
refused twice), agreed (the host may have a token, and none is kept here: it ended
with the program that got it), never (nobody is asked for it), and, with --all,
signedOut.

With --json it is an array of objects with host, resource, server, state, issuer,
client, scopes, obtained, expires, expired, refreshable and store, the place where
the token is kept.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listSignIns(cmd.Context(), all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "also what was signed out of")
	return cmd
}

func (a *app) listSignIns(ctx context.Context, all bool) error {
	tokens := a.account.tokens(ctx)
	known, err := knownSignIns(ctx, tokens)
	if err != nil {
		return err
	}
	status, now := tokens.Status(), time.Now()
	rows := []signInRow{}
	for _, k := range known {
		for _, row := range k.rows(status.Place, now) {
			if all || row.State != signInOut {
				rows = append(rows, row)
			}
		}
	}
	if a.json {
		return printJSON(a.Out, rows)
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	if len(rows) > 0 {
		fmt.Fprintln(w, "SERVER\tSTATE\tENDS\tSCOPES\tRESOURCE\tHOST\tISSUER\tCLIENT")
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", safetext.Clean(r.Server, 30), r.State, r.ends(now),
			safetext.Clean(strings.Join(r.Scopes, " "), 60), line(r.Resource), line(r.Host), line(r.Issuer), line(r.Client))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.Out, line("tokens are kept "+status.String()))
	return err
}

// rows are a row for each token, else one.
func (k knownSignIn) rows(place store.Place, now time.Time) []signInRow {
	row := signInRow{Host: k.Host, Resource: k.Resource, Server: k.server(), Issuer: k.issuer()}
	switch {
	case k.Never:
		row.State = signInNever
	case k.SignedOut:
		row.State = signInOut
	case len(k.tokens) == 0 && k.Consent != nil:
		row.State = signInAgreed
	case len(k.tokens) == 0: // forgotten: there is nothing to say
		return nil
	}
	if len(k.tokens) == 0 {
		return []signInRow{row}
	}
	var rows []signInRow
	for _, t := range k.tokens {
		row := row
		row.Issuer, row.Client, row.Scopes = t.Key.Issuer, t.Key.Client, t.Scopes()
		row.Obtained, row.Store = t.Obtained, place
		row.Expires, _ = t.End(store.At(now))
		row.Expired, row.Refreshable = t.Ended(store.At(now)), !t.Refresh.IsZero()
		switch {
		case row.State != "":
		case t.Quarantined():
			row.State = signInQuarantined
		default:
			row.State = signInHeld
		}
		rows = append(rows, row)
	}
	return rows
}

// ends says when the token ends.
func (r signInRow) ends(now time.Time) string {
	switch {
	case r.Store == "":
		return "-"
	case r.Expired && r.Refreshable:
		return "ended, renewable"
	case r.Expired:
		return "ended"
	case r.Expires.IsZero():
		return "not known"
	}
	return "in " + r.Expires.Sub(now).Round(time.Second).String()
}
