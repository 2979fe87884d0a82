package host

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"ahptui/host/terminal"
	"ahptui/host/worktree"
	"ahptui/protocol"
)

// A session is a session of the host, with its chats and its servers.
type session struct {
	uri       protocol.URI
	state     *protocol.SessionState
	chats     []*chat // in the order of the catalogue; at least one
	agent     Agent
	createdAt string
	servers   map[string]*server // by the id of their customization
	changeset *changeset         // nil: its directory is in no working tree
	notes     *annotations
	announced *protocol.SessionSummary // as the clients know it
	allowed   map[string]bool          // tools that need no confirmation any more, by server id and name
}

// SessionSpec describes a session that is there from the start.
type SessionSpec struct {
	URI       protocol.URI // of the session
	Chat      protocol.URI // of its default chat
	Provider  string       // of an agent that was added
	Title     string
	Directory protocol.URI     // "" for none
	Turns     []*protocol.Turn // finished ones, oldest first
	Read      bool             // somebody has seen it
	CreatedAt string           // as the protocol writes times; "" means now
	Servers   []ServerSpec
	// Config are values that differ from those that sessions begin with.
	Config map[string]protocol.Raw
}

// AddSession adds a session and starts its servers. The spec's agent must be
// known, and its URIs new.
func (h *Host) AddSession(spec SessionSpec) {
	tree := h.treeOf(spec.Directory)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.newSession(spec, tree)
	s.state.Lifecycle = protocol.LifecycleReady
	h.announce(s)
	h.startServers(s)
}

// newSession makes a session in the state creating. Its working tree may be nil.
func (h *Host) newSession(spec SessionSpec, tree *worktree.Tree) *session {
	created := cmp.Or(spec.CreatedAt, now())
	var dirs []protocol.URI
	if spec.Directory != "" {
		dirs = []protocol.URI{spec.Directory}
	}
	flags := protocol.Status(0).With(protocol.StatusRead, spec.Read)
	s := &session{uri: spec.URI, agent: h.agents[spec.Provider], createdAt: created, servers: map[string]*server{}, allowed: map[string]bool{}}
	c := s.newChat(spec.Chat, "Chat", &protocol.ChatOrigin{Kind: "user"}, spec.Turns, created)
	s.chats = []*chat{c}
	s.state = &protocol.SessionState{
		Provider: spec.Provider, Title: spec.Title, Status: c.state.Status | flags, Project: project(spec.Directory),
		WorkingDirectories: dirs, Lifecycle: protocol.LifecycleCreating, DefaultChat: spec.Chat,
		ActiveClients: []*protocol.SessionActiveClient{},
		Chats:         []*protocol.ChatSummary{chatSummary(c.state)},
	}
	if h.opts.Terminals && terminal.Supported {
		s.state.ServerTools = []*protocol.ToolDefinition{shellTool()}
	}
	s.state.Customizations = h.newServers(s, spec.Servers)
	config, err := h.sessionConfig(spec.Config)
	if err != nil {
		h.log.Error("a session goes without its configuration", "session", s.uri, "err", err)
		config, _ = h.sessionConfig(nil) // in which nothing can be wrong
	}
	s.state.Config = config
	h.addChangeset(s, tree)
	s.notes = newAnnotations(s)
	h.addChannel(s.notes.uri, s.notes)
	h.sessions[s.uri] = s
	h.addChannel(s.uri, s)
	h.addChannel(c.uri, c)
	return s
}

// project names the directory of a session.
func project(dir protocol.URI) *protocol.ProjectInfo {
	u, err := url.Parse(string(dir))
	if dir == "" || err != nil {
		return nil
	}
	name := path.Base(strings.TrimSuffix(u.Path, "/"))
	return &protocol.ProjectInfo{URI: dir, DisplayName: name}
}

// announce makes a new session known to all clients.
func (h *Host) announce(s *session) {
	s.announced = s.summary()
	h.broadcast("root/sessionAdded", func(v protocol.Version) any {
		return &protocol.SessionAddedParams{Channel: protocol.RootChannel, Summary: protocol.SummaryAt(v, s.announced)}
	})
}

// remove takes a session away. Its servers are returned, still to be closed.
func (h *Host) remove(s *session) []*server {
	delete(h.sessions, s.uri)
	h.removeChannel(s.uri)
	for _, c := range s.chats {
		h.dropChat(c, errSessionGone)
	}
	h.closeConsolesOf(s.uri)
	s.changeset.drop(h)
	h.removeChannel(s.notes.uri)
	h.broadcast("root/sessionRemoved", func(protocol.Version) any {
		return &protocol.SessionRemovedParams{Channel: protocol.RootChannel, Session: s.uri}
	})
	h.countActive()
	servers := make([]*server, 0, len(s.servers))
	for _, srv := range s.servers {
		h.closeSide(srv)
		servers = append(servers, srv)
	}
	return servers
}

func (s *session) summary() *protocol.SessionSummary {
	flags := s.state.Status &^ s.state.Status.Activity()
	return &protocol.SessionSummary{
		Resource: s.uri, Provider: s.state.Provider, Title: s.state.Title,
		Status: s.state.Activity() | flags, Project: s.state.Project,
		WorkingDirectories: s.state.WorkingDirectories,
		CreatedAt:          s.createdAt, ModifiedAt: s.modifiedAt(),
		Changes: s.changeset.summary(), Annotations: s.notes.summary(),
		Chats: s.chatSummaries(), DefaultChat: s.state.DefaultChat,
	}
}

// chatSummaries are the chats as the list of sessions has them.
func (s *session) chatSummaries() []*protocol.SessionChatSummary {
	list := make([]*protocol.SessionChatSummary, 0, len(s.chats))
	for _, c := range s.chats {
		list = append(list, &protocol.SessionChatSummary{Resource: c.uri, Title: c.state.Title, Origin: c.state.Origin, Status: c.state.Status})
	}
	return list
}

// modifiedAt is when something happened last in one of the session's chats.
func (s *session) modifiedAt() string {
	latest := ""
	for _, c := range s.chats {
		latest = max(latest, c.state.ModifiedAt)
	}
	return latest
}

// sorted returns the sessions, the one that changed last first.
func (h *Host) sorted() []*session {
	list := make([]*session, 0, len(h.sessions))
	for _, s := range h.sessions {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *session) int { return compareKeys(a.listKey(), b.listKey()) })
	return list
}

// listKey is the place of a session in the list.
func (s *session) listKey() listKey { return listKey{s.modifiedAt(), s.uri} }

type listKey struct {
	modified string
	uri      protocol.URI
}

func compareKeys(a, b listKey) int {
	return cmp.Or(-strings.Compare(a.modified, b.modified), cmp.Compare(a.uri, b.uri))
}
