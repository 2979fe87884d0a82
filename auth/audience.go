package auth

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/secret"
)

// maxAudiences bounds how many audiences of a token are told.
const maxAudiences = 8

// otherAudience is whom a token is for by its own words, where that is not the resource that it was asked for: nil where it
// is, or where nobody can read it. Tokens are opaque to clients, so that this is told and stops nothing.
func otherAudience(token secret.Value, resource string) []string {
	parts := strings.Split(token.Reveal(), ".")
	if len(parts) != 3 || len(parts[1]) > maxSupplyBytes {
		return nil
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil
	}
	var claims struct {
		Audience jsontext.Value `json:"aud"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return nil
	}
	var all []string
	var one string
	switch {
	case json.Unmarshal(claims.Audience, &one) == nil:
		all = []string{one}
	case json.Unmarshal(claims.Audience, &all) != nil:
		return nil
	}
	if slices.Contains(all, resource) {
		return nil
	}
	all = all[:min(len(all), maxAudiences)]
	for i := range all {
		all[i] = bounded(all[i])
	}
	return all
}
