package testkit

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Size is the size of a terminal in cells.
type Size struct {
	// Cols is the width, Rows the height.
	Cols, Rows int
}

// Terminal is a virtual terminal with a program on it: it draws what the program writes, answers what the program asks
// (device attributes, colours, modes) and types what the test wants typed. It behaves as a modern terminal: true
// colour, grapheme clusters (mode 2027), synchronised output (mode 2026), and keys in their classic encoding.
//
// A Terminal comes from [StartCommand] or [StartModel]. All methods may be called from any goroutine.
type Terminal struct {
	input   *inbox
	ended   chan struct{} // closed when the program has ended and all of its output is drawn
	answers sync.WaitGroup

	mu      sync.Mutex
	emu     *vt.Emulator
	changed chan struct{} // closed, and made anew, with every write
	output  bytes.Buffer
	title   string
	status  string
	modes   modes
	// lineLeftovers is what the program has left changed about the line discipline; set before ended is closed.
	lineLeftovers []string
}

// newTerminal makes a terminal and starts the goroutine that carries its answers into the input; end stops it. The
// setup is written before the program writes anything, and is what the program is to leave behind.
func newTerminal(size Size, setup string) *Terminal {
	t := &Terminal{
		input:   newInbox(),
		ended:   make(chan struct{}),
		emu:     vt.NewEmulator(size.Cols, size.Rows),
		changed: make(chan struct{}),
		modes:   newModes(),
	}
	// Setting a mode off tells the emulator that the mode exists, and so that it should say so when asked.
	_, _ = t.emu.WriteString(ansi.ResetModeSynchronizedOutput + ansi.ResetModeUnicodeCore + setup)
	t.emu.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { t.modes.set(m, true) },
		DisableMode: func(m ansi.Mode) { t.modes.set(m, false) },
	})
	t.modes.watchKeyboard(t.emu)
	t.emu.RegisterOscHandler(0, t.onTitle)
	t.emu.RegisterOscHandler(2, t.onTitle)
	t.emu.RegisterOscHandler(7501, t.onStatus)
	t.answers.Go(t.copyAnswers)
	return t
}

// onTitle takes a window title whole; the emulator's own handler drops one with a semicolon in it.
func (t *Terminal) onTitle(data []byte) bool {
	_, title, _ := bytes.Cut(data, []byte{';'})
	t.title = string(title)
	return true
}

// onStatus takes a report of the program status protocol.
func (t *Terminal) onStatus(data []byte) bool {
	_, status, _ := bytes.Cut(data, []byte{';'})
	t.status = string(status)
	return true
}

// copyAnswers moves what the emulator says to the program into the input. It never blocks for long, so that the
// emulator, which writes to an unbuffered pipe under the lock, does not either.
func (t *Terminal) copyAnswers() {
	buf := make([]byte, 4096)
	for {
		n, err := t.emu.Read(buf)
		if n > 0 {
			t.input.put(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// Write draws what the program wrote. It is the program's output, not a thing for tests to call.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.output.Write(p)
	n, err := t.emu.Write(p)
	close(t.changed)
	t.changed = make(chan struct{})
	return n, err
}

// end says that the program is gone and nothing more will be drawn or typed, and waits for the answering goroutine.
func (t *Terminal) end() {
	t.mu.Lock()
	if pipe, ok := t.emu.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
	t.mu.Unlock()
	t.answers.Wait()
	t.input.close()
	close(t.ended)
}

// frameWait is how long a reader of the screen waits for the end of a frame that the program has begun to draw.
const frameWait = time.Second

// lockFrame locks the terminal at a moment when the screen is not in the middle of a synchronised update.
func (t *Terminal) lockFrame() {
	deadline := time.NewTimer(frameWait)
	defer deadline.Stop()
	for {
		t.mu.Lock()
		if !t.modes.on(ansi.ModeSynchronizedOutput) {
			return
		}
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-changed:
		case <-t.ended:
			t.mu.Lock()
			return
		case <-deadline.C:
			t.mu.Lock()
			return
		}
	}
}

// Screen is the text on the screen, a line a row, without trailing spaces. It always has as many lines as the terminal
// has rows.
func (t *Terminal) Screen() string {
	t.lockFrame()
	defer t.mu.Unlock()
	return t.emu.String()
}

// Styled is the screen with its colours, attributes and links as escape sequences, a line a row.
func (t *Terminal) Styled() string {
	t.lockFrame()
	defer t.mu.Unlock()
	return t.emu.Render()
}

// Cell is what stands in one cell; ok is false outside of the screen.
func (t *Terminal) Cell(col, row int) (cell uv.Cell, ok bool) {
	t.lockFrame()
	defer t.mu.Unlock()
	c := t.emu.CellAt(col, row)
	if c == nil {
		return uv.Cell{}, false
	}
	return *c, true
}

// Find is where text first stands on the screen, reading rows from the top; text must not span rows.
func (t *Terminal) Find(text string) (col, row int, ok bool) {
	for row, line := range strings.Split(t.Screen(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			return ansi.StringWidth(before), row, true
		}
	}
	return 0, 0, false
}

// StyleOf is the style of the first cell of text where [Terminal.Find] finds it. The test fails when it is not there.
func (t *Terminal) StyleOf(tb testing.TB, text string) uv.Style {
	tb.Helper()
	col, row, ok := t.Find(text)
	if !ok {
		tb.Fatalf("%q is not on the screen:\n%s", text, frame(t.Screen()))
	}
	cell, _ := t.Cell(col, row)
	return cell.Style
}

// Cursor is where the cursor stands, and whether it shows.
func (t *Terminal) Cursor() (col, row int, visible bool) {
	t.lockFrame()
	defer t.mu.Unlock()
	pos := t.emu.CursorPosition()
	return pos.X, pos.Y, !t.emu.CursorHidden()
}

// Title is the window's title as the program last set it.
func (t *Terminal) Title() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.title
}

// ProgramStatus is the program's last report about itself (OSC 7501), as "key=value:key=value".
// See https://www.superlogical.com/rex/docs/build/program-status.
func (t *Terminal) ProgramStatus() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status
}

// AltScreen reports whether the program is on the alternate screen.
func (t *Terminal) AltScreen() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.emu.IsAltScreen()
}

// Output is every byte that the program has written so far.
func (t *Terminal) Output() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.output.Bytes())
}

// resize changes the size of the screen; how the program hears of it is the starter's business.
func (t *Terminal) resize(size Size) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.emu.Resize(size.Cols, size.Rows)
	close(t.changed)
	t.changed = make(chan struct{})
}

// frame puts a border around a screen, so that a test's log shows where it ends.
func frame(screen string) string {
	lines := strings.Split(screen, "\n")
	width := 0
	for _, line := range lines {
		width = max(width, ansi.StringWidth(line))
	}
	var b strings.Builder
	b.WriteString("┌" + strings.Repeat("─", width) + "┐\n")
	for _, line := range lines {
		b.WriteString("│" + line + strings.Repeat(" ", width-ansi.StringWidth(line)) + "│\n")
	}
	b.WriteString("└" + strings.Repeat("─", width) + "┘")
	return b.String()
}
