package host

import "ahptui/protocol"

// sent is an envelope in the host's own form. One with a recipient went to that
// client alone.
type sent struct {
	*protocol.Envelope
	only string
	size int // bytes of its form inside
}

// replayBuffer keeps the last envelopes for clients that come back.
type replayBuffer struct {
	kept []sent
	size int // of all that is kept
	// before is the number of the newest envelope that is no longer kept.
	before int64
}

func (b *replayBuffer) add(e sent) {
	b.kept = append(b.kept, e)
	b.size += e.size
	for len(b.kept) > replayEnvelopes || b.size > replayBytes && len(b.kept) > 0 {
		b.before = b.kept[0].ServerSeq
		b.size -= b.kept[0].size
		b.kept[0] = sent{}
		b.kept = b.kept[1:]
	}
}

// since returns what a client has missed on its channels after seq; ok is false
// when that is not known any more.
func (b *replayBuffer) since(seq int64, clientID string, channels map[protocol.URI]*subscription) (missed []sent, ok bool) {
	if seq < b.before {
		return nil, false
	}
	for _, e := range b.kept {
		if e.ServerSeq > seq && (e.only == "" || e.only == clientID) && channels[e.Channel] != nil {
			missed = append(missed, e)
		}
	}
	return missed, true
}
