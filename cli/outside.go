package cli

import (
	"cmp"
	"os"
	"os/exec"

	"github.com/atotto/clipboard"
)

// pagerCommand is the command line of the program to read text with: $PAGER, or the one that there is.
func pagerCommand() string { return cmp.Or(os.Getenv("PAGER"), installed("less", "more")) }

// editorCommand is the command line of the person's editor, the one for a terminal with a screen first.
func editorCommand() string {
	return cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), installed("vi", "nano"))
}

// installed is the first of some programs that can be found, or "".
func installed(names ...string) string {
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return ""
}

// nativeClipboard puts text into the clipboard of this machine. It is nil where there is no way to, and where the person
// sits at another machine, whose clipboard only the terminal reaches.
func nativeClipboard() func(string) error {
	if clipboard.Unsupported || os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "" {
		return nil
	}
	return clipboard.WriteAll
}
