package testkit_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ahptui/internal/testkit"
)

func TestEventually(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		testkit.Eventually(t, time.Minute, "a second has passed", func() bool { return time.Since(start) >= time.Second })
		if took := time.Since(start); took != time.Second {
			t.Errorf("it took %v, want the first look after a second", took)
		}
		failures := failuresOf(t, func(tb testing.TB) {
			testkit.Eventually(tb, time.Minute, "the sun rises", func() bool { return false })
		})
		if len(failures) != 1 || failures[0] != "waited 1m0s until the sun rises" {
			t.Errorf("Eventually failed with %q", failures)
		}
	})
}
