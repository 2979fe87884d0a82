//go:build unix

package secret

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// T26: the limit is read back, here and by a program that is started afterwards. It is set in a process of its own, so that
// a crash of the tests still leaves a dump to whoever wants one.
func TestT26NoCoreDumps(t *testing.T) {
	const child = "AHPTUI_TEST_CORE"
	if os.Getenv(child) != "" {
		if err := NoCoreDumps(); err != nil {
			t.Fatal(err)
		}
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil || limit.Cur != 0 {
			t.Fatalf("the limit is %d, %v", limit.Cur, err)
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -c").Output()
		if err != nil || strings.TrimSpace(string(out)) != "0" {
			t.Fatalf("a program that was started has %q, %v", out, err)
		}
		return
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestT26NoCoreDumps$")
	cmd.Env = append(os.Environ(), child+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
