package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/safetext"
)

func (a *app) authCommand() *cobra.Command {
	return group("auth", "See, explain and end sign-ins",
		a.authListCommand(), a.logoutCommand(), a.authStatusCommand(), a.authStoreCommand(), a.tokenSourceCommand(), a.clientMetadataCommand())
}

// clientMetadataCommand prints a document of this program. Its --url is that of
// the document, so it has no host.
func (a *app) clientMetadataCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use: "client-metadata", Short: "Print the document that describes this program to authorization servers", Args: cobra.NoArgs,
		Long: `client-metadata prints the client id metadata document of this program, byte for byte
as it has to lie at --url. Servers that know such documents take that address as a
client id, so that nobody has to register anything; name it in the configuration
file: [auth] client_document = "URL". Without --url it is the one that is there.

The redirect port of the configuration file is in it, where one is set.`,
		Example: "  ahptui auth client-metadata --url https://me.example/ahptui.json",
		RunE: func(*cobra.Command, []string) error {
			file, err := a.account.fileAt(a.configFile)
			if err != nil {
				return err
			}
			if address = cmp.Or(address, file.Auth.ClientDocument); address == "" {
				return usageError(errors.New("where will the document lie? give --url https://HOST/PATH"))
			}
			document, err := auth.ClientMetadata(address, auth.Redirect{Host: file.Auth.RedirectHost, Port: file.Auth.RedirectPort})
			if err != nil {
				return usageError(err)
			}
			_, err = a.Out.Write(document)
			return err
		},
	}
	cmd.Flags().StringVar(&address, "url", "", "the https:// address of the document, which is the client id")
	return cmd
}

// knownSignIn is what this machine knows of signing in to a resource of a host.
type knownSignIn struct {
	store.Remembered
	tokens []store.Token
}

// knownSignIns are all of them, those of a host together.
func knownSignIns(ctx context.Context, s *store.Store) ([]knownSignIn, error) {
	remembered, err := s.Memory().All(ctx)
	if err != nil {
		return nil, fmt.Errorf("what was agreed to cannot be read: %w", err)
	}
	tokens, err := s.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("the tokens cannot be read: %w", err)
	}
	var all []knownSignIn
	for _, r := range remembered {
		all = append(all, knownSignIn{Remembered: r})
	}
	for _, t := range tokens {
		i := slices.IndexFunc(all, func(k knownSignIn) bool { return k.Subject == t.Key.Subject() })
		if i < 0 {
			about, err := s.Memory().About(ctx, t.Key.Subject())
			if err != nil {
				return nil, err
			}
			i, all = len(all), append(all, knownSignIn{Remembered: about})
		}
		all[i].tokens = append(all[i].tokens, t)
	}
	slices.SortFunc(all, func(a, b knownSignIn) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Resource, b.Resource))
	})
	return all, nil
}

// completeSignIns completes the name of something that is known.
func (a *app) completeSignIns(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	known, err := knownSignIns(cmd.Context(), a.account.tokens(cmd.Context()))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, k := range known {
		for _, name := range []string{k.server(), k.Resource, k.Host} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, safetext.Clean(name, maxLine).String())
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// server is what the server was called that it was agreed to for.
func (k knownSignIn) server() string {
	if k.Consent == nil {
		return ""
	}
	return k.Consent.Server
}

// issuer is the authorization server that was agreed to, else the token's.
func (k knownSignIn) issuer() string {
	switch {
	case k.Consent != nil:
		return k.Consent.Issuer
	case len(k.tokens) > 0:
		return k.tokens[0].Key.Issuer
	}
	return ""
}

// isOf reports whether a name stands for a server or a resource of it.
func (k knownSignIn) isOf(name string) bool {
	return name == k.Resource || name == k.server() && name != ""
}

// isAt reports whether a name stands for its host: an address of it, or HOST:PORT.
func (k knownSignIn) isAt(name string) bool {
	if host, err := auth.ParseHost(name); err == nil && host.ID == k.Host {
		return true
	}
	u, err := url.Parse(k.Host)
	return err == nil && u.Host == name
}
