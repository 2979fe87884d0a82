//go:build unix

package store

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests, or, in a process that a test has started, the part of it that is to run there.
func TestMain(m *testing.M) {
	if part := os.Getenv(childVariable); part != "" {
		os.Exit(runChild(part))
	}
	goleak.VerifyTestMain(m)
}
