//go:build unix

package terminal

import (
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openPty opens a pseudo terminal of a size: our side of it, which is polled, so
// that closing it wakes whoever reads or writes; and the program's.
func openPty(cols, rows int) (ours, theirs *os.File, err error) {
	blocking, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open a pseudo terminal: %w", err)
	}
	defer func() { _ = blocking.Close() }() // ours stands for the same thing
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		if err = unix.SetNonblock(fd, true); err == nil {
			ours = os.NewFile(uintptr(fd), blocking.Name())
			err = resize(ours, cols, rows)
		}
	}
	if err == nil {
		return ours, theirs, nil
	}
	if ours != nil {
		_ = ours.Close()
	} else if fd > 0 {
		_ = unix.Close(fd)
	}
	_ = theirs.Close()
	return nil, nil, fmt.Errorf("set up a pseudo terminal: %w", err)
}

// resize sets the size of a terminal in character cells.
func resize(ours *os.File, cols, rows int) error {
	conn, err := ours.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	err = conn.Control(func(fd uintptr) {
		failure = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
	if err != nil {
		return err
	}
	return failure
}
