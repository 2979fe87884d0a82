package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	maxConns    = 16
	headerBytes = 8 << 10

	// closeGrace is how long the browser has to read the answer once the port is to be closed.
	closeGrace = 50 * time.Millisecond
)

// What the browser shows in the end. It is constant text: nothing of the request is in it.
const (
	pageDone    = "Done. You can close this window and go back to ahptui.\n"
	pageFailed  = "The sign-in did not succeed. Go back to ahptui, which says why.\n"
	pageForeign = "This is not the answer that ahptui waits for.\n"
)

// listener waits on a port of this machine for the browser to come back (RFC 8252, section 7.3). It listens on loopback
// addresses and nowhere else, and closes after one answer.
type listener struct {
	tcp       []net.Listener // on the same port
	server    *http.Server
	authority string // the redirect URI's host and port
	gate      *gate  // nil until it serves
	served    sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn // the open ones, the oldest first
	open  sync.WaitGroup
}

// listen opens a port: the configured one, else the preferred one if that is free, else any. Connections are taken from
// now on, so that nobody else can have the port, but answered only from [listener.serve] on.
func listen(ctx context.Context, r Redirect, preferred int) (*listener, error) {
	port := preferred
	if r.Port != 0 {
		port = r.Port
	}
	tcp, err := r.bind(ctx, port)
	if err != nil && r.Port == 0 && port != 0 {
		tcp, err = r.bind(ctx, 0)
	}
	if err != nil {
		return nil, err
	}
	l := &listener{tcp: tcp, authority: net.JoinHostPort(r.host(), strconv.Itoa(portOf(tcp[0])))}
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

func (l *listener) port() int { return portOf(l.tcp[0]) }

// serve answers callbacks, as the gate says of each.
func (l *listener) serve(g *gate) {
	l.gate = g
	for _, tcp := range l.tcp {
		l.served.Go(func() { _ = l.server.Serve(tcp) }) // it ends when the port is closed, and has nothing else to say
	}
}

// close frees the port and ends every connection. The browser has a moment to read an answer that was given.
func (l *listener) close() {
	if l.gate == nil { // it never served
		closeAll(l.tcp)
		return
	}
	if l.gate.close() {
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		_ = l.server.Shutdown(ctx) // whoever is left is cut off below
		cancel()
	}
	_ = l.server.Close()
	l.served.Wait()
	l.open.Wait()
}

// ServeHTTP implements [http.Handler].
func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, page, last, verdict := l.receive(r)
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(page)))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, page) // a browser that has gone misses nothing
	_ = http.NewResponseController(w).Flush()
	if last {
		l.gate.deliver(verdict)
	}
}

// receive decides about one request: what the browser gets to see, and whether the waiting is over.
func (l *listener) receive(r *http.Request) (status int, page string, last bool, verdict error) {
	if r.URL.Path != callbackPath || r.URL.RawPath != "" {
		return http.StatusNotFound, pageForeign, false, nil
	}
	status = http.StatusBadRequest
	verdict = errForeign
	switch {
	case r.Method != http.MethodGet:
		status = http.StatusMethodNotAllowed
	case r.Host != l.authority: // a page elsewhere whose name was bound to this machine
	default:
		last, verdict = l.gate.take(r.URL.RawQuery)
	}
	if errors.Is(verdict, errForeign) {
		last, verdict = l.gate.refuse(l.redirectURI())
		page = pageForeign
	}
	switch {
	case errors.Is(verdict, errLate):
		return http.StatusGone, pageForeign, false, nil
	case page != "":
	case verdict == nil:
		status, page = http.StatusOK, pageDone
	default:
		page = pageFailed
	}
	return status, page, last, verdict
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

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		_ = l.Close()
	}
}

func portOf(l net.Listener) int {
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	return 0
}

// errTaken says that the port that was configured is not free.
func errTaken(r Redirect, err error) error {
	return &Failure{
		Step: StepListener, Err: fmt.Errorf("the configured port %d of %s cannot be opened: %w", r.Port, r.host(), err),
		Remedy: "End the program that holds it, or configure another one where the client is registered with it.", Retryable: true,
	}
}
