package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
	"ahptui/views/servers"
)

// serverDetail shows all that is known about a server, and keeps up with it.
type serverDetail struct {
	ref servers.Ref
	top int // the first line that is shown
}

func newServerDetail(m *Model) *serverDetail {
	ref, _ := m.servers.Selected()
	return &serverDetail{ref: ref}
}

func (o *serverDetail) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch id, _ := m.keys.Match(key, keymap.Overlay); id {
	case keymap.OverlayClose, keymap.OverlayAccept:
		m.overlay = nil
	default:
		moveIn(o, id)
	}
	return nil
}

// Up, Down, PageUp, PageDown, Home and End scroll.
func (o *serverDetail) Up()       { o.top-- }
func (o *serverDetail) Down()     { o.top++ }
func (o *serverDetail) PageUp()   { o.top -= detailPage }
func (o *serverDetail) PageDown() { o.top += detailPage }
func (o *serverDetail) Home()     { o.top = 0 }
func (o *serverDetail) End()      { o.top = endOfDetail }

const (
	detailPage  = 10
	detailWidth = 72
	endOfDetail = 1 << 20
)

func (o *serverDetail) draw(m *Model, screen string) (string, *tea.Cursor) {
	width := max(2, min(detailWidth, m.width-4))
	lines := []string{"the server is not there any more"}
	for _, g := range m.serversInput().Groups {
		for _, row := range g.Rows {
			if (servers.Ref{Container: g.ID, ID: row.ID}) == o.ref {
				lines = servers.Detail(m.theme, row, width-2)
			}
		}
	}
	height := max(1, min(len(lines), m.height-4))
	o.top = max(0, min(o.top, len(lines)-height))
	body := frame.Fit(lines[o.top:], width-2, height)
	footer := own(m.keyName(keymap.OverlayClose).String() + " close")
	box := frame.Box(m.theme, safetext.Const("MCP server"), footer, body, width, height+2)
	return m.placed(screen, box, nil)
}
