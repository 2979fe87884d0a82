package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ahptui/internal/secret"
)

// Registration is a client that this program registered at an authorization server (RFC 7591), or that a person named. It
// is good for that server alone.
type Registration struct {
	Issuer       string       `json:"issuer"`
	Client       string       `json:"client"`
	Secret       secret.Value `json:"secret,omitzero"`
	Method       string       `json:"method"`                 // token_endpoint_auth_method
	RedirectURIs []string     `json:"redirect_uris,omitzero"` // that it was registered with
	At           time.Time    `json:"at"`
}

func (r Registration) check() error {
	switch {
	case r.Issuer == "" || r.Client == "":
		return errors.New("a registration names an issuer and a client")
	case longest(r.Issuer, r.Client, r.Method, r.Secret.Reveal(), strings.Join(r.RedirectURIs, " ")) > maxTextBytes:
		return fmt.Errorf("a part of the registration is longer than %d bytes", maxTextBytes)
	}
	return checkText(append([]string{r.Issuer, r.Client, r.Method, r.Secret.Reveal()}, r.RedirectURIs...)...)
}

// Registrations returns the clients of a server, the latest first.
func (s *Store) Registrations(ctx context.Context, issuer string) ([]Registration, error) {
	c, err := s.content(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(c.Registrations, func(r Registration) bool { return r.Issuer != issuer })
	slices.Reverse(all)
	return all, nil
}

// Register keeps a client. It takes the place of one of the same id; the oldest ones make room.
func (s *Store) Register(ctx context.Context, r Registration) error {
	if err := r.check(); err != nil {
		return err
	}
	return s.update(ctx, func(c *content) (bool, error) {
		c.Registrations = append(c.others(r.Issuer, r.Client), r)
		c.Registrations = c.Registrations[max(0, len(c.Registrations)-maxRegistrations):]
		return true, nil
	})
}

// Unregister forgets a client that its server no longer knows.
func (s *Store) Unregister(ctx context.Context, issuer, client string) error {
	return s.update(ctx, func(c *content) (bool, error) {
		before := len(c.Registrations)
		c.Registrations = c.others(issuer, client)
		return len(c.Registrations) != before, nil
	})
}

// others are the registrations but one.
func (c *content) others(issuer, client string) []Registration {
	return slices.DeleteFunc(c.Registrations, func(r Registration) bool { return r.Issuer == issuer && r.Client == client })
}
