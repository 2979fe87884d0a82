package auth

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/secret"
)

// maxAudiences bounds what is told of a token's audiences.
const maxAudiences = 8

// audiences is the aud claim of a signed web token: a text, or a list of them (RFC 7519, section 4.1.3).
type audiences []string

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (a *audiences) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '[' {
		return json.UnmarshalDecode(dec, (*[]string)(a))
	}
	var one string
	if err := json.UnmarshalDecode(dec, &one); err != nil {
		return err
	}
	*a = audiences{one}
	return nil
}

type claims struct {
	Audiences audiences `json:"aud"`
}

// otherAudiences are what a token says that it is for, where it can be read and does not say that it is for the resource.
// Nothing is made of a token that cannot be read: tokens are nobody's business but the server's and the resource's, and a
// signature is not looked at.
func otherAudiences(token secret.Value, resource string) []string {
	parts := strings.Split(token.Reveal(), ".")
	if len(parts) != 3 {
		return nil
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil
	}
	said, err := parseDocument[claims](payload)
	if err != nil || len(said.Audiences) == 0 || slices.Contains(said.Audiences, resource) {
		return nil
	}
	var others []string
	for _, audience := range said.Audiences[:min(len(said.Audiences), maxAudiences)] {
		others = append(others, bounded(audience))
	}
	return others
}
