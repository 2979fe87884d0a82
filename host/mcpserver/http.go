package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/internal/secret"
)

const (
	graceDelete = 500 * time.Millisecond // for the request that ends a session
	graceStream = 5 * time.Second        // for the answer to the request for a stream of notifications
)

// A wire is all HTTP traffic with one streamable HTTP server, during one life
// of it. It bounds responses in size and requests in time, and adds the
// configured headers to what goes to the configured origin, and only there.
type wire struct {
	ctx    context.Context
	abort  context.CancelFunc // ends all requests, and fails new ones
	cfg    *Config
	origin *url.URL
	base   *http.Transport

	streamAsked   atomic.Bool // the first GET was made
	streamRefused atomic.Bool // a later one was answered with 401
	misunderstood atomic.Bool // the first request was answered with 400 or 404
	asked         atomic.Bool // there was a first request
}

func newWire(cfg *Config) (*wire, error) {
	origin, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, &Error{ErrConfig, "its url cannot be parsed"}
	}
	ctx, abort := context.WithCancel(context.Background())
	return &wire{
		ctx: ctx, abort: abort, cfg: cfg, origin: origin,
		base: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConnsPerHost: 4,
			IdleConnTimeout:     90 * time.Second,
			ForceAttemptHTTP2:   true,
		},
	}, nil
}

func (w *wire) transport(g *gate) mcp.Transport {
	return &mcp.StreamableClientTransport{
		OAuthHandler: g,
		Endpoint:     w.cfg.URL,
		HTTPClient:   &http.Client{Transport: w, CheckRedirect: w.checkRedirect},
		MaxEventSize: maxMessageBytes,
	}
}

// close ends all requests and frees the idle connections.
func (w *wire) close() {
	w.abort()
	w.base.CloseIdleConnections()
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet && !w.streamAsked.Swap(true) {
		return w.firstStream(req)
	}
	first := !w.asked.Swap(true)
	resp, err := w.do(req)
	if first && err == nil && (resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusNotFound) {
		w.misunderstood.Store(true)
	}
	if err == nil && req.Method == http.MethodGet && resp.StatusCode == http.StatusUnauthorized {
		w.streamRefused.Store(true)
	}
	return resp, err
}

// firstStream asks for the stream of notifications. The SDK asks while it
// connects and waits for the answer, but a server need not offer the stream, and
// some answer only when they have something to say: then it goes without.
func (w *wire) firstStream(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	late := time.AfterFunc(graceStream, cancel)
	resp, err := w.do(req.WithContext(ctx))
	late.Stop()
	if err == nil {
		return resp, nil
	}
	cancel()
	return &http.Response{
		Status:     "405 Method Not Allowed",
		StatusCode: http.StatusMethodNotAllowed,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{},
		Body:    http.NoBody,
		Request: req,
	}, nil
}

func (w *wire) do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	unhook := context.AfterFunc(w.ctx, cancel)
	end := func() { unhook(); cancel() }
	req = req.Clone(ctx)
	w.addHeaders(req)
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		end()
		return nil, err
	}
	left := int64(maxMessageBytes)
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		left = -1 // a stream may last; its events are bounded by the SDK
	}
	resp.Body = &boundBody{ReadCloser: resp.Body, left: left, end: end}
	return resp, nil
}

// addHeaders adds what is configured. A token that somebody signed in with stands
// above a configured one.
func (w *wire) addHeaders(req *http.Request) {
	const authorization = "Authorization"
	if !sameOrigin(req.URL, w.origin) {
		req.Header.Del(authorization)
		return
	}
	signedIn := req.Header.Get(authorization) != ""
	for name, values := range w.cfg.Header {
		if name = http.CanonicalHeaderKey(name); name != authorization || !signedIn {
			req.Header[name] = values
		}
	}
}

func (w *wire) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("too many redirects")
	}
	if !sameOrigin(req.URL, w.origin) {
		return fmt.Errorf("it redirects to another origin, %s; configure that url instead", cleanLine(req.URL.Scheme+"://"+req.URL.Host, 200))
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// startError says why a start failed. It names the host, never the whole URL:
// that may hold a secret.
func (w *wire) startError(ctx context.Context, cfg *Config, redact *secret.Redactor, err error) *Error {
	host := cleanLine(w.origin.Host, 200)
	if errors.Is(err, errForbidden) {
		return &Error{ErrForbidden, host + " forbids access (HTTP 403)"}
	}
	if ctx.Err() != nil {
		return &Error{ErrTimeout, fmt.Sprintf("not ready within %s", cfg.startTimeout())}
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var dial *net.OpError
	if errors.As(err, &dial) {
		return &Error{ErrUnreachable, fmt.Sprintf("%s does not answer: %s", host, cleanLine(redact.String(dial.Err.Error()), 200))}
	}
	return &Error{ErrHandshake, fmt.Sprintf("%s does not answer as an MCP server: %s", host, cleanLine(redact.String(err.Error()), 300))}
}

var errBodyTooLong = fmt.Errorf("a response is longer than %d bytes", maxMessageBytes)

// boundBody is a response body of at most left bytes; a negative number means no bound.
type boundBody struct {
	io.ReadCloser
	left int64
	end  func()
}

// Read implements [io.Reader].
func (b *boundBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return b.ReadCloser.Read(p)
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		return 0, errBodyTooLong
	}
	b.left -= int64(n)
	return n, err
}

// Close implements [io.Closer].
func (b *boundBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
