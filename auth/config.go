package auth

import (
	"fmt"

	"ahptui/auth/store"
	"ahptui/internal/guard"
)

// Config is what a [Broker] stands on. The zero value works, and leaves it to the person to open URLs.
type Config struct {
	Opener  Opener        // nil: URLs are only told
	Network guard.Options // the machine's own when zero
	// Store keeps tokens, clients and consents, beyond the life of a broker where it can. Nil means that consents and clients
	// last as long as the broker, and that no token is used again.
	Store *store.Store
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
	// Renewed is told of each token that was refreshed ahead of its end, to be handed to its host, which holds an older one.
	// It must return at once. Nil: nothing is refreshed before somebody asks.
	Renewed func(Grant)
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
