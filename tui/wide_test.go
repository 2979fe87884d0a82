package tui

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"ahptui/internal/safetext"
	"ahptui/internal/testkit"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// ambiguous are characters that are one column wide on some terminals and two on others (UAX #11).
const ambiguous = "αβγ → ①② “quoted” …·× Привет ░▒▓ ─│┼ ●○◐▲ \ue0b0\ufffd 日本"

// TestAmbiguousWide: on a terminal that takes two columns for them, every row keeps its columns: the borders stand where they
// would without them. How wide they are is settled when a process starts, so that is another one; its terminal takes two, too.
func TestAmbiguousWide(t *testing.T) {
	t.Parallel()
	if safetext.Wide() {
		t.Run("sizes", checkWideSizes)
		t.Run("terminal", checkWideTerminal)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestAmbiguousWide$")
	cmd.Env = append(os.Environ(), "RUNEWIDTH_EASTASIAN=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// makeAmbiguous puts such characters wherever the host has a say.
func makeAmbiguous(d *driver) {
	d.host.sessions[0] = summary(sessionA, ambiguous, protocol.StatusInProgress, 0)
	d.host.ask("c1", `{"text":"`+ambiguous+`"}`)
	d.look()
	d.key("i")
	d.write(ambiguous)
}

func checkWideSizes(t *testing.T) {
	for _, scene := range scenes {
		d := newDriver(t, viewtest.ASCII(t), classic, scene.host)
		d.m.opts.ASCII = true
		scene.play(d)
		d.checkSizes()
	}
	d := newDriver(t, viewtest.ASCII(t), classic, busyHost)
	d.m.opts.ASCII = true
	makeAmbiguous(d)
	d.checkSizes()
}

func checkWideTerminal(t *testing.T) {
	d := newDriver(t, viewtest.ASCII(t), classic, busyHost)
	d.m.opts.ASCII = true
	makeAmbiguous(d)
	program := testkit.StartModel(t, testkit.Size{Cols: classic.Width, Rows: classic.Height}, d.m)
	program.WaitFor(t, testkit.Patience, "αβγ")
	for _, size := range []testkit.Size{{Cols: classic.Width, Rows: classic.Height}, {Cols: 120, Rows: 30}, {Cols: 91, Rows: 20}} {
		program.Resize(size)
		program.WaitUntil(t, testkit.Patience, fmt.Sprintf("the borders stand at %v", size), func(string) bool {
			for row := 1; row < size.Rows; row++ {
				for _, col := range []int{0, size.Cols - 1} {
					if cell, ok := program.Cell(col, row); !ok || cell.Content != "|" && cell.Content != "+" {
						return false
					}
				}
			}
			return true
		})
	}
	if _, row, ok := program.Find("αβγ"); !ok || row == 0 {
		t.Error("the characters are not on the screen")
	}
}
