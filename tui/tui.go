package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/config"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
)

// Options say what the program shows and how.
type Options struct {
	// Connection is the host to show; nil means the start screen.
	Connection *Connection
	// URL fills the start screen's field. Connect and StartDemo do what it
	// offers; they may take as long as ctx allows.
	URL       string
	Connect   func(ctx context.Context, url string) (*Connection, error)
	StartDemo func(ctx context.Context) (*Connection, error)
	// Hint says what the person can do about an error of a connection, "" if
	// nothing is known; it may be nil.
	Hint func(error) string
	// Directory is offered for new sessions; FileURI makes a URI of what the
	// person then gives.
	Directory string
	FileURI   func(dir string) (protocol.URI, error)

	// Drafts is where messages are kept that are written and not sent; nil keeps
	// none.
	Drafts *config.Drafts

	Keys *keymap.Map
	// Theme is that of the first screen. ThemeOn is the one for a background, which
	// the terminal is asked for once there is a screen; nil: Theme suits any.
	Theme   themes.Theme
	ThemeOn func(dark bool) themes.Theme
	ASCII   bool // the names of keys have no other signs either
	// Problems are what is wrong with what the person has set, to be told.
	Problems []string
	// Pager and Editor are command lines of the programs in which text is opened, as the variables of the environment have
	// them; "" for none.
	Pager, Editor string
	// Clipboard puts text into the clipboard of this machine; nil if there is none, or the person sits at another one.
	Clipboard func(string) error

	// Mouse lets the mouse do what it can: else the terminal is not asked for it.
	Mouse bool
	// Notify tells of what begins to wait, for a person who looks elsewhere.
	Notify Notify

	// Memory is where the look of the screen is remembered from one run to the next;
	// nil remembers nothing. Remembered is what it holds.
	Memory     *config.Memory
	Remembered config.State

	In  *os.File
	Out *os.File

	// program are more options, for tests.
	program []tea.ProgramOption
}

// Run shows the program until the person leaves or ctx ends; then it returns
// nil, or the error of ctx. Whatever happens, the terminal is left as it was
// found, and every connection is closed.
func Run(ctx context.Context, opts Options) error {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	link := newBridge(running, stop)
	model := newModel(opts, link)
	program := tea.NewProgram(model, append([]tea.ProgramOption{
		tea.WithContext(running), tea.WithInput(opts.In), tea.WithOutput(opts.Out), tea.WithoutSignalHandler(),
		tea.WithFPS(framesPerSecond),
	}, opts.program...)...)
	link.send = program.Send
	if opts.Connection != nil {
		link.own(opts.Connection)
		model.connect(opts.Connection)
	}
	restore := keepTitle(opts.Out)
	_, err := program.Run()
	restore()
	cause := context.Cause(running)
	stop(nil)
	link.close()
	model.rememberAll()
	err = endOf(ctx, cause, err)
	if lost := model.flush(); lost != nil {
		err = errors.Join(err, fmt.Errorf("what you wrote and did not send could not be kept: %w", lost))
	}
	return err
}

// endOf is what to say of a program that ended with err. What stopped it is in
// cause, if something did.
func endOf(ctx context.Context, cause, err error) error {
	var failed *panicError
	switch {
	case errors.As(cause, &failed):
		return failed
	case err == nil:
		return nil
	case ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic):
		return ctx.Err()
	}
	return fmt.Errorf("terminal: %w", err)
}

// keepTitle keeps the title of the window, on the terminal's stack of titles
// (XTerm control sequences, XTWINOPS 22 and 23), and returns what restores it.
// The program's status goes with it: a program that was stopped has none.
func keepTitle(out *os.File) (restore func()) {
	if out == nil {
		return func() {}
	}
	const title = 2 // and not the name of the icon
	// A terminal that takes no title has none to lose.
	_, _ = io.WriteString(out, ansi.WindowOp(22, title))
	return func() { _, _ = io.WriteString(out, ansi.ClearProgramStatus+ansi.WindowOp(23, title)) }
}
