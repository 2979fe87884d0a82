package oauthserver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The paths of the endpoints. The metadata stands at the well-known path of RFC
// 8414 section 3.
const (
	MetadataPath  = "/.well-known/oauth-authorization-server"
	RegisterPath  = "/register"
	AuthorizePath = "/authorize"
	DecidePath    = "/decide"
	TokenPath     = "/token"
)

// Options say how a server is to be. The zero value is usable.
type Options struct {
	// Name is what the consent page calls the server.
	Name string
	// Scopes are the scopes that can be granted, with what the consent page says
	// of each. A request for another is refused.
	Scopes map[string]string
	// Resources are the resource indicators that tokens can be for; nil means any.
	Resources []string
	// Clients are registered from the start.
	Clients []Client
	// Lifetime is that of an access token; 0 means 10 minutes.
	Lifetime time.Duration
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Intercept, when set, wraps every endpoint: a test can log requests, change
	// answers, or answer itself.
	Intercept func(path string, next http.Handler) http.Handler
}

// Client is a registered client. A client without a secret is public.
type Client struct {
	ID           string
	Name         string
	Secret       string
	RedirectURIs []string
}

const (
	defaultLifetime = 10 * time.Minute
	codeLifetime    = time.Minute
	pageLifetime    = 10 * time.Minute
	maxBody         = 64 << 10
	maxRecords      = 10_000 // clients, open pages, codes and tokens, of each
	maxRedirects    = 8      // redirect URIs of a client
	maxField        = 4 << 10
)

// Server is an authorization server. [Server.Close] ends it.
type Server struct {
	issuer string
	opts   Options
	http   *http.Server
	ended  chan struct{}

	mu      sync.Mutex
	clients map[string]Client
	pages   map[string]authorization // open consent pages, by their id
	codes   map[string]authorization // codes that were not used yet
	used    map[string][]string      // tokens of used codes, to be revoked on reuse
	tokens  map[string]Grant
}

// authorization is a request that waits for a decision, or the code it led to.
type authorization struct {
	clientID, redirectURI, state, challenge, resource string
	scopes                                            []string
	expires                                           time.Time
}

// Grant is what a token allows.
type Grant struct {
	ClientID string
	Resource string
	Scopes   []string
	Expires  time.Time
}

// Start starts a server at a loopback address, such as 127.0.0.1:0.
func Start(addr string, opts Options) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the authorization server on %s: %w", addr, err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		_ = ln.Close() // nothing was served
		return nil, fmt.Errorf("the authorization server speaks plain http, so it listens on a loopback address only, not %s", addr)
	}
	if opts.Lifetime == 0 {
		opts.Lifetime = defaultLifetime
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Server{
		issuer: "http://" + ln.Addr().String(), opts: opts, ended: make(chan struct{}),
		clients: map[string]Client{}, pages: map[string]authorization{}, codes: map[string]authorization{},
		used: map[string][]string{}, tokens: map[string]Grant{},
	}
	for _, c := range opts.Clients {
		s.clients[c.ID] = c
	}
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() {
		defer close(s.ended)
		_ = s.http.Serve(ln) // ends with Close
	}()
	return s, nil
}

// Close ends the server and waits for it.
func (s *Server) Close() {
	_ = s.http.Close() // connections of tests and demos need no last words
	<-s.ended
}

// Issuer is the server's issuer identifier.
func (s *Server) Issuer() string { return s.issuer }

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	add := func(method, path string, h http.HandlerFunc) {
		var handler http.Handler = h
		if s.opts.Intercept != nil {
			handler = s.opts.Intercept(path, handler)
		}
		mux.Handle(method+" "+path, http.MaxBytesHandler(handler, maxBody))
	}
	add(http.MethodGet, MetadataPath, s.metadata)
	add(http.MethodPost, RegisterPath, s.register)
	add(http.MethodGet, AuthorizePath, s.authorize)
	add(http.MethodPost, DecidePath, s.decide)
	add(http.MethodPost, TokenPath, s.token)
	return mux
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                         s.issuer,
		"authorization_endpoint":                         s.issuer + AuthorizePath,
		"token_endpoint":                                 s.issuer + TokenPath,
		"registration_endpoint":                          s.issuer + RegisterPath,
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic", "client_secret_post"},
		"scopes_supported":                               s.scopes(),
		"authorization_response_iss_parameter_supported": true,
	})
}

func (s *Server) scopes() []string {
	names := make([]string, 0, len(s.opts.Scopes))
	for name := range s.opts.Scopes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Why a token is no good.
var (
	ErrNoToken = errors.New("no such token")
	ErrExpired = errors.New("the token has expired")
	// ErrOtherResource says that the token is for another resource (RFC 8707).
	ErrOtherResource = errors.New("the token is for another resource")
)

// Verify tells what a token allows at a resource.
func (s *Server) Verify(token, resource string) (Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.tokens[token]
	switch {
	case !ok:
		return Grant{}, ErrNoToken
	case !s.opts.Now().Before(g.Expires):
		return Grant{}, ErrExpired
	case g.Resource != resource:
		return Grant{}, ErrOtherResource
	}
	return g, nil
}

// Revoke ends every token, as an administrator would.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// Forget drops every client that registered itself.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.clients)
	for _, c := range s.opts.Clients {
		s.clients[c.ID] = c
	}
}

// makeRoom keeps a table bounded: what has expired goes, and then anything.
func makeRoom[V any](table map[string]V, expired func(V) bool) {
	if len(table) < maxRecords {
		return
	}
	for k, v := range table {
		if expired(v) {
			delete(table, k)
		}
	}
	for k := range table {
		if len(table) < maxRecords {
			return
		}
		delete(table, k)
	}
}

// random is an identifier that cannot be guessed.
func random() string { return rand.Text() }
