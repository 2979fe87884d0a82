package tui

import (
	"context"
	"errors"
	"fmt"

	"ahptui/ahpclient"
	"ahptui/protocol"
)

// fakeClient is what the fake host knows the program by.
const fakeClient = "client-1"

// panelHost is what the fake host has for the panels in the place of the chat.
type panelHost struct {
	made     []*protocol.CreateTerminalParams
	disposed []protocol.URI
	contents map[protocol.URI]string // that can be read
	reads    []protocol.URI
	invoked  []*protocol.InvokeChangesetOperationParams
	failure  error // of all of these
}

// ClientID is always the same.
func (h *fakeHost) ClientID() string { return fakeClient }

// CreateTerminal makes a terminal and lists it.
func (h *fakeHost) CreateTerminal(_ context.Context, p *protocol.CreateTerminalParams) (protocol.URI, error) {
	if h.panels.failure != nil {
		return "", h.panels.failure
	}
	uri := protocol.URI(fmt.Sprintf("ahp-terminal:/made-%d", len(h.panels.made)))
	h.panels.made = append(h.panels.made, p)
	h.addTerminal(uri, &protocol.TerminalState{
		Title: "made", Cwd: p.Cwd, Cols: p.Cols, Rows: p.Rows, Content: []*protocol.TerminalPart{},
		Claim: &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: fakeClient}, Lifecycle: &protocol.TerminalLifecycle{Status: protocol.TerminalRunning},
	})
	return uri, nil
}

// addTerminal adds a terminal to the host.
func (h *fakeHost) addTerminal(uri protocol.URI, s *protocol.TerminalState) {
	h.change(func() {
		h.states[uri] = s
		root := *h.root
		root.Terminals = append(root.Terminals[:len(root.Terminals):len(root.Terminals)], &protocol.TerminalInfo{Resource: uri, Title: s.Title, Claim: s.Claim, Lifecycle: s.Lifecycle})
		h.root = &root
	})
}

// DisposeTerminal is noted.
func (h *fakeHost) DisposeTerminal(_ context.Context, uri protocol.URI) error {
	h.panels.disposed = append(h.panels.disposed, uri)
	return h.panels.failure
}

// ReadResource reads what the test has put there.
func (h *fakeHost) ReadResource(_ context.Context, uri protocol.URI) (*ahpclient.Content, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.panels.reads = append(h.panels.reads, uri)
	text, ok := h.panels.contents[uri]
	if !ok {
		return nil, errors.New("there is no such resource")
	}
	return &ahpclient.Content{Data: []byte(text)}, nil
}

// InvokeChangesetOperation is noted.
func (h *fakeHost) InvokeChangesetOperation(_ context.Context, p *protocol.InvokeChangesetOperationParams) (*protocol.InvokeChangesetOperationResult, error) {
	h.panels.invoked = append(h.panels.invoked, p)
	if h.panels.failure != nil {
		return nil, h.panels.failure
	}
	return &protocol.InvokeChangesetOperationResult{Message: protocol.Plain("done by the host")}, nil
}
