package host

import (
	"errors"
	"fmt"
	"slices"

	"ahptui/protocol"
)

// admit checks an action of a client against the rules of the protocol and of
// this host. It returns the action as it is to be applied, in the form that it has
// inside and with what the client left out; or why it is refused, in words for a
// person.
func (h *Host) admit(c *client, ch channel, a protocol.Action) (protocol.Action, error) {
	typ := a.ActionType()
	if u, unknown := a.(*protocol.UnknownAction); unknown && u.Err != nil {
		return nil, fmt.Errorf("the action %s cannot be read", firstLine(typ, 100))
	}
	if !protocol.ClientMay(c.version, typ) {
		return nil, fmt.Errorf("clients may not dispatch %s", firstLine(typ, 100))
	}
	if protocol.KindOfAction(typ) != ch.kind() {
		return nil, fmt.Errorf("%s is no action of this channel", typ)
	}
	return ch.admit(h, c, a)
}

func (s *session) admit(_ *Host, c *client, a protocol.Action) (protocol.Action, error) {
	switch a := a.(type) {
	case *protocol.SessionMcpServerStartRequested:
		return a, s.mayStart(a.ID)
	case *protocol.SessionMcpServerStopRequested:
		_, err := s.findServer(a.ID)
		return a, err
	case *protocol.SessionMcpServerBackgroundRequested:
		entry, err := s.findServer(a.ID)
		if err == nil && (entry.StateKind() != protocol.McpStarting || !isTrue(entry.State.Blocking)) {
			err = fmt.Errorf("no message waits for %s", entry.Name)
		}
		return a, err
	case *protocol.SessionCustomizationToggled:
		return s.admitToggle(c.version, a)
	case *protocol.SessionTitleChanged:
		return a, bounded("title", a.Title, 1, 1000)
	case *protocol.SessionActiveClientSet:
		if a.ActiveClient == nil || a.ActiveClient.ClientID != c.id {
			return nil, errors.New("a client can join as itself only")
		}
		joined := slices.ContainsFunc(s.state.ActiveClients, func(c *protocol.SessionActiveClient) bool { return c.ClientID == a.ActiveClient.ClientID })
		if !joined && len(s.state.ActiveClients) >= maxActiveClients {
			return nil, errors.New("too many clients take part in the session")
		}
		return a, checkActiveClient(a.ActiveClient)
	case *protocol.SessionActiveClientRemoved:
		if a.ClientID != c.id {
			return nil, errors.New("a client can leave for itself only")
		}
		return a, nil
	case *protocol.SessionIsReadChanged, *protocol.SessionIsArchivedChanged:
		return a, nil
	case *protocol.SessionConfigChanged:
		return s.admitConfig(a)
	case *protocol.SessionWorkingDirectorySet, *protocol.SessionWorkingDirectoryRemoved, *protocol.SessionWorkingDirectoryReplaced:
		return nil, errors.New("the session's directory is fixed")
	}
	return nil, fmt.Errorf("this host does not support %s", a.ActionType())
}

func (s *session) findServer(id string) (protocol.Server, error) {
	entry, ok := protocol.ServerByID(s.state, id)
	if !ok || s.servers[id] == nil {
		return entry, fmt.Errorf("the session has no MCP server %s", firstLine(id, 100))
	}
	return entry, nil
}

// mayStart: an entry that is switched off is not started, because starting says
// nothing about the decision that it is off.
func (s *session) mayStart(id string) error {
	entry, err := s.findServer(id)
	switch {
	case err != nil:
		return err
	case !entry.On():
		return fmt.Errorf("%s is disabled: enable it first", entry.Name)
	case !entry.Effective():
		return fmt.Errorf("%s belongs to %s, which is disabled: enable that first", entry.Name, entry.Container.Name)
	}
	return nil
}

// admitToggle gives the decision the form that it has inside.
func (s *session) admitToggle(v protocol.Version, a *protocol.SessionCustomizationToggled) (protocol.Action, error) {
	entry := findCustomization(s.state.Customizations, a.ID)
	switch {
	case entry == nil:
		return nil, fmt.Errorf("the session has no customization %s", firstLine(a.ID, 100))
	case !v.AtLeast(protocol.V0_5_2) && !slices.Contains(s.state.Customizations, entry):
		return nil, fmt.Errorf("at %v nothing inside a container is switched", v)
	case a.Enablement == nil && a.Enabled == nil:
		return nil, errors.New("the action says neither on nor off")
	case a.Enablement == nil:
		return protocol.Toggle(inner, entry, *a.Enabled), nil
	case len(a.Enablement) > 16:
		return nil, errors.New("that are too many decisions")
	}
	return &protocol.SessionCustomizationToggled{ID: a.ID, Enablement: a.Enablement}, nil
}

// findCustomization finds the entry that a toggle changes.
func findCustomization(list []*protocol.Customization, id string) *protocol.Customization {
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	for _, c := range list {
		for _, child := range c.Children {
			if child.ID == id {
				return child
			}
		}
	}
	return nil
}

// bounded checks the length of a text in bytes.
func bounded(name, text string, least, most int) error {
	if n := len(text); n < least || n > most {
		return fmt.Errorf("the %s must have %d to %d bytes, it has %d", name, least, most, n)
	}
	return nil
}
