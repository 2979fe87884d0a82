package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/config"
)

// authStatus is what `auth status` prints.
type authStatus struct {
	Store storeStatus `json:"store"`
	// Config is the configuration file; empty when there is none.
	Config     string          `json:"config,omitzero"`
	Exceptions []issuerRules   `json:"exceptions,omitzero"` // to the rules, by the configuration file
	Supplies   []resourceFrom  `json:"supplies,omitzero"`   // tokens from elsewhere, by the configuration file
	Skew       []skewOf        `json:"skew,omitzero"`
	Method     auth.Method     `json:"method,omitzero"` // that the configuration file wants
	Redirect   redirectSetting `json:"redirect"`
}

// storeStatus says where tokens are kept.
type storeStatus struct {
	Place store.Place `json:"place"`
	Path  string      `json:"path,omitzero"`
	// Reason is why it is not the keyring, Undecided that nobody has said yet what
	// to do without one.
	Reason    string   `json:"reason,omitzero"`
	Undecided bool     `json:"undecided,omitzero"`
	Elsewhere []string `json:"elsewhere,omitzero"` // files with tokens that are not used
	SetAside  []string `json:"setAside,omitzero"`  // damaged files
	// Memory is why what was agreed to does not outlast the program.
	Memory string `json:"memory,omitzero"`

	words string
}

type issuerRules struct {
	Issuer string   `json:"issuer"`
	Rules  []string `json:"rules"`
}

type resourceFrom struct {
	Resource string `json:"resource"`
	From     string `json:"from"`
}

// skewOf is how far the clock of an authorization server was ahead of this
// machine's when a token came from there last.
type skewOf struct {
	Issuer  string    `json:"issuer"`
	Seconds int64     `json:"seconds"`
	At      time.Time `json:"at"`
}

// redirectSetting is where browsers come back to.
type redirectSetting struct {
	Host string `json:"host"`
	Port int    `json:"port,omitzero"` // 0: any that is free
}

func (a *app) authStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say where tokens are kept and why, and what the configuration file changes", Args: cobra.NoArgs,
		Long: `status says where tokens are kept and why there, which files are not used, what the
configuration file says about signing in, and how far the clocks of authorization
servers were from this machine's.

With --json it is an object: store (place, path, reason, undecided, elsewhere,
setAside, memory), config, method, redirect (host, port), exceptions (issuer, rules),
supplies (resource, from) and skew (issuer, seconds, at).`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.authStatus(cmd.Context()) },
	}
}

func (a *app) authStatus(ctx context.Context) error {
	file, err := a.account.fileAt(a.configFile)
	if err != nil {
		return err
	}
	signIn, err := a.authConfig(ctx)
	if err != nil {
		return err
	}
	status := authStatus{
		Store: storeStatusOf(signIn.Store), Config: file.Path, Exceptions: exceptionsIn(file), Supplies: suppliesIn(file, signIn),
		Method: signIn.Method, Redirect: redirectSetting{"127.0.0.1", signIn.Redirect.Port},
	}
	if signIn.Redirect.Host != "" {
		status.Redirect.Host = signIn.Redirect.Host
	}
	if status.Skew, err = skews(ctx, signIn.Store); err != nil {
		return err
	}
	if a.json {
		return printJSON(a.Out, status)
	}
	for _, text := range status.words() {
		if _, err := fmt.Fprintln(a.Out, line(text)); err != nil {
			return err
		}
	}
	return nil
}

func storeStatusOf(s *store.Store) storeStatus {
	status := s.Status()
	out := storeStatus{
		Place: status.Place, Path: status.Path, Undecided: status.Ask,
		Elsewhere: status.Elsewhere, SetAside: status.SetAside, words: status.String(),
	}
	if status.Reason != nil {
		out.Reason = status.Reason.Error()
	}
	if err := s.Memory().Err(); err != nil {
		out.Memory = err.Error()
	}
	return out
}

func exceptionsIn(file config.File) []issuerRules {
	var all []issuerRules
	for _, i := range file.Auth.Issuers {
		var rules []string
		if i.MetadataIssuer != "" {
			rules = append(rules, string(auth.ExceptMetadataIssuer))
		}
		if i.AssumeS256 {
			rules = append(rules, string(auth.ExceptS256))
		}
		if rules != nil {
			all = append(all, issuerRules{i.Issuer, rules})
		}
	}
	return all
}

func suppliesIn(file config.File, signIn auth.Config) []resourceFrom {
	var all []resourceFrom
	for _, t := range file.Auth.Tokens {
		all = append(all, resourceFrom{t.Resource, signIn.Supplies[t.Resource].String()})
	}
	return all
}

// skews are those that the latest token of each server came with.
func skews(ctx context.Context, s *store.Store) ([]skewOf, error) {
	tokens, err := s.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("the tokens cannot be read: %w", err)
	}
	slices.SortFunc(tokens, func(a, b store.Token) int { return b.Obtained.Compare(a.Obtained) })
	var all []skewOf
	for _, t := range tokens {
		known := slices.ContainsFunc(all, func(s skewOf) bool { return s.Issuer == t.Key.Issuer })
		if t.Skew.Known && !known {
			all = append(all, skewOf{t.Key.Issuer, t.Skew.Seconds, t.Obtained})
		}
	}
	return all, nil
}

func (s authStatus) words() []string {
	words := s.Store.lines()
	if s.Config == "" {
		words = append(words, "there is no configuration file")
	} else {
		words = append(words, "the configuration file is "+s.Config)
	}
	if s.Method != "" {
		words = append(words, "sign in by: "+string(s.Method))
	}
	for _, e := range s.Exceptions {
		words = append(words, "warning: "+strings.Join(e.Rules, " and ")+" for "+e.Issuer+": what it allows is refused to everybody else")
	}
	for _, r := range s.Supplies {
		words = append(words, "the token for "+r.Resource+" comes from "+r.From)
	}
	for _, k := range s.Skew {
		if k.Seconds != 0 {
			words = append(words, fmt.Sprintf("the clock of %s was %d s ahead of this machine's", k.Issuer, k.Seconds))
		}
	}
	return words
}

func (s storeStatus) lines() []string {
	words := []string{"tokens are kept " + s.words}
	if s.Reason != "" {
		words = append(words, "why there: "+s.Reason)
	}
	if s.Undecided {
		words = append(words, "to keep sign-ins in a file that you alone can read: ahptui auth store file; not to be asked: ahptui auth store session")
	}
	for _, file := range s.Elsewhere {
		words = append(words, "not used: "+file)
	}
	for _, file := range s.SetAside {
		words = append(words, "damaged, and moved out of the way: "+file)
	}
	if s.Memory != "" {
		words = append(words, "what you agree to is forgotten when the program ends: "+s.Memory)
	}
	return words
}

func (a *app) authStoreCommand() *cobra.Command {
	var yes bool
	places := []string{string(store.InKeyring), string(store.InFile), string(store.InSession)}
	cmd := &cobra.Command{
		Use: "store keyring|file|session", Short: "Choose where tokens are kept", Args: cobra.ExactArgs(1), ValidArgs: places,
		Long: `store moves the tokens to another place and remembers the choice: keyring (an
encrypted file whose key is in the system's keyring), file (not encrypted, readable
by you alone) or session (in each program until it ends).

Where there is a keyring, it is used by itself.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(places, args[0]) {
				return usageError(fmt.Errorf("there is no place %q: it is one of %s", args[0], strings.Join(places, ", ")))
			}
			return a.useStore(cmd.Context(), store.Place(args[0]), yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "forget the tokens that are on disk, when they are to be kept in the session")
	return cmd
}

func (a *app) useStore(ctx context.Context, place store.Place, yes bool) error {
	tokens := a.account.tokens(ctx)
	if place == store.InSession && !yes {
		held, err := tokens.All(ctx)
		if err != nil {
			return fmt.Errorf("the tokens cannot be read: %w", err)
		}
		if len(held) > 0 {
			return fail(exitUsage, "sign out first, which revokes them: ahptui auth logout --all; or say --yes",
				"there are tokens on disk (%d), which would be forgotten without being revoked", len(held))
		}
	}
	if err := tokens.Use(ctx, place); err != nil {
		hint := ""
		if errors.Is(err, store.ErrNoKeyring) {
			hint = "unlock it, or choose another place: ahptui auth store file"
		}
		return &failure{exitFailed, err, hint}
	}
	status := storeStatusOf(tokens)
	if a.json {
		return printJSON(a.Out, status)
	}
	for _, text := range status.lines() {
		if _, err := fmt.Fprintln(a.Out, line(text)); err != nil {
			return err
		}
	}
	return nil
}
