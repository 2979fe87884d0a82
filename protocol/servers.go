package protocol

// Server is an MCP server of a session, where it stands.
type Server struct {
	*Customization
	Container *Customization // nil: top level
}

// Effective reports whether the server is meant to run: it and its container are on.
func (s Server) Effective() bool {
	return s.On() && (s.Container == nil || s.Container.On())
}

// Servers collects the MCP servers of a session in the order of its
// customizations: those at the top level and the children of containers. A host
// that repeats an entry (VS Code's does, after a toggle) is heard once: the
// first is the one that reducers change.
func Servers(s *SessionState) []Server {
	var list []Server
	seen := map[[2]string]bool{}
	add := func(c, container *Customization) {
		key := [2]string{"", c.ID}
		if container != nil {
			key[0] = container.ID
		}
		if c.Type == TypeMcpServer && !seen[key] {
			seen[key] = true
			list = append(list, Server{c, container})
		}
	}
	for _, c := range s.Customizations {
		add(c, nil)
		if c.Type != TypeMcpServer {
			for _, child := range c.Children {
				add(child, c)
			}
		}
	}
	return list
}

// ServerByID finds an MCP server of a session; ok is false where there is none.
func ServerByID(s *SessionState, id string) (server Server, ok bool) {
	for _, srv := range Servers(s) {
		if srv.ID == id {
			return srv, true
		}
	}
	return Server{}, false
}

// Unparsed are the containers whose children the host has not read yet: they
// are loading, which is not the same as having no servers.
func Unparsed(s *SessionState) []*Customization {
	var list []*Customization
	for _, c := range s.Customizations {
		container := c.Type == TypePlugin || c.Type == TypeDirectory
		if container && c.Children == nil && (c.Load == nil || c.Load.Kind == "loading") {
			list = append(list, c)
		}
	}
	return list
}
