package safetext

import (
	"os"
	"os/exec"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestWide: where ambiguous characters are wide, all that is made of text keeps its columns as the library counts them that
// draws the screen. How wide they are is settled when a process starts, so that is another one.
func TestWide(t *testing.T) {
	t.Parallel()
	if Wide() {
		for _, s := range []string{Ellipsis(), string(unknown())} {
			if w := ansi.StringWidth(s); w != 1 {
				t.Errorf("%q is %d columns", s, w)
			}
		}
		if w := Clean("α→①", 100).Width(); w != 6 {
			t.Errorf("three wide characters are %d columns", w)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const tests = "^(TestWide|TestCleanEveryCharacter|TestCleanIsBoundByMax|TestCleanProperties|TestFlowIsTheWhole|TestFitIsExact|TestFitWiderThanBlanks|TestWrapProperties)$"
	cmd := exec.Command(self, "-test.run="+tests)
	cmd.Env = append(os.Environ(), "RUNEWIDTH_EASTASIAN=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
