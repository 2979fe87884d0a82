// Package config knows where the program's files lie.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// program is the name of the directories.
const program = "ahptui"

// StateDir is where the program keeps what it learns while it runs, such as sign-ins. It is $XDG_STATE_HOME/ahptui where
// that is set to an absolute path, as the XDG base directory specification has it. Else it is ~/.local/state/ahptui,
// ~/Library/Application Support/ahptui on macOS, and %LocalAppData%\ahptui on Windows, which does not roam to other
// machines. The directory need not exist.
func StateDir() (string, error) { return stateDir(runtime.GOOS, os.Getenv) }

func stateDir(goos string, getenv func(string) string) (string, error) {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, program), nil
	}
	variable, below := "HOME", []string{".local", "state", program}
	switch goos {
	case "windows":
		variable, below = "LocalAppData", []string{program}
	case "darwin":
		below = []string{"Library", "Application Support", program}
	}
	base := getenv(variable)
	switch {
	case base == "":
		return "", fmt.Errorf("there is no place for the program's state: neither XDG_STATE_HOME nor %s is set", variable)
	case !filepath.IsAbs(base):
		return "", errors.New("there is no place for the program's state: " + variable + " is not an absolute path")
	}
	return filepath.Join(append([]string{base}, below...)...), nil
}
