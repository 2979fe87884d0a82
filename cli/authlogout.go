package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/protocol"
)

// signOutResult is what came of signing out, as `auth logout` prints it.
type signOutResult struct {
	Tokens []removedToken `json:"tokens"`
	Hosts  []toldHost     `json:"hosts"`
	Unread []string       `json:"unread,omitzero"` // files of tokens that cannot be read, so that these cannot be revoked
}

// removedToken is a token that is gone from here.
type removedToken struct {
	Host     string   `json:"host"`
	Resource string   `json:"resource"`
	Issuer   string   `json:"issuer,omitzero"`
	Client   string   `json:"client,omitzero"`
	Scopes   []string `json:"scopes,omitzero"`
	Revoked  bool     `json:"revoked"`
	Reason   string   `json:"reason,omitzero"` // why it was not
	failed   bool     // for another reason than that nobody revokes
}

// toldHost is a host that may have a token, and whether it was told to drop it.
type toldHost struct {
	Host     string `json:"host"`
	Resource string `json:"resource"`
	Emptied  bool   `json:"emptied"`
	Error    string `json:"error,omitzero"`
}

func (a *app) logoutCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "logout [NAME]", Short: "Sign out of a server, a resource, a host, or of all", Args: cobra.MaximumNArgs(1),
		Long: `logout removes tokens, has their authorization servers revoke them where these offer
that, and hands the host at --url an empty token in their place. Nothing is handed to
a host again until somebody asks for it, in no other ahptui either.

NAME is a server's name, a resource or a host, as ahptui auth ls lists them, or the
name of a server at --url. With --url, a server or a resource is signed out of at
that host alone. --all is everything at every host; the one at --url is told.

Exit codes: 0 when all is done, 1 when a token is gone from here but could not be
revoked, 3 when the host refused the empty token, 5 when it could not be told.

With --json it is an object: tokens (each with host, resource, issuer, client, scopes,
revoked, and reason where it was not), hosts (host, resource, emptied, error) and
unread, files of tokens that could not be read.`,
		ValidArgsFunction: a.completeSignIns,
		Example:           "  ahptui auth logout tracker --url ws://127.0.0.1:8081\n  ahptui auth logout --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 == all {
				return usageError(errors.New("sign out of what? give a server, a resource or a host, or --all"))
			}
			name := ""
			if !all {
				name = args[0]
			}
			return a.logout(cmd.Context(), name)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "sign out of everything")
	return cmd
}

// signOut is a sign-out under way.
type signOut struct {
	*app
	broker   *auth.Broker
	known    []knownSignIn
	host     string // the identity of the host at --url; empty when there is none
	subjects []store.Subject
	begun    bool // there is something to tell
	result   signOutResult
}

// logout signs out of what a name stands for, and of everything where it is empty.
func (a *app) logout(ctx context.Context, name string) error {
	config, err := a.authConfig(ctx)
	if err != nil {
		return err
	}
	broker := auth.NewBroker(config)
	defer broker.Close()
	s := &signOut{app: a, broker: broker, result: signOutResult{Tokens: []removedToken{}, Hosts: []toldHost{}}}
	if s.known, err = knownSignIns(ctx, config.Store); err != nil {
		return err
	}
	if a.url != "" {
		host, err := auth.ParseHost(withoutToken(a.url))
		if err != nil {
			return usageError(err)
		}
		s.host = host.ID
	}
	return s.run(ctx, name)
}

func (s *signOut) run(ctx context.Context, name string) error {
	which := s.which(name)
	var err error
	switch {
	case len(which) > 0:
		err = s.end(ctx, which)
		if err == nil && s.host != "" {
			err = s.withClient(ctx, s.empty)
		}
	case s.host == "":
		return s.unknown(name)
	default: // the host may know the name
		err = s.withClient(ctx, func(ctx context.Context, client *ahpclient.Client) error {
			view, uris, err := s.openSessions(ctx, client, "")
			if err != nil {
				return err
			}
			resource := resourceNamed(view, uris, name)
			if resource == "" {
				return s.unknown(name)
			}
			if err := s.end(ctx, []store.Which{{Host: s.host, Resource: resource}}); err != nil {
				return err
			}
			return s.empty(ctx, client)
		})
	}
	if s.begun {
		if printErr := s.print(); err == nil {
			err = printErr
		}
	}
	if err != nil {
		return err
	}
	return reported(s.code())
}

func (s *signOut) unknown(name string) error {
	return fail(exitFailed, "see what there is: ahptui auth ls; servers of a host are known with --url", "nothing is known of %q", name)
}

// which is what a name stands for: everything where it is empty, a host, or a
// resource at the connected host, else at all.
func (s *signOut) which(name string) []store.Which {
	if name == "" {
		return []store.Which{{}}
	}
	var all []store.Which
	for _, k := range s.known {
		which := store.Which{Host: k.Host}
		if !k.isAt(name) {
			if !k.isOf(name) || s.host != "" && k.Host != s.host {
				continue
			}
			which.Resource = k.Resource
		}
		if !slices.Contains(all, which) {
			all = append(all, which)
		}
	}
	return all
}

// resourceNamed is the resource that a server of the host waits for, or that the
// host itself needs.
func resourceNamed(v *ahpclient.View, uris []protocol.URI, name string) string {
	for _, wait := range allWaits(v, uris) {
		if r := wait.requirement.Resource; r != nil && (wait.source.Server == name || r.Resource == name) {
			return r.Resource
		}
	}
	return ""
}

// end removes the tokens and has them revoked.
func (s *signOut) end(ctx context.Context, which []store.Which) error {
	s.begun = true
	var hosts []auth.Host
	for _, k := range s.known {
		if host, err := auth.ParseHost(k.Host); err == nil {
			hosts = append(hosts, host)
		}
	}
	for _, w := range which {
		if w.Resource != "" {
			s.subject(store.Subject(w))
		}
		for _, k := range s.known {
			if s.mayHold(k) && (w.Host == "" || w.Host == k.Host) && (w.Resource == "" || w.Resource == k.Resource) {
				s.subject(k.Subject)
			}
		}
		out, err := s.broker.SignOut(ctx, w, hosts...)
		for _, t := range out.Tokens {
			s.removed(t)
		}
		for _, subject := range out.Subjects {
			s.subject(subject)
		}
		s.result.Unread = append(s.result.Unread, out.Unread...)
		if err != nil {
			return err
		}
	}
	return nil
}

// mayHold reports whether a host may have been given a token. The one that is
// connected is told once more, whatever it was told before.
func (s *signOut) mayHold(k knownSignIn) bool {
	return len(k.tokens) > 0 || k.Consent != nil && (!k.SignedOut || k.Host == s.host)
}

func (s *signOut) subject(subject store.Subject) {
	if !slices.Contains(s.subjects, subject) {
		s.subjects = append(s.subjects, subject)
	}
}

func (s *signOut) removed(t auth.Revocation) {
	row := removedToken{
		Host: t.Key.Host, Resource: t.Key.Resource, Issuer: t.Key.Issuer, Client: t.Key.Client, Scopes: t.Key.ScopeList(),
		Revoked: t.Err == nil,
	}
	if t.Err != nil {
		row.Reason, row.failed = t.Err.Error(), !errors.Is(t.Err, auth.ErrNoRevocation)
	}
	s.result.Tokens = append(s.result.Tokens, row)
}

// empty takes the tokens from the host.
func (s *signOut) empty(ctx context.Context, client *ahpclient.Client) error {
	var failures []error
	for _, subject := range s.subjects {
		if subject.Host != s.host {
			continue
		}
		told := toldHost{Host: subject.Host, Resource: subject.Resource, Emptied: true}
		err := s.emptyOne(ctx, client, subject.Resource)
		if err != nil {
			told.Emptied, told.Error = false, err.Error()
			failures = append(failures, fmt.Errorf("the host was not told to drop the token for %s: %w", subject.Resource, err))
		}
		s.result.Hosts = append(s.result.Hosts, told)
	}
	return errors.Join(failures...)
}

func (s *signOut) emptyOne(ctx context.Context, client *ahpclient.Client, resource string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := client.Authenticate(ctx, auth.Emptied(resource))
	if _, ok := errors.AsType[*ahpclient.AuthRequiredError](err); ok {
		return nil // it has none
	}
	return err
}

// code is the exit code where nothing stood in the way.
func (s *signOut) code() int {
	if len(s.result.Unread) > 0 || slices.ContainsFunc(s.result.Tokens, func(t removedToken) bool { return t.failed }) {
		return exitFailed
	}
	return exitDone
}

// print tells what came of it, the hosts too that could not be told.
func (s *signOut) print() error {
	for _, subject := range s.subjects {
		told := func(h toldHost) bool { return h.Host == subject.Host && h.Resource == subject.Resource }
		if !slices.ContainsFunc(s.result.Hosts, told) {
			s.result.Hosts = append(s.result.Hosts, toldHost{Host: subject.Host, Resource: subject.Resource})
		}
	}
	if s.json {
		return printJSON(s.Out, s.result)
	}
	for _, text := range s.result.words() {
		if _, err := fmt.Fprintln(s.Out, line(text)); err != nil {
			return err
		}
	}
	return nil
}

func (r signOutResult) words() []string {
	var words []string
	for _, t := range r.Tokens {
		end := "revoked at " + t.Issuer
		if !t.Revoked {
			end = "not revoked: " + t.Reason
		}
		words = append(words, fmt.Sprintf("removed the token for %s of %s; %s", t.Resource, t.Host, end))
	}
	for _, h := range r.Hosts {
		switch {
		case h.Emptied:
			words = append(words, fmt.Sprintf("%s has no token for %s any more", h.Host, h.Resource))
		case h.Error != "":
			words = append(words, fmt.Sprintf("%s was not told about %s: %s", h.Host, h.Resource, h.Error))
		default:
			words = append(words, fmt.Sprintf("%s was not told: it keeps what it has for %s. To tell it: ahptui auth logout %s --url %s", h.Host, h.Resource, h.Resource, h.Host))
		}
	}
	for _, file := range r.Unread {
		words = append(words, "what is in "+file+" could not be read, and not be revoked")
	}
	if len(words) == 0 {
		words = []string{"there was nothing to sign out of"}
	}
	return words
}
