// Package status is the line at the top of the screen: the host, the connection
// to it, and what waits for a person; and the line of notices.
package status

import (
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Phase is the state of the connection.
type Phase uint8

// The phases.
const (
	Offline      Phase = iota // no host was named
	Connecting                // the first attempt is under way
	Connected                 // in step with the host
	Reconnecting              // it was lost; what is shown is stale
	Failed                    // it will not be tried again
)

// Input is what the lines show.
type Input struct {
	Host    safetext.Text // what the host calls itself, else its address
	Version safetext.Text // of the host or the protocol
	Phase   Phase
	Reason  safetext.Text // why the connection was lost or failed
	Retry   safetext.Text // when the next attempt starts, such as "in 3 s"
	Latency safetext.Text // such as "12 ms"
	Blocked int           // how much waits for a person, everywhere
	Servers int           // MCP servers of the session that are not as they should be
	Help    safetext.Text // the name of the key for help
	Next    safetext.Text // the name of the key that goes to the next blocked thing

	// Notice is the newest thing to be told; More counts those behind it.
	Notice   safetext.Text
	Severity Severity
	More     int
}

// Severity is how serious a notice is.
type Severity uint8

// The severities.
const (
	Info    Severity = iota
	Success          // something that was asked for was done
	Warning          // something was not done, or may not have been
	Problem          // something failed
)

// Model draws the lines. It has no state of its own but its size.
type Model struct {
	theme         themes.Theme
	width, height int
}

// New returns the lines.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetTheme draws in another theme from now on.
func (m *Model) SetTheme(theme themes.Theme) { m.theme = theme }

// SetSize sets the size in cells. The first line is the title, the second the
// notice.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// View draws the lines.
func (m *Model) View(in Input) string {
	lines := []string{m.title(in)}
	if m.height > 1 {
		lines = append(lines, m.notice(in))
	}
	return frame.Fit(lines, m.width, m.height)
}

// title is the title line. What is blocked is left out last, the name of the
// program and the key for help first.
func (m *Model) title(in Input) string {
	bar := m.theme.Title
	left, right, fits := m.arrange(in)
	if fits {
		return frame.Ends(join(left...), join(right...), m.width, bar)
	}
	host, blocked := m.host(in), join(m.servers(in), m.blocked(in))
	if w := m.width - 1 - blocked.Width(); w >= 1 && len(blocked) > 0 {
		return host.Fit(w, bar) + bar.Render(" ") + blocked.Fit(blocked.Width(), bar)
	}
	if len(blocked) > 0 {
		return blocked.Fit(m.width, bar)
	}
	return host.Fit(m.width, bar)
}

// arrange is the most of the line that there is room for.
func (m *Model) arrange(in Input) (left, right []frame.Line, fits bool) {
	next, servers, blocked, help := m.next(in), m.servers(in), m.blocked(in), m.help(in)
	brand, host := frame.Line{}.Add(m.theme.Brand, safetext.Const(" ahptui ")), m.host(in)
	for _, t := range []struct{ left, right []frame.Line }{
		{[]frame.Line{brand, host}, []frame.Line{next, servers, blocked, help}},
		{[]frame.Line{brand, host}, []frame.Line{nil, servers, blocked, help}},
		{[]frame.Line{host}, []frame.Line{nil, servers, blocked, help}},
		{[]frame.Line{host}, []frame.Line{nil, servers, blocked, nil}},
	} {
		if join(t.left...).Width()+1+join(t.right...).Width() <= m.width {
			return t.left, t.right, true
		}
	}
	return nil, []frame.Line{nil, servers, blocked, nil}, false
}

// Part is what a part of the title line is about.
type Part uint8

// The parts.
const (
	Other   Part = iota
	Blocked      // the count of what waits for a person
	Servers      // the count of MCP servers that are not as they should be
	Help         // the key for help
)

// At is what stands in a column of the title line.
func (m *Model) At(in Input, x int) Part {
	_, right, _ := m.arrange(in)
	from := m.width
	for i, part := range []Part{Help, Blocked, Servers, Blocked} { // from the right
		width := right[len(right)-1-i].Width()
		if from -= width; x >= from && x < from+width {
			return part
		}
	}
	return Other
}

func join(lines ...frame.Line) frame.Line {
	var all frame.Line
	for _, l := range lines {
		all = append(all, l...)
	}
	return all
}

// blocked is the count of what waits for a person.
func (m *Model) blocked(in Input) frame.Line {
	if in.Blocked == 0 {
		return nil
	}
	style := m.theme.Alert
	line := frame.Line{}.Own(style, " "+m.theme.Signs.Alert+" ").Add(style, frame.Number(in.Blocked))
	if m.width < 30 {
		return line.Own(style, " ")
	}
	return line.Own(style, " blocked ")
}

// servers is the count of MCP servers that are not as they should be.
func (m *Model) servers(in Input) frame.Line {
	if in.Servers == 0 {
		return nil
	}
	style := m.theme.Warning.Inherit(m.theme.Title)
	return frame.Line{}.Own(style, " "+m.theme.Signs.Alert+" mcp"+m.theme.Signs.Times).Add(style, frame.Number(in.Servers)).Own(style, " ")
}

func (m *Model) next(in Input) frame.Line {
	if in.Blocked == 0 || in.Next.Empty() {
		return nil
	}
	return frame.Line{}.Add(m.theme.Brand, in.Next).Own(m.theme.Title, " next  ")
}

func (m *Model) help(in Input) frame.Line {
	if in.Help.Empty() {
		return nil
	}
	return frame.Line{}.Own(m.theme.Title, "  ").Add(m.theme.Brand, in.Help).Own(m.theme.Title, " help ")
}

// host is the connection and who is at its other end.
func (m *Model) host(in Input) frame.Line {
	bar := m.theme.Title
	badge := m.badge(in.Phase)
	line := frame.Line{}.Own(bar, " ").Own(badge.Style.Inherit(bar), badge.Glyph).Own(bar, " ")
	if in.Phase == Connected {
		line = line.Add(bar, in.Host)
		return word(word(line, bar, " ", in.Version), bar, "  ", in.Latency)
	}
	line = line.Own(bar.Bold(true), badge.Word)
	line = word(line, bar, " ", in.Retry)
	line = word(line, bar, ": ", in.Reason)
	return word(line, bar, "  ", in.Host)
}

// word adds a word with what sets it apart, unless it is empty.
func word(line frame.Line, style lipgloss.Style, before string, text safetext.Text) frame.Line {
	if text.Empty() {
		return line
	}
	return line.Own(style, before).Add(style, text)
}

func (m *Model) badge(p Phase) themes.Badge {
	switch p {
	case Connecting:
		return m.theme.Badge(themes.Connecting)
	case Connected:
		return m.theme.Badge(themes.Connected)
	case Reconnecting:
		return m.theme.Badge(themes.Reconnecting)
	case Offline, Failed:
	}
	b := m.theme.Badge(themes.Disconnected)
	if p == Offline {
		b.Word = "no host"
	}
	return b
}

// notice is the line of the newest notice.
func (m *Model) notice(in Input) string {
	if in.Notice.Empty() {
		return frame.Line{}.Fit(m.width, m.theme.Text)
	}
	sign, style := m.severity(in.Severity)
	var more frame.Line
	if in.More > 0 {
		more = frame.Line{}.Own(m.theme.Dim, "+").Add(m.theme.Dim, frame.Number(in.More)).Own(m.theme.Dim, " more ")
	}
	return frame.Ends(frame.Line{}.Gap(1).Own(style, sign).Gap(1).Add(style, in.Notice), more, m.width, m.theme.Text)
}

func (m *Model) severity(s Severity) (sign string, style lipgloss.Style) {
	switch s {
	case Success:
		return m.theme.Badge(themes.ToolCompleted).Glyph, m.theme.OK
	case Warning:
		return m.theme.Signs.Alert, m.theme.Warning
	case Problem:
		return m.theme.Badge(themes.MarkRejected).Glyph, m.theme.Error
	case Info:
	}
	return m.theme.Signs.Bullet, m.theme.Text
}
