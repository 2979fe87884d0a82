package testkit

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Program is a Bubble Tea program in the test's own process, on a virtual terminal.
type Program struct {
	*Terminal
	tea *tea.Program

	// Set before the terminal ends.
	model tea.Model
	err   error
}

// StartModel runs a model on a terminal of the given size, in true colour; options come after the terminal's own. When
// the test ends and the program has not, it is killed and waited for; a test that failed logs the last screen.
func StartModel(tb testing.TB, size Size, model tea.Model, options ...tea.ProgramOption) *Program {
	tb.Helper()
	// Without a line discipline nobody turns a line feed into a new line, which the renderer counts on.
	term := newTerminal(size, ansi.SetModeLineFeedNewLine)

	ctx, cancel := context.WithCancel(context.Background())
	options = append([]tea.ProgramOption{
		tea.WithContext(ctx),
		tea.WithInput(term.input),
		tea.WithOutput(term),
		tea.WithWindowSize(size.Cols, size.Rows),
		tea.WithEnvironment([]string{"TERM=xterm-256color", "COLORTERM=truecolor"}),
		tea.WithColorProfile(colorprofile.TrueColor),
		tea.WithoutSignals(),
	}, options...)
	p := &Program{Terminal: term, tea: tea.NewProgram(model, options...)}
	go func() {
		p.model, p.err = p.tea.Run()
		p.end()
	}()
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the last screen:\n%s", frame(p.Screen()))
		}
		cancel()
		<-p.ended
	})
	return p
}

// Send delivers a message to the model. It does nothing once the program has ended.
func (p *Program) Send(msg tea.Msg) { p.tea.Send(msg) }

// Resize changes the size of the terminal and tells the model.
func (p *Program) Resize(size Size) {
	p.resize(size)
	p.tea.Send(tea.WindowSizeMsg{Width: size.Cols, Height: size.Rows})
}

// Wait waits for the program to end and gives its last model and its error.
func (p *Program) Wait(tb testing.TB, timeout time.Duration) (tea.Model, error) {
	tb.Helper()
	p.waitEnd(tb, timeout)
	return p.model, p.err
}
