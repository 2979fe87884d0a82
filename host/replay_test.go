package host

import (
	"testing"

	"ahptui/protocol"
)

func envelope(seq int64, channel protocol.URI, size int) sent {
	return sent{Envelope: &protocol.Envelope{Channel: channel, ServerSeq: seq}, size: size}
}

func TestReplayBufferIsBounded(t *testing.T) {
	t.Parallel()
	channels := map[protocol.URI]*subscription{"a": {}}
	var b replayBuffer
	for i := range int64(replayEnvelopes + 10) {
		b.add(envelope(i+1, "a", 1))
	}
	if len(b.kept) != replayEnvelopes || b.size != replayEnvelopes || b.before != 10 {
		t.Errorf("%d envelopes of %d bytes after %d", len(b.kept), b.size, b.before)
	}
	if _, ok := b.since(9, "c", channels); ok {
		t.Error("what is not kept is replayed")
	}
	if missed, ok := b.since(10, "c", channels); !ok || len(missed) != replayEnvelopes {
		t.Errorf("%d envelopes are replayed", len(missed))
	}

	b.add(envelope(2000, "a", replayBytes-1))
	if len(b.kept) != 2 || b.size != replayBytes {
		t.Errorf("after a large one there are %d envelopes of %d bytes", len(b.kept), b.size)
	}
	b.add(envelope(2001, "a", replayBytes+1))
	if len(b.kept) != 0 || b.before != 2001 {
		t.Errorf("after one that is too large there are %d envelopes after %d", len(b.kept), b.before)
	}
}

func TestReplayIsForTheOnesConcerned(t *testing.T) {
	t.Parallel()
	var b replayBuffer
	b.add(envelope(1, "a", 1))
	b.add(envelope(2, "b", 1))
	refusal := envelope(3, "a", 1)
	refusal.only = "c"
	b.add(refusal)
	for client, want := range map[string]int{"c": 2, "d": 1} {
		if missed, _ := b.since(0, client, map[protocol.URI]*subscription{"a": {}}); len(missed) != want {
			t.Errorf("%s gets %d envelopes, want %d", client, len(missed), want)
		}
	}
}
