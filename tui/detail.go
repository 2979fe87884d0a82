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
	ref  servers.Ref
	top  int // the first line that is shown
	rows int // how many lines were shown last
}

func newServerDetail(m *Model) *serverDetail {
	ref, _ := m.servers.Selected()
	return &serverDetail{ref: ref}
}

func (o *serverDetail) context() keymap.Context { return keymap.Overlay }

func (o *serverDetail) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch id, _ := m.keys.Match(key, keymap.Overlay); id {
	case keymap.OverlayClose, keymap.OverlayAccept:
		m.remove(o)
	case keymap.AppHelp:
		m.push(newHelp(m))
	default:
		moveIn(o, id)
	}
	return nil
}

// Up scrolls up a line.
func (o *serverDetail) Up() { o.top-- }

// Down scrolls down a line.
func (o *serverDetail) Down() { o.top++ }

// HalfUp scrolls up half a page.
func (o *serverDetail) HalfUp() { o.top -= max(1, o.rows/2) }

// HalfDown scrolls down half a page.
func (o *serverDetail) HalfDown() { o.top += max(1, o.rows/2) }

// PageUp scrolls up most of a page.
func (o *serverDetail) PageUp() { o.top -= max(1, o.rows-1) }

// PageDown scrolls down most of a page.
func (o *serverDetail) PageDown() { o.top += max(1, o.rows-1) }

// Home goes to the first line.
func (o *serverDetail) Home() { o.top = 0 }

// End goes to the last lines.
func (o *serverDetail) End() { o.top = endOfDetail }

const (
	detailWidth = 72
	endOfDetail = 1 << 20
)

func (o *serverDetail) draw(m *Model, screen string) (string, *tea.Cursor) {
	const borders, around = 2, 4
	width := max(1, min(detailWidth, m.width-around))
	lines := frame.Paragraph(m.theme.Text, safetext.Const("the server is not there any more"), max(1, width-borders))
	for _, g := range m.scene.servers.Groups {
		for _, row := range g.Rows {
			if (servers.Ref{Container: g.ID, ID: row.ID}) == o.ref {
				lines = servers.Detail(m.theme, row, max(1, width-borders))
			}
		}
	}
	o.rows = max(1, min(len(lines), m.height-around))
	o.top = max(0, min(o.top, len(lines)-o.rows))
	body := frame.Fit(lines[o.top:], max(1, width-borders), o.rows)
	footer := own(m.keyName(keymap.OverlayClose).String() + " close" + m.more(o.top > 0, o.top+o.rows < len(lines)))
	box := frame.Box(m.theme, safetext.Const("MCP server"), footer, body, width, o.rows+borders)
	return m.placed(screen, box, nil)
}

// more says in which directions there is more.
func (m *Model) more(above, below bool) string {
	words := ""
	if above {
		words += "  " + m.theme.Signs.Above + " more"
	}
	if below {
		words += "  " + m.theme.Signs.Below + " more"
	}
	return words
}
