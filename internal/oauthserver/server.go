package oauthserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Options say how a server is to be. The zero value is usable.
type Options struct {
	// Name is what the pages call the server.
	Name string
	// Scopes are the scopes that can be granted, with what the consent page says
	// of each. A request for another is refused.
	Scopes map[string]string
	// Resources are the resource indicators that tokens can be for; nil means any.
	Resources []string
	// Clients are registered from the start.
	Clients []Client
	// Closed lets no client register itself.
	Closed bool
	// Document fetches the metadata document of a client whose id is a URL; nil
	// means that such clients are not known here.
	Document func(ctx context.Context, clientID string) ([]byte, error)
	// GrantTypes are the grants that there are; nil means all of them.
	GrantTypes []string
	// Narrow says which of the scopes that were asked for are granted; nil means
	// all of them.
	Narrow func(scopes []string) []string
	// Lifetime is that of an access token (0 means 10 minutes), RefreshLifetime
	// that of a refresh token which is not used (0 means a day), DeviceLifetime
	// that of a user code (0 means 10 minutes).
	Lifetime, RefreshLifetime, DeviceLifetime time.Duration
	// DeviceInterval is how often a device may ask; 0 means every 5 seconds.
	DeviceInterval time.Duration
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Alter changes what the server says.
	Alter Alter
	// Intercept, when set, wraps every endpoint: a test can log requests, change
	// answers, or answer itself.
	Intercept func(path string, next http.Handler) http.Handler
}

// Alter changes what an honest server would say, wherever a function is set.
type Alter struct {
	Metadata func(document map[string]any)                 // the published metadata
	Callback func(answer url.Values)                       // what a browser is sent back with
	Device   func(answer map[string]any)                   // the answer to a device
	Token    func(grantType string, answer map[string]any) // a token response
}

const (
	defaultLifetime        = 10 * time.Minute
	defaultRefreshLifetime = 24 * time.Hour
	defaultInterval        = 5 * time.Second
	codeLifetime           = time.Minute
	pageLifetime           = 10 * time.Minute
	maxBody                = 64 << 10
	maxRecords             = 10_000 // clients, open pages, codes and tokens, of each
	maxField               = 4 << 10
)

// Server is an authorization server. It is an [http.Handler]; [Start] puts one on
// the network.
type Server struct {
	issuer string
	opts   Options
	mux    *http.ServeMux
	http   *http.Server // nil unless it was started
	ended  chan struct{}

	mu        sync.Mutex
	clients   map[string]Client
	pages     map[string]authorization // open consent pages, by their id
	codes     map[string]authorization // codes that were not used yet
	used      map[string]*family       // what came of used codes
	devices   map[string]*device       // by their code
	userCodes map[string]string        // the device codes, by what a person types
	tokens    map[string]Grant
	refresh   map[string]*family // by every refresh token there was
}

// authorization is a request that waits for a decision, or the code it led to.
type authorization struct {
	clientID, redirectURI, state, challenge, resource string
	scopes                                            []string
	device                                            string // the code of the device that asks; "" for a browser
	expires                                           time.Time
}

// New returns a server with an issuer identifier, which is the origin that it is
// reached at.
func New(issuer string, opts Options) *Server {
	opts.Lifetime = cmp.Or(opts.Lifetime, defaultLifetime)
	opts.RefreshLifetime = cmp.Or(opts.RefreshLifetime, defaultRefreshLifetime)
	opts.DeviceLifetime = cmp.Or(opts.DeviceLifetime, pageLifetime)
	opts.DeviceInterval = cmp.Or(opts.DeviceInterval, defaultInterval)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.GrantTypes == nil {
		opts.GrantTypes = []string{GrantCode, GrantRefresh, GrantDevice}
	}
	s := &Server{
		issuer: issuer, opts: opts, mux: http.NewServeMux(),
		clients: map[string]Client{}, pages: map[string]authorization{}, codes: map[string]authorization{},
		used: map[string]*family{}, devices: map[string]*device{}, userCodes: map[string]string{},
		tokens: map[string]Grant{}, refresh: map[string]*family{},
	}
	for _, c := range opts.Clients {
		s.clients[c.ID] = c
	}
	s.route()
	return s
}

// Start starts a server at a loopback address, such as 127.0.0.1:0, until
// [Server.Close].
func Start(addr string, opts Options) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the authorization server on %s: %w", addr, err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		_ = ln.Close() // nothing was served
		return nil, fmt.Errorf("the authorization server speaks plain http, so it listens on a loopback address only, not %s", addr)
	}
	s := New("http://"+ln.Addr().String(), opts)
	s.ended = make(chan struct{})
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() {
		defer close(s.ended)
		_ = s.http.Serve(ln) // ends with Close
	}()
	return s, nil
}

// Close ends a server that was started and waits for it.
func (s *Server) Close() {
	if s.http == nil {
		return
	}
	_ = s.http.Close() // connections of tests and demos need no last words
	<-s.ended
}

// Issuer is the server's issuer identifier.
func (s *Server) Issuer() string { return s.issuer }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) route() {
	add := func(method, path string, h http.HandlerFunc) {
		var handler http.Handler = h
		if s.opts.Intercept != nil {
			handler = s.opts.Intercept(path, handler)
		}
		s.mux.Handle(method+" "+path, http.MaxBytesHandler(handler, maxBody))
	}
	add(http.MethodGet, MetadataPath, s.metadata)
	add(http.MethodGet, AuthorizePath, s.authorize)
	add(http.MethodPost, DecidePath, s.decide)
	add(http.MethodPost, TokenPath, s.token)
	add(http.MethodPost, RevokePath, s.revoke)
	if !s.opts.Closed {
		add(http.MethodPost, RegisterPath, s.register)
	}
	if s.supports(GrantDevice) {
		add(http.MethodPost, DeviceAuthorizationPath, s.authorizeDevice)
		add(http.MethodGet, DevicePath, s.devicePage)
	}
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
	clear(s.refresh)
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
