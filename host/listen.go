package host

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
)

// maxMessageBytes bounds a message from a client. Messages with attachments are
// the largest, and this host takes none that are larger than text.
const maxMessageBytes = 16 << 20

// Listen serves the host over WebSocket at a TCP address such as 127.0.0.1:0,
// until the host is closed. It returns the URL for clients on this machine,
// without the token. A token may be empty only where nobody else can connect: at
// a loopback address.
func (h *Host) Listen(addr string, token secret.Value) (url string, err error) {
	ln, err := new(net.ListenConfig).Listen(h.ctx, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("listen on %s: %w", addr, err)
	}
	tcp, ok := ln.Addr().(*net.TCPAddr)
	if !ok || token.IsZero() && !tcp.IP.IsLoopback() {
		_ = ln.Close() // nothing was served
		return "", fmt.Errorf("listen on %s: other machines can reach it, so it needs a token", addr)
	}
	upgrader := &jsonrpc.Upgrader{Token: token, MaxMessageBytes: maxMessageBytes}
	srv := &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serveSocket(upgrader, w, r) }),
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		_ = ln.Close() // nothing was served
		return "", ErrClosed
	}
	h.sockets = append(h.sockets, srv)
	h.work.Go(func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			h.log.Error("the listener has ended", "addr", addr, "err", err)
		}
	})
	ip := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		ip = "127.0.0.1"
	}
	return "ws://" + net.JoinHostPort(ip, fmt.Sprint(tcp.Port)), nil
}

func (h *Host) serveSocket(upgrader *jsonrpc.Upgrader, w http.ResponseWriter, r *http.Request) {
	ws, err := upgrader.Upgrade(w, r)
	if err != nil {
		h.log.Info("a connection was refused", "err", err)
		return
	}
	h.log.Debug("a connection ended", "err", h.Attach(ws))
}
