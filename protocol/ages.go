package protocol

import "time"

// Ages remembers since when things are as they are. The protocol carries no
// such times, so they are when the observer first saw the thing. It is a value:
// Observe leaves the receiver as it is.
type Ages struct{ since map[string]time.Time }

// Observe is the ages after looking at keys at a time: what was there before
// keeps its time, what is not among keys is forgotten.
func (a Ages) Observe(now time.Time, keys []string) Ages {
	since := make(map[string]time.Time, len(keys))
	for _, k := range keys {
		t, ok := a.since[k]
		if !ok {
			t = now
		}
		since[k] = t
	}
	return Ages{since}
}

// Since is when the key was first seen; ok is false if it is not there.
func (a Ages) Since(key string) (t time.Time, ok bool) {
	t, ok = a.since[key]
	return t, ok
}

// AgeKeys are the keys of a session whose age matters: each server with its
// state, each block.
func AgeKeys(session URI, s *SessionState, chats map[URI]*ChatState) []string {
	var keys []string
	for _, srv := range Servers(s) {
		keys = append(keys, ServerAgeKey(session, srv.Customization))
	}
	for _, b := range Blocked(session, s, chats) {
		keys = append(keys, b.ID)
	}
	return keys
}

// ServerAgeKey is the key of a server being in the state it is in.
func ServerAgeKey(session URI, c *Customization) string {
	return "state:" + string(session) + ":" + c.ID + ":" + string(c.StateKind())
}
