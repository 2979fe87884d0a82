// Package config knows where the program's files lie, and what the person's own configuration file says ([Load]).
package config

import (
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
	p := place{what: "state", xdg: "XDG_STATE_HOME", unix: filepath.Join(".local", "state"), windows: "LocalAppData"}
	return p.dir(goos, getenv)
}

// FilePath is where the person's configuration file lies where no other one was named: config.toml in
// $XDG_CONFIG_HOME/ahptui where that is set to an absolute path, else in ~/.config/ahptui,
// ~/Library/Application Support/ahptui on macOS, and %AppData%\ahptui on Windows. It need not exist.
func FilePath() (string, error) { return filePath(runtime.GOOS, os.Getenv) }

func filePath(goos string, getenv func(string) string) (string, error) {
	p := place{what: "configuration", xdg: "XDG_CONFIG_HOME", unix: ".config", windows: "AppData"}
	dir, err := p.dir(goos, getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.toml"), nil
}

// place is where files of one sort lie on each operating system.
type place struct {
	what         string
	xdg, windows string // variables
	unix         string // below HOME
}

func (p place) dir(goos string, getenv func(string) string) (string, error) {
	if dir := getenv(p.xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, program), nil
	}
	variable, below := "HOME", p.unix
	switch goos {
	case "windows":
		variable, below = p.windows, ""
	case "darwin":
		below = filepath.Join("Library", "Application Support")
	}
	base := getenv(variable)
	switch {
	case base == "":
		return "", fmt.Errorf("there is no place for the program's %s: neither %s nor %s is set", p.what, p.xdg, variable)
	case !filepath.IsAbs(base):
		return "", fmt.Errorf("there is no place for the program's %s: %s is not an absolute path", p.what, variable)
	}
	return filepath.Join(base, below, program), nil
}
