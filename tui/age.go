package tui

import (
	"fmt"
	"time"

	"ahptui/internal/safetext"
)

// age words how long something has lasted, coarser the longer it is.
func age(d time.Duration) safetext.Text {
	switch {
	case d < time.Second:
		return safetext.Const("now")
	case d < time.Minute:
		return own(fmt.Sprintf("%d s", int(d.Seconds())))
	case d < time.Hour:
		return own(fmt.Sprintf("%d min", int(d.Minutes())))
	case d < 48*time.Hour:
		return own(fmt.Sprintf("%d h", int(d.Hours())))
	}
	return own(fmt.Sprintf("%d d", int(d.Hours()/24)))
}

// own makes a text of words put together here. It is cleaned like any other:
// parts of it may be a peer's.
func own(s string) safetext.Text { return safetext.Clean(s, maxField) }

// maxField bounds a field on the screen, in characters.
const maxField = 400
