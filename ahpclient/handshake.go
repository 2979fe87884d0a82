package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	// answerPatience is how long the host may send nothing at all while an
	// answer of the handshake, or a snapshot, is waited for. These may be large,
	// and the network slow.
	answerPatience = 30 * time.Second
	// handshakePatience bounds all of the handshake, however busy the host is.
	handshakePatience = 5 * time.Minute
)

var (
	errUnanswered = fmt.Errorf("the host did not answer within %s", answerPatience)
	errNoState    = errors.New("the host sent no state")
)

type rawValue = jsontext.Value

// handshake brings the store in step with the host: by reconnect where there was
// a connection before and the host remembers it, else by initialize.
func (c *Client) handshake(ctx context.Context, peer *jsonrpc.Peer) error {
	late := fmt.Errorf("%w: the handshake took longer than %s", jsonrpc.ErrUnreachable, handshakePatience)
	ctx, cancel := context.WithTimeoutCause(ctx, handshakePatience, late)
	defer cancel()
	if err := c.resume(ctx, peer); err != nil {
		return err
	}
	return c.listSessions(ctx, peer)
}

// enter begins to use a connection that is in step with the host. What has been
// opened or closed meanwhile, and what came without a snapshot, is made good. The
// store's lock is held.
func (c *Client) enter(peer *jsonrpc.Peer) {
	s := c.store
	c.peer = peer
	for _, uri := range s.named {
		if ch := s.channels[uri]; ch == nil || ch.kind == "" {
			c.unsubscribe(uri)
		}
	}
	s.named = nil
	for _, ch := range s.outOfStep() {
		c.subscribe(ch)
	}
}

// resume reconnects if there was a connection before. A host that refuses (it
// was restarted, or forgot the client) takes a fresh initialize on the same
// socket. If that gets no answer, the host may know the client again, but as one
// of its new world: it must not be asked to continue the old one.
func (c *Client) resume(ctx context.Context, peer *jsonrpc.Peer) error {
	c.mu.Lock()
	known, again := c.store.known, c.store.conn.Version != (protocol.Version{})
	c.mu.Unlock()
	var refused *jsonrpc.Error
	if known {
		if err := c.reconnect(ctx, peer); !errors.As(err, &refused) {
			return c.tooMuch(err)
		}
		c.update(func(s *store) { s.known = false })
	}
	err := c.tooMuch(c.initialize(ctx, peer))
	if !again && errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound {
		return fmt.Errorf("%w: %w", jsonrpc.ErrNotAHP, err)
	}
	return err
}

// tooMuch notes that an answer of the handshake went over a limit. The next attempt
// begins anew with less, so that the one channel that is too much is lost, and not
// all of them.
func (c *Client) tooMuch(err error) error {
	if _, over := errors.AsType[*LimitError](err); over || errors.Is(err, jsonrpc.ErrMessageTooLarge) {
		c.update(func(s *store) { s.lean, s.known = true, false })
	}
	return err
}

// ask sends a request of the handshake and waits until apply has dealt with the
// answer, on the reading goroutine and so before whatever follows it.
func (c *Client) ask(ctx context.Context, peer *jsonrpc.Peer, method string, params any, apply func(rawValue) error) error {
	done := make(chan error, 1)
	asked := time.Now()
	err := peer.Go(method, params, func(result rawValue, err error) {
		if err == nil {
			err = apply(result)
		}
		done <- typedRefusal(err)
	})
	if err != nil {
		return err
	}
	for {
		heard := peer.LastRead()
		if heard.Before(asked) {
			heard = asked
		}
		wait := answerPatience - time.Since(heard)
		if wait <= 0 {
			return fmt.Errorf("%s: %w: %w", method, jsonrpc.ErrUnreachable, errUnanswered)
		}
		timer := time.NewTimer(wait)
		select {
		case err := <-done:
			timer.Stop()
			if err != nil {
				return fmt.Errorf("%s: %w", method, err)
			}
			return nil
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%s: %w", method, context.Cause(ctx))
		case <-timer.C:
		}
	}
}

func (c *Client) initialize(ctx context.Context, peer *jsonrpc.Peer) error {
	params := &protocol.InitializeParams{Channel: protocol.RootChannel, ClientInfo: &c.opts.Info, Locale: c.opts.Locale}
	if c.opts.McpApps {
		params.Capabilities = &protocol.ClientCapabilities{McpApps: protocol.Raw("{}")}
	}
	c.update(func(s *store) {
		params.ClientID, params.ProtocolVersions = s.clientID, versionNames(s.offer)
		params.InitialSubscriptions = s.initialSubscriptions()
		s.named = params.InitialSubscriptions
	})
	err := c.ask(ctx, peer, "initialize", params, func(raw rawValue) error {
		return c.initialized(raw, params)
	})
	return versionRefused(err, params.ProtocolVersions)
}

// initialSubscriptions are the channels to name in an initialize. It cannot say on
// which terms, so what was never here and has some is subscribed to afterwards.
func (s *store) initialSubscriptions() []protocol.URI {
	return slices.DeleteFunc(s.subscriptions(), func(uri protocol.URI) bool {
		c := s.channels[uri]
		return uri != protocol.RootChannel && (s.lean || c.confirmed() == nil && c.terms.matter(c.kind))
	})
}

// initialized takes the answer to initialize.
func (c *Client) initialized(raw rawValue, params *protocol.InitializeParams) error {
	var result protocol.InitializeResult
	if err := protocol.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("%w: %w", jsonrpc.ErrNotAHP, err)
	}
	v, err := protocol.ParseVersion(result.ProtocolVersion)
	if err != nil || !slices.Contains(params.ProtocolVersions, result.ProtocolVersion) {
		return newVersionError(params.ProtocolVersions, []string{result.ProtocolVersion})
	}
	snapshots := c.decodeSnapshots(result.Snapshots)
	result.Snapshots = nil
	c.update(func(s *store) {
		s.profile, s.known, s.lean = protocol.ProfileOf(v), true, false
		s.conn.Version, s.conn.Host, s.conn.Default = v, result.ServerInfo, result.DefaultDirectory
		s.conn.Greeting = &result
		s.rebase(result.ServerSeq, snapshots, time.Now())
		s.touch()
	})
	return nil
}

func (c *Client) reconnect(ctx context.Context, peer *jsonrpc.Peer) error {
	params := &protocol.ReconnectParams{Channel: protocol.RootChannel}
	c.update(func(s *store) {
		params.ClientID, params.LastSeenServerSeq = s.clientID, s.lastSeq
		params.Subscriptions = s.subscriptions()
		s.named = params.Subscriptions
	})
	return c.ask(ctx, peer, "reconnect", params, func(raw rawValue) error {
		c.reconnected(raw, params)
		return nil
	})
}

// reconnectAnswer is the answer to a reconnect, with the number that some hosts
// send along as they do with initialize.
type reconnectAnswer struct {
	protocol.ReconnectResult
	ServerSeq *int64 `json:"serverSeq"`
}

// reconnected takes the answer to reconnect. Where it makes no sense here, every
// channel is subscribed anew, which always does.
func (c *Client) reconnected(raw rawValue, params *protocol.ReconnectParams) {
	var result reconnectAnswer
	readable := protocol.Unmarshal(raw, &result) == nil
	newWorld := result.ServerSeq != nil && *result.ServerSeq < params.LastSeenServerSeq
	snapshots := c.decodeSnapshots(result.Snapshots)
	now := time.Now()
	c.update(func(s *store) {
		switch {
		case readable && result.Type == protocol.ReconnectReplay && !newWorld:
			s.replay(&result.ReconnectResult, params.Subscriptions, now)
			for _, e := range result.Actions {
				s.grew(e, len(raw)/len(result.Actions))
			}
		case readable && result.Type == protocol.ReconnectSnapshot:
			s.resnapshot(&result.ReconnectResult, snapshots, params.Subscriptions, now)
		default:
			s.uproot()
		}
	})
}

// listSessions reads the whole session list, page by page. A host that does not
// answer, or not well, is good for everything else; only the end of the
// connection is an error.
func (c *Client) listSessions(ctx context.Context, peer *jsonrpc.Peer) error {
	c.update(func(s *store) { s.sessions.begin() })
	items, bytes, err := c.readList(ctx, peer)
	if ctx.Err() != nil || errors.Is(err, jsonrpc.ErrClosed) {
		return err
	}
	c.update(func(s *store) {
		s.sessions.finish(items, bytes, err)
		s.touch()
	})
	return nil
}

// listLate reads the session list once more where the host did not answer in time.
// As long as the connection lives, the host may answer still.
func (c *Client) listLate(ctx context.Context, peer *jsonrpc.Peer) {
	for c.unlisted() {
		if c.listSessions(ctx, peer) != nil {
			return // the connection has ended
		}
	}
}

func (c *Client) unlisted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Is(c.store.sessions.err, errUnanswered)
}

func (c *Client) readList(ctx context.Context, peer *jsonrpc.Peer) (items []*protocol.SessionSummary, bytes int, err error) {
	params := protocol.ListSessionsParams{Channel: protocol.RootChannel}
	limits := c.opts.Limits
	for range maxListPages {
		var page protocol.ListSessionsResult
		err := c.ask(ctx, peer, "listSessions", &params, func(raw rawValue) error {
			bytes += len(raw)
			return protocol.Unmarshal(raw, &page)
		})
		if err != nil {
			return items, bytes, err
		}
		items = append(items, page.Items...)
		switch {
		case bytes > limits.SessionBytes && page.NextCursor != "":
			return items, bytes, fmt.Errorf("listSessions: there are more than %d bytes", limits.SessionBytes)
		case page.NextCursor == "" || len(items) > limits.Sessions:
			return items, bytes, nil
		case page.NextCursor == params.Cursor:
			return items, bytes, errors.New("listSessions: the host names the same page again and again")
		}
		params.Cursor = page.NextCursor
	}
	return items, bytes, fmt.Errorf("listSessions: there are more than %d pages", maxListPages)
}
