package host

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"ahptui/protocol"
)

// A session is a session of the host, with its one chat and its servers.
type session struct {
	uri       protocol.URI
	state     *protocol.SessionState
	chat      *chat
	agent     Agent
	createdAt string
	born      int64                    // the number that the host was at when it came to be
	servers   map[string]*server       // by the id of their customization
	announced *protocol.SessionSummary // as the clients know it
	allowed   map[string]bool          // tools that need no confirmation any more, by server id and name
}

// A chat is the chat of a session.
type chat struct {
	uri     protocol.URI
	session *session
	state   *protocol.ChatState
	run     *run // nil: no turn runs
}

// SessionSpec describes a session that is there from the start.
type SessionSpec struct {
	URI       protocol.URI // of the session
	Chat      protocol.URI // of its chat
	Provider  string       // of an agent that was added
	Title     string
	Directory protocol.URI     // "" for none
	Turns     []*protocol.Turn // finished ones, oldest first
	Read      bool             // somebody has seen it
	CreatedAt string           // as the protocol writes times; "" means now
	Servers   []ServerSpec
}

// AddSession adds a session and starts its servers. The spec's agent must be
// known, and its URIs new.
func (h *Host) AddSession(spec SessionSpec) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.newSession(spec)
	s.state.Lifecycle = protocol.LifecycleReady
	h.announce(s)
	h.startServers(s)
}

// chatTitle is the title of the one chat: the protocol has no action that would
// keep it in line with the session's.
const chatTitle = "Chat"

// newSession makes a session in the state creating.
func (h *Host) newSession(spec SessionSpec) *session {
	created := cmp.Or(spec.CreatedAt, now())
	var dirs []protocol.URI
	if spec.Directory != "" {
		dirs = []protocol.URI{spec.Directory}
	}
	flags := protocol.Status(0).With(protocol.StatusRead, spec.Read)
	status, modified := protocol.StatusIdle, created
	if n := len(spec.Turns); n > 0 {
		last := spec.Turns[n-1]
		modified = endedAt(last, created)
		if last.State == protocol.TurnError {
			status = protocol.StatusError
		}
	}
	h.seq++ // so that who has seen its number knows this session, and not one that had its URI before
	s := &session{
		uri: spec.URI, agent: h.agents[spec.Provider], createdAt: created, born: h.seq,
		servers: map[string]*server{}, allowed: map[string]bool{},
	}
	s.chat = &chat{uri: spec.Chat, session: s, state: &protocol.ChatState{
		Resource: spec.Chat, Title: chatTitle, Status: status, ModifiedAt: modified,
		Origin: &protocol.ChatOrigin{Kind: "user"}, Turns: spec.Turns,
	}}
	if s.chat.state.Turns == nil {
		s.chat.state.Turns = []*protocol.Turn{}
	}
	s.state = &protocol.SessionState{
		Provider: spec.Provider, Title: spec.Title, Status: status | flags, Project: project(spec.Directory),
		WorkingDirectories: dirs, Lifecycle: protocol.LifecycleCreating, DefaultChat: spec.Chat,
		ActiveClients: []*protocol.SessionActiveClient{},
		Chats:         []*protocol.ChatSummary{chatSummary(s.chat.state)},
	}
	s.state.Customizations = h.newServers(s, spec.Servers)
	h.sessions[s.uri], h.chats[s.chat.uri] = s, s.chat
	return s
}

// endedAt is when a finished turn ended.
func endedAt(t *protocol.Turn, otherwise string) string {
	started, ok := protocol.ParseTime(t.StartedAt)
	if !ok || t.Duration == nil {
		return otherwise
	}
	return protocol.FormatTime(started.Add(millis(*t.Duration)))
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
	s.chat.stop(errSessionGone)
	delete(h.sessions, s.uri)
	delete(h.chats, s.chat.uri)
	for _, c := range h.clients {
		delete(c.subscribed, s.uri)
		delete(c.subscribed, s.chat.uri)
	}
	h.broadcast("root/sessionRemoved", func(protocol.Version) any {
		return &protocol.SessionRemovedParams{Channel: protocol.RootChannel, Session: s.uri}
	})
	h.countActive()
	servers := make([]*server, 0, len(s.servers))
	for _, srv := range s.servers {
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
		CreatedAt:          s.createdAt, ModifiedAt: s.chat.state.ModifiedAt,
	}
}

func chatSummary(c *protocol.ChatState) *protocol.ChatSummary {
	return &protocol.ChatSummary{Resource: c.Resource, Title: c.Title, Status: c.Status, ModifiedAt: c.ModifiedAt, Origin: c.Origin}
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
func (s *session) listKey() listKey { return listKey{s.chat.state.ModifiedAt, s.uri} }

type listKey struct {
	modified string
	uri      protocol.URI
}

func compareKeys(a, b listKey) int {
	return cmp.Or(-strings.Compare(a.modified, b.modified), cmp.Compare(a.uri, b.uri))
}
