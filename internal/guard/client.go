package guard

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"ahptui/internal/secret"
)

const userAgent = "ahptui"

// maxRedirects is how many redirects a GET follows.
const maxRedirects = 3

// limits bound what a peer can make this machine spend on one request.
type limits struct {
	dial, handshake, header, whole time.Duration
	headerBytes                    int64
	bodyBytes                      int64 // after unpacking
}

var defaultLimits = limits{
	dial:        5 * time.Second,
	handshake:   5 * time.Second,
	header:      10 * time.Second,
	whole:       20 * time.Second, // redirects and body included
	headerBytes: 64 << 10,
	bodyBytes:   256 << 10,
}

// Options are the parts of the machine that a [Client] stands on. The zero value is the machine's own.
type Options struct {
	Resolver *net.Resolver  // nil means [net.DefaultResolver]
	RootCAs  *x509.CertPool // nil means the system's
}

// Client fetches URLs that a peer named, as far as its [Policy] allows. It keeps neither connections nor cookies, and is
// safe for concurrent use.
type Client struct {
	policy Policy
	limits limits
	// https and http are apart because plain http must end on this machine whatever else the policy allows.
	https, http *http.Transport
}

// New returns a client for the policy.
func New(policy Policy, options Options) *Client {
	return newClient(policy, options, defaultLimits)
}

func newClient(policy Policy, options Options, l limits) *Client {
	return &Client{
		policy: policy,
		limits: l,
		https:  newTransport(policy.checkAddr, options, l),
		http:   newTransport(policy.checkPlain, options, l),
	}
}

func newTransport(check func(host string, addr netip.Addr) error, options Options, l limits) *http.Transport {
	dialer := &net.Dialer{
		Timeout:  l.dial,
		Resolver: options.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			resolved, err := netip.ParseAddrPort(address)
			if err != nil {
				return &AddressError{Class: Forbidden, name: "unreadable"}
			}
			return check("", resolved.Addr())
		},
	}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		Proxy:                  nil, // a proxy would resolve the name in its own way
		DisableKeepAlives:      true,
		TLSClientConfig:        &tls.Config{RootCAs: options.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    l.handshake,
		ResponseHeaderTimeout:  l.header,
		MaxResponseHeaderBytes: l.headerBytes,
	}
}

// Response is the answer of a server, whatever its status.
type Response struct {
	Status int // as in [http.StatusOK]
	Body   []byte
	// Sent is when the request was begun, Received when the header of the answer was there, and Date what the server's
	// clock said then; zero when it did not say.
	Sent, Received, Date time.Time

	location string // where a redirect leads
}

// Body is what a POST carries.
type Body struct {
	ContentType string
	Data        []byte
	// Authorization is the value of the header of that name; there is no such header when it is empty.
	Authorization secret.Value
}

// Get fetches a URL, and where the answer is a redirect, what that leads to. accept is the media type that is asked for.
// Any error is an [*Error]; an answer with a status of failure is none.
func (c *Client) Get(ctx context.Context, rawURL, accept string) (*Response, error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, c.limits.whole)
	defer cancel()
	u, err := c.policy.CheckURL(rawURL)
	if err != nil {
		return nil, &Error{Method: http.MethodGet, URL: Shown(rawURL), Err: err}
	}
	for hop := 0; ; hop++ {
		response, err := c.do(ctx, http.MethodGet, u, accept, nil)
		if err == nil && !isRedirect(response.Status) {
			return response, nil
		}
		var next *url.URL
		if err == nil {
			next, err = c.follow(u, response.location, hop)
		}
		if err != nil {
			return nil, newError(parent, http.MethodGet, u, err)
		}
		u = next
	}
}

// Post sends body to a URL. It follows no redirect, since that would hand what it sends to somebody else (RFC 9700,
// section 4.12). Any error is an [*Error]; an answer with a status of failure is none.
func (c *Client) Post(ctx context.Context, rawURL, accept string, body Body) (*Response, error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, c.limits.whole)
	defer cancel()
	u, err := c.policy.CheckURL(rawURL)
	if err != nil {
		return nil, &Error{Method: http.MethodPost, URL: Shown(rawURL), Err: err}
	}
	response, err := c.do(ctx, http.MethodPost, u, accept, &body)
	if err == nil && isRedirect(response.Status) {
		err = fmt.Errorf("%w: a POST follows none", ErrRedirect)
	}
	if err != nil {
		return nil, newError(parent, http.MethodPost, u, err)
	}
	return response, nil
}

// do makes one request and reads its answer.
func (c *Client) do(ctx context.Context, method string, u *url.URL, accept string, body *Body) (*Response, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body.Data)
	}
	request, err := http.NewRequestWithContext(ctx, method, u.String(), content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", accept)
	if body != nil {
		request.Header.Set("Content-Type", body.ContentType)
		if !body.Authorization.IsZero() {
			request.Header.Set("Authorization", body.Authorization.Reveal())
		}
	}
	transport := c.https
	if u.Scheme == "http" {
		transport = c.http
	}
	// A transport goes on dialling for a request that was given up; this is how it is told to stop.
	defer transport.CloseIdleConnections()
	sent := time.Now()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read from
	response := &Response{Status: answer.StatusCode, Sent: sent, Received: time.Now(), location: answer.Header.Get("Location")}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		response.Date = date
	}
	if isRedirect(response.Status) {
		return response, nil
	}
	response.Body, err = io.ReadAll(io.LimitReader(answer.Body, c.limits.bodyBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errBody, err)
	case int64(len(response.Body)) > c.limits.bodyBytes:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, c.limits.bodyBytes)
	}
	return response, nil
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follow says where a redirect leads, after hop others.
func (c *Client) follow(from *url.URL, location string, hop int) (*url.URL, error) {
	if hop == maxRedirects {
		return nil, fmt.Errorf("%w: more than %d of them", ErrRedirect, maxRedirects)
	}
	if location == "" {
		return nil, fmt.Errorf("%w: it leads nowhere", ErrRedirect)
	}
	target, err := from.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRedirect, &URLError{"it is not a valid URL"})
	}
	checked, err := c.policy.CheckURL(target.String())
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRedirect, err)
	case checked.Scheme != from.Scheme:
		return nil, fmt.Errorf("%w: it changes %s to %s", ErrRedirect, from.Scheme, checked.Scheme)
	}
	return checked, nil
}
