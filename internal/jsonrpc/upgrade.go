package jsonrpc

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"ahptui/internal/secret"
)

// ErrRefused says that a request to upgrade was refused before any frame.
var ErrRefused = errors.New("connection refused to a client")

// Upgrader is the server's side of the WebSocket transport. The zero value asks for no token and takes no web pages. The
// server it stands in should bound the reading of headers itself ([http.Server.ReadHeaderTimeout]).
type Upgrader struct {
	// Token is what clients must give as ?tkn=; none is asked for when it is empty.
	Token secret.Value
	// AllowOrigins are the values of the Origin header that are taken, letter by letter. A request that has another one comes
	// from a web page that somebody happens to look at, and is refused.
	AllowOrigins []string
	// AllowHosts are the names, besides localhost and loopback addresses, by which clients may call a server they reach over
	// loopback. Another name there is one that a web page has pointed at loopback (DNS rebinding), and is refused.
	AllowHosts []string
	// MaxMessageBytes bounds a message that comes; DefaultMaxMessageBytes when zero.
	MaxMessageBytes int64
	// MessageTimeout bounds the time from a message's first to its last byte; 3 minutes when zero.
	MessageTimeout time.Duration
}

// Upgrade turns a request into a [WebSocket], or answers it with an error and returns one that wraps [ErrRefused]: 426 when it
// is no upgrade, 400 when it is malformed, 403 when host, origin or token are not right. Compression is never agreed to. The
// connection must be closed.
func (u *Upgrader) Upgrade(rw http.ResponseWriter, r *http.Request) (*WebSocket, error) {
	if status, err := u.check(r); err != nil {
		if status == http.StatusUpgradeRequired {
			rw.Header().Set("Upgrade", "websocket")
			rw.Header().Set("Connection", "Upgrade")
		}
		http.Error(rw, http.StatusText(status), status)
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	upgrader := websocket.Upgrader{
		HandshakeTimeout: defaultHandshakeTimeout,
		ReadBufferSize:   readBufferBytes,
		WriteBufferSize:  writeBufferBytes,
		CheckOrigin:      func(*http.Request) bool { return true }, // done, and more strictly
	}
	tracker := &hijackTracker{ResponseWriter: rw}
	ws, err := upgrader.Upgrade(tracker, r, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return newWebSocket(ws, tracker.conn, u.MaxMessageBytes, u.MessageTimeout), nil
}

func (u *Upgrader) check(r *http.Request) (status int, err error) {
	if !websocket.IsWebSocketUpgrade(r) {
		return http.StatusUpgradeRequired, errors.New("it asks for no WebSocket")
	}
	if !u.hostAllowed(r) {
		return http.StatusForbidden, fmt.Errorf("it calls this host %q", printable(r.Host))
	}
	for _, origin := range r.Header.Values("Origin") {
		if !slices.Contains(u.AllowOrigins, origin) {
			return http.StatusForbidden, fmt.Errorf("it comes from the web page %q", printable(origin))
		}
	}
	return u.checkToken(r)
}

func (u *Upgrader) checkToken(r *http.Request) (status int, err error) {
	if u.Token.IsZero() {
		return 0, nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return http.StatusBadRequest, errors.New("its query is malformed") // the error would show a part of it
	}
	switch given := query[tokenParameter]; {
	case len(given) == 0:
		return http.StatusForbidden, errors.New("it has no token")
	case len(given) > 1 || !secret.New(given[0]).Equal(u.Token):
		return http.StatusForbidden, errors.New("its token is wrong")
	}
	return 0, nil
}

// hostAllowed checks the name by which the client calls a server that it reaches over loopback.
func (u *Upgrader) hostAllowed(r *http.Request) bool {
	switch addr := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		if !addr.IP.IsLoopback() {
			return true
		}
	case *net.UnixAddr:
		return true // web pages cannot reach it
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	return name == "localhost" || net.ParseIP(name).IsLoopback() ||
		slices.ContainsFunc(u.AllowHosts, func(allowed string) bool { return strings.EqualFold(allowed, name) })
}

// hijackTracker puts a [trackedConn] under the WebSocket.
type hijackTracker struct {
	http.ResponseWriter
	conn *trackedConn
}

// Hijack implements [http.Hijacker].
func (h *hijackTracker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = newTrackedConn(conn)
	return h.conn, rw, nil
}
