package host

import (
	"slices"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// turnsPage is how many older turns a client gets at a time.
const turnsPage = 50

// newestTurns is a chat with its n newest finished turns, and a cursor if there
// are more; 0 means all. The cursor is the id of the oldest turn that is there.
func newestTurns(c *protocol.ChatState, n int) *protocol.ChatState {
	if n <= 0 || len(c.Turns) <= n {
		return c
	}
	view := *c
	view.Turns = c.Turns[len(c.Turns)-n:]
	view.TurnsNextCursor = view.Turns[0].ID
	return &view
}

// fetchTurns sends older turns to the client that asks, as an action: the other
// clients have views of their own.
func (h *Host) fetchTurns(c *conn, p *protocol.FetchTurnsParams) (any, *jsonrpc.Error) {
	ch := h.chats[p.Channel]
	if ch == nil {
		return nil, notFound(p.Channel)
	}
	turns := ch.state.Turns
	end := len(turns)
	if p.Cursor != "" {
		end = slices.IndexFunc(turns, func(t *protocol.Turn) bool { return t.ID == p.Cursor })
		if end < 0 {
			return nil, invalid("the cursor is not one of this chat")
		}
	}
	page := turns[max(0, end-turnsPage):end]
	loaded := &protocol.ChatTurnsLoaded{Turns: page}
	if len(page) > 0 && len(page) < end {
		loaded.TurnsNextCursor = page[0].ID
	}
	h.publish(sent{Envelope: &protocol.Envelope{Channel: p.Channel, Action: loaded}, only: c.client.id})
	return empty{}, nil
}
