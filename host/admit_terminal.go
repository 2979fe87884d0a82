package host

import (
	"errors"
	"fmt"

	"ahptui/protocol"
)

var errTerminalExited = errors.New("the terminal's program has ended")

func (t *console) admit(h *Host, c *client, a protocol.Action) (protocol.Action, error) {
	if err := h.mayUse(c, t); err != nil {
		return nil, err
	}
	switch a := a.(type) {
	case *protocol.TerminalInput:
		return a, t.takes(a.Data.Len())
	case *protocol.TerminalResized:
		switch {
		case t.exited():
			return nil, errTerminalExited
		case a.Cols < 1 || a.Cols > maxCells || a.Rows < 1 || a.Rows > maxCells:
			return nil, fmt.Errorf("a terminal has 1 to %d columns and rows", maxCells)
		}
		return a, nil
	case *protocol.TerminalClaimed:
		claim, err := h.claim(c, a.Claim)
		return &protocol.TerminalClaimed{Claim: claim}, err
	case *protocol.TerminalTitleChanged:
		return a, bounded("title", a.Title, 1, maxNameBytes)
	case *protocol.TerminalCleared:
		return a, nil
	}
	return nil, fmt.Errorf("this host does not support %s", a.ActionType())
}

// takes says why the terminal does not take n bytes of input.
func (t *console) takes(n int) error {
	switch {
	case t.exited():
		return errTerminalExited
	case t.term == nil:
		return errors.New("the terminal is still starting")
	case n > maxInputBytes:
		return fmt.Errorf("the input is too large: %d bytes, and %d are taken at once", n, maxInputBytes)
	case n > t.term.Room():
		return errors.New("the terminal's program does not read its input")
	}
	return nil
}

// mayUse: a terminal that another client has is left to that client, as long as
// the host knows it.
func (h *Host) mayUse(c *client, t *console) error {
	has := t.state.Claim
	if has.Kind == protocol.ClaimClient && has.ClientID != c.id && h.clients[has.ClientID] != nil {
		return errors.New("another client has the terminal")
	}
	return nil
}

// claim checks whom a client wants to have a terminal: itself, or a session. It
// returns the claim as it is to be kept.
func (h *Host) claim(c *client, wanted *protocol.TerminalClaim) (*protocol.TerminalClaim, error) {
	if wanted == nil {
		return nil, errors.New("the terminal needs a claim")
	}
	switch wanted.Kind {
	case protocol.ClaimClient:
		if wanted.ClientID != c.id {
			return nil, errors.New("a client can claim a terminal for itself or for a session")
		}
		return &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: c.id}, nil
	case protocol.ClaimSession:
		s := h.sessions[wanted.Session]
		if s == nil {
			return nil, errors.New("the claim names no session of this host")
		}
		claim := &protocol.TerminalClaim{Kind: protocol.ClaimSession, Session: s.uri, Chat: wanted.Chat, TurnID: wanted.TurnID, ToolCallID: wanted.ToolCallID}
		if claim.Chat == "" { // which up to 0.8 it cannot name
			claim.Chat = s.main().uri
		}
		if ch := h.chat(claim.Chat); ch == nil || ch.session != s || len(claim.TurnID)+len(claim.ToolCallID) > maxURIBytes {
			return nil, errors.New("the claim names no chat of the session")
		}
		return claim, nil
	}
	return nil, fmt.Errorf("there are no claims of kind %s", firstLine(wanted.Kind, 50))
}

func (t *console) carryOut(h *Host, a protocol.Action, origin *protocol.ActionOrigin) {
	switch a := a.(type) {
	case *protocol.TerminalInput:
		t.term.Write(a.Data.String())
		// What somebody types is nobody else's business, and changes no state.
		h.publish(sent{Envelope: &protocol.Envelope{Channel: t.uri, Action: a, Origin: origin}, only: origin.ClientID})
		return
	case *protocol.TerminalResized:
		if t.term != nil {
			if err := t.term.Resize(a.Cols, a.Rows); err != nil {
				h.log.Debug("a terminal keeps its size", "err", err)
			}
		}
	}
	h.apply(t.uri, a, origin)
}
