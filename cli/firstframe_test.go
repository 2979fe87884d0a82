package cli_test

import (
	"testing"

	"ahptui/internal/testkit"
)

// BenchmarkFirstFrame is from the start of the process to the first cells on its terminal, with a host that cannot be reached.
func BenchmarkFirstFrame(b *testing.B) {
	built(b)
	for b.Loop() {
		cmd := command(b, nil, "--url", "ws://127.0.0.1:1")
		term := testkit.StartCommand(b, testkit.Size{Cols: 80, Rows: 24}, cmd)
		term.WaitFor(b, testkit.Patience, "Sessions", "MCP servers")
		b.StopTimer()
		term.Key(b, "ctrl+c")
		term.ExitCode(b, testkit.Patience)
		b.StartTimer()
	}
}
