package protocol

import (
	"reflect"
	"slices"
)

// reduceCustomizations handles a session's customizations and MCP servers.
func reduceCustomizations(p Profile, s *SessionState, a Action) *SessionState {
	list := s.Customizations
	switch a := a.(type) {
	case *SessionCustomizationsChanged:
		if list = present(a.Customizations); reflect.DeepEqual(list, s.Customizations) {
			return s
		}
	case *SessionCustomizationUpdated:
		if a.Customization == nil {
			return s
		}
		list = upserted(list, a.Customization, func(c *Customization) bool { return c.ID == a.Customization.ID })
	case *SessionCustomizationRemoved:
		list = removeCustomization(list, a.ID)
	case *SessionCustomizationToggled:
		list = toggleCustomization(p, list, a)
	case *SessionMcpServerStateChanged:
		if a.State == nil {
			return s
		}
		list = updateServers(list, a.ID, func(c *Customization) { c.State, c.Channel = a.State, a.Channel })
	case *SessionMcpServerStartRequested:
		list = updateServers(list, a.ID, func(c *Customization) {
			c.State, c.Channel = &McpServerState{Kind: McpStarting}, ""
		})
	case *SessionMcpServerStopRequested:
		list = updateServers(list, a.ID, func(c *Customization) {
			c.State, c.Channel = &McpServerState{Kind: McpStopped}, ""
		})
	case *SessionMcpServerBackgroundRequested:
		list = updateServers(list, a.ID, background)
	}
	if sameList(list, s.Customizations) {
		return s
	}
	return changed(s, func(s *SessionState) { s.Customizations = list })
}

// sameList reports whether two lists have the same elements by identity.
func sameList[T comparable](a, b []T) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

func background(c *Customization) {
	if s := c.State; s != nil && s.Kind == McpStarting && s.Blocking != nil && *s.Blocking {
		c.State = changed(s, func(s *McpServerState) { s.Blocking = new(bool) })
	}
}

// removeCustomization takes the entry away at the top level, else the child in
// every container that has it. A container keeps an emptied list of children.
func removeCustomization(list []*Customization, id string) []*Customization {
	isIt := func(c *Customization) bool { return c.ID == id }
	if rest, ok := without(list, isIt); ok {
		return rest
	}
	for i, c := range list {
		if children, ok := without(c.Children, isIt); ok {
			list = replaced(list, i, changed(c, func(c *Customization) { c.Children = children }))
		}
	}
	return list
}

// toggleCustomization switches the entry at the top level, else the child in
// the first container that has it.
func toggleCustomization(p Profile, list []*Customization, a *SessionCustomizationToggled) []*Customization {
	isIt := func(c *Customization) bool { return c.ID == a.ID }
	if i := slices.IndexFunc(list, isIt); i >= 0 {
		return replaced(list, i, toggled(list[i], a))
	}
	if !p.togglesChildren() {
		return list
	}
	for i, c := range list {
		if c.Type == TypeMcpServer {
			continue
		}
		if k := slices.IndexFunc(c.Children, isIt); k >= 0 {
			child := toggled(c.Children[k], a)
			if child == c.Children[k] {
				return list
			}
			return replaced(list, i, changed(c, func(c *Customization) { c.Children = replaced(c.Children, k, child) }))
		}
	}
	return list
}

// toggled returns c itself where the decision is the one it has.
func toggled(c *Customization, a *SessionCustomizationToggled) *Customization {
	enabled, enablement := a.Enabled, nilIfEmpty(a.Enablement)
	switch {
	case a.Enablement == nil && a.Enabled != nil: // the payload up to 0.7
	case c.Type == TypePlugin || c.Type == TypeMcpServer:
		enabled = nil
	default:
		on := len(a.Enablement) == 0 || a.Enablement[0].Enabled
		enabled, enablement = &on, c.Enablement
	}
	if equal(enabled, c.Enabled) && reflect.DeepEqual(enablement, c.Enablement) {
		return c
	}
	return changed(c, func(c *Customization) { c.Enabled, c.Enablement = enabled, enablement })
}

// updateServers changes the MCP server with this id: at the top level, where an
// entry of another type ends the search, else in every container that has it.
func updateServers(list []*Customization, id string, update func(*Customization)) []*Customization {
	for i, c := range list {
		if c.ID == id {
			if c.Type != TypeMcpServer {
				return list
			}
			return replaced(list, i, updateServer(c, update))
		}
	}
	for i, c := range list {
		children := c.Children
		for k, child := range children {
			if child.ID == id && child.Type == TypeMcpServer {
				children = replaced(children, k, updateServer(child, update))
			}
		}
		if !sameList(children, c.Children) {
			list = replaced(list, i, changed(c, func(c *Customization) { c.Children = children }))
		}
	}
	return list
}

// updateServer returns c itself where update leaves state and channel alone.
func updateServer(c *Customization, update func(*Customization)) *Customization {
	fresh := changed(c, update)
	if fresh.Channel == c.Channel && reflect.DeepEqual(fresh.State, c.State) {
		return c
	}
	return fresh
}
