package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

func TestLifeOverStdio(t *testing.T) {
	t.Parallel()
	s, states := launch(t, self(t, "plain"))
	wantKind(t, s, Stopped)
	started := s.Start()
	if st := s.State(); st.Kind == Stopped {
		t.Error("right after Start the state is still stopped")
	}
	await(t, states, Starting)
	settle(t, started)
	await(t, states, Ready)
	if n := len(s.Tools()); n < 5 {
		t.Errorf("a ready server has %d tools", n)
	}
	settle(t, s.Stop())
	await(t, states, Stopped)
	if len(s.Tools()) != 0 {
		t.Error("a stopped server has tools")
	}
	if _, err := s.CallTool(t.Context(), "test.echo", nil, nil); !errors.Is(err, ErrNotReady) {
		t.Errorf("call to a stopped server: %v", err)
	}
	ready(t, s)
}

func TestRestartIsAnotherProcess(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "plain"))
	ready(t, s)
	first := s.conn.proc.cmd.Process.Pid
	ready(t, s)
	if second := s.conn.proc.cmd.Process.Pid; first == second {
		t.Error("a restart kept the process")
	}
}

func TestLastRequestCounts(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "plain"))
	var overtaken []<-chan struct{}
	for range 10 {
		overtaken = append(overtaken, s.Start(), s.Stop())
	}
	last := s.Start()
	for _, o := range overtaken {
		settle(t, o)
	}
	settle(t, last)
	wantKind(t, s, Ready)
	if _, err := s.CallTool(t.Context(), "test.echo", jsontext.Value(`{"text":"x"}`), nil); err != nil {
		t.Error(err)
	}
}

func TestStopDuringStart(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "mute"))
	s.Start()
	begin := time.Now()
	settle(t, s.Stop())
	wantKind(t, s, Stopped)
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("stopping a starting server took %v", d)
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	mute := self(t, "mute")
	mute.StartTimeout = 3 * time.Second
	lost := self(t, "plain")
	lost.Dir = filepath.Join(dir, "gone")
	for _, tt := range []struct {
		name string
		cfg  Config
		typ  string
		want string
	}{
		{"not in PATH", Config{Name: "a", Command: "no-such-binary-xyz"}, ErrNotFound, "no-such-binary-xyz was not found in PATH; install it, or give its full path"},
		{"no such file", Config{Name: "a", Command: "./gone", Dir: dir}, ErrNotFound, "there is no program"},
		{"not executable", Config{Name: "a", Command: plain}, ErrSpawn, "check its permissions"},
		{"no such directory", lost, ErrConfig, "working directory"},
		{"neither command nor url", Config{Name: "a"}, ErrConfig, "neither a command nor a url"},
		{"both", Config{Name: "a", Command: "x", URL: "http://localhost/"}, ErrConfig, "both a command and a url"},
		{"exits", self(t, "exits"), ErrExited, "exit status 3: reading configuration / fatal: no database at localhost:5432"},
		{"mute", mute, ErrTimeout, "not ready within 3s; it wrote: waiting for the moon"},
		{"shouts", self(t, "shouts"), ErrHandshake, "longer than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _ := launch(t, tt.cfg)
			settle(t, s.Start())
			wantKind(t, s, Failed)
			if e := s.State().Err; e.Type != tt.typ || !strings.Contains(e.Message, tt.want) {
				t.Errorf("error is %q %q, want %q with %q", e.Type, e.Message, tt.typ, tt.want)
			}
		})
	}
}

func TestNoiseOnStdoutIsPassedOver(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "noisy"))
	ready(t, s)
}

func TestDeathWhileReady(t *testing.T) {
	t.Parallel()
	s, states := launch(t, self(t, "plain"))
	ready(t, s)
	if _, err := s.CallTool(t.Context(), "test.die", jsontext.Value(`{"text":"out of cheese"}`), nil); !errors.Is(err, errGone) {
		t.Errorf("a call whose server dies under it: %v", err)
	}
	e := await(t, states, Failed).Err
	if e.Type != ErrExited || !strings.Contains(e.Message, "exit status 7: out of cheese") {
		t.Errorf("error is %q %q", e.Type, e.Message)
	}
	ready(t, s)
}

func TestCallResults(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "plain"))
	ready(t, s)
	call := func(name, args string) *Result {
		t.Helper()
		res, err := s.CallTool(t.Context(), name, jsontext.Value(args), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return res
	}
	if res := call("test.echo", `{"text":"hällo"}`); res.Text() != "hällo" || res.Failed {
		t.Errorf("echo: %+v", res)
	}
	if res := call("test.env", `{"text":"PLAIN"}`); res.Text() != "kept" {
		t.Errorf("configured variable: %q", res.Text())
	}
	if res := call("test.fail", `{"text":""}`); !res.Failed || res.Text() != "the tool failed" {
		t.Errorf("fail: %+v", res)
	}
	if res := call("test.flood", `{"text":""}`); !res.Cut || len(res.Text()) > maxResultBytes {
		t.Errorf("flood: cut %v, %d bytes", res.Cut, len(res.Text()))
	}
	kinds := call("test.kinds", `{"text":""}`).Content
	if len(kinds) != 4 || kinds[1].MIMEType != "image/png" || kinds[2].URI != "file:///a" || kinds[3].Text != "two" {
		t.Errorf("kinds: %+v", kinds)
	}
	if _, err := s.CallTool(t.Context(), "test.none", nil, nil); err == nil || !strings.Contains(err.Error(), "refused the call of test.none") {
		t.Errorf("unknown tool: %v", err)
	}
	for _, args := range []string{`[1]`, `{"a":`, `null`} {
		if _, err := s.CallTool(t.Context(), "test.echo", jsontext.Value(args), nil); err == nil {
			t.Errorf("arguments %s were accepted", args)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "plain"))
	ready(t, s)
	steps := make(chan Progress, 10)
	if _, err := s.CallTool(t.Context(), "test.steps", jsontext.Value(`{"text":""}`), func(p Progress) { steps <- p }); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 3 {
		t.Fatalf("%d steps were told", len(steps))
	}
	for i := range 3 {
		want := Progress{Done: float64(i), Total: 3, Message: fmt.Sprint("step ", i)}
		if got := <-steps; got != want {
			t.Errorf("progress %+v, want %+v", got, want)
		}
	}
}

func TestErrorsTellNoSecret(t *testing.T) {
	t.Parallel()
	cfg := self(t, "tells")
	cfg.Env["SOME_API_KEY"] = "s3cret-canary"
	s, _ := launch(t, cfg)
	settle(t, s.Start())
	wantKind(t, s, Failed)
	if msg := s.State().Err.Message; !strings.Contains(msg, "cannot sign in with [redacted]") {
		t.Errorf("the error says %q", msg)
	}
}

func TestCancelReachesTheServer(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "plain"))
	ready(t, s)
	mark := filepath.Join(t.TempDir(), "mark")
	args, err := jsontext.AppendQuote([]byte(`{"text":`), mark)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.CallTool(ctx, "test.wait", append(args, '}'), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled call: %v", err)
	}
	eventually(t, "the server sees the cancellation", func() bool {
		_, err := os.Stat(mark)
		return err == nil
	})
}

func TestToolListFollowsTheServer(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, self(t, "plain"))
	ready(t, s)
	if _, err := s.CallTool(t.Context(), "test.grow", jsontext.Value(`{"text":""}`), nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new tool is listed", func() bool {
		for _, tool := range s.Tools() {
			if tool.Name == "test.new" {
				return true
			}
		}
		return false
	})
	for _, tool := range s.Tools() {
		if want := tool.Name == "test.echo"; tool.ReadOnly != want {
			t.Errorf("%s: read-only is %v", tool.Name, tool.ReadOnly)
		}
	}
}
