package tui

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/sessions"
)

// catalogue is the session list in the form in which it is looked at. A host
// may have ten thousand sessions and send sixty views a second, so it is kept
// from one view to the next, and what has kept its pointer is not looked at
// again.
type catalogue struct {
	list    []*protocol.SessionSummary // what was indexed
	byURI   map[protocol.URI]*protocol.SessionSummary
	busy    []*protocol.SessionSummary // those in which something goes on
	waiting []*protocol.SessionSummary // those that wait for a person

	entries map[protocol.URI]*entry
	sweep   int      // the number of the last look at the whole list
	all     []*entry // what is gone or not listed yet, then the list
	open    map[protocol.URI]openSession
	gone    protocol.URI // the session that has an entry though it is gone

	arranged arranged
	ages     ages
}

// openSession is what is known of a session that is subscribed.
type openSession struct {
	channel *ahpclient.Channel // its state, and what is pending
	blocked int
	marks   marks
}

// marks are what became of what the person asked of a session itself.
type marks struct {
	pending bool
	refused safetext.Text
}

// entry is a session in the list, and what is known of it. Its row is made anew when one of these changes.
type entry struct {
	uri     protocol.URI
	summary *protocol.SessionSummary // of a session that is not listed, one made up here
	open    openSession
	gone    bool
	sweep   int

	flags  flags
	row    *sessions.Row
	stands standing
	words  words
	age    safetext.Text
	aged   time.Time // until when age is right; zero: it is not known

	changed time.Time // zero: not known
	place   int       // in the rows, -1 if it is not among them
}

// flags are those of a session, which its entry in the list and its state both carry. What changed last counts: a host may
// tell of a change in one of them alone.
type flags struct {
	listed, state, now protocol.Status
	open               bool // there was a state
}

const allFlags = protocol.StatusRead | protocol.StatusArchived

// take notes the flags that came.
func (f *flags) take(listed protocol.Status, channel *ahpclient.Channel, state *protocol.SessionState) {
	f.change(&f.listed, listed)
	if state == nil {
		f.open = false
		return
	}
	if confirmed := sessionOf(channel.Confirmed); !f.open && confirmed != nil {
		f.change(&f.now, confirmed.Status)
		f.state, f.open = confirmed.Status&allFlags, true
	}
	f.change(&f.state, state.Status)
}

// change takes what is different from before.
func (f *flags) change(before *protocol.Status, now protocol.Status) {
	changed := (*before ^ now) & allFlags
	f.now = f.now&^changed | now&changed
	*before = now & allFlags
}

func sessionOf(state protocol.ChannelState) *protocol.SessionState {
	s, _ := state.(*protocol.SessionState)
	return s
}

// index takes the list of a view, if it is another. Only what has changed is looked at more than once.
func (c *catalogue) index(v *ahpclient.View) {
	if c.byURI != nil && sameList(c.list, v.Sessions) {
		return
	}
	if c.byURI == nil {
		c.byURI, c.entries = map[protocol.URI]*protocol.SessionSummary{}, map[protocol.URI]*entry{}
	}
	c.list, c.all = v.Sessions, nil
	c.busy, c.waiting = nil, nil
	for _, s := range c.list {
		if c.byURI[s.Resource] != s {
			c.byURI[s.Resource] = s
		}
		if s.Status.Busy() && !s.Status.Archived() {
			c.busy = append(c.busy, s)
		}
		if s.Status.NeedsInput() {
			c.waiting = append(c.waiting, s)
		}
	}
	if len(c.byURI) > len(c.list) {
		c.forget()
	}
}

// forget drops the summaries of sessions that are not listed any more.
func (c *catalogue) forget() {
	listed := make(map[protocol.URI]*protocol.SessionSummary, len(c.list))
	for _, s := range c.list {
		listed[s.Resource] = s
	}
	c.byURI = listed
}

// sameList reports whether two immutable lists are the very same.
func sameList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// refresh brings the entries in step with a view; other is set if one of them stands elsewhere now.
func (c *catalogue) refresh(m *Model) (other, changed bool) {
	c.index(m.view)
	var gone protocol.URI
	if m.current.gone && c.byURI[m.current.session] == nil {
		gone = m.current.session
	}
	open := m.openSessions()
	if c.all == nil || gone != c.gone || !sameKeys(c.open, open) {
		c.gone, c.open = gone, open
		c.collect(m.current.title)
		return true, true
	}
	before := c.open
	c.open = open
	for uri, now := range open {
		if e := c.entries[uri]; now != before[uri] {
			stood := e.stands
			e.update(e.summary, now, e.gone)
			changed = true
			other = other || e.stands != stood
		}
	}
	return other, changed
}

func sameKeys[K comparable, V any](a, b map[K]V) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			return false
		}
	}
	return true
}

// openSessions is what is known of the sessions that are subscribed.
func (m *Model) openSessions() map[protocol.URI]openSession {
	open := make(map[protocol.URI]openSession, len(m.catalogue.open))
	for uri, channel := range m.view.Channels {
		if channel.Kind == protocol.SessionKind {
			open[uri] = openSession{channel, len(m.view.BlockedIn(uri)), m.marksOf(uri)}
		}
	}
	return open
}

// collect goes through the whole list: first the session on the screen if it is gone, then those that are open and that
// the host does not list yet, because they wait for their first message, then what is listed. The title is that of the
// session that is gone.
func (c *catalogue) collect(title string) {
	c.sweep++
	c.all = make([]*entry, 0, len(c.list)+1)
	if c.gone != "" {
		c.add(&protocol.SessionSummary{Resource: c.gone, Title: title, Status: protocol.StatusRead}, true)
	}
	for _, uri := range c.unlisted() {
		c.add(&protocol.SessionSummary{Resource: uri}, false)
	}
	for _, s := range c.list {
		c.add(s, false)
	}
	if len(c.entries) > len(c.all) {
		maps.DeleteFunc(c.entries, func(_ protocol.URI, e *entry) bool { return e.sweep != c.sweep })
	}
}

func (c *catalogue) add(summary *protocol.SessionSummary, gone bool) {
	e := c.entries[summary.Resource]
	switch {
	case e == nil:
		e = &entry{uri: summary.Resource, place: -1}
		c.entries[e.uri] = e
	case e.sweep == c.sweep: // a host may repeat one
		return
	}
	e.sweep = c.sweep
	c.all = append(c.all, e)
	if open := c.open[e.uri]; e.summary != summary || e.open != open || e.gone != gone {
		e.update(summary, open, gone)
	}
}

// unlisted reports whether an entry was made up for a session that the host does not list.
func unlisted(s *protocol.SessionSummary) bool { return s.ModifiedAt == "" && s.Status == 0 }

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

// update makes the row of an entry.
func (e *entry) update(summary *protocol.SessionSummary, open openSession, gone bool) {
	if e.summary == nil || e.summary.ModifiedAt != summary.ModifiedAt {
		e.changed, _ = protocol.ParseTime(summary.ModifiedAt)
		e.aged = time.Time{}
	}
	e.summary, e.open, e.gone = summary, open, gone
	state := open.state(summary)
	e.flags.take(summary.Status, open.channel, state)
	row := sessionRow(summary, open, state)
	row.Archived = e.flags.now.Archived()
	row.Unread = !e.flags.now.Read() && !unlisted(summary)
	row.Failed = row.Failed || gone
	e.row = &row
	e.words = words{}
	e.stands = e.standing()
}

// state is the state of a session as it is to be shown. Of one that is not open yet it is made of what is listed and what
// is pending.
func (o openSession) state(s *protocol.SessionSummary) *protocol.SessionState {
	if o.channel == nil {
		return nil
	}
	if state := sessionOf(o.channel.State); state != nil || len(o.channel.Pending) == 0 {
		return state
	}
	state := &protocol.SessionState{Provider: s.Provider, Title: s.Title, Status: s.Status, Lifecycle: protocol.LifecycleReady}
	for _, t := range o.channel.Pending {
		state = protocol.ReduceSession(protocol.Profile{}, state, t.Action)
	}
	return state
}

// sessionRow is the row of a session, but for its flags and its age.
func sessionRow(s *protocol.SessionSummary, open openSession, state *protocol.SessionState) sessions.Row {
	row := sessions.Row{
		ID: s.Resource, Title: clean(s.Title), Status: s.Status, Provider: clean(s.Provider), Directory: directoryName(s.Directories()),
		Activity: clean(s.ActivityText), Blocked: open.blocked, Chats: len(s.Chats), Pending: open.marks.pending, Refused: open.marks.refused,
	}
	if state == nil {
		return row
	}
	if unlisted(s) {
		row.Status = state.Status
	}
	row.Title, row.Provider = clean(state.Title), clean(state.Provider)
	if len(state.Chats) > 0 {
		row.Status, row.Chats = row.Status.WithActivity(state.Activity()), len(shownChats(state))
	}
	if row.Directory.Empty() {
		row.Directory = directoryName(state.Directories())
	}
	row.Creating = state.Lifecycle == protocol.LifecycleCreating
	row.Failed = state.Lifecycle.Failed()
	if row.Title.Empty() {
		row.Title = safetext.Const("new session")
	}
	return row
}

// directoryName is the last part of the first directory.
func directoryName(dirs []protocol.URI) safetext.Text {
	if len(dirs) == 0 {
		return safetext.Text{}
	}
	return clean(path.Base(strings.TrimRight(string(dirs[0]), "/")))
}

// ages are the ages of the rows that can be seen.
type ages struct {
	seen  window
	words []safetext.Text
	until time.Time // when one of these changes; zero: never
}

// window is a range of rows.
type window struct{ from, to int }

// agesOf words the ages of the rows that can be on the screen: the one at a place is on it, so that is all that are less
// than its height away.
func (c *catalogue) agesOf(clock *clock, at, height int) ages {
	rows := c.arranged.entries
	seen := window{max(0, min(at, len(rows))-height), min(len(rows), at+height)}
	a := &c.ages
	if a.words == nil || seen != a.seen || !a.until.IsZero() && !clock.now.Before(a.until) {
		*a = ages{seen: seen, words: make([]safetext.Text, 0, seen.to-seen.from)}
		for _, e := range rows[seen.from:seen.to] {
			if !e.changed.IsZero() && !clock.now.Before(e.aged) {
				words, until := age(clock.now.Sub(e.changed))
				e.age, e.aged = words, e.changed.Add(until)
			}
			a.words = append(a.words, e.age)
			if !e.changed.IsZero() && (a.until.IsZero() || e.aged.Before(a.until)) {
				a.until = e.aged
			}
		}
	}
	clock.at(a.until)
	return *a
}
