package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/internal/secret"
)

// errGone is why calls end whose server went away under them.
var errGone = errors.New("the server went away")

// A conn is one life of a server: from a successful start to its end.
type conn struct {
	ctx     context.Context // of everything that depends on it; ends with the first step of shut
	cancel  context.CancelCauseFunc
	session *mcp.ClientSession
	proc    *process // nil over HTTP
	wire    *wire    // nil over stdio
	gate    *gate
	redact  *secret.Redactor
	calling progress

	dirty chan struct{}  // holds a value when the tool list has changed
	gone  chan struct{}  // closed when the connection or the process has ended
	calls sync.WaitGroup // calls and goroutines that use the session
}

// open starts or dials the server and completes the handshake. The errors are
// of type [*Error] or [*challenge], except for the context's own.
func (s *Server) open(ctx context.Context) (*conn, []Tool, error) {
	cfg := &s.cfg
	if err := cfg.Validate(); err != nil {
		return nil, nil, &Error{ErrConfig, cleanLine(err.Error(), 300)}
	}
	life, cancel := context.WithCancelCause(context.Background())
	c := &conn{
		ctx: life, cancel: cancel, gate: newGate(&s.bearer), redact: s.redact,
		dirty: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	transport, err := c.transport(cfg)
	if err != nil {
		cancel(err)
		return nil, nil, err
	}
	tools, err := c.handshake(awaiting(ctx), transport, func(opts *mcp.ClientOptions) { s.hear(c, opts) })
	if err != nil {
		err = c.startError(ctx, cfg, err) // before the process is stopped: it asks how that ended
		c.shut()
		return nil, nil, err
	}
	return c, tools, nil
}

func (c *conn) transport(cfg *Config) (mcp.Transport, error) {
	if cfg.Command == "" {
		w, err := newWire(cfg)
		if err != nil {
			return nil, err
		}
		c.wire = w
		return w.transport(c.gate), nil
	}
	p, err := startProcess(cfg, c.redact)
	if err != nil {
		return nil, err
	}
	c.proc = p
	return &lineTransport{in: p.stdout, out: p.stdin}, nil
}

// handshake initializes the MCP session and lists the tools. The version
// offered is the last one of the initialize handshake: every server answers
// that one, while a server/discover before it makes some older ones hang or exit.
// Over HTTP, where it costs nobody's life, a server that does not understand it is
// asked again in the words of the newest version.
func (c *conn) handshake(ctx context.Context, t mcp.Transport, hear func(*mcp.ClientOptions)) ([]Tool, error) {
	opts := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case c.dirty <- struct{}{}:
			default:
			}
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			c.calling.tell(req.Params)
		},
	}
	hear(opts)
	if c.wire != nil {
		opts.KeepAlive = cmp.Or(c.wire.cfg.keepAlive, keepAliveInterval)
		opts.KeepAliveFailureThreshold = keepAliveFailures
		defer context.AfterFunc(ctx, c.wire.abort)() // the SDK's own steps are not all bound to ctx
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "ahptui", Version: moduleVersion()}, opts)

	ctx, cancel := c.untilExit(ctx)
	defer cancel()
	session, err := client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil && c.misunderstood(err) {
		session, err = c.newest(ctx, client)
	}
	if err != nil {
		return nil, err
	}
	c.session = session
	c.calls.Go(c.watch)
	return listTools(ctx, session)
}

// misunderstood reports whether a server over HTTP refused the handshake as one that it does not know. It says so by a
// status, or by the error that an unknown method has.
func (c *conn) misunderstood(err error) bool {
	if c.wire == nil {
		return false
	}
	said, ok := errors.AsType[*jsonrpc.Error](err)
	return c.wire.misunderstood.Load() || ok && said.Code == jsonrpc.CodeMethodNotFound
}

// newest connects by the handshake of the newest version. The SDK takes a refusal
// of it for a server that does not know it, and tries the older one once more: what
// was refused is heard at the gate.
func (c *conn) newest(ctx context.Context, client *mcp.Client) (*mcp.ClientSession, error) {
	session, err := client.Connect(context.WithValue(ctx, awaited{}, nil), c.wire.transport(c.gate), nil)
	if err == nil {
		return session, nil
	}
	select {
	case ch := <-c.gate.refused:
		return nil, ch
	default:
		return nil, err
	}
}

// untilExit derives a context that ends with the program, whoever holds its
// pipes. Call cancel to free what it holds.
func (c *conn) untilExit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if c.proc != nil {
		c.calls.Go(func() {
			select {
			case <-c.proc.exited:
				cancel(errGone)
			case <-ctx.Done():
			}
		})
	}
	return ctx, func() { cancel(nil) }
}

// watch closes gone when the session or the process has ended.
func (c *conn) watch() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.session.Wait()
	}()
	var exited <-chan struct{}
	if c.proc != nil {
		exited = c.proc.exited
	}
	select {
	case <-ended:
		close(c.gone)
		_ = c.session.Close() // ends the pings, too
		return
	case <-exited:
	case <-c.ctx.Done():
	}
	defer close(c.gone)
	c.cancel(errGone) // ends the calls, without which the session does not end
	_ = c.session.Close()
	<-ended
}

// shut ends the connection and, over stdio, the process with all it has
// started. It returns when nothing is left.
func (c *conn) shut() {
	c.cancel(errGone)
	if c.proc != nil {
		c.proc.stop()
		c.calls.Wait()
		return
	}
	// Over HTTP the session's end is a request of its own, for which there is a moment.
	late := time.AfterFunc(graceDelete, c.wire.abort)
	c.calls.Wait()
	late.Stop()
	c.wire.close()
}

// startError says why a start failed.
func (c *conn) startError(ctx context.Context, cfg *Config, err error) error {
	if ch, ok := errors.AsType[*challenge](err); ok {
		return ch
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	if c.proc == nil {
		return c.wire.startError(ctx, cfg, c.redact, err)
	}
	switch {
	case c.exitedSoon():
		return &Error{ErrExited, fmt.Sprintf("%s %s", cleanLine(cfg.Command, 100), c.proc.lastWords())}
	case ctx.Err() != nil:
		return &Error{ErrTimeout, fmt.Sprintf("not ready within %s%s", cfg.startTimeout(), c.proc.quote("; it wrote: "))}
	}
	return &Error{ErrHandshake, "the MCP handshake failed: " + cleanLine(c.redact.String(err.Error()), 300) + c.proc.quote("; it wrote: ")}
}

// endError says why a server that was ready is no longer.
func (c *conn) endError(cfg *Config) *Error {
	if c.proc == nil {
		return &Error{ErrClosed, "the server ended the connection, or no longer answers"}
	}
	if c.exitedSoon() {
		return &Error{ErrExited, fmt.Sprintf("%s %s", cleanLine(cfg.Command, 100), c.proc.lastWords())}
	}
	return &Error{ErrClosed, "the server closed its output, or sent what is no MCP" + c.proc.quote("; it wrote: ")}
}

// exitedSoon reports whether the process has ended, or does within a moment: its
// pipes close a little before.
func (c *conn) exitedSoon() bool {
	select {
	case <-c.proc.exited:
		return true
	case <-time.After(graceText):
		return false
	}
}

func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
