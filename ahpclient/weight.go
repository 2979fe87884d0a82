package ahpclient

import (
	"ahptui/protocol"
)

// weight is how much the host sent of a channel: its last snapshot, and the
// actions since. It stands for the memory that the state takes.
type weight struct {
	snapshot int
	grown    int
	checked  int // how much it had grown when all channels were last weighed
}

// grew notes the size of an action. The sum of all channels is worked out only
// when one has grown by a good part of what is allowed.
func (s *store) grew(e *protocol.Envelope, bytes int) {
	c := s.channels[e.Channel]
	if c == nil || c.kind == "" || c.barred {
		return
	}
	if len(c.kept) > 0 {
		c.keptBytes += bytes
		if c.keptBytes > s.limits.KeptBytes {
			c.dropKept()
		}
	}
	w := &c.weight
	w.grown += bytes
	if w.grown-w.checked >= s.limits.StateBytes/64 {
		s.weigh()
	}
	switch e.Action.(type) {
	case *protocol.ChatTurnsLoaded, *protocol.ChatTurnComplete, *protocol.ChatTurnCancelled, *protocol.ChatError:
		s.countTurns(c)
	}
}

// weigh sees to it that all states together stay within their limit. The heaviest
// channel makes way: what has grown is replaced by a fresh snapshot, and what is
// too heavy even so is lost.
func (s *store) weigh() {
	total, most := 0, 0
	var heaviest *channel
	for _, c := range s.channels {
		w := &c.weight
		w.checked = w.grown
		total += w.snapshot + w.grown
		if w.snapshot+w.grown > most {
			heaviest, most = c, w.snapshot+w.grown
		}
	}
	limit := s.limits.StateBytes
	if total <= limit {
		return
	}
	if heaviest.weight.grown == 0 || total > 2*limit { // the fresh one does not come, or it would not help
		s.lose(heaviest, &LimitError{What: tooManyBytes, Limit: int64(limit)})
		return
	}
	s.doubt(heaviest)
}

// countTurns sees to it that a chat does not have too many turns.
func (s *store) countTurns(c *channel) {
	chat, ok := c.confirmed().(*protocol.ChatState)
	limit := 2 * s.limits.Turns
	if !ok || len(chat.Turns) <= limit {
		return
	}
	if c.weight.grown == 0 || len(chat.Turns) > 2*limit {
		s.lose(c, &LimitError{What: tooManyTurns, Limit: int64(limit)})
		return
	}
	s.doubt(c)
}

// weighSnapshot notes the size of a snapshot that was installed.
func (s *store) weighSnapshot(c *channel, bytes int) {
	c.weight = weight{snapshot: bytes}
	s.weigh()
	s.countTurns(c)
}

// dropKept gives up the actions that wait for a snapshot: one that is older than
// they are will be no good.
func (c *channel) dropKept() {
	if n := len(c.kept); n > 0 {
		c.keptFrom = max(c.keptFrom, c.kept[n-1].ServerSeq)
	}
	c.kept, c.keptBytes = nil, 0
}
