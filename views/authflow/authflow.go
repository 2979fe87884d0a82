package authflow

import (
	"strings"

	"charm.land/bubbles/v2/viewport"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Model is the overlay's own state: where it is scrolled to.
type Model struct {
	theme         themes.Theme
	width, height int // of the screen
	stage         Stage
	page          string // that was to be opened
	view          viewport.Model
	keys          []frame.Spot // in the lines of the last View
}

// New returns the overlay at its beginning.
func New(theme themes.Theme) *Model { return &Model{theme: theme, view: viewport.New()} }

// SetSize sets the size of the whole screen, in cells; the overlay takes as
// much of it as it needs.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// View draws the overlay, as wide as the screen, to be laid over it with
// frame.Overlay. A new stage begins at its beginning, and so does another page to
// be opened. What a key has done stands below, wherever the rest is scrolled to.
func (m *Model) View(in Input) string {
	if page := in.URL.Text().String(); in.Stage != m.stage || page != m.page {
		m.stage, m.page = in.Stage, page
		m.view.GotoTop()
	}
	room := m.height
	if m.height > chrome {
		room -= chrome
	}
	p := painter{theme: m.theme, in: in, width: m.width}
	notice := p.notice(room / 2)
	p.height = room - len(notice)
	p.body()
	m.keys = p.keys
	rows := min(len(p.lines), p.height)
	m.view.SetWidth(m.width)
	m.view.SetHeight(rows)
	m.view.SetContentLines(p.lines)
	body := strings.Join(append([]string{m.view.View()}, notice...), "\n")
	return frame.Sheet(m.theme, title(in.Stage), m.more(), hints(in, m.width), body, m.width, min(m.height, rows+len(notice)+chrome))
}

// Spots are where the keys stand in what was drawn last, apart from its border.
func (m *Model) Spots() []frame.Spot {
	var spots []frame.Spot
	for _, s := range m.keys {
		if s.Row -= m.view.YOffset(); s.Row >= 0 && s.Row < m.view.Height() {
			s.Row++ // the rule above
			spots = append(spots, s)
		}
	}
	return spots
}

// chrome is how many lines are around what is shown.
const chrome = 2

func title(stage Stage) safetext.Text {
	switch stage {
	case Consent:
		return safetext.Const("Grant access?")
	case Working:
		return safetext.Const("Signing in")
	case Failed:
		return safetext.Const("No access")
	case Done:
		return safetext.Const("Access granted")
	}
	return safetext.Text{}
}

// more says in which directions there is more.
func (m *Model) more() safetext.Text {
	signs := ""
	if !m.view.AtTop() {
		signs += m.theme.Signs.Above
	}
	if !m.view.AtBottom() {
		signs += m.theme.Signs.Below
	}
	if signs == "" {
		return safetext.Text{}
	}
	return frame.Own(signs + " more")
}

// hints are the keys that count at a stage, in a word each where there is no room
// for more. What contradicts the metadata of its resource cannot be consented to.
func hints(in Input, width int) safetext.Text {
	type hint struct {
		key         safetext.Text
		does, short string
	}
	var list []hint
	switch in.Stage {
	case Consent:
		if in.Metadata != Contradicts {
			list = append(list, hint{in.Keys.GoOn, "allow and sign in", "allow"})
		}
		list = append(list, hint{in.Keys.NotNow, "not now", "not now"}, hint{in.Keys.Never, "never for this host", "never"})
	case Working:
		list = append(list, hint{in.Keys.Back, "back", "back"}, hint{in.Keys.Paste, "paste answer", "paste"})
		if !in.URL.Text().Empty() {
			list = append(list, hint{in.Keys.Copy, "copy URL", "copy"}, hint{in.Keys.Tunnel, "copy command", "ssh"}, hint{in.Keys.Scan, "code to scan", "scan"}, hint{in.Keys.Open, "open again", "open"})
		}
	case Failed:
		list = append(list, hint{in.Keys.GoOn, "try again", "try again"}, hint{in.Keys.Back, "back", "back"})
	case Done:
		list = append(list, hint{in.Keys.Back, "close", "close"})
	}
	var words, short []string
	for _, h := range list {
		if !h.key.Empty() {
			words, short = append(words, h.key.String()+" "+h.does), append(short, h.key.String()+" "+h.short)
		}
	}
	const around = 4
	if long := frame.Own(strings.Join(words, "  ")); long.Width() <= width-around {
		return long
	}
	return frame.Own(strings.Join(short, "  "))
}

// Up scrolls up one line.
func (m *Model) Up() { m.view.ScrollUp(1) }

// Down scrolls down one line.
func (m *Model) Down() { m.view.ScrollDown(1) }

// PageUp scrolls up by a page.
func (m *Model) PageUp() { m.view.PageUp() }

// PageDown scrolls down by a page.
func (m *Model) PageDown() { m.view.PageDown() }

// HalfUp scrolls up by half a page.
func (m *Model) HalfUp() { m.view.HalfPageUp() }

// HalfDown scrolls down by half a page.
func (m *Model) HalfDown() { m.view.HalfPageDown() }

// Home goes to the beginning.
func (m *Model) Home() { m.view.GotoTop() }

// End goes to the end.
func (m *Model) End() { m.view.GotoBottom() }
