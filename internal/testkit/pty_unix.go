//go:build unix

package testkit

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

const havePseudoTerminals = true

// pseudoTerminal is both ends of a pseudo-terminal.
type pseudoTerminal struct {
	master *os.File // non-blocking, so that closing it wakes who reads or writes
	slave  *os.File
	fresh  *term.State // the line discipline as the program found it
}

func openPseudoTerminal(size Size) (*pseudoTerminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	p := &pseudoTerminal{slave: slave}
	p.master, err = nonBlocking(master)
	if err != nil {
		_ = slave.Close()
		return nil, err
	}
	p.fresh, err = term.GetState(int(slave.Fd()))
	if err == nil {
		err = p.resize(size)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// nonBlocking takes over a file that was put into blocking mode, and gives one for the same thing that the runtime
// polls.
func nonBlocking(file *os.File) (*os.File, error) {
	defer func() { _ = file.Close() }()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), file.Name()), nil
}

// start starts cmd with the terminal as its controlling one, and as its standard files where it has none.
func (p *pseudoTerminal) start(cmd *exec.Cmd) error {
	cmd.Stdin = p.slave
	if cmd.Stdout == nil {
		cmd.Stdout = p.slave
	}
	if cmd.Stderr == nil {
		cmd.Stderr = p.slave
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	cmd.SysProcAttr.Setctty = true
	return cmd.Start()
}

func (p *pseudoTerminal) resize(size Size) error {
	conn, err := p.master.SyscallConn()
	if err != nil {
		return err
	}
	var ioctl error
	err = conn.Control(func(fd uintptr) {
		ioctl = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(size.Rows), Col: uint16(size.Cols)})
	})
	if err != nil {
		return err
	}
	return ioctl
}

// leftovers says what the program has left changed about the line discipline. It needs the slave still open.
func (p *pseudoTerminal) leftovers() []string {
	state, err := term.GetState(int(p.slave.Fd()))
	if err != nil {
		return []string{fmt.Sprintf("the line discipline cannot be read: %v", err)}
	}
	if *state != *p.fresh {
		return []string{"the line discipline is not what it was (raw mode is on?)"}
	}
	return nil
}

// hangUp tells the processes on the terminal that it is gone, as closing a window does.
func (p *pseudoTerminal) hangUp(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGHUP) }

func (p *pseudoTerminal) kill(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

func (p *pseudoTerminal) close() {
	_ = p.slave.Close()
	_ = p.master.Close()
}

// drainGrace is how long the last output may take to arrive after the program has ended. It is spent only where a
// process that outlives the program holds the terminal open.
const drainGrace = 2 * time.Second

// run carries bytes between the program and the terminal until the program ends, and ends the terminal.
func (c *Command) run() {
	var reader, writer sync.WaitGroup
	reader.Go(func() { _, _ = io.Copy(c.Terminal, c.pty.master) })
	writer.Go(func() { _, _ = io.Copy(c.pty.master, c.input) })

	_ = c.cmd.Wait() // how it ended is in cmd.ProcessState
	c.lineLeftovers = c.pty.leftovers()
	_ = c.pty.slave.Close()
	_ = c.pty.master.SetReadDeadline(time.Now().Add(drainGrace))
	reader.Wait()
	_ = c.pty.master.Close()
	c.input.close()
	writer.Wait()
	c.end()
}
