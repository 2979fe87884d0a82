package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/protocol"
)

// The protocol does not say which tools a server has. A host may let clients ask the
// server itself, on its side channel; where it does not, nothing is known, and nothing
// is said.

// toolLists are the tools of the servers of the session on the screen, by their side
// channels: a restart makes a new one.
type toolLists struct {
	session protocol.URI
	known   map[protocol.URI]*toolList
}

// toolList is what a server offers.
type toolList struct {
	asking bool
	told   bool // it has answered
	count  int
	more   bool // there are more than were counted
	names  []string
	again  time.Time // when to ask again; zero: not
}

const (
	maxToolLists = 256
	maxToolPages = 10
	maxToolNames = 100
	// toolPatience is how long a server may take to list its tools.
	toolPatience = 20 * time.Second
	// toolsAgain is when a server that has no tools is asked again: some have them only
	// once they have looked around.
	toolsAgain = 30 * time.Second
)

// toolsMsg brings the tools of a server.
type toolsMsg struct {
	channel protocol.URI
	list    *toolList
	err     error
}

const listTools = "tools/list"

// of are the tools of the server with a channel; known is false where nothing is known.
func (t *toolLists) of(channel protocol.URI) (known bool, list toolList) {
	l := t.known[channel]
	if l == nil || !l.told || channel == "" {
		return false, toolList{}
	}
	return true, *l
}

// words count them.
func (l toolList) words() string {
	switch {
	case l.more:
		return fmt.Sprintf("more than %d", l.count)
	case l.count == 0:
		return "none"
	}
	return fmt.Sprint(l.count)
}

// listed are their names.
func (l toolList) listed() string {
	words := strings.Join(l.names, ", ")
	if l.count > len(l.names) {
		words += ", …"
	}
	return words
}

// askForTools asks the servers of the session on the screen for their tools, each
// once as long as it runs.
func (m *Model) askForTools() tea.Cmd {
	t := &m.mcp.tools
	if m.conn == nil || m.stale() || m.session() == nil {
		return nil
	}
	if t.session != m.current.session || len(t.known) > maxToolLists {
		*t = toolLists{m.current.session, map[protocol.URI]*toolList{}}
	}
	var cmds []tea.Cmd
	for _, s := range m.serversOf().list {
		if s.Channel == "" || s.StateKind() != protocol.McpReady {
			continue
		}
		l := t.known[s.Channel]
		if l == nil {
			if !s.App().Serves(listTools) {
				continue
			}
			l = &toolList{}
			t.known[s.Channel] = l
		} else if l.asking || l.again.IsZero() || m.clock.now.Before(l.again) {
			if !l.asking {
				m.clock.at(l.again)
			}
			continue
		}
		l.asking, l.again = true, time.Time{}
		cmds = append(cmds, m.fetchTools(s.Channel))
	}
	return tea.Batch(cmds...)
}

// fetchTools asks a server for its tools, page by page.
func (m *Model) fetchTools(channel protocol.URI) tea.Cmd {
	host := m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, toolPatience)
		defer cancel()
		list, err := toolsOf(ctx, host, channel)
		return toolsMsg{channel, list, err}
	})
}

func toolsOf(ctx context.Context, host Host, channel protocol.URI) (*toolList, error) {
	list := &toolList{told: true}
	var params struct {
		Cursor string `json:"cursor,omitzero"`
	}
	for range maxToolPages {
		var page struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
			Next string `json:"nextCursor"`
		}
		if err := host.McpCall(ctx, channel, listTools, params, &page); err != nil {
			return nil, fmt.Errorf("list the tools: %w", err)
		}
		list.count += len(page.Tools)
		for _, tool := range page.Tools[:min(len(page.Tools), maxToolNames-len(list.names))] {
			list.names = append(list.names, clean(tool.Name).String())
		}
		if page.Next == "" || len(page.Tools) == 0 {
			return list, nil
		}
		params.Cursor = page.Next
	}
	list.more = true
	return list, nil
}

// toolsListed notes what a server has told. One that does not tell is asked no more:
// that it does not says nothing about its tools.
func (m *Model) toolsListed(msg toolsMsg) {
	l := m.mcp.tools.known[msg.channel]
	switch {
	case l == nil: // of another session
	case msg.err != nil && m.stale():
		delete(m.mcp.tools.known, msg.channel)
	case msg.err != nil:
		l.asking = false
	default:
		*l = *msg.list
		if l.count == 0 {
			l.again = m.clock.now.Add(toolsAgain)
		}
	}
}
