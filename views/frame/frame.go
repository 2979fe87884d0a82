// Package frame puts panels together: borders with titles, joined where they
// touch, boxes laid over what is there, and lines that are exactly as wide as
// they must be.
package frame

import (
	"ahptui/internal/safetext"
	"ahptui/themes"
)

// Window is the whole screen under its title line: panels side by side, a
// section below them, and a line of hints in the lower border.
//
//	┌ Title ──┬ Title ──────┐
//	│ body    │ body        │
//	├─────────┴─────────────┤
//	│ below                 │
//	└ footer ───────────────┘
type Window struct {
	Panels []Panel
	Below  string // lines of Width-2 columns; "" for none
	Active bool   // the section below has the focus
	Footer string // a line with styles, cut to fit
}

// Panel is a part of a [Window].
type Panel struct {
	Title   safetext.Text
	Note    safetext.Text // at the right end of the upper border
	Width   int           // of its inside
	Body    string        // lines of Width columns
	Focused bool
}

// Render draws the window in a size. The insides of the panels and one column
// of border left of each and right of the last make up the width; the last
// panel is cut or filled up if they do not. It takes the section below from the
// height first.
func (w Window) Render(theme themes.Theme, width, height int) string { return "" }

// Inside is the height of the insides of the panels of a window with so many
// lines below them.
func Inside(height, below int) int { return 0 }

// Box draws a border around body. The size is that of the whole box.
func Box(theme themes.Theme, title, footer safetext.Text, body string, width, height int) string {
	return ""
}

// Overlay lays a box over the middle of a screen of a size, and says where its
// upper left cell came to be.
func Overlay(screen, box string, width, height int) (drawn string, x, y int) { return "", 0, 0 }

// Fit makes exactly height lines of exactly width columns of lines with styles:
// it cuts and fills up.
func Fit(lines []string, width, height int) string { return "" }
