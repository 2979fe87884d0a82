package cli_test

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"ahptui/internal/testkit"
)

// lined is the program as somebody uses it who has lines and nothing else.
type lined struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	heard []string
}

// byLines starts it.
func byLines(t *testing.T, env []string, args ...string) *lined {
	t.Helper()
	l := &lined{t: t, cmd: command(t, env, args...), lines: make(chan string)}
	var err error
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.cmd.Process.Kill() })
	go func() { // ends with the program
		defer close(l.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			l.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return l
}

// types types a line.
func (l *lined) types(line string) {
	if _, err := io.WriteString(l.in, line+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

// answers types an answer, after the time that it takes to hear the question: that
// is what is tested, and nothing tells when it is over.
func (l *lined) answers(line string) {
	<-time.After(500 * time.Millisecond)
	l.types(line)
}

// next is the next line; ok is false at the end.
func (l *lined) next() (line string, ok bool) {
	l.t.Helper()
	select {
	case line, ok = <-l.lines:
	case <-time.After(testkit.Patience):
		l.t.Fatalf("nothing more came:\n%s", strings.Join(l.heard, "\n"))
	}
	if strings.ContainsAny(line, "\x1b\r") {
		l.t.Errorf("%q is not only text", line)
	}
	l.heard = append(l.heard, line)
	return line, ok
}

// until waits for a line that begins so, and returns it.
func (l *lined) until(begin string) string {
	l.t.Helper()
	for {
		line, ok := l.next()
		if !ok {
			l.t.Fatalf("it ended without %q:\n%s", begin, strings.Join(l.heard, "\n"))
		}
		if strings.HasPrefix(line, begin) {
			return line
		}
	}
}

// end is the exit code, once the program has ended.
func (l *lined) end() int {
	l.t.Helper()
	for {
		if _, ok := l.next(); !ok {
			break
		}
	}
	err := l.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return 0
}

// TestLinear grants access, stops a server and leaves, by lines alone.
func TestLinear(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	l := byLines(t, []string{"SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"}, "--linear", "--url", s.URL, "--token-file", s.tokenFile)
	l.until("connected to ahptui-demo")
	l.until("session 1: ")
	l.until("following session: ")
	l.until("question: tracker.list needs access") // what the server asks for is asked for by its call in the end
	if choices := l.until("choose: "); !strings.HasPrefix(choices, "choose: 1 grant access") {
		t.Fatal(choices)
	}
	l.answers("1")
	l.until("question: may the host have a token?")
	l.until("choose: 1 allow and sign in")
	l.answers("1")
	l.until("open this address in a browser, on any machine:")
	address, _ := l.next()
	l.until("and type this code there")
	code, _ := l.next()
	follow(t, address+"?user_code="+code, "approve")
	l.until("the host has the token: tracker:read")
	l.types("stop notes")
	l.until("server notes: stopped")
	l.types("quit")
	if code := l.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestLinearEnds: it ends with its input and with a signal, and needs a host.
func TestLinearEnds(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	l := byLines(t, []string{"AHPTUI_LINEAR=1"}, "--url", s.URL, "--token-file", s.tokenFile)
	l.types("sessions")
	_ = l.in.Close()
	l.until("session 1: ")
	if code := l.end(); code != 0 {
		t.Errorf("at the end of its input: exit %d", code)
	}

	l = byLines(t, nil, "--linear", "--url", s.URL, "--token-file", s.tokenFile)
	l.until("following session: ")
	if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := l.end(); code != 130 {
		t.Errorf("after SIGTERM: exit %d", code)
	}

	if r := run(t, nil, "--linear"); r.code != 2 || !strings.Contains(r.err, "demo --linear") {
		t.Errorf("without a host: %+v", r)
	}
}
