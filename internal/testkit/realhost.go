package testkit

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// AgentHost is a running agent host that this project did not write.
type AgentHost struct {
	// URL is the host's WebSocket URL, without the token.
	URL string
	// Token is the host's connection token.
	Token string
}

const (
	// installTime is how long the first start may take: it downloads some hundred megabytes.
	installTime = 10 * time.Minute
	// quitTime is how long the host may take to end after it was asked to.
	quitTime = 20 * time.Second
)

// RealHost starts VS Code's agent host and stops it when the test ends. It is opt-in: the test is skipped unless
// AHPTUI_REALHOST is 1, and where the script that installs and starts the host is not to be found. That is
// AHPTUI_REALHOST_SCRIPT, else shared/realhost/start-vscode-agent-host.sh beside the module's directory.
//
// The host keeps its sessions from one run to the next, and one test at a time has it, across all packages. The extra
// variables, "NAME=value", are for the script, such as FAKE_MODEL_URL.
func RealHost(tb testing.TB, extra ...string) AgentHost {
	tb.Helper()
	script := realHostScript(tb)
	dir := realHostDir(tb)
	unlock, err := lockedfile.MutexAt(filepath.Join(dir, "lock")).Lock()
	if err != nil {
		tb.Fatalf("lock the real host: %v", err)
	}
	tb.Cleanup(unlock)

	port := freePort(tb)
	host := AgentHost{URL: "ws://127.0.0.1:" + port, Token: rand.Text()}
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	cmd := exec.Command("bash", script, dir, port, host.Token)
	cmd.Env = append(append(os.Environ(), "NO_BUILD=1"), extra...)
	s, err := startScript(cmd)
	if err != nil {
		tb.Fatalf("start the real host: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.stop(); err != nil {
			tb.Errorf("stop the real host: %v", err)
		}
	})
	if err := s.waitReady(ctx); err != nil {
		tb.Fatalf("start the real host: %v", err)
	}
	return host
}

// realHostScript finds the script, or skips the test.
func realHostScript(tb testing.TB) string {
	tb.Helper()
	if os.Getenv("AHPTUI_REALHOST") != "1" {
		tb.Skip("needs a real agent host: set AHPTUI_REALHOST=1 to install and start one")
	}
	if runtime.GOOS == "windows" {
		tb.Skip("the script that starts a real agent host needs a POSIX shell")
	}
	script := os.Getenv("AHPTUI_REALHOST_SCRIPT")
	if script == "" {
		script = filepath.Join(ModuleRoot(tb), "..", "shared", "realhost", "start-vscode-agent-host.sh")
	}
	if _, err := os.Stat(script); err != nil {
		tb.Skipf("no script to start a real agent host (AHPTUI_REALHOST_SCRIPT names one): %v", err)
	}
	return script
}

// realHostDir is where the host is installed: once for everything that checks this project.
func realHostDir(tb testing.TB) string {
	tb.Helper()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			tb.Fatalf("find the cache: %v", err)
		}
		cache = filepath.Join(home, ".cache")
	}
	dir := filepath.Join(cache, "ahptui-checks", "realhost")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tb.Fatalf("make the cache: %v", err)
	}
	return dir
}

// freePort is a TCP port on the loopback address that nobody listens on at the moment.
func freePort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("find a free port: %v", err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		tb.Fatalf("find a free port: %v", err)
	}
	return port
}

// ModuleRoot is the directory of the module's go.mod, found upwards from the test's directory.
func ModuleRoot(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatalf("find the module: %v", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("find the module: no go.mod above the test's directory")
		}
		dir = parent
	}
}

// script is a running program that prints READY on a line of its own when what it starts can be used.
type script struct {
	cmd    *exec.Cmd
	stderr *tail
	ready  chan struct{} // closed by READY
	exited chan struct{} // closed when the program has ended
	err    error         // how it ended
}

// startScript starts cmd with a reader on its output.
func startScript(cmd *exec.Cmd) (*script, error) {
	s := &script{cmd: cmd, stderr: &tail{}, ready: make(chan struct{}), exited: make(chan struct{})}
	cmd.Stderr = s.stderr
	cmd.WaitDelay = time.Second // a child that outlives the script must not keep its output open
	ownGroup(cmd)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go s.run(stdout)
	return s, nil
}

// run reads the output to its end and waits for the program.
func (s *script) run(stdout io.Reader) {
	defer close(s.exited)
	lines := bufio.NewScanner(stdout)
	announced := false
	for lines.Scan() {
		if !announced && lines.Text() == "READY" {
			announced = true
			close(s.ready)
		}
	}
	s.err = s.cmd.Wait()
}

// waitReady waits for READY.
func (s *script) waitReady(ctx context.Context) error {
	select {
	case <-s.ready:
		return nil
	case <-s.exited:
		return fmt.Errorf("it ended early: %w; its last words: %s", errors.Join(s.err, errNotReady), s.stderr)
	case <-ctx.Done():
		return fmt.Errorf("%w: %w; its last words: %s", errNotReady, ctx.Err(), s.stderr)
	}
}

var errNotReady = errors.New("it was never ready")

// stop asks the program to end, with SIGTERM, and waits for it; when it does not, it and its children are killed.
func (s *script) stop() error {
	select {
	case <-s.exited:
		return nil
	default:
	}
	if err := terminate(s.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	patience := time.NewTimer(quitTime)
	defer patience.Stop()
	select {
	case <-s.exited:
		return nil
	case <-patience.C:
		killGroup(s.cmd)
		<-s.exited
		return fmt.Errorf("it did not end in %v and was killed", quitTime)
	}
}

// tailSize is how much of a program's errors is kept.
const tailSize = 2048

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.buf))
}
