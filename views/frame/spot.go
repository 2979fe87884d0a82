package frame

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
)

// Spot is where the name of a key stands, with what the key does: to click there
// is to press the key.
type Spot struct {
	Row, From, To int // cells; To is the column behind the last one
	Key           safetext.Text
}

// FooterSpots are the keys in the lower border of what [Box] and [Sheet] draw: a
// key and what it does, and two spaces before the next.
func FooterSpots(box string) []Spot {
	rows := strings.Split(box, "\n")
	line := ansi.Strip(rows[len(rows)-1])
	first, last := strings.Index(line, " "), strings.LastIndex(line, " ")
	if first < 0 || first == last {
		return nil
	}
	var spots []Spot
	column := ansi.StringWidth(line[:first+1])
	for _, hint := range strings.Split(line[first+1:last], "  ") {
		width := ansi.StringWidth(hint)
		if key, _, ok := strings.Cut(hint, " "); ok {
			spots = append(spots, Spot{len(rows) - 1, column, column + width, Own(key)})
		}
		column += width + 2
	}
	return spots
}
