package tui

import (
	"slices"
	"time"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/status"
)

// notice is something that is told once.
type notice struct {
	at       time.Time
	severity status.Severity
	text     safetext.Text
	hint     bool // it is about a key, and gone with the next one
	brief    bool // it holds only for as long as a key may be pressed again
}

// life is how long a notice stays on the screen.
func (n notice) life() time.Duration {
	if n.brief {
		return twice
	}
	switch n.severity {
	case status.Problem:
		return 12 * time.Second
	case status.Warning:
		return 8 * time.Second
	case status.Info, status.Success:
	}
	return 5 * time.Second
}

// notices are what was told lately, oldest first.
type notices struct{ list []notice }

// maxNotices bounds how many notices are on the screen.
const maxNotices = 4

// add tells something. What is told again is not told twice.
func (n *notices) add(now time.Time, severity status.Severity, text safetext.Text) {
	n.list = slices.DeleteFunc(n.list, func(x notice) bool { return x.text == text })
	n.list = append(n.list, notice{at: now, severity: severity, text: text})
	n.list = n.list[max(0, len(n.list)-maxNotices):]
}

// hint tells why a key did nothing.
func (n *notices) hint(now time.Time, text safetext.Text) {
	n.add(now, status.Warning, text)
	n.list[len(n.list)-1].hint = true
}

// brief tells what pressing a key once more does.
func (n *notices) brief(now time.Time, text safetext.Text) {
	n.hint(now, text)
	n.list[len(n.list)-1].brief = true
}

// dropHints forgets what was told about keys.
func (n *notices) dropHints() {
	n.list = slices.DeleteFunc(n.list, func(x notice) bool { return x.hint })
}

// fresh are those to be shown now, and forgets the others.
func (n *notices) fresh(c *clock) []notice {
	n.list = slices.DeleteFunc(n.list, func(x notice) bool {
		ends := x.at.Add(x.life())
		c.at(ends)
		return !ends.After(c.now)
	})
	return n.list
}

// tell tells something that a peer may have written part of.
func (m *Model) tell(severity status.Severity, text string) {
	m.notices.add(m.clock.now, severity, own(text))
}

// draw wraps a notice into lines of at most width columns.
func (n notice) draw(theme themes.Theme, width int) []string {
	const indent = 2
	sign, style := severitySign(theme, n.severity)
	var lines []string
	for i, text := range n.text.Wrap(max(2, width-indent)) {
		line := frame.Line{}.Gap(indent)
		if i == 0 {
			line = frame.Line{}.Own(style, sign).Gap(1)
		}
		line = line.Add(style, text)
		lines = append(lines, line.Fit(min(width, line.Width()), theme.Text))
	}
	return lines
}

func severitySign(theme themes.Theme, s status.Severity) (sign string, style lipgloss.Style) {
	switch s {
	case status.Success:
		return theme.Badge(themes.ToolCompleted).Glyph, theme.OK
	case status.Warning:
		return theme.Signs.Alert, theme.Warning
	case status.Problem:
		return theme.Badge(themes.MarkRejected).Glyph, theme.Error
	case status.Info:
	}
	return theme.Signs.Bullet, theme.Text
}

// noticeLines are what the fresh notices take: one line in the place of the
// footer if that is enough or there is room for no more, else lines above it,
// the newest whole as far as there is room.
func (m *Model) noticeLines(width, room int) (footer string, above []string) {
	fresh := m.notices.fresh(&m.clock)
	for i := len(fresh) - 1; i >= 0; i-- {
		lines := fresh[i].draw(m.theme, width)
		if len(fresh) == 1 && len(lines) == 1 || room <= 0 {
			return lines[0], nil
		}
		if len(above) > 0 && len(above)+len(lines) > room {
			break
		}
		above = append(lines[:min(len(lines), room)], above...)
	}
	return "", above
}
