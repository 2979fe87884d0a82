package tui

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/prompt"
)

// oldestFirst puts what has waited longest at the beginning. Of what nobody saw begin, nothing is known: it comes last.
func (m *Model) oldestFirst(list []protocol.Block) []protocol.Block {
	at := func(b protocol.Block) time.Time {
		since, _ := m.view.Ages.Since(b.ID)
		return since
	}
	slices.SortStableFunc(list, func(a, b protocol.Block) int {
		switch x, y := at(a), at(b); {
		case x.IsZero() == y.IsZero():
			return x.Compare(y)
		case x.IsZero():
			return 1
		}
		return -1
	})
	return list
}

// openBlocks lists everything that waits for a person, and what has failed.
func (m *Model) openBlocks() {
	m.find(m.blocksInput, func(id string) tea.Cmd {
		m.guard.moved = true
		for _, b := range append(m.blocks(), m.failures()...) {
			if b.ID != id {
				continue
			}
			if b.Kind == failed && b.Server == nil {
				m.show(b.Session)
				m.setFocus(keymap.Transcript)
				return nil
			}
			return m.goTo(b)
		}
		return nil
	})
}

func (m *Model) blocksInput() prompt.FinderInput {
	in := prompt.FinderInput{Title: safetext.Const("What waits for you"), Submit: "go there", Empty: safetext.Const("nothing waits for you, and nothing has failed")}
	for _, b := range append(m.blocks(), m.failures()...) {
		item := prompt.FinderItem{ID: b.ID, Name: m.blockName(b), Sign: m.blockSign(b)}
		if since, ok := m.view.Ages.Since(b.ID); ok {
			item.Note = m.clock.age(since)
		}
		in.Items = append(in.Items, item)
	}
	return in
}

// failed is the kind of what waits for nobody, and will not go on by itself either.
const failed protocol.BlockKind = "failed"

// failures are the servers that are in error although they are on, and the sessions that ended with an error.
func (m *Model) failures() []protocol.Block {
	var list []protocol.Block
	for _, s := range m.view.Sessions {
		switch state := m.view.Session(s.Resource); {
		case s.Status.Archived():
		case state != nil:
			for _, srv := range protocol.Servers(state) {
				if srv.StateKind() == protocol.McpError && srv.Effective() {
					list = append(list, protocol.Block{ID: protocol.ServerAgeKey(s.Resource, srv.Customization), Kind: failed, Session: s.Resource, Server: srv.Customization})
				}
			}
		case s.Status.Failed():
			list = append(list, protocol.Block{ID: "failed:" + string(s.Resource), Kind: failed, Session: s.Resource})
		}
	}
	return list
}

// blockSign is the badge of a block.
func (m *Model) blockSign(b protocol.Block) frame.Span {
	status := themes.ServerAuthRequired
	switch b.Kind {
	case failed:
		status = themes.ServerError
	case protocol.BlockConfirmation, protocol.BlockResult:
		status = themes.ToolConfirmation
	case protocol.BlockInput:
		status = themes.SessionInputNeeded
	case protocol.BlockToolAuth, protocol.BlockServerAuth, protocol.BlockOther:
	}
	badge := m.theme.Badge(status)
	return frame.Span{Style: badge.Style, Text: own(badge.Glyph)}
}

// blockName says what waits and where, in words.
func (m *Model) blockName(b protocol.Block) safetext.Text {
	where := m.blockPlace(b)
	what := "something"
	switch {
	case b.Kind == failed && b.Server == nil:
		return own(where + " ended with an error")
	case b.Server != nil:
		what = b.Server.Name
	case b.ToolCall != nil:
		what = cmp.Or(b.ToolCall.DisplayName, b.ToolCall.ToolName)
	case b.Auth != nil && b.Auth.Resource != nil:
		what = cmp.Or(b.Auth.Resource.ResourceName, b.Auth.Resource.Resource)
	case b.Input != nil:
		what = "the agent"
	}
	return own(what + " " + waitsFor(b) + ", in " + where)
}

// blockPlace is the session that a block is in, in words.
func (m *Model) blockPlace(b protocol.Block) string {
	s := m.catalogue.byURI[b.Session]
	switch {
	case b.Session == "":
		return "the host"
	case s == nil:
		return "a session that is not listed"
	}
	return cmp.Or(s.Title, "a session without a title")
}

func waitsFor(b protocol.Block) string {
	switch b.Kind {
	case protocol.BlockToolAuth, protocol.BlockServerAuth:
		return "needs access"
	case protocol.BlockConfirmation:
		return "waits for your yes"
	case protocol.BlockResult:
		return "waits for you to accept its result"
	case protocol.BlockInput:
		return "asks you something"
	case failed:
		return "has failed"
	case protocol.BlockOther:
	}
	return "waits for you"
}
