package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"ahptui/internal/guard"
	"ahptui/protocol"
)

const (
	wellKnown       = "/.well-known/oauth-protected-resource" // RFC 9728 section 3.1
	metadataTimeout = 20 * time.Second                        // for all of it
	maxIssuers      = 8
	maxURIBytes     = 2 << 10
)

// requirement says what would help against a challenge.
func (s *Server) requirement(ctx context.Context, ch *challenge) *protocol.McpAuthRequirement {
	req := &protocol.McpAuthRequirement{
		Reason:      ch.reason,
		Resource:    s.resource(ctx, ch.metadataURL),
		Description: cleanLine(s.redact.String(ch.description), 300),
		OAuthClient: s.cfg.OAuthClient,
	}
	if s.redact.String(strings.Join(ch.scopes, " ")) == strings.Join(ch.scopes, " ") { // a server may repeat the token anywhere
		req.RequiredScopes = ch.scopes
	}
	return req
}

// resource describes the server as a protected resource: in its own words, or
// those that were heard before, or, where there are none, as it is configured.
func (s *Server) resource(ctx context.Context, metadataURL string) *protocol.ProtectedResourceMetadata {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	server, err := url.Parse(s.cfg.URL)
	if err != nil {
		return &protocol.ProtectedResourceMetadata{ResourceName: s.cfg.Name} // it would not have answered
	}
	doc, err := s.fetchResource(ctx, server, metadataURL)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.described = doc
	case s.described == nil:
		return &protocol.ProtectedResourceMetadata{Resource: bareURL(server), ResourceName: cleanLine(s.cfg.Name, 200)}
	}
	return s.described
}

// fetchResource fetches the server's metadata from where the challenge says, or
// else from the well-known places.
func (s *Server) fetchResource(ctx context.Context, server *url.URL, metadataURL string) (*protocol.ProtectedResourceMetadata, error) {
	client := guard.New(reach(ctx, server), guard.Options{})
	places := []string{metadataURL}
	if metadataURL == "" {
		places = metadataURLs(server)
	}
	var errs []error
	for _, place := range places {
		doc, err := s.fetchDocument(ctx, client, server, place)
		if err == nil {
			return doc, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// metadataURLs are where a server's metadata may lie when it does not say: below
// its path, then at the root.
func metadataURLs(server *url.URL) []string {
	origin := (&url.URL{Scheme: server.Scheme, Host: server.Host}).String()
	if path := server.EscapedPath(); path != "" && path != "/" {
		return []string{origin + wellKnown + path, origin + wellKnown}
	}
	return []string{origin + wellKnown}
}

// reach says where else than to the public internet metadata may be fetched from:
// where the configured URL itself leads. Whoever answers there is believed no
// further than that.
func reach(ctx context.Context, server *url.URL) guard.Policy {
	if guard.IsLoopback(server) {
		return guard.Policy{Loopback: true}
	}
	var addrs []netip.Addr
	if addr, err := netip.ParseAddr(server.Hostname()); err == nil {
		addrs = append(addrs, addr)
	} else if found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", server.Hostname()); err == nil {
		addrs = found
	}
	for _, addr := range addrs {
		if guard.Classify(addr) == guard.Private {
			return guard.Policy{Private: true}
		}
	}
	return guard.Policy{}
}

func (s *Server) fetchDocument(ctx context.Context, client *guard.Client, server *url.URL, place string) (*protocol.ProtectedResourceMetadata, error) {
	resp, err := client.Get(ctx, place, "application/json")
	if err != nil {
		return nil, err
	}
	if resp.Status != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d", guard.Shown(place), resp.Status)
	}
	return parseResource(s.redact.Bytes(resp.Body), server)
}

// parseResource reads a metadata document, strictly: a member twice or invalid
// UTF-8 makes it unusable. So does a resource that is not this server.
func parseResource(data []byte, server *url.URL) (*protocol.ProtectedResourceMetadata, error) {
	var doc protocol.ProtectedResourceMetadata
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, errors.New("the resource's metadata cannot be read") // what the library says may quote it
	}
	if !covers(doc.Resource, server) {
		return nil, errors.New("the metadata is of another resource")
	}
	if len(doc.AuthorizationServers) > maxIssuers || !boundedURIs(doc.AuthorizationServers...) {
		return nil, errors.New("the metadata names authorization servers that no client would use")
	}
	out := &protocol.ProtectedResourceMetadata{
		Resource:             doc.Resource,
		ResourceName:         cleanLine(doc.ResourceName, 200),
		AuthorizationServers: doc.AuthorizationServers,
	}
	if len(doc.ScopesSupported) > 0 && validScopes(doc.ScopesSupported) {
		out.ScopesSupported = doc.ScopesSupported
	}
	if len(doc.BearerMethodsSupported) <= maxIssuers && boundedURIs(doc.BearerMethodsSupported...) {
		out.BearerMethodsSupported = doc.BearerMethodsSupported
	}
	if boundedURIs(doc.ResourceDocumentation) {
		out.ResourceDocumentation = doc.ResourceDocumentation
	}
	return out, nil
}

func boundedURIs(list ...string) bool {
	for _, s := range list {
		if len(s) > maxURIBytes {
			return false
		}
	}
	return true
}

// covers reports whether a resource indicator is that of the server: its URL, or
// one of the same origin whose path is a beginning of the server's (RFC 9728
// section 3.3 wants the very URL; servers that have several endpoints name what
// is common to them).
func covers(resource string, server *url.URL) bool {
	u, err := url.Parse(resource)
	if err != nil || len(resource) > maxURIBytes || strings.Contains(resource, "#") || u.User != nil || !sameOrigin(u, server) {
		return false
	}
	if u.RawQuery != "" && u.RawQuery != server.RawQuery {
		return false
	}
	have, whole := strings.TrimSuffix(u.EscapedPath(), "/"), strings.TrimSuffix(server.EscapedPath(), "/")
	return whole == have || strings.HasPrefix(whole, have+"/")
}

// bareURL is a URL without what may be a secret.
func bareURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
