package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Environ is an environment for a program under test: this process's own without what belongs to the terminal it
// happens to run in, without the program's own variables, and with a home of its own that is empty. The extra
// variables, "NAME=value", go on top.
func Environ(tb testing.TB, extra ...string) []string {
	tb.Helper()
	home := tb.TempDir()
	var env []string
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !ofTerminal(name) && !strings.HasPrefix(name, "AHP") {
			env = append(env, variable)
		}
	}
	env = append(
		env,
		"TERM=xterm-256color",
		"COLORTERM=truecolor",
		"HOME="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"XDG_STATE_HOME="+filepath.Join(home, "state"),
		"XDG_DATA_HOME="+filepath.Join(home, "data"),
		"XDG_CACHE_HOME="+filepath.Join(home, "cache"),
		"USERPROFILE="+home,
		"AppData="+filepath.Join(home, "config"),
		"LocalAppData="+filepath.Join(home, "cache"),
	)
	return append(env, extra...)
}

// ofTerminal reports whether a variable describes the terminal around a process, or a person's taste in colours.
func ofTerminal(name string) bool {
	switch name {
	case "TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LINES", "COLUMNS",
		"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TMUX", "STY", "WT_SESSION",
		"SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT":
		return true
	}
	return false
}
