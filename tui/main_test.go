package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ahptui/ahpclient"
	"ahptui/internal/testkit"
	"ahptui/themes"
)

// childMode is the variable that makes the test binary the program itself.
const childMode = "TUI_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(runProgram(mode))
	}
	testkit.VerifyTestMain(m)
}

// badHost panics at the second look.
type badHost struct {
	*fakeHost
	looks int
}

func (h *badHost) Watch() (*ahpclient.View, <-chan struct{}) {
	if h.looks++; h.looks > 1 {
		panic("a bug with an \x1b]52;c;ZXZpbA==\x07escape")
	}
	view, _ := h.fakeHost.Watch()
	soon := make(chan struct{})
	time.AfterFunc(300*time.Millisecond, func() { close(soon) })
	return view, soon
}

// runProgram shows the program on the terminal that the test has made.
func runProgram(mode string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	theme, err := themes.New(themes.Dark, themes.Options{Profile: colorprofile.TrueColor})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	opts := options(theme)
	opts.In, opts.Out = os.Stdin, os.Stdout
	host := busyHost(time.Now)
	closed := false
	opts.Connection = &Connection{Host: host, Name: "test", Close: func() { closed = true }}
	switch mode {
	case "asking":
		host.ask("c1", "{}")
	case "reading":
		defer outside(&opts)()
	case "bad host":
		opts.Connection.Host = &badHost{fakeHost: host}
	case "bad update":
		opts.program = []tea.ProgramOption{tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "P" {
				panic("a bug in Update")
			}
			return msg
		})}
	}
	err = Run(ctx, opts)
	fmt.Printf("closed: %v, asked: %d, error: %v\n", closed, host.count(), err)
	switch {
	case errors.Is(err, context.Canceled):
		return 3
	case err != nil:
		return 1
	}
	return 0
}
