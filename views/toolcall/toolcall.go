package toolcall

import (
	"ahptui/themes"
)

// Lines draws a call, each line exactly width columns wide. There is at least
// one line, and never more than a few hundred.
func Lines(theme themes.Theme, in Input, width int) []string {
	return nil
}
