package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	callbackPath = "/callback"
	maxForeign   = 20 // callbacks that are not the answer, before the port is closed
	maxConns     = 16
	headerBytes  = 8 << 10

	// closeGrace is how long the browser has to read the answer once the port is to be closed.
	closeGrace = 50 * time.Millisecond
)

// What the browser shows in the end. It is constant text: nothing of the request is in it.
const (
	pageDone    = "Done. You can close this window and go back to ahptui.\n"
	pageFailed  = "The sign-in did not succeed. Go back to ahptui, which says why.\n"
	pageForeign = "This is not the answer that ahptui waits for.\n"
)

// listener waits on a port of this machine for the browser to come back (RFC 8252, section 7.3). It listens on 127.0.0.1
// and nowhere else, and closes after one answer.
type listener struct {
	tcp       net.Listener
	server    *http.Server
	authority string // 127.0.0.1 and the port
	judge     func(rawQuery string) error
	answers   chan error // one, when the last word has been said
	served    chan struct{}

	mu      sync.Mutex
	foreign int
	over    bool
	conns   []net.Conn // the open ones, the oldest first
	open    sync.WaitGroup
}

// listen opens a port: the preferred one if that is free, else any. Connections are taken from now on, so that nobody
// else can have the port, but answered only from [listener.serve] on.
func listen(ctx context.Context, preferred int) (*listener, error) {
	var config net.ListenConfig
	tcp, err := config.Listen(ctx, "tcp4", "127.0.0.1:"+strconv.Itoa(preferred))
	if err != nil && preferred != 0 {
		tcp, err = config.Listen(ctx, "tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("open a port on 127.0.0.1 for the browser to come back to: %w", err)
	}
	l := &listener{tcp: tcp, authority: tcp.Addr().String(), answers: make(chan error, 1), served: make(chan struct{})}
	l.server = &http.Server{
		Handler:                      l,
		ReadHeaderTimeout:            3 * time.Second,
		ReadTimeout:                  5 * time.Second,
		WriteTimeout:                 5 * time.Second,
		MaxHeaderBytes:               headerBytes,
		ErrorLog:                     log.New(io.Discard, "", 0),
		ConnState:                    l.track,
		DisableGeneralOptionsHandler: true,
	}
	l.server.SetKeepAlivesEnabled(false)
	return l, nil
}

// redirectURI is what the browser is to be sent back to.
func (l *listener) redirectURI() string { return "http://" + l.authority + callbackPath }

func (l *listener) port() int {
	addr, err := netip.ParseAddrPort(l.authority)
	if err != nil {
		return 0
	}
	return int(addr.Port())
}

// serve answers callbacks. judge says of the query of each whether it is the answer: errForeign when it is not. The first
// other verdict is the only one of [listener.answers].
func (l *listener) serve(judge func(rawQuery string) error) {
	l.judge = judge
	go func() {
		defer close(l.served)
		_ = l.server.Serve(l.tcp) // it ends when the port is closed, and has nothing else to say
	}()
}

// close frees the port and ends every connection. The browser has a moment to read an answer that was given.
func (l *listener) close() {
	if l.judge == nil { // it never served
		_ = l.tcp.Close()
		return
	}
	l.mu.Lock()
	answered := l.over
	l.over = true
	l.mu.Unlock()
	if answered {
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		_ = l.server.Shutdown(ctx) // whoever is left is cut off below
		cancel()
	}
	_ = l.server.Close()
	<-l.served
	l.open.Wait()
}

// ServeHTTP implements [http.Handler].
func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, page, verdict := l.receive(r)
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(page)))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, page) //nolint:gosec // one of the constants; a browser that has gone misses nothing
	_ = http.NewResponseController(w).Flush()
	if verdict != nil {
		l.answers <- verdict.err
	}
}

// lastWord is the verdict that ends the waiting.
type lastWord struct{ err error }

// receive decides about one request: what the browser gets to see, and whether the waiting is over.
func (l *listener) receive(r *http.Request) (status int, page string, last *lastWord) {
	if r.URL.Path != callbackPath || r.URL.RawPath != "" {
		return http.StatusNotFound, pageForeign, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return http.StatusGone, pageForeign, nil
	}
	err := errForeign
	status = http.StatusBadRequest
	switch {
	case r.Method != http.MethodGet:
		status = http.StatusMethodNotAllowed
	case r.Host != l.authority: // a page elsewhere whose name was bound to this machine
	default:
		err = l.judge(r.URL.RawQuery)
	}
	switch {
	case err == nil:
		l.over = true
		return http.StatusOK, pageDone, &lastWord{}
	case !errors.Is(err, errForeign):
		l.over = true
		return http.StatusBadRequest, pageFailed, &lastWord{err}
	}
	if l.foreign++; l.foreign == maxForeign {
		l.over = true
		return status, pageForeign, &lastWord{fail(StepAuthorization,
			fmt.Errorf("%d requests came to %s that are not the answer of the authorization server", maxForeign, l.redirectURI()),
			"A program or a web page on this machine interferes. Close what you do not know, and try again.")}
	}
	return status, pageForeign, nil
}

// track keeps the number of connections down: the oldest goes when there are too many, so that connections that only
// hang cannot keep the browser out. A browser is done with its own within milliseconds.
func (l *listener) track(conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateNew:
		l.open.Add(1)
		l.conns = append(l.conns, conn)
		if len(l.conns) > maxConns {
			_ = l.conns[0].Close()
			l.conns = l.conns[1:]
		}
	case http.StateClosed, http.StateHijacked:
		l.open.Done()
		if at := slices.Index(l.conns, conn); at >= 0 {
			l.conns = slices.Delete(l.conns, at, at+1)
		}
	case http.StateActive, http.StateIdle:
	}
}
