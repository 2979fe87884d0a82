//go:build unix

package mcpserver

import "syscall"

func ownSession(yes bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: yes} }
