package oauthserver

import (
	"net/http"
	"slices"
)

// The paths of the endpoints. The metadata stands at the well-known path of RFC
// 8414 section 3.
const (
	MetadataPath            = "/.well-known/oauth-authorization-server"
	RegisterPath            = "/register"
	AuthorizePath           = "/authorize"
	DecidePath              = "/decide"
	TokenPath               = "/token"
	DeviceAuthorizationPath = "/device_authorization"
	DevicePath              = "/device" // where a person types the user code
	RevokePath              = "/revoke"
)

// The grants (RFC 6749 sections 4.1 and 6, RFC 8628 section 3.4).
const (
	GrantCode    = "authorization_code"
	GrantRefresh = "refresh_token"
	GrantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// supports tells whether there is a grant at this server.
func (s *Server) supports(grant string) bool { return slices.Contains(s.opts.GrantTypes, grant) }

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	document := map[string]any{
		"issuer":                                         s.issuer,
		"authorization_endpoint":                         s.issuer + AuthorizePath,
		"token_endpoint":                                 s.issuer + TokenPath,
		"revocation_endpoint":                            s.issuer + RevokePath,
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          s.opts.GrantTypes,
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic", "client_secret_post"},
		"scopes_supported":                               s.scopes(),
		"authorization_response_iss_parameter_supported": true,
	}
	if !s.opts.Closed {
		document["registration_endpoint"] = s.issuer + RegisterPath
	}
	if s.supports(GrantDevice) {
		document["device_authorization_endpoint"] = s.issuer + DeviceAuthorizationPath
	}
	if s.opts.Document != nil {
		document["client_id_metadata_document_supported"] = true
	}
	if s.opts.Alter.Metadata != nil {
		s.opts.Alter.Metadata(document)
	}
	writeJSON(w, http.StatusOK, document)
}

func (s *Server) scopes() []string {
	names := make([]string, 0, len(s.opts.Scopes))
	for name := range s.opts.Scopes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
