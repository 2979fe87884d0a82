package auth

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// atOnce tells what happens at once from what waits for something: the shortest
// wait of this package is longer. On an idle machine it is some milliseconds.
const atOnce = 2 * time.Second
