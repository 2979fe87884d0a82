package proctree

import (
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Tree is a process with its descendants, held together by a job object
// (https://learn.microsoft.com/windows/win32/procthread/job-objects).
type Tree struct{ job windows.Handle }

// Detach makes cmd, which is not started yet, lead a process group of its own
// without a console.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
}

// Start starts the process, which was detached, and puts it into a job that ends with us. What
// the process starts before it is in the job is not in the job; there is a
// moment for that, which the system's API leaves open.
func Start(cmd *exec.Cmd) (*Tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create job object: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("set up job object: %w", err)
	}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, h)
		_ = windows.CloseHandle(h)
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("assign process to job object: %w", err)
	}
	return &Tree{job: job}, nil
}

// Terminate does nothing: without a console there is no way to ask.
func (t *Tree) Terminate() {}

// Kill ends all processes of the tree.
func (t *Tree) Kill() { _ = windows.TerminateJobObject(t.job, 1) }

// Release frees what holds the tree together. Call it last.
func (t *Tree) Release() { _ = windows.CloseHandle(t.job) }

// Alive reports whether anything is left of the tree.
func (t *Tree) Alive() bool {
	var info jobAccounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.activeProcesses > 0
}

// jobAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of winnt.h.
type jobAccounting struct {
	totalUserTime, totalKernelTime           int64
	thisPeriodUserTime, thisPeriodKernelTime int64
	totalPageFaults, totalProcesses          uint32
	activeProcesses, totalTerminated         uint32
}
