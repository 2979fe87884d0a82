package host

import (
	"encoding/base64"
	"slices"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// A subscription is what a client has of a channel. Of a chat that may be a
// window: the newest turns, and what was fetched of the older ones.
type subscription struct {
	turns  int    // how many of the newest turns a snapshot has; 0 means all
	oldest string // the id of the oldest turn that the client has, if there are older ones
}

// What follows runs under the host's lock.

func (h *Host) subscribe(c *conn, p *protocol.SubscribeParams) (any, *jsonrpc.Error) {
	turns := 0
	if p.View != nil && p.View.Turns != nil {
		turns = int(max(1, min(*p.View.Turns, 1<<20)))
	}
	if len(c.client.subscribed) >= maxSubscriptions && c.client.subscribed[p.Channel] == nil {
		return nil, invalid("a client can have %d subscriptions", maxSubscriptions)
	}
	snap, ok := h.open(c.client, p.Channel, turns)
	if !ok {
		return nil, notFound(p.Channel)
	}
	return &protocol.SubscribeResult{Snapshot: snap}, nil
}

// subscribeAll subscribes to the channels that exist and returns their states.
func (h *Host) subscribeAll(c *client, channels []protocol.URI) []*protocol.Snapshot {
	snapshots := []*protocol.Snapshot{}
	before := c.subscribed
	c.subscribed = map[protocol.URI]*subscription{}
	for _, channel := range channels {
		if len(c.subscribed) >= maxSubscriptions || c.subscribed[channel] != nil {
			continue
		}
		turns := 0
		if sub := before[channel]; sub != nil {
			turns = sub.turns
		}
		if snap, ok := h.open(c, channel, turns); ok {
			snapshots = append(snapshots, snap)
		}
	}
	return snapshots
}

// open makes a client a subscriber of a channel and returns the channel's state
// in the form of the client's version.
func (h *Host) open(c *client, channel protocol.URI, turns int) (*protocol.Snapshot, bool) {
	ch := h.channels[channel]
	if ch == nil {
		return nil, false
	}
	state := ch.current()
	sub := &subscription{turns: turns}
	if chat, isChat := state.(*protocol.ChatState); isChat {
		state = sub.newest(withoutFlags(c.version, chat))
	}
	raw, err := protocol.EncodeState(protocol.StateAt(c.version, state))
	if err != nil {
		h.log.Error("a state cannot be sent", "channel", channel, "err", err)
		return nil, false
	}
	c.subscribed[channel] = sub
	if ch, ok := ch.(lookedAt); ok {
		ch.look(h, true)
	}
	return &protocol.Snapshot{Resource: channel, State: raw, FromSeq: h.seq}, true
}

// withoutFlags is a chat as clients up to 0.9 can keep it: no action tells them when
// it is read or archived, which the session's catalogue does.
func withoutFlags(v protocol.Version, c *protocol.ChatState) *protocol.ChatState {
	status := c.Status.With(protocol.StatusRead, false).With(protocol.StatusArchived, false)
	if v.AtLeast(protocol.V1_0_0) || status == c.Status {
		return c
	}
	plain := *c
	plain.Status = status
	return &plain
}

// newest is a chat with the turns that the subscription begins with, and a cursor
// if there are older ones.
func (s *subscription) newest(c *protocol.ChatState) *protocol.ChatState {
	if s.turns <= 0 || len(c.Turns) <= s.turns {
		return c
	}
	window := *c
	window.Turns = c.Turns[len(c.Turns)-s.turns:]
	s.oldest = window.Turns[0].ID
	window.TurnsNextCursor = s.cursor()
	return &window
}

// turnsPage is how many older turns a client gets at a time.
const turnsPage = 50

// cursor is what a client hands back to get the turns before the oldest that it
// has; "" where it has them all.
func (s *subscription) cursor() string {
	if s.oldest == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte("before " + s.oldest))
}

// fetchTurns sends older turns to the client that asks, as an action before the
// answer: the other clients have windows of their own.
func (h *Host) fetchTurns(c *conn, p *protocol.FetchTurnsParams) (any, *jsonrpc.Error) {
	ch, sub := h.chat(p.Channel), c.client.subscribed[p.Channel]
	switch {
	case ch == nil:
		return nil, notFound(p.Channel)
	case sub == nil:
		return nil, invalid("older turns are for those who subscribe to the chat")
	case p.Cursor != "" && p.Cursor != sub.cursor():
		return nil, invalid("the cursor is not the one that the chat gave last")
	}
	end := sub.start(ch.state)
	h.load(c.client, ch, max(0, end-turnsPage), end)
	return empty{}, nil
}

// load widens a client's window on a chat by some turns.
func (h *Host) load(c *client, ch *chat, from, end int) {
	sub := c.subscribed[ch.uri]
	loaded := &protocol.ChatTurnsLoaded{Turns: slices.Clip(ch.state.Turns[from:end])}
	sub.oldest = ""
	if from > 0 {
		sub.oldest = loaded.Turns[0].ID
	}
	loaded.TurnsNextCursor = sub.cursor()
	h.publish(sent{Envelope: &protocol.Envelope{Channel: ch.uri, Action: loaded}, only: c.id})
}

// beforeTruncation gives those whose window does not reach back to the turn that
// is to be the last one that very turn. Otherwise they could not find it.
func (h *Host) beforeTruncation(ch *chat, turnID string) {
	last := turnIndex(ch.state.Turns, turnID)
	for _, c := range h.clients {
		switch sub := c.subscribed[ch.uri]; {
		case sub == nil:
		case last < 0: // everything goes, the cursor with it
			sub.oldest = ""
		case last < sub.start(ch.state):
			h.load(c, ch, last, last+1)
		}
	}
}

// start is where the client's window begins in the finished turns. Its oldest turn
// may have been taken up again; then none of them is in it.
func (s *subscription) start(c *protocol.ChatState) int {
	if s.oldest == "" {
		return 0
	}
	if i := turnIndex(c.Turns, s.oldest); i >= 0 {
		return i
	}
	return len(c.Turns)
}

func turnIndex(turns []*protocol.Turn, id string) int {
	return slices.IndexFunc(turns, func(t *protocol.Turn) bool { return t.ID == id })
}
