//go:build unix

package terminal

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"ahptui/host/proctree"
)

// Supported says whether there are terminals on this system.
const Supported = true

const (
	readBytes = 32 << 10
	// maxInput bounds the input that the program has not read yet.
	maxInput = 256 << 10
	// How long a program and all it has started may take for each step of their end.
	graceHangup = 300 * time.Millisecond // from the hang-up to the kill
	graceKill   = 2 * time.Second        // for the system to carry out the kill
	graceOutput = 200 * time.Millisecond // for what was written before the end
)

// Terminal is a program on a pseudo terminal. Three goroutines serve it: one reads
// its output, one writes its input, one waits for its end and ends the others.
type Terminal struct {
	tty    *os.File // our side
	cmd    *exec.Cmd
	tree   *proctree.Tree
	tell   func([]Event)
	exited chan struct{} // closed when the program itself has ended
	quit   chan struct{} // closed when everything is to end
	read   chan struct{} // closed when there is no more output
	done   chan struct{} // closed when nothing is left
	stop   sync.Once

	mu    sync.Mutex
	input bytes.Buffer
	more  chan struct{} // holds a value when there is input
}

// Start starts a program on a new terminal. What happens there is told by calls of
// tell, from one goroutine and without locks; the last one has the event [Exited].
// [Terminal.Close] ends the program, and has to be called in any case.
func Start(cfg Config, tell func([]Event)) (*Terminal, error) {
	if cfg.Dir != "" {
		if st, err := os.Stat(cfg.Dir); err != nil || !st.IsDir() {
			return nil, fmt.Errorf("the directory %s does not exist", clean(cfg.Dir, maxPathBytes))
		}
	}
	ours, theirs, err := openPty(cmp.Or(cfg.Cols, 80), cmp.Or(cfg.Rows, 24))
	if err != nil {
		return nil, err
	}
	defer func() { _ = theirs.Close() }() // the program has its own
	cmd := command(cfg)
	cmd.Dir = cfg.Dir
	cmd.Env = proctree.Env(os.Environ(), map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "TERM_PROGRAM": "ahptui"})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	proctree.Detach(cmd)
	cmd.SysProcAttr.Setctty = true
	t := &Terminal{
		tty: ours, cmd: cmd, tell: tell, more: make(chan struct{}, 1),
		exited: make(chan struct{}), quit: make(chan struct{}), read: make(chan struct{}), done: make(chan struct{}),
	}
	if t.tree, err = proctree.Start(cmd); err != nil {
		_ = ours.Close() // nothing was written
		return nil, fmt.Errorf("start %s: %w", cmd.Args[0], err)
	}
	go t.serve()
	return t, nil
}

// command is what runs: no context kills it, because that would leave what it has
// started, which Close ends as well. The user's own shell is what a terminal is for.
func command(cfg Config) *exec.Cmd {
	shell := cmp.Or(os.Getenv("SHELL"), "/bin/sh")
	switch {
	case cfg.Line != "":
		return exec.Command(shell, "-c", cfg.Line) //nolint:noctx,gosec // see above
	case len(cfg.Command) > 0:
		return exec.Command(cfg.Command[0], cfg.Command[1:]...) //nolint:noctx // see above
	}
	return exec.Command(shell) //nolint:noctx,gosec // see above
}

// serve runs the terminal until nothing is left of it.
func (t *Terminal) serve() {
	defer close(t.done)
	go func() {
		_ = t.cmd.Wait() // the exit status is kept in ProcessState
		close(t.exited)
	}()
	written := make(chan struct{})
	go func() {
		defer close(written)
		t.writeAll()
	}()
	output := make(chan struct{})
	go func() {
		defer close(output)
		t.readAll()
	}()
	select {
	case <-t.exited:
		late := time.NewTimer(graceOutput)
		select {
		case <-t.read: // which need not end: others may hold the terminal
		case <-late.C:
		case <-t.quit:
		}
		late.Stop()
	case <-t.quit:
	}
	t.end()
	_ = t.tty.Close() // ends the reading and the writing
	<-written
	<-output
	t.tell([]Event{{Kind: Exited, Code: t.code()}})
}

// end ends all processes of the terminal.
func (t *Terminal) end() {
	t.stop.Do(func() { close(t.quit) })
	_ = syscall.Kill(-t.cmd.Process.Pid, syscall.SIGHUP) // fails only when nothing is left of the group
	if !t.tree.Gone(t.exited, graceHangup) {
		t.tree.Kill()
		t.tree.Gone(t.exited, graceKill)
	}
	t.tree.Release()
}

// code is the exit code of a program that has ended; nil after a signal.
func (t *Terminal) code() *int {
	select {
	case <-t.exited:
	default:
		return nil // not even the kill has ended it
	}
	if code := t.cmd.ProcessState.ExitCode(); code >= 0 {
		return &code
	}
	return nil
}

func (t *Terminal) readAll() {
	defer close(t.read)
	var scan scanner
	var pace pace
	buf := make([]byte, readBytes)
	for {
		n, err := t.tty.Read(buf)
		if events := scan.scan(buf[:n]); len(events) > 0 {
			t.tell(events)
		}
		if err != nil {
			if rest := scan.rest(); rest != nil {
				t.tell(rest)
			}
			return
		}
		if wait := pace.wait(n, time.Now()); wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-t.quit:
			}
			timer.Stop()
		}
	}
}

// Room is how many bytes of input the terminal takes now.
func (t *Terminal) Room() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maxInput - t.input.Len()
}

// Write gives the program input. It does not wait until the program reads it.
func (t *Terminal) Write(input string) {
	t.mu.Lock()
	t.input.WriteString(input)
	t.mu.Unlock()
	select {
	case t.more <- struct{}{}:
	default:
	}
}

func (t *Terminal) writeAll() {
	for {
		select {
		case <-t.more:
		case <-t.quit:
			return
		}
		for {
			t.mu.Lock()
			chunk := bytes.Clone(t.input.Next(4 << 10))
			t.mu.Unlock()
			if len(chunk) == 0 {
				break
			}
			if _, err := t.tty.Write(chunk); err != nil {
				return
			}
		}
	}
}

// Resize sets the size in character cells, which the program is told.
func (t *Terminal) Resize(cols, rows int) error {
	select {
	case <-t.quit:
		return os.ErrClosed
	default:
	}
	if err := resize(t.tty, cols, rows); err != nil {
		return fmt.Errorf("set the size of the terminal: %w", err)
	}
	return nil
}

// Close ends the program with everything that it has started, and waits until
// nothing is left, or ctx ends.
func (t *Terminal) Close(ctx context.Context) error {
	t.stop.Do(func() { close(t.quit) })
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
