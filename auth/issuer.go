package auth

import (
	"errors"
	"fmt"
	"slices"

	"ahptui/internal/guard"
)

// IssuerSettings are what the person's own configuration file says of one authorization server. Nothing of it may come
// from a host, a server or a prompt: what it allows is refused to everybody else for good reasons.
type IssuerSettings struct {
	Issuer string // as hosts and resources name it, byte for byte
	// Client was registered there beforehand; nil when none was.
	Client *Client
	// MetadataIssuer is what the server may call itself in its metadata instead of Issuer (an exception to RFC 8414,
	// section 3.3). Empty means nothing else.
	MetadataIssuer string
	// AssumeS256 takes it that the server knows PKCE with S256 although its metadata does not say so.
	AssumeS256 bool
}

// Check refuses settings that could never apply.
func (s IssuerSettings) Check() error {
	if _, err := (guard.Policy{Loopback: true, Private: true}).CheckURL(s.Issuer); err != nil {
		return fmt.Errorf("issuer %q: %w", s.Issuer, err)
	}
	switch {
	case s.MetadataIssuer == s.Issuer:
		return fmt.Errorf("issuer %q: metadata_issuer is the same, and no exception", s.Issuer)
	case s.Client != nil && s.Client.ID == "":
		return fmt.Errorf("issuer %q: a client without client_id", s.Issuer)
	case s.Client != nil && len(s.Client.ID)+len(s.Client.Secret.Reveal()) > maxClientBytes:
		return errors.New("the client of an issuer is longer than any")
	}
	return nil
}

// Exception is a rule that does not hold for an authorization server because the person's configuration says so.
type Exception struct {
	Rule ExceptedRule
	// Named is what the server is called by the host, Published what it calls itself, where that differs.
	Named, Published string
}

// ExceptedRule says which rule, in the words of the configuration file.
type ExceptedRule string

// The rules that a person can make exceptions to.
const (
	ExceptMetadataIssuer ExceptedRule = "metadata_issuer"
	ExceptS256           ExceptedRule = "assume_pkce_s256"
)

// settings are those of an issuer; the zero ones when there are none.
func (b *Broker) settings(issuer string) IssuerSettings {
	if i := slices.IndexFunc(b.config.Issuers, func(s IssuerSettings) bool { return s.Issuer == issuer }); i >= 0 {
		return b.config.Issuers[i]
	}
	return IssuerSettings{}
}
