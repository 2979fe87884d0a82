package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"golang.org/x/oauth2"

	"ahptui/internal/secret"
)

// A bearer holds the token that the requests to a server carry (RFC 6750
// section 2.1). It outlives connections.
type bearer struct {
	mu    sync.Mutex
	token secret.Value
}

func (b *bearer) set(token secret.Value) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.token = token
}

func (b *bearer) get() secret.Value {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.token
}

// A gate stands between the SDK's transport and the authorization of a server.
// It gives the transport the token, and makes a challenge of a refusal. It never
// runs a flow and never lets a request be made twice: that is for whoever gets
// the challenge.
//
// Without a handler the SDK takes any refusal for the end of the session.
type gate struct {
	bearer *bearer
	// refused gets the challenge of a request that nobody waits for, such as a
	// ping of the SDK's own.
	refused chan *challenge
}

func newGate(b *bearer) *gate { return &gate{bearer: b, refused: make(chan *challenge, 1)} }

// TokenSource implements [auth.OAuthHandler] of the SDK. The transport asks
// before each request.
func (g *gate) TokenSource(context.Context) (oauth2.TokenSource, error) {
	token := g.bearer.get()
	if token.IsZero() {
		return nil, nil // which the interface allows: the request goes without
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token.Reveal()}), nil
}

// errForbidden is why a request fails that no token would help.
var errForbidden = errors.New("the server forbids it (HTTP 403)")

// Authorize implements [auth.OAuthHandler] of the SDK: it is called with every
// 401 and 403, and its error becomes that of the request.
func (g *gate) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	_ = resp.Body.Close() // what matters is in the header
	ch := newChallenge(req, resp)
	if ch == nil {
		return errForbidden
	}
	if ctx.Value(awaited{}) == nil {
		select {
		case g.refused <- ch:
		default: // one is waiting already
		}
	}
	return ch
}

// awaited is the key of contexts of requests whose error somebody looks at.
type awaited struct{}

func awaiting(ctx context.Context) context.Context { return context.WithValue(ctx, awaited{}, true) }
