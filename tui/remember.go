package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/config"
	"ahptui/protocol"
	"ahptui/views/status"
)

// rememberAfter is how long the screen has to stay as it is before that is written
// down: who widens a panel or runs down a list does not want each step kept.
const rememberAfter = 2 * time.Second

// memory is what is remembered of the screen, and what is to be.
type memory struct {
	kept    memorable // as it is in the file, as far as it is known
	waiting memorable // that is to be written once it has stood still
	told    bool      // that nothing can be remembered
}

// memorable is what the screen shows that is remembered.
type memorable struct {
	shares  shares
	listing listing
	light   bool
	host    string
	session protocol.URI
}

// memorable is what is on the screen now.
func (m *Model) memorable() memorable {
	now := memorable{shares: m.shares, listing: m.listing, light: m.light}
	if m.conn != nil && m.conn.KeepAs != "" && !m.current.gone {
		now.host, now.session = m.conn.KeepAs, m.current.session
	}
	if now.session == "" { // nothing is known of this host yet: what was stays
		now.host, now.session = m.memory.kept.host, m.memory.kept.session
	}
	return now
}

// recall makes the screen as it was when the program was used last.
func (m *Model) recall() {
	was := m.opts.Remembered
	m.shares = shares{Sessions: was.Sessions, Servers: was.Servers}
	m.listing = listing{
		Filter: was.Listing.Filter, Sort: sorting(was.Listing.Sort), Group: grouping(was.Listing.Group), Archived: was.Listing.Archived,
	}
	m.light = was.Light
	m.memory.kept = m.memorable()
	m.memory.waiting = m.memory.kept
}

// lastSession is the session of this host that was on the screen last, if it is
// still there.
func (m *Model) lastSession() *protocol.SessionSummary {
	if m.conn.KeepAs == "" {
		return nil
	}
	return m.catalogue.byURI[protocol.URI(m.opts.Remembered.Session(m.conn.KeepAs))]
}

// rememberMsg says that the screen has stood still.
type rememberMsg struct{ now memorable }

// rememberedMsg says that it was written down, or why not.
type rememberedMsg struct{ err error }

// remember notices that there is something new to remember.
func (m *Model) remember() tea.Cmd {
	now := m.memorable()
	if m.opts.Memory == nil || now == m.memory.waiting {
		return nil
	}
	m.memory.waiting = now
	return m.link.after(rememberAfter, nil, rememberMsg{now})
}

// rememberSome writes down what has stood still.
func (m *Model) rememberSome(msg rememberMsg) tea.Cmd {
	if msg.now != m.memory.waiting || msg.now == m.memory.kept {
		return nil // it has gone on since, or gone back
	}
	write := m.change(msg.now)
	return m.link.do(func(context.Context) tea.Msg { return rememberedMsg{write()} })
}

// rememberAll writes down what there was no time for, when the program is over.
func (m *Model) rememberAll() {
	if now := m.memorable(); m.opts.Memory != nil && now != m.memory.kept {
		_ = m.change(now)() // there is no screen left to say so on, and little is lost
	}
}

// change is what writes down what is new. All else may be another program's.
func (m *Model) change(now memorable) (write func() error) {
	was, file, at := m.memory.kept, m.opts.Memory, m.clock.now
	m.memory.kept = now
	return func() error {
		return file.Change(func(s *config.State) {
			if now.shares != was.shares {
				s.Sessions, s.Servers = now.shares.Sessions, now.shares.Servers
			}
			if l := now.listing; l != was.listing {
				s.Listing = config.Listing{Filter: l.Filter, Sort: string(l.Sort), Group: string(l.Group), Archived: l.Archived}
			}
			if now.light != was.light {
				s.Light = now.light
			}
			if now.host != was.host || now.session != was.session {
				s.SetSession(now.host, string(now.session), at)
			}
		})
	}
}

// tellForgotten says once that nothing can be remembered.
func (m *Model) tellForgotten(err error) {
	if err != nil && !m.memory.told {
		m.memory.told = true
		m.tell(status.Warning, "the look of the screen is not remembered: "+err.Error())
	}
}
