package composer

import (
	"strconv"

	"ahptui/internal/safetext"
	"ahptui/views/frame"
)

// MaxChipLines is how many lines what goes with the text takes at most.
const MaxChipLines = 2

// Chip is something that goes with the message.
type Chip struct {
	Name safetext.Text // such as that of a file
	Note safetext.Text // such as its size; may be empty
}

// chips draws what goes with the text, in lines of a width; those for which there
// is no room are counted.
func (m *Model) chips(list []Chip, width int) []string {
	if len(list) == 0 || width <= indent {
		return nil
	}
	var lines []frame.Line
	line := frame.Line{}.Gap(indent)
	for i, c := range list {
		left := ""
		if n := len(list) - i; n > 1 {
			left = " +" + strconv.Itoa(n) // in the place of this one and all that come
		}
		chip := m.chip(c, width-indent)
		gap, last := 0, len(lines) == MaxChipLines-1
		if line.Width() > indent {
			gap = 1
		}
		if line.Width()+gap+chip.Width()+len(left) > width && (last || gap > 0) {
			if last {
				line = line.Gap(gap).Own(m.theme.Dim, "+"+strconv.Itoa(len(list)-i))
				break
			}
			lines, line, gap = append(lines, line), frame.Line{}.Gap(indent), 0
			chip = m.chip(c, max(1, width-indent-len(left)))
		}
		line = append(line.Gap(gap), chip...)
	}
	lines = append(lines, line)
	drawn := make([]string, len(lines))
	for i, l := range lines {
		drawn[i] = l.Fit(width, m.theme.Text)
	}
	return drawn
}

// chip draws one, in brackets: it is told from text without colours, too.
func (m *Model) chip(c Chip, width int) frame.Line {
	const brackets = 2
	name, note := c.Name, c.Note
	if room := width - brackets - note.Width() - 1; name.Width() > room {
		if room < 8 {
			note, room = safetext.Text{}, width-brackets
		}
		name = name.Truncate(max(1, room))
	}
	line := frame.Line{}.Own(m.theme.Dim, "[").Add(m.theme.Text, name)
	if !note.Empty() {
		line = line.Gap(1).Add(m.theme.Dim, note)
	}
	return line.Own(m.theme.Dim, "]")
}
