package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/config"
	"ahptui/internal/secret"
)

// account is what the person has on this machine: the configuration file and
// the store of tokens. Each is opened by whoever needs it first, and once.
type account struct {
	mu    sync.Mutex
	file  *config.File
	store *store.Store
}

// fileAt reads the configuration file; an empty path is its usual place.
func (c *account) fileAt(path string) (config.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		file, err := config.Load(path)
		if err != nil {
			return config.File{}, err
		}
		c.file = &file
	}
	return *c.file, nil
}

// tokens opens the store, in the best place that this machine has. It may take
// some seconds, where the keyring does.
func (c *account) tokens(ctx context.Context) *store.Store {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store == nil {
		options := store.Options{Keyring: store.SystemKeyring()}
		if dir, err := config.StateDir(); err == nil { // else nothing outlives the process, and the store says so
			options.Dir = filepath.Join(dir, "auth")
		}
		c.store = store.Open(ctx, options)
	}
	return c.store
}

// authConfig is what a broker stands on: the configuration file and the store of
// this machine. Who drives its flows adds how: Interactive and Renewed.
func (a *app) authConfig(ctx context.Context) (auth.Config, error) {
	file, err := a.account.fileAt(a.configFile)
	if err != nil {
		return auth.Config{}, err
	}
	c, err := authConfigOf(file)
	if err != nil {
		return auth.Config{}, err
	}
	c.Opener, c.Place = auth.NewBrowser(), auth.Here()
	c.Store = a.account.tokens(ctx)
	return c, nil
}

// authConfigOf is what the configuration file says about signing in.
func authConfigOf(file config.File) (auth.Config, error) {
	said := file.Auth
	c := auth.Config{
		Method:         auth.Method(said.Method),
		Redirect:       auth.Redirect{Host: said.RedirectHost, Port: said.RedirectPort},
		ClientDocument: said.ClientDocument,
		Supplies:       map[string]auth.Supply{},
	}
	if said.ClientDocument != "" {
		if err := auth.CheckClientDocument(said.ClientDocument); err != nil {
			return c, file.Wrong("auth.client_document", err, "write the https:// address at which the document lies; ahptui auth client-metadata prints it")
		}
	}
	for i, issuer := range said.Issuers {
		settings, err := issuerSettings(issuer)
		if err == nil {
			err = settings.Check()
		}
		if err != nil {
			return c, file.Wrong(fmt.Sprintf("auth.issuer[%d]", i), err, "")
		}
		c.Issuers = append(c.Issuers, settings)
	}
	for _, t := range said.Tokens {
		if t.File != "" {
			c.Supplies[t.Resource] = auth.FromFile(t.File)
		} else {
			c.Supplies[t.Resource] = auth.FromCommand(t.Command[0], t.Command[1:]...)
		}
	}
	if err := c.Check(); err != nil {
		return c, file.Wrong("auth", err, "")
	}
	return c, nil
}

func issuerSettings(said config.Issuer) (auth.IssuerSettings, error) {
	s := auth.IssuerSettings{Issuer: said.Issuer, MetadataIssuer: said.MetadataIssuer, AssumeS256: said.AssumeS256}
	if said.ClientID == "" {
		return s, nil
	}
	s.Client = &auth.Client{ID: said.ClientID}
	if said.ClientSecretFile != "" {
		var err error
		if s.Client.Secret, err = secret.FromFile(said.ClientSecretFile); err != nil {
			return s, err
		}
	}
	return s, nil
}

// demoAuth is what the demo's sign-ins stand on. Its host is another one each
// time, so nothing of it is kept, and nothing of the person's is used.
func demoAuth(ctx context.Context) (auth.Config, error) {
	tokens := store.Open(ctx, store.Options{})
	// Nobody is to be asked where to keep what is not worth keeping.
	if err := tokens.Use(ctx, store.InSession); err != nil {
		return auth.Config{}, err
	}
	return auth.Config{Opener: auth.NewBrowser(), Place: auth.Here(), Store: tokens}, nil
}
