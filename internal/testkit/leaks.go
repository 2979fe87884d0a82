package testkit

import (
	"testing"

	"go.uber.org/goleak"
)

// VerifyTestMain runs a package's tests and fails them when they leave a goroutine behind, for packages whose tests run
// Bubble Tea programs. It overlooks one of the library's: its reader hands an event to a program that has just ended,
// and waits for ever, when a key or an answer of the terminal arrives at that moment.
func VerifyTestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}
