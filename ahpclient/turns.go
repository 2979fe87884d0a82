package ahpclient

import (
	"context"
	"errors"
	"fmt"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// FetchTurns loads older turns of a chat that is open: the host's next page. It
// reports whether there are more still. While the same chat is at it already, it
// waits for that. It fails with a [*LimitError] once as many turns are held as may
// be, and as Call does.
func (c *Client) FetchTurns(ctx context.Context, chat protocol.URI) (more bool, err error) {
	ch, cursor, done, err := c.beginFetch(chat)
	switch {
	case err != nil || cursor == "":
		return false, err
	case ch == nil: // somebody else is at it
		select {
		case <-done:
			return c.olderTurns(chat) != "", nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	err = c.Call(ctx, "fetchTurns", &protocol.FetchTurnsParams{Channel: chat, Cursor: cursor}, nil)
	c.mu.Lock()
	ch.fetching = nil
	c.mu.Unlock()
	close(done)
	now := c.olderTurns(chat)
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams && now != cursor {
		err = nil // somebody else has loaded them
	}
	if err == nil && now == cursor {
		err = errors.New("fetchTurns: the host loaded nothing")
	}
	return now != "", err
}

// beginFetch is what to fetch next, and what is closed once it was tried. The
// channel is nil if somebody else does it.
func (c *Client) beginFetch(chat protocol.URI) (ch *channel, cursor string, done chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch = c.store.channels[chat]
	if ch == nil {
		return nil, "", nil, fmt.Errorf("fetchTurns: %s is not open", chat)
	}
	state, ok := ch.confirmed().(*protocol.ChatState)
	switch most := c.opts.Limits.Turns; {
	case !ok:
		return nil, "", nil, fmt.Errorf("fetchTurns: the turns of %s are not here", chat)
	case state.TurnsNextCursor == "":
		return nil, "", nil, nil
	case ch.fetching != nil:
		return nil, state.TurnsNextCursor, ch.fetching, nil
	case len(state.Turns) >= most:
		return nil, "", nil, &LimitError{What: tooManyTurns, Limit: int64(most)}
	}
	ch.fetching = make(chan struct{})
	return ch, state.TurnsNextCursor, ch.fetching, nil
}

// olderTurns is the cursor of a chat's older turns; "" if there are none.
func (c *Client) olderTurns(chat protocol.URI) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch := c.store.channels[chat]; ch != nil {
		if state, ok := ch.confirmed().(*protocol.ChatState); ok {
			return state.TurnsNextCursor
		}
	}
	return ""
}
