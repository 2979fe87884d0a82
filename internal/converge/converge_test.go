package converge

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

var (
	seedFlag  = flag.Int64("seed", fromEnv("AHPTUI_SEED", -1), "play this seed alone (also AHPTUI_SEED)")
	seedsFlag = flag.Int64("seeds", fromEnv("AHPTUI_SEEDS", defaultSeeds()), "play so many seeds (also AHPTUI_SEEDS)")
)

func TestMain(m *testing.M) {
	if os.Getenv(serverVar) != "" {
		serveTools()
		return
	}
	goleak.VerifyTestMain(m)
}

func fromEnv(name string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// defaultSeeds are as many as everybody can wait for each time.
func defaultSeeds() int64 {
	if raced {
		return 50
	}
	return 500
}

// TestConvergence plays scripts in virtual time. A script that fails is printed with its seed, which plays it again:
//
//	go test ./internal/converge -run TestConvergence -seed N
func TestConvergence(t *testing.T) {
	t.Parallel()
	first, count := int64(0), *seedsFlag
	if *seedFlag >= 0 {
		first, count = *seedFlag, 1
	}
	var failed atomic.Int32
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			const enough = 3
			if failed.Load() >= enough {
				t.Skip("there are failures enough to look at")
			}
			s := newScript(uint64(seed), "")
			var problems []string
			synctest.Test(t, func(t *testing.T) {
				w := &world{script: s, pace: 100 * time.Millisecond, servers: missingServers}
				problems = w.run(t)
			})
			if len(problems) > 0 {
				failed.Add(1)
				t.Errorf("%s\n%s", s, strings.Join(problems, "\n"))
			}
		})
	}
}

// TestConvergenceOverSockets plays a few scripts in real time, over real WebSockets, with MCP servers that are real
// processes.
func TestConvergenceOverSockets(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			s := newScript(seed, real)
			w := &world{script: s, sockets: true, pace: time.Millisecond, servers: realServers(t)}
			if problems := w.run(t); len(problems) > 0 {
				t.Errorf("%s\n%s", s, strings.Join(problems, "\n"))
			}
		})
	}
}

// run plays the script, and says what is not as it must be in the end.
func (w *world) run(t *testing.T) []string {
	w.t, w.disposed, w.judge = t, map[protocol.URI]bool{}, testwire.NewJudge(t)
	ctx, cancel := context.WithCancel(context.Background())
	problems := w.play(ctx)
	if len(problems) > 0 {
		problems = append(problems, "the last that the host did:")
		problems = append(problems, w.observer.last(40)...)
	}
	cancel()
	w.end()
	return problems
}
