package tui

import (
	"slices"
	"time"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/sessions"
)

// catalogue is the session list in the form in which it is looked at. A host
// may have ten thousand sessions and send a view for each frame, so it is kept
// from one view to the next, and what has kept its pointer is not looked at
// again.
type catalogue struct {
	list    []*protocol.SessionSummary // what was indexed
	byURI   map[protocol.URI]*protocol.SessionSummary
	busy    []*protocol.SessionSummary // those in which something goes on
	waiting []*protocol.SessionSummary // those that wait for a person

	open    map[protocol.URI]openSession // what entries were made with
	gone    protocol.URI                 // the session that has an entry though it is gone
	entries map[protocol.URI]*entry
	order   []*entry       // as on the screen
	rows    []sessions.Row // of order, with the ages of the rows that can be seen
	aged    window         // the rows whose ages are in rows
	until   time.Time      // when one of these changes; zero: never
}

// openSession is what is known of a session that is subscribed.
type openSession struct {
	state   *protocol.SessionState
	blocked int
}

// entry is a row and what it was made of.
type entry struct {
	summary *protocol.SessionSummary
	open    openSession
	gone    bool
	row     sessions.Row
	changed time.Time // zero: not known
	place   int       // in order
}

// window is a range of rows.
type window struct{ from, to int }

// index takes the list of a view, if it is another.
func (c *catalogue) index(v *ahpclient.View) {
	if c.byURI != nil && sameList(c.list, v.Sessions) {
		return
	}
	c.list, c.order = v.Sessions, nil
	c.byURI = make(map[protocol.URI]*protocol.SessionSummary, len(c.list))
	c.busy, c.waiting = nil, nil
	for _, s := range c.list {
		c.byURI[s.Resource] = s
		if s.Status.Busy() && !s.Status.Archived() {
			c.busy = append(c.busy, s)
		}
		if s.Status.NeedsInput() {
			c.waiting = append(c.waiting, s)
		}
	}
}

// sameList reports whether two immutable lists are the very same.
func sameList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// sessionRows are the rows of the panel: first the session on the screen if it
// is gone, then those that are open and that the host does not list yet, because
// they wait for their first message, then the list.
func (m *Model) sessionRows(width, height int) []sessions.Row {
	c := &m.catalogue
	c.index(m.view)
	var gone protocol.URI
	if m.current.gone && c.byURI[m.current.session] == nil {
		gone = m.current.session
	}
	if open := openSessions(m.view); c.order == nil || gone != c.gone || !sameOpen(c.open, open) {
		c.gone = gone
		c.arrange(m.current.title, open)
	}
	if width < sessions.AgeWidth { // no age is shown
		height = 0
	}
	at := 0
	if e := c.entries[m.sessions.Selected()]; m.sessions.Scrolled() {
		at = m.sessions.Top()
	} else if e != nil {
		at = e.place
	}
	c.age(&m.clock, at, height)
	return c.rows
}

func openSessions(v *ahpclient.View) map[protocol.URI]openSession {
	open := make(map[protocol.URI]openSession)
	for uri, channel := range v.Channels {
		if channel.Kind == protocol.SessionKind {
			open[uri] = openSession{v.Session(uri), len(v.BlockedIn(uri))}
		}
	}
	return open
}

func sameOpen(a, b map[protocol.URI]openSession) bool {
	if len(a) != len(b) {
		return false
	}
	for uri, x := range a {
		if y, ok := b[uri]; !ok || x != y {
			return false
		}
	}
	return true
}

// arrange makes the entries anew, but for those that are as they were. The title
// is that of the session that is gone.
func (c *catalogue) arrange(title string, open map[protocol.URI]openSession) {
	before := c.entries
	c.open, c.rows = open, nil
	c.entries = make(map[protocol.URI]*entry, len(c.list)+len(open))
	c.order = make([]*entry, 0, len(c.list)+1)
	add := func(summary *protocol.SessionSummary, gone bool) {
		e := before[summary.Resource]
		if state := open[summary.Resource]; e == nil || e.summary != summary || e.open != state || e.gone != gone {
			e = &entry{summary: summary, open: state, gone: gone}
			e.changed, _ = protocol.ParseTime(summary.ModifiedAt)
			e.row = sessionRow(summary, state)
			e.row.Failed = e.row.Failed || gone
		}
		e.place = len(c.order)
		c.entries[summary.Resource] = e
		c.order = append(c.order, e)
	}
	if c.gone != "" {
		add(&protocol.SessionSummary{Resource: c.gone, Title: title, Status: protocol.StatusRead}, true)
	}
	for _, uri := range c.unlisted() {
		add(&protocol.SessionSummary{Resource: uri}, false)
	}
	for _, s := range c.list {
		if c.entries[s.Resource] == nil { // a host may repeat one
			add(s, false)
		}
	}
}

// unlisted are the open sessions that are not in the list.
func (c *catalogue) unlisted() []protocol.URI {
	var uris []protocol.URI
	for uri := range c.open {
		if c.byURI[uri] == nil {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

// age words the ages of the rows that can be on the screen: the one at a place is
// on it, so that is all that are less than its height away.
func (c *catalogue) age(clock *clock, at, height int) {
	seen := window{max(0, min(at, len(c.order))-height), min(len(c.order), at+height)}
	if c.rows == nil || seen != c.aged || !c.until.IsZero() && !clock.now.Before(c.until) {
		rows := make([]sessions.Row, len(c.order)) // the panel keeps the one before
		for i, e := range c.order {
			rows[i] = e.row
		}
		local := *clock
		local.next = time.Time{}
		for i := seen.from; i < seen.to; i++ {
			if changed := c.order[i].changed; !changed.IsZero() {
				rows[i].Age = local.age(changed)
			}
		}
		c.rows, c.aged, c.until = rows, seen, local.next
	}
	clock.at(c.until)
}

// sessionRow is the row of a session, but for its age.
func sessionRow(s *protocol.SessionSummary, open openSession) sessions.Row {
	row := sessions.Row{
		ID: s.Resource, Title: clean(s.Title), Status: s.Status, Provider: clean(s.Provider),
		Activity: clean(s.ActivityText), Unread: !s.Status.Read(), Archived: s.Status.Archived(),
		Blocked: open.blocked,
	}
	state := open.state
	if state == nil {
		return row
	}
	if s.Status == 0 { // not listed
		row.Status, row.Unread = state.Status, false
	}
	row.Title, row.Provider = clean(state.Title), clean(state.Provider)
	row.Status = row.Status.WithActivity(state.Activity())
	row.Creating = state.Lifecycle == protocol.LifecycleCreating
	row.Failed = state.Lifecycle.Failed()
	if row.Title.Empty() {
		row.Title = safetext.Const("new session")
	}
	return row
}
