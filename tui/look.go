package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/status"
)

// askBackground asks the terminal for its background, after the first screen. One
// that knows no such question does not answer.
func (m *Model) askBackground() tea.Cmd {
	if m.opts.ThemeOn == nil {
		return nil
	}
	return tea.RequestBackgroundColor
}

// suit takes the theme for a background.
func (m *Model) suit(dark bool) {
	m.light = !dark
	if m.opts.ThemeOn != nil {
		m.setTheme(m.opts.ThemeOn(dark))
	}
}

// spelt is a screen whose punctuation is ASCII too where signs are, whoever wrote it.
// Every sign is as wide as the one for it.
func (m *Model) spelt(screen string) string {
	if !m.opts.ASCII || safetext.Wide() { // there, what is in their place would be narrower
		return screen
	}
	return strings.NewReplacer(
		"…", "~", "·", "-", "•", "*", "“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "–", "-", "—", "-", "→", ">", "←", "<",
	).Replace(screen)
}

// themed is what is drawn in a theme.
type themed interface{ SetTheme(theme themes.Theme) }

// setTheme draws in another theme from now on. A window that is open and cannot do
// that keeps its look until it is closed.
func (m *Model) setTheme(theme themes.Theme) {
	m.theme, m.sessionList = theme, sessionList{}
	for _, view := range []themed{
		m.sessions, m.servers, m.transcript, m.composer, m.status, m.writing.choices, m.middle.terminals.view, m.middle.changes.view,
	} {
		view.SetTheme(theme)
	}
	for _, o := range m.overlays {
		if o, ok := o.(themed); ok {
			o.SetTheme(theme)
		}
	}
}

// tellProblems tells what is wrong with what the person has set, as far as there is
// room for it.
func (m *Model) tellProblems() {
	all := m.opts.Problems
	m.opts.Problems = nil
	for i, problem := range all {
		if i == maxNotices-1 && len(all) > maxNotices {
			problem = fmt.Sprintf("and %d more: run ahptui config validate", len(all)-i)
		}
		if i < maxNotices {
			m.tell(status.Warning, problem)
		}
	}
}
