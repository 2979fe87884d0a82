//go:build !unix

package testkit

import (
	"errors"
	"os/exec"
)

const havePseudoTerminals = false

// pseudoTerminal does not exist on this system; no value of it is ever made.
type pseudoTerminal struct{}

func openPseudoTerminal(Size) (*pseudoTerminal, error) {
	return nil, errors.New("this system has none")
}

func (p *pseudoTerminal) start(*exec.Cmd) error { return errors.ErrUnsupported }
func (p *pseudoTerminal) resize(Size) error     { return errors.ErrUnsupported }
func (p *pseudoTerminal) hangUp(*exec.Cmd)      {}
func (p *pseudoTerminal) kill(*exec.Cmd)        {}
func (p *pseudoTerminal) close()                {}

func (c *Command) run() { c.end() }
