package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"ahptui/config"
	"ahptui/internal/safetext"
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

// errRelaunched says that the same program has run in another process, and is done.
var errRelaunched = errors.New("it has run in another process")

// measureSo starts the program anew where it does not measure text as the terminal does: that is settled when a process
// starts. It returns an error if it has done that, or could not.
func (a *app) measureSo(width int) error {
	wide := width > 1
	said := strconv.FormatBool(wide)
	if wide == safetext.Wide() || os.Getenv(widthVariable) == said {
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("ambiguous_width: the program cannot be started anew: %w", err)
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, widthVariable+"=") })
	env = append(env, widthVariable+"="+said)
	if !a.envToken.IsZero() {
		env = append(env, tokenVariable+"="+a.envToken.Reveal()) // where it came from
	}
	return relaunch(program, os.Args[1:], env)
}
