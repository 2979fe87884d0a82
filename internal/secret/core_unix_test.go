//go:build unix

package secret_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"ahptui/internal/secret"
)

// T26: a process that asks for it leaves no core dump. It is one of its own, since that is not taken back.
func TestKeepOutOfCoreDumps(t *testing.T) {
	if os.Getenv("AHPTUI_TEST_CORE") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestKeepOutOfCoreDumps$")
		cmd.Env = append(os.Environ(), "AHPTUI_TEST_CORE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if err := secret.KeepOutOfCoreDumps(); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil || limit.Cur != 0 {
		t.Errorf("%+v, %v", limit, err)
	}
}
