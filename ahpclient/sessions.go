package ahpclient

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"ahptui/protocol"
)

// sessionList is the host's list of sessions: what was listed, kept fresh by
// notifications.
type sessionList struct {
	limits Limits
	byURI  map[protocol.URI]*protocol.SessionSummary
	bytes  int // what the host sent of them
	listed bool
	err    error

	// sorted is shared with views and never written to; moved are the entries
	// that changed since, as they stand in sorted (nil: not at all).
	sorted []*protocol.SessionSummary
	moved  map[protocol.URI]*protocol.SessionSummary

	// reading: a list is being read, and since is what changes meanwhile. The
	// host may have made the list before or after those changes.
	reading    bool
	since      []sessionChange
	sinceBytes int
}

// sessionChange is one notification: a session was added or changed (of both
// one is set), or else removed.
type sessionChange struct {
	session protocol.URI
	added   *protocol.SessionSummary
	changes protocol.Raw
	bytes   int
}

var errListRaced = errors.New("the host's session list changed too fast to be read")

// errCut says that there is more than is held.
func (l *sessionList) errCut() error {
	return fmt.Errorf("the host lists more than %d sessions, or tells too much of them: the rest is not shown", l.limits.Sessions)
}

// begin notes that the list is being read.
func (l *sessionList) begin() { l.reading, l.since, l.sinceBytes, l.err = true, nil, 0, nil }

// finish takes what was read, and why it is not whole if it is not. Part of a
// list is taken only where there was none.
func (l *sessionList) finish(items []*protocol.SessionSummary, bytes int, err error) {
	since := l.since
	l.reading, l.since, l.sinceBytes = false, nil, 0
	if err == nil || !l.listed && len(items) > 0 {
		l.byURI = make(map[protocol.URI]*protocol.SessionSummary, min(len(items), l.limits.Sessions))
		l.sorted, l.moved, l.bytes = nil, nil, 0
		for _, item := range items {
			l.add(item, 0)
		}
		l.bytes = bytes
		for _, change := range since {
			l.apply(change)
		}
	}
	l.listed = l.listed || err == nil
	l.err = brief(cmp.Or(err, l.err))
}

// note takes a notification.
func (l *sessionList) note(c sessionChange) {
	l.apply(c)
	if !l.reading {
		return
	}
	l.sinceBytes += c.bytes
	if len(l.since) >= l.limits.Sessions || l.sinceBytes > l.limits.SessionBytes {
		l.err = errListRaced
		return
	}
	l.since = append(l.since, c)
}

func (l *sessionList) apply(c sessionChange) {
	old := l.byURI[c.session]
	switch {
	case c.added != nil:
		l.add(c.added, c.bytes)
	case c.changes == nil:
		l.move(c.session, old)
		delete(l.byURI, c.session)
	case old != nil:
		if fresh := protocol.MergeSummary(old, c.changes); fresh != old {
			l.add(fresh, c.bytes)
		}
	}
}

func (l *sessionList) add(item *protocol.SessionSummary, bytes int) {
	if item == nil || item.Resource == "" {
		return
	}
	old := l.byURI[item.Resource]
	if old == nil && len(l.byURI) >= l.limits.Sessions || !l.hasRoom(bytes) {
		l.err = l.errCut()
		return
	}
	l.bytes += bytes
	l.move(item.Resource, old)
	l.byURI[item.Resource] = item
}

// hasRoom reports whether so much more can be held. What was sent of entries that
// have changed since is not held any more.
func (l *sessionList) hasRoom(bytes int) bool {
	if l.bytes+bytes <= l.limits.SessionBytes {
		return true
	}
	l.bytes = 0
	for _, item := range l.byURI {
		if raw, err := protocol.Marshal(item); err == nil {
			l.bytes += len(raw)
		}
	}
	return l.bytes+bytes <= l.limits.SessionBytes
}

// move notes that the entry of a session changes.
func (l *sessionList) move(uri protocol.URI, old *protocol.SessionSummary) {
	if l.sorted == nil {
		return
	}
	if _, ok := l.moved[uri]; ok {
		return
	}
	if l.moved == nil {
		l.moved = map[protocol.URI]*protocol.SessionSummary{}
	}
	l.moved[uri] = old
}

// newestFirst is the order of the list.
func newestFirst(a, b *protocol.SessionSummary) int {
	return cmp.Or(cmp.Compare(b.ModifiedAt, a.ModifiedAt), cmp.Compare(a.Resource, b.Resource))
}

// inOrder is the list in its order. A few changed entries are put in place; more
// are sorted anew.
func (l *sessionList) inOrder() []*protocol.SessionSummary {
	const few = 64
	if l.sorted == nil || len(l.moved) > few {
		l.sorted = make([]*protocol.SessionSummary, 0, len(l.byURI))
		for _, s := range l.byURI {
			l.sorted = append(l.sorted, s)
		}
		slices.SortFunc(l.sorted, newestFirst)
	} else if len(l.moved) > 0 {
		l.sorted = l.rearranged()
	}
	l.moved = nil
	return l.sorted
}

func (l *sessionList) rearranged() []*protocol.SessionSummary {
	list := append(make([]*protocol.SessionSummary, 0, len(l.sorted)+len(l.moved)), l.sorted...)
	for _, old := range l.moved {
		if old == nil {
			continue
		}
		if i, ok := slices.BinarySearchFunc(list, old, newestFirst); ok {
			list = slices.Delete(list, i, i+1)
		}
	}
	for uri := range l.moved {
		if fresh := l.byURI[uri]; fresh != nil {
			i, _ := slices.BinarySearchFunc(list, fresh, newestFirst)
			list = slices.Insert(list, i, fresh)
		}
	}
	return list
}

// sessionAdded takes a session into the list.
func (s *store) sessionAdded(summary *protocol.SessionSummary, bytes int) {
	if summary != nil {
		s.sessions.note(sessionChange{session: summary.Resource, added: summary, bytes: bytes})
		s.touch()
	}
}

// summaryChanged merges changes into a session's entry; sessions that are not
// listed are none of ours.
func (s *store) summaryChanged(uri protocol.URI, changes protocol.Raw) {
	if len(changes) > 0 {
		s.sessions.note(sessionChange{session: uri, changes: changes, bytes: len(changes)})
		s.touch()
	}
}

// sessionRemoved drops a session from the list, and every channel below it. Open
// channels of such kinds that no open session has may have been below it, for all
// that is known: the host knows whether they are still there.
func (s *store) sessionRemoved(uri protocol.URI, now time.Time) {
	s.sessions.note(sessionChange{session: uri})
	s.touch()
	for _, below := range s.below(uri) {
		s.remove(below)
	}
	s.gone(uri, now)
	known := map[protocol.URI]bool{}
	for session := range s.channels {
		for _, below := range s.below(session) {
			known[below] = true
		}
	}
	for _, other := range s.subscriptions() {
		switch c := s.channels[other]; c.kind {
		case protocol.ChatKind, protocol.AnnotationsKind, protocol.ChangesetKind:
			if !known[other] {
				s.askAnew(c)
			}
		}
	}
}

// below are the chats of an open session, and its annotations.
func (s *store) below(uri protocol.URI) (list []protocol.URI) {
	c := s.channels[uri]
	if c == nil {
		return nil
	}
	state, ok := c.confirmed().(*protocol.SessionState)
	if !ok {
		return nil
	}
	for _, chat := range state.Chats {
		list = append(list, chat.Resource)
	}
	if state.Annotations != nil {
		list = append(list, state.Annotations.Resource)
	}
	return list
}
