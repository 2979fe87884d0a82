package jsonrpc

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/websocket"

	"ahptui/internal/secret"
)

const defaultHandshakeTimeout = 10 * time.Second

// The kinds of failure of [Dial]. Its errors wrap one of them, or the cause of the context that ended.
var (
	// ErrUnreachable says that nobody answered, or a gateway in front of the host did not reach it. It may pass.
	ErrUnreachable = errors.New("the host cannot be reached")
	// ErrTokenWanted says that the host refused a connection without a token.
	ErrTokenWanted = errors.New("the host wants a connection token")
	// ErrTokenRefused says that the host refused the token that was given.
	ErrTokenRefused = errors.New("the host refused this token")
	// ErrUntrusted says that the host's certificate is not trusted here.
	ErrUntrusted = errors.New("the host's certificate is not trusted")
	// ErrNotAHP says that something answered, but no agent host.
	ErrNotAHP = errors.New("this is not an agent host")
)

// DialOptions are the options of [Dial]. The zero value is usable.
type DialOptions struct {
	// Token is the connection token. It goes into the query of the upgrade request, in place of one in the URL, and into
	// nothing else.
	Token secret.Value
	// NetDial makes the connection, in place of a [net.Dialer]: to a unix socket, say, or through a tunnel.
	NetDial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLSConfig is used for wss; the system's roots and defaults when nil.
	TLSConfig *tls.Config
	// HandshakeTimeout bounds everything up to the upgrade; 10 s when zero.
	HandshakeTimeout time.Duration
	// MaxMessageBytes bounds a message that comes; DefaultMaxMessageBytes when zero.
	MaxMessageBytes int64
	// MessageTimeout bounds the time from a message's first to its last byte; 3 minutes when zero.
	MessageTimeout time.Duration
}

// Dial connects to the agent host at a ws or wss URL. Compression is not offered; redirects and proxies are not followed. The
// connection must be closed.
//
// The errors wrap one of [ErrUnreachable] (also for a deadline of ctx that passed), [ErrTokenWanted], [ErrTokenRefused],
// [ErrUntrusted] and [ErrNotAHP], or the cause of a ctx that was cancelled; a URL that is not valid has an error of its own.
// None holds the token.
func Dial(ctx context.Context, rawURL string, o DialOptions) (*WebSocket, error) {
	u, token, err := splitToken(rawURL)
	if err != nil {
		return nil, err
	}
	if !o.Token.IsZero() {
		token = o.Token
	}
	d := &dialing{ctx: ctx, url: u, token: token, netDial: o.NetDial}
	if d.netDial == nil {
		d.netDial = new(net.Dialer).DialContext
	}
	dialer := websocket.Dialer{
		NetDialContext:   d.dial,
		TLSClientConfig:  o.TLSConfig,
		HandshakeTimeout: cmp.Or(o.HandshakeTimeout, defaultHandshakeTimeout),
		ReadBufferSize:   readBufferBytes,
		WriteBufferSize:  writeBufferBytes,
	}
	ws, answer, err := dialer.DialContext(ctx, withToken(u, token), nil) //nolint:bodyclose // the library says it need not be
	if !d.finish() {
		return nil, d.ended()
	}
	if err != nil {
		return nil, d.failed(answer, err)
	}
	if answer.Header.Get("Sec-Websocket-Extensions") != "" { // RFC 6455, section 4.1; the library would inflate
		_ = ws.Close() // nothing was sent
		return nil, d.failed(nil, errors.New("it turned on an extension that was not offered"))
	}
	d.conn.limited = false
	return newWebSocket(ws, d.conn, o.MaxMessageBytes, o.MessageTimeout), nil
}

// dialing is one run of [Dial].
type dialing struct {
	ctx     context.Context //nolint:containedctx // the library's own ends with its handshake, and is not heeded all through it
	url     *url.URL        // without the token
	token   secret.Value
	netDial func(ctx context.Context, network, addr string) (net.Conn, error)

	conn    *trackedConn // nil until there is one
	unwatch func() bool
}

// dial makes the connection and sees to it that the end of the context is heeded from then on.
func (d *dialing) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := d.netDial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	d.conn = newTrackedConn(conn)
	d.conn.budget, d.conn.limited = maxHandshakeBytes, true
	d.unwatch = context.AfterFunc(d.ctx, func() { _ = conn.Close() })
	return d.conn, nil
}

// finish reports whether the handshake ended before its context.
func (d *dialing) finish() bool {
	if d.unwatch != nil {
		return d.unwatch()
	}
	return d.ctx.Err() == nil
}

// ended makes the error of Dial for a context that ended first. A host that took all the time is out of reach.
func (d *dialing) ended() error {
	if errors.Is(d.ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("connect to %s: %w: %w", d.url, ErrUnreachable, d.ctx.Err())
	}
	return fmt.Errorf("connect to %s: %w", d.url, context.Cause(d.ctx))
}

// failed makes the error of Dial. It wraps the kind alone: what the library says may quote the host, and so the token.
func (d *dialing) failed(answer *http.Response, cause error) error {
	if answer != nil && answer.StatusCode != http.StatusSwitchingProtocols {
		code := answer.StatusCode
		return fmt.Errorf("connect to %s: %w: it answered %d %s", d.url, d.statusKind(code), code, http.StatusText(code))
	}
	kind := ErrNotAHP
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](cause); untrusted {
		kind = ErrUntrusted
	} else if d.conn == nil || isTransient(cause) {
		kind = ErrUnreachable
	}
	return fmt.Errorf("connect to %s: %w: %s", d.url, kind, printable(d.withoutToken(cause.Error())))
}

func (d *dialing) statusKind(status int) error {
	switch {
	case status != http.StatusUnauthorized && status != http.StatusForbidden:
		if status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout {
			return ErrUnreachable
		}
		return ErrNotAHP
	case d.token.IsZero():
		return ErrTokenWanted
	default:
		return ErrTokenRefused
	}
}

// isTransient reports whether a connection that was made broke before anything was understood.
func isTransient(err error) bool {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return true
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Op == "read" || op.Op == "write"
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// withoutToken guards against a host that sends the token back.
func (d *dialing) withoutToken(text string) string {
	var r secret.Redactor
	r.Add(d.token)
	return r.String(text)
}
