package cli

import (
	"os"
	"strconv"

	"ahptui/config"
)

// widthVariable makes the libraries that measure text and draw it take two columns for ambiguous characters. They look at
// it once, when a process starts.
const widthVariable = "RUNEWIDTH_EASTASIAN"

// ambiguousWidth is how many columns the terminal takes for ambiguous characters, as the person says.
func ambiguousWidth(file *config.File) (width int, from string) {
	if file.Says("ambiguous_width") {
		return file.AmbiguousWidth, fromFile
	}
	if wide, err := strconv.ParseBool(os.Getenv(widthVariable)); err == nil && wide {
		return 2, fromEnv
	}
	return 1, fromDefault
}
