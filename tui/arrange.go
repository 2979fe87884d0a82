package tui

import (
	"cmp"
	"slices"
	"strings"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/sessions"
)

// standing is all that the place of a session in the list depends on, apart from the order of the host's list.
type standing struct {
	archived        bool
	urgency         urgency
	title, provider string
	status          themes.Status
	created         string
	words           string // what a filter looks at besides
}

// urgency is how much a session needs the person, most first.
type urgency int8

// The urgencies.
const (
	needsAnswer urgency = iota
	needsLook           // it has failed, and nobody has seen that
	needsTime           // it is working
	needsReading
	needsNothing
	urgencies
)

func urgencyOf(row *sessions.Row) urgency {
	switch state := row.State(); {
	case state == themes.SessionInputNeeded:
		return needsAnswer
	case state == themes.SessionError && row.Unread:
		return needsLook
	case state == themes.SessionWorking || state == themes.SessionCreating:
		return needsTime
	case row.Unread:
		return needsReading
	}
	return needsNothing
}

func (e *entry) standing() standing {
	return standing{
		archived: e.row.Archived, urgency: urgencyOf(e.row), title: strings.ToLower(e.row.Title.String()), provider: e.row.Provider.String(),
		status: e.row.State(), created: e.summary.CreatedAt, words: e.row.Directory.String(),
	}
}

// arranged is the list as it stands on the screen, and what that was made of.
type arranged struct {
	listing listing
	keep    protocol.URI
	named   *protocol.RootState // which names the providers

	entries  []*entry
	rows     []*sessions.Row
	groups   []sessions.Group
	total    int      // sessions of which entries are those that match
	archived int      // sessions that are left out for that alone
	sorted   []*entry // all of them, in an order that is not the host's
	sort     sorting
}

// arrange puts the entries in the order of the screen. keep is shown whatever it is.
func (c *catalogue) arrange(l listing, keep protocol.URI, root *protocol.RootState) {
	a := &c.arranged
	a.listing, a.keep, a.named = l, keep, root
	shown := c.shown(c.inOrder(l.Sort))
	a.groups = nil
	if l.Group == byProvider || l.Group == byStatus {
		shown, a.groups = grouped(shown, l.Group, root)
	}
	for _, e := range a.entries {
		e.place = -1
	}
	for i, e := range shown {
		e.place = i
	}
	a.entries = shown
	c.draw()
}

// draw takes the rows of the entries, which stand where they stood.
func (c *catalogue) draw() {
	rows := make([]*sessions.Row, len(c.arranged.entries)) // the panel keeps the one before
	for i, e := range c.arranged.entries {
		rows[i] = e.row
	}
	c.arranged.rows, c.ages.words = rows, nil
}

// shown are the entries that are not left out.
func (c *catalogue) shown(all []*entry) []*entry {
	a := &c.arranged
	a.total, a.archived = 0, 0
	q := parseQuery(a.listing.Filter)
	shown := make([]*entry, 0, len(all))
	for _, e := range all {
		kept := e.gone || e.uri == a.keep
		if e.row.Archived && !a.listing.Archived && !kept {
			a.archived++
			continue
		}
		a.total++
		if kept || q.matches(e) {
			shown = append(shown, e)
		}
	}
	return shown
}

// inOrder are all entries in an order. One that is not the host's is kept from one list to the next, so that there is little
// to sort.
func (c *catalogue) inOrder(s sorting) []*entry {
	a := &c.arranged
	switch s {
	case byChange:
		return c.all
	case byTitle, byCreated:
	case byNeed:
		return byNeeds(c.all)
	default:
		return byNeeds(c.all)
	}
	if a.sort != s {
		a.sorted, a.sort = nil, s
	}
	a.sorted = c.carriedOn(a.sorted)
	compare := newest
	if s == byTitle {
		compare = alphabetical
	}
	slices.SortFunc(a.sorted, compare)
	return a.sorted
}

// carriedOn is a list of entries with those that are there now.
func (c *catalogue) carriedOn(before []*entry) []*entry {
	list := make([]*entry, 0, len(c.all))
	had := -c.sweep // marks what is in it; no sweep has such a number
	for _, e := range before {
		if e.sweep == c.sweep {
			list = append(list, e)
			e.sweep = had
		}
	}
	for _, e := range c.all {
		if e.sweep != had {
			list = append(list, e)
		}
		e.sweep = c.sweep
	}
	return list
}

func alphabetical(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.stands.title, b.stands.title), cmp.Compare(a.uri, b.uri))
}

func newest(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.stands.created, a.stands.created), cmp.Compare(a.uri, b.uri))
}

// byNeeds puts what needs the person first, and leaves the order else.
func byNeeds(all []*entry) []*entry {
	var counts [urgencies]int
	for _, e := range all {
		counts[e.stands.urgency]++
	}
	var next [urgencies]int
	for n := 1; n < len(next); n++ {
		next[n] = next[n-1] + counts[n-1]
	}
	list := make([]*entry, len(all))
	for _, e := range all {
		list[next[e.stands.urgency]] = e
		next[e.stands.urgency]++
	}
	return list
}

// grouped puts entries below headings, and leaves their order else.
func grouped(list []*entry, by grouping, root *protocol.RootState) ([]*entry, []sessions.Group) {
	type group struct {
		title   string
		order   int
		entries []*entry
	}
	groups := map[string]*group{}
	for _, e := range list {
		key, title, order := groupOfSession(e, by, root)
		g := groups[key]
		if g == nil {
			g = &group{title: title, order: order}
			groups[key] = g
		}
		g.entries = append(g.entries, e)
	}
	inOrder := make([]*group, 0, len(groups))
	for _, g := range groups {
		inOrder = append(inOrder, g)
	}
	slices.SortFunc(inOrder, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.title, b.title))
	})
	all := make([]*entry, 0, len(list))
	var headings []sessions.Group
	for _, g := range inOrder {
		headings = append(headings, sessions.Group{Title: own(g.title), From: len(all), Count: len(g.entries)})
		all = append(all, g.entries...)
	}
	return all, headings
}

// groupOfSession is the heading that a session stands below.
func groupOfSession(e *entry, by grouping, root *protocol.RootState) (key, title string, order int) {
	if by == byStatus {
		return statusGroup(e.stands)
	}
	key = e.stands.provider
	return key, cmp.Or(providerName(root, key), "no provider"), 0
}

// providerName is what a provider is called.
func providerName(root *protocol.RootState, provider string) string {
	if root != nil {
		for _, a := range root.Agents {
			if a.Provider == provider && a.DisplayName != "" {
				return a.DisplayName
			}
		}
	}
	return provider
}

// statusGroup is the heading of a status. What needs the person comes first.
func statusGroup(s standing) (key, title string, order int) {
	switch s.status {
	case themes.SessionInputNeeded:
		return "needs", "needs you", 0
	case themes.SessionError:
		return "error", "error", 1
	case themes.SessionWorking, themes.SessionCreating:
		return "working", "working", 2
	}
	if s.archived {
		return "archived", "archived", 4
	}
	return "idle", "idle", 3
}

// sessionsInput is what the panel of the sessions shows.
func (m *Model) sessionsInput(width, height int) sessions.Input {
	c := &m.catalogue
	other, changed := c.refresh(m)
	a := &c.arranged
	switch {
	case other || a.listing != m.listing || a.named != m.view.Root && m.listing.Group == byProvider || c.keepMatters(m.keep):
		c.arrange(m.listing, m.keep, m.view.Root)
	case changed:
		c.draw()
	}
	in := sessions.Input{
		Rows: a.rows, Groups: a.groups, Listed: m.view.Listed, Stale: m.stale(), NewKey: m.keyName(keymap.SessionNew),
		Archived: a.archived, ArchivedKey: m.keyName(keymap.SessionArchived),
	}
	if width < sessions.AgeWidth && height < sessions.AboutHeight { // no age is shown
		height = 0
	}
	at := 0
	if e := c.entries[m.sessions.Selected()]; m.sessions.Scrolled() {
		at = m.sessions.Top()
	} else if e != nil {
		at = max(0, e.place)
	}
	ages := c.agesOf(&m.clock, at, height)
	in.Ages, in.AgesFrom = ages.words, ages.seen.from
	in.Filter = m.filterLine(in)
	return in
}

// keepMatters reports whether another session is to be kept, and either of the two would not be shown else.
func (c *catalogue) keepMatters(keep protocol.URI) bool {
	if keep == c.arranged.keep {
		return false
	}
	hidden := func(uri protocol.URI) bool {
		e := c.entries[uri]
		return e != nil && (e.row.Archived && !c.arranged.listing.Archived || !parseQuery(c.arranged.listing.Filter).matches(e))
	}
	if hidden(keep) || hidden(c.arranged.keep) {
		return true
	}
	c.arranged.keep = keep
	return false
}
