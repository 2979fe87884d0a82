package mcpserver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ahptui/host/proctree"
	"ahptui/internal/secret"
)

// How long a process may take for each step of its end. The steps follow the
// specification of the stdio transport
// (https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio).
const (
	graceStdin = 400 * time.Millisecond // from its stdin's end to the first signal
	graceTerm  = 400 * time.Millisecond // from the request to end to the kill
	graceKill  = 2 * time.Second        // for the system to carry out the kill
	graceText  = 150 * time.Millisecond // for the last words on stderr
)

// A process is a running stdio server: the program itself and everything that
// it has started.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // our ends of its pipes
	stdout *os.File
	errOut *os.File
	stderr *tail
	redact *secret.Redactor
	tree   *proctree.Tree
	exited chan struct{} // closed when the program has ended and was reaped
}

// startProcess starts the program of a stdio server. Errors are of type [*Error].
func startProcess(cfg *Config, redact *secret.Redactor) (*process, error) {
	path, err := findCommand(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Dir != "" {
		if st, err := os.Stat(cfg.Dir); err != nil || !st.IsDir() {
			return nil, &Error{ErrConfig, fmt.Sprintf("its working directory %s does not exist", cleanLine(cfg.Dir, 200))}
		}
	}
	cmd := exec.Command(path, cfg.Args...) //nolint:noctx // a context would kill the program alone; stop ends its whole tree
	cmd.Dir = cfg.Dir
	cmd.Env = proctree.Env(os.Environ(), cfg.Env)
	proctree.Detach(cmd)
	p := &process{cmd: cmd, stderr: newTail(), redact: redact, exited: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, &Error{ErrSpawn, fmt.Sprintf("could not start %s: %s", cleanLine(cfg.Command, 200), cause(err))}
	}
	return p, nil
}

// start makes the pipes and starts the program. Real files at both ends, and
// no copying goroutine of os/exec, so that a descendant which holds a pipe open
// cannot hold up the wait for the program.
func (p *process) start() (err error) {
	var theirs []*os.File
	defer func() {
		closeAll(theirs...)
		if err != nil {
			closeAll(p.stdin, p.stdout, p.errOut)
		}
	}()
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	p.stdin, theirs = inW, append(theirs, inR)
	outR, outW, err := os.Pipe()
	if err != nil {
		return err
	}
	p.stdout, theirs = outR, append(theirs, outW)
	errR, errW, err := os.Pipe()
	if err != nil {
		return err
	}
	p.errOut, theirs = errR, append(theirs, errW)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
	if p.tree, err = proctree.Start(p.cmd); err != nil {
		return err
	}
	go p.stderr.readFrom(p.errOut)
	go func() {
		_ = p.cmd.Wait() // the exit status is kept in ProcessState
		close(p.exited)
	}()
	return nil
}

// stop ends the program and all that it has started: its stdin is closed, then
// the tree is asked to end, then it is killed. It returns when nothing is left.
func (p *process) stop() {
	_ = p.stdin.Close()
	if !p.tree.Gone(p.exited, graceStdin) {
		p.tree.Terminate()
		if !p.tree.Gone(p.exited, graceTerm) {
			p.tree.Kill()
			p.tree.Gone(p.exited, graceKill)
		}
	}
	closeAll(p.stdout, p.errOut)
	<-p.stderr.eof
	p.tree.Release()
}

// lastWords says how the program ended and what it wrote last. Call it after
// exited is closed.
func (p *process) lastWords() string {
	how := "ended"
	if st := p.cmd.ProcessState; st != nil && st.ExitCode() != 0 {
		how = "ended with " + st.String()
	}
	return how + p.quote(": ")
}

// quote returns the last lines of stderr after sep, or nothing when there are none.
func (p *process) quote(sep string) string {
	select {
	case <-p.stderr.eof:
	case <-time.After(graceText):
	}
	if text := p.stderr.lastLines(3, p.redact); text != "" {
		return sep + text
	}
	return ""
}

// findCommand resolves the command of cfg to the path of a program.
func findCommand(cfg *Config) (string, error) {
	name := cfg.Command
	if filepath.Base(name) != name && !filepath.IsAbs(name) && cfg.Dir != "" {
		name = filepath.Join(cfg.Dir, name)
	}
	path, err := exec.LookPath(name)
	if err == nil || errors.Is(err, exec.ErrDot) && filepath.Base(cfg.Command) != cfg.Command {
		return path, nil
	}
	shown := cleanLine(cfg.Command, 200)
	switch {
	case errors.Is(err, exec.ErrNotFound) && filepath.Base(name) == name:
		return "", &Error{ErrNotFound, fmt.Sprintf("%s was not found in PATH; install it, or give its full path", shown)}
	case errors.Is(err, fs.ErrNotExist):
		return "", &Error{ErrNotFound, fmt.Sprintf("there is no program %s", cleanLine(name, 200))}
	case errors.Is(err, fs.ErrPermission):
		return "", &Error{ErrSpawn, fmt.Sprintf("%s may not be executed; check its permissions", shown)}
	}
	return "", &Error{ErrSpawn, fmt.Sprintf("cannot run %s: %s", shown, cause(err))}
}

// cause returns the innermost part of a system error, without the path and the
// argument list that the outer parts repeat.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	var ee *exec.Error
	if errors.As(err, &ee) {
		return ee.Err.Error()
	}
	return cleanLine(err.Error(), 300)
}

func closeAll[F io.Closer](files ...F) {
	for _, f := range files {
		_ = f.Close() // closing a nil *os.File is an error, not a panic
	}
}
