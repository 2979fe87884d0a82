package host

import (
	"errors"
	"fmt"

	"ahptui/protocol"
)

// maxAttachments bounds what goes with a message.
const maxAttachments = 100

// What follows runs under the host's lock.

// admitMessage checks what a client says in a user's name. It returns the message as
// it is to be kept.
func (h *Host) admitMessage(m *protocol.Message) (*protocol.Message, error) {
	switch {
	case m == nil:
		return nil, errors.New("there is no message")
	case m.Origin.Kind != "" && m.Origin.Kind != protocol.OriginUser:
		return nil, errors.New("a client can speak for its user only")
	case len(m.Attachments) > maxAttachments:
		return nil, fmt.Errorf("a message has at most %d attachments", maxAttachments)
	}
	if err := bounded("message", m.Text.String(), 1, maxTextBytes); err != nil {
		return nil, err
	}
	return h.pinned(byUser(m))
}

// byUser is a message that says whose it is, which a client may leave out.
func byUser(m *protocol.Message) *protocol.Message {
	if m == nil || m.Origin.Kind != "" {
		return m
	}
	said := *m
	said.Origin.Kind = protocol.OriginUser
	return &said
}

// pinned is a message whose attached chats end where they end now: at the turn that
// is named, or else at the last one that is finished.
func (h *Host) pinned(m *protocol.Message) (*protocol.Message, error) {
	var fresh []*protocol.MessageAttachment
	for i, a := range m.Attachments {
		if a.Type != protocol.AttachmentChat {
			continue
		}
		c := h.chat(a.Resource)
		switch {
		case c == nil:
			return nil, fmt.Errorf("there is no chat %s to attach", firstLine(string(a.Resource), 200))
		case a.EndTurn != "" && turnIndex(c.state.Turns, a.EndTurn) < 0:
			return nil, errors.New("the attached chat has no such finished turn")
		case a.EndTurn == "" && len(c.state.Turns) == 0:
			return nil, errors.New("the attached chat has no finished turn")
		case a.EndTurn != "":
			continue
		}
		end := *a
		end.EndTurn = c.state.Turns[len(c.state.Turns)-1].ID
		if fresh == nil {
			fresh = append(fresh, m.Attachments...)
		}
		fresh[i] = &end
	}
	if fresh == nil {
		return m, nil
	}
	message := *m
	message.Attachments = fresh
	return &message, nil
}

// checkDraft: what is being written may be empty, or absent.
func checkDraft(m *protocol.Message) error {
	switch {
	case m == nil:
		return nil
	case m.Origin.Kind != "" && m.Origin.Kind != protocol.OriginUser:
		return errors.New("a client can draft for its user only")
	case len(m.Attachments) > maxAttachments:
		return fmt.Errorf("a draft has at most %d attachments", maxAttachments)
	}
	return bounded("draft", m.Text.String(), 0, maxTextBytes)
}
