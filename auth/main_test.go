package auth

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if playSupply() {
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
