package cli_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"ahptui/internal/testkit"
	"ahptui/internal/testkit/testwire"
)

// served is a running `ahptui serve`.
type served struct {
	URL              string   `json:"url"`
	Token            string   `json:"token"`
	ProtocolVersions []string `json:"protocolVersions"`

	tokenFile string
	cmd       *exec.Cmd
}

// serve starts `ahptui serve` and waits for its line. The test's end stops it.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	cmd := exec.Command(built(t), append([]string{"serve"}, args...)...)
	cmd.Env = testkit.Environ(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		watchdog := time.AfterFunc(testkit.Patience, func() { _ = cmd.Process.Kill() })
		defer watchdog.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve ended with: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("serve printed no line: %v", err)
	}
	s := decode[served](t, line)
	s.URL = testwire.NewJudge(t).Proxy(s.URL)
	s.cmd = &exec.Cmd{Process: cmd.Process}
	s.tokenFile = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(s.tokenFile, []byte(s.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &s
}

// run runs a command on the served host.
func (s *served) run(t *testing.T, args ...string) ran {
	t.Helper()
	return run(t, nil, append(args, "--url", s.URL, "--token-file", s.tokenFile, "--json")...)
}

// wire is a TCP relay in front of a host that can be cut.
type wire struct {
	URL string

	mu    sync.Mutex
	conns []net.Conn
	down  bool
}

// relay starts a wire to the host at url.
func relay(t *testing.T, url string) *wire {
	t.Helper()
	const scheme = "ws://"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{URL: scheme + listener.Addr().String()}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { w.carry(conn, url[len(scheme):]) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		w.cut(true)
		wg.Wait()
	})
	return w
}

func (w *wire) carry(client net.Conn, addr string) {
	defer func() { _ = client.Close() }()
	host, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr)
	if err != nil || !w.add(client, host) {
		return
	}
	defer func() { _ = host.Close() }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(host, client)
		_ = host.Close()
	}()
	_, _ = io.Copy(client, host)
	_ = client.Close()
	<-done
}

func (w *wire) add(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, conns...)
	return !w.down
}

// cut ends every connection; down keeps new ones from being made until restore.
func (w *wire) cut(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

// restore lets connections through again.
func (w *wire) restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
