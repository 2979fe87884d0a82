package terminal

import (
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/vt"
)

// The limits of what is kept of a terminal.
const (
	maxCols, maxRows = 400, 150
	maxHistory       = 5000    // lines that have left the screen
	maxHistoryBytes  = 4 << 20 // of them, as they are drawn
	// chunk is how much text is written at once before the lines that have left the
	// screen are taken out of it, in bytes.
	chunk = 512
	// maxWork bounds what one feed may cost, in cells that are touched: about a fifth
	// of a second. The rest of a feed that costs more is left out.
	maxWork = 20_000_000
)

// The private modes that are followed (DECSET).
const (
	modeCursorKeys = 1
	modeOrigin     = 6
	modeWrap       = 7
	modeCursor     = 25
	modeAlt        = 1049
	modePaste      = 2004
	// modeKeypad is no number of the program's: ESC = and ESC > set it.
	modeKeypad = -66
)

// modes are what the program has set that says how keys are sent and which screen
// is shown.
type modes struct {
	cursorKeys bool // arrows are sent in their application form
	paste      bool // pasted text is marked
	alt        bool // the alternate screen, which has no history
}

// screen is the screen of a terminal: a virtual terminal that is fed with what the
// filter lets through, and the lines that have left it at the top.
type screen struct {
	cols, rows int
	painter    cellPainter

	main    *vt.Emulator
	alt     *vt.Emulator // nil: the main screen is shown
	modes   modes
	filter  filter
	work    int
	version uint64 // counts the changes

	history      []string // as drawn, the oldest first
	historyBytes int
	dropped      bool   // lines were dropped from its beginning
	pushed       uint64 // lines, in all
}

func newScreen(cols, rows int, p cellPainter) *screen {
	s := &screen{cols: min(max(cols, 1), maxCols), rows: min(max(rows, 1), maxRows), painter: p}
	s.main = s.emulator(chunk)
	s.filter.sink = s
	return s
}

// emulator makes a virtual terminal with so many lines of its own history. It is
// never asked anything that it would answer, and answers nobody.
func (s *screen) emulator(history int) *vt.Emulator {
	e := vt.NewEmulator(s.cols, s.rows)
	e.SetScrollbackSize(history)
	if pipe, ok := e.InputPipe().(io.Closer); ok {
		_ = pipe.Close() // a pipe in memory
	}
	return e
}

// active is the virtual terminal that is shown.
func (s *screen) active() *vt.Emulator {
	if s.alt != nil {
		return s.alt
	}
	return s.main
}

// feed takes the next output of the program.
func (s *screen) feed(out string) {
	if out == "" {
		return
	}
	s.work = 0
	s.version++
	s.filter.write(out)
	s.drain()
}

// spent reports whether the feed has cost too much with so much more.
func (s *screen) spent(cells int) bool {
	s.work += cells
	return s.work > maxWork
}

func (s *screen) text(run string) {
	for run != "" {
		n := min(len(run), chunk)
		if n < len(run) {
			n -= incomplete(run[:n])
		}
		// A line that ends moves all others.
		if s.spent(n + strings.Count(run[:n], "\n")*s.cols*s.rows) {
			return
		}
		s.write(run[:n])
		run = run[n:]
	}
}

func (s *screen) escape(seq string, final byte, params []int) {
	cells := 1
	switch final {
	case 'J': // what is erased goes into the history
		cells = 8 * s.cols * s.rows
	case 'L', 'M', 'S', 'T', 'c', 'D', 'E':
		cells = s.cols * s.rows
	case '@', 'K', 'P', 'X':
		cells = s.cols
	case 'I', 'Z', 'b': // what these repeat
		n := min(max(1, first(params)), s.cols)
		cells, seq = n, "\x1b["+strconv.Itoa(n)+string(rune(final))
	}
	if !s.spent(cells) {
		s.write(seq)
	}
}

func first(params []int) int {
	if len(params) == 0 {
		return 1
	}
	return params[0]
}

func (s *screen) write(out string) {
	_, _ = s.active().WriteString(out) // it is open
	s.drain()
}

func (s *screen) mode(number int, set bool) {
	switch number {
	case modeCursorKeys:
		s.modes.cursorKeys = set
	case modePaste:
		s.modes.paste = set
	case 47, 1047, modeAlt:
		s.switchTo(set)
	case modeOrigin, modeWrap, modeCursor:
		final := "l"
		if set {
			final = "h"
		}
		s.write("\x1b[?" + strconv.Itoa(number) + final)
	}
}

// switchTo shows the alternate screen, which begins empty each time, or the main one.
func (s *screen) switchTo(alt bool) {
	switch {
	case alt == (s.alt != nil):
	case !alt:
		s.alt = nil
	case !s.spent(s.cols * s.rows * 8): // it is made anew
		s.alt = s.emulator(1)
	}
	s.modes.alt = s.alt != nil
}

// drain takes the lines that have left the main screen into the history.
func (s *screen) drain() {
	if s.alt != nil || s.main.ScrollbackLen() == 0 {
		return
	}
	for _, line := range s.main.Scrollback().Lines() {
		s.push(s.painter.line(line, min(len(line), s.cols)))
	}
	s.main.ClearScrollback()
	if extra := len(s.history) - maxHistory; extra > maxHistory/4 || s.historyBytes > maxHistoryBytes {
		s.trim(max(extra, len(s.history)/4))
	}
}

func (s *screen) push(line string) {
	s.history = append(s.history, line)
	s.historyBytes += len(line)
	s.pushed++
}

// trim drops the oldest lines.
func (s *screen) trim(n int) {
	for _, line := range s.history[:n] {
		s.historyBytes -= len(line)
	}
	s.history = append([]string(nil), s.history[n:]...)
	s.dropped = true
}

// past is how many lines are above the screen.
func (s *screen) past() int {
	if s.alt != nil {
		return 0
	}
	return len(s.history)
}

// line draws a line: of the history, then of the screen.
func (s *screen) line(i int) string {
	past, e := s.past(), s.active()
	if i < past {
		return s.history[i]
	}
	return s.painter.row(s.cols, func(x int) *cell { return e.CellAt(x, i-past) })
}

// cursor is where the program writes next, in the screen, and whether it shows.
func (s *screen) cursor() (x, y int, shown bool) {
	e := s.active()
	p := e.CursorPosition()
	return min(max(p.X, 0), s.cols-1), min(max(p.Y, 0), s.rows-1), !e.CursorHidden()
}
