package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
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
	// Directory is offered for new sessions; FileURI makes a URI of what the
	// person then gives.
	Directory string
	FileURI   func(dir string) (protocol.URI, error)

	Keys  *keymap.Map
	Theme themes.Theme
	ASCII bool

	In      *os.File
	Out     *os.File
	Program []tea.ProgramOption // more options, for tests

	connected func(*Connection)
}

// frameTime is the shortest time between two views that reach the program.
const frameTime = time.Second / 60

// Run shows the program until the person leaves or ctx ends. The terminal is
// left as it was found, and every connection is closed.
func Run(ctx context.Context, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bridge := newBridge(ctx)
	opts.connected = bridge.attach
	model := newModel(ctx, opts)
	programOptions := append([]tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(opts.In), tea.WithOutput(opts.Out), tea.WithoutSignalHandler(),
	}, opts.Program...)
	program := tea.NewProgram(model, programOptions...)
	bridge.send = program.Send
	if opts.Connection != nil {
		bridge.attach(opts.Connection)
	}
	_, err := program.Run()
	cancel()
	bridge.wait()
	if errors.Is(err, tea.ErrProgramKilled) && context.Cause(ctx) != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// bridge hands newer views of a host to the program. It owns the goroutine that
// waits for them, and the connections.
type bridge struct {
	ctx   context.Context //nolint:containedctx // the life of its goroutines
	send  func(tea.Msg)
	conns []*Connection
	ended []chan struct{}
}

func newBridge(ctx context.Context) *bridge { return &bridge{ctx: ctx} }

// attach begins to hand over the views of a host.
func (b *bridge) attach(c *Connection) {
	done := make(chan struct{})
	b.conns, b.ended = append(b.conns, c), append(b.ended, done)
	go func() {
		defer close(done)
		b.pump(c.Host)
	}()
}

// pump waits for something newer, hands it over, and lets a frame's time pass:
// however much a host sends, the program sees sixty views a second at most.
func (b *bridge) pump(host Host) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	var shown *ahpclient.View
	for {
		view, newer := host.Watch()
		if view != shown {
			b.send(viewMsg{view})
			shown = view
		}
		select {
		case <-newer:
		case <-b.ctx.Done():
			return
		}
		pause.Reset(frameTime)
		select {
		case <-pause.C:
		case <-b.ctx.Done():
			return
		}
	}
}

// wait ends every connection and waits for the goroutines. The context is over.
func (b *bridge) wait() {
	for i, c := range b.conns {
		<-b.ended[i]
		if c.Close != nil {
			c.Close()
		}
	}
}
