package ahpclient

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// What of a host's messages is no good is dealt with here: it costs what it is
// about, or has it read anew, and never goes by as if it had not been there.

// overLimit takes a notification that goes over a limit: what it is about is lost.
func (h *handler) overLimit(method string, params protocol.Raw, err *LimitError) {
	var p protocol.ChannelParams
	if protocol.Unmarshal(params, &p) != nil {
		return
	}
	h.client.update(func(s *store) {
		switch {
		case method == "action":
			if c := s.channels[p.Channel]; c != nil && c.kind != "" {
				s.lose(c, err)
			}
		case strings.HasPrefix(method, "root/session"):
			s.sessions.err = err
			s.touch()
		}
	})
}

// unreadable takes an action that makes no sense. Whatever it was to do, a fresh
// snapshot has it.
func (h *handler) unreadable(params protocol.Raw) {
	var p protocol.ChannelParams
	if protocol.Unmarshal(params, &p) != nil {
		return
	}
	h.client.update(func(s *store) {
		if c := s.channels[p.Channel]; c != nil {
			s.doubt(c)
		}
	})
}

// malformed takes an error that no message names. What could not be read may
// have been an action, so all states are in doubt.
func (h *handler) malformed(err error) {
	var said *jsonrpc.Error
	if errors.As(err, &said) {
		return // the host could not read a message of ours; whoever waits for an answer notices
	}
	h.client.update(func(s *store) {
		s.notice(Notice{At: time.Now(), Kind: NoticeMalformed, Text: fmt.Sprintf("the host sent what cannot be read: %v", err)})
		for _, c := range s.channels {
			s.doubt(c)
		}
	})
}
