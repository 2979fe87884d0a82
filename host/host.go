// Package host is an agent host in small: it speaks the Agent Host Protocol to
// several clients at once and runs real MCP servers. It is the embedded default
// of the program and the partner of its tests; it is no mock.
//
// A [Host] has sessions, each with chats, MCP servers, and an [Agent] that
// answers. One mutex guards all state: every change is an action that is reduced,
// numbered, kept for reconnecting clients, and sent to those who subscribe.
// Inside, everything has the form of one version; what a client gets has the form
// of the version negotiated with it.
package host

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"ahptui/host/terminal"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// Options say how a host is to be.
type Options struct {
	// Versions are the protocol versions that are accepted, exactly these; nil means
	// those of [Versions]. Of several that a client offers the highest is taken.
	Versions []protocol.Version
	// Info identifies the host to its clients.
	Info protocol.Implementation
	// DefaultDirectory is where clients start to browse for a session's directory.
	DefaultDirectory protocol.URI
	// Files says what clients may do with the files below the directories of sessions.
	// With any access at all, sessions whose directory is in a working tree of git show
	// what has changed there.
	Files FileAccess
	// Terminals lets clients, and agents, run programs on terminals of this machine.
	// Whoever can connect can then do what its user can.
	Terminals bool
	// Log gets what goes wrong with connections; nil: nothing does.
	Log *slog.Logger
}

// Versions are the versions that a host speaks, highest first.
func Versions() []protocol.Version {
	return []protocol.Version{
		protocol.V1_0_0, protocol.V0_9_0, protocol.V0_8_0, protocol.V0_7_0,
		protocol.V0_6_0, protocol.V0_5_2, protocol.V0_5_1,
	}
}

// The limits of a host. Beyond them it says no.
const (
	maxConnections   = 64
	maxClients       = 256 // remembered, with a connection or without
	maxSessions      = 200
	maxChats         = 50   // of one session
	maxSubscriptions = 1000 // of one client
	maxURIBytes      = 2 << 10
	maxTextBytes     = 1 << 20 // of a message or a tool's input
	maxActionBytes   = 2 << 20 // of what a client dispatches, attachments and all
	maxQueued        = 100     // messages of one chat
	replayEnvelopes  = 1000
	replayBytes      = 32 << 20
)

// inner is the version whose form everything has inside, profile how the host
// itself reduces.
var (
	inner   = protocol.V1_0_0
	profile = protocol.ProfileOf(inner)
)

// Host is an agent host. Its methods may be called by any goroutine.
type Host struct {
	opts   Options
	log    *slog.Logger
	ctx    context.Context //nolint:containedctx // the host's life, which its turns and connections share
	cancel context.CancelCauseFunc
	work   sync.WaitGroup // connections, turns, and what watches over clients

	mu        sync.Mutex
	closed    bool
	seq       int64
	accepted  int64 // how many connections came so far
	replay    replayBuffer
	tokens    tokens
	root      *root
	channels  map[protocol.URI]channel
	born      map[protocol.URI]int64 // the numbers that the host was at when the channels came to be
	agents    map[string]Agent
	sessions  map[protocol.URI]*session
	terminals []*console               // in the order in which they were made
	sides     map[protocol.URI]*server // by the channels of the ready ones
	clients   map[string]*client
	conns     map[*conn]struct{}
	sockets   []*http.Server
	watches   int           // of clients, those that are being made among them
	slots     chan struct{} // has room for what is carried out at once
}

// ErrClosed is why things end when a host is closed.
var ErrClosed = errors.New("the host was closed")

// New returns a host without agents and sessions. [Host.Close] ends it.
func New(opts Options) *Host {
	if opts.Versions == nil {
		opts.Versions = Versions()
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	none := 0.0
	h := &Host{
		opts:     opts,
		log:      opts.Log,
		ctx:      ctx,
		cancel:   cancel,
		tokens:   tokens{},
		root:     &root{&protocol.RootState{Agents: []*protocol.AgentInfo{}, ActiveSessions: &none, Config: rootConfig()}},
		channels: map[protocol.URI]channel{},
		born:     map[protocol.URI]int64{},
		agents:   map[string]Agent{},
		sessions: map[protocol.URI]*session{},
		sides:    map[protocol.URI]*server{},
		clients:  map[string]*client{},
		conns:    map[*conn]struct{}{},
		slots:    make(chan struct{}, atOnce),
	}
	h.channels[protocol.RootChannel] = h.root
	h.work.Go(h.watch)
	return h
}

// AddAgent makes an agent available under info.Provider. The first one is the
// default for new sessions.
func (h *Host) AddAgent(info *protocol.AgentInfo, a Agent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.agents[info.Provider] = a
	agents := append(slices.Clone(h.root.state.Agents), info)
	h.apply(protocol.RootChannel, &protocol.RootAgentsChanged{Agents: agents}, nil)
}

// Attach serves one connection until it ends or the host is closed, and returns
// why it ended.
func (h *Host) Attach(t jsonrpc.Transport) error {
	c, err := h.connect(t)
	if err != nil {
		_ = t.Close()
		return err
	}
	defer h.work.Done()
	return c.run()
}

// Close ends everything: turns, connections, and the MCP servers and terminals with
// all their processes. It waits until nothing is left, or ctx ends.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	conns := slices.Collect(maps.Keys(h.conns))
	var servers []*server
	for _, s := range h.sessions {
		servers = append(servers, slices.Collect(maps.Values(s.servers))...)
	}
	var terminals []*terminal.Terminal
	for _, t := range h.terminals {
		if t.term != nil {
			terminals = append(terminals, t.term)
		}
	}
	watchers := h.openWatchers()
	h.mu.Unlock()

	h.cancel(ErrClosed)
	for _, w := range watchers {
		w.Close()
	}
	for _, srv := range h.sockets {
		_ = srv.Close() // the listener; connections are not the server's any more
	}
	for _, c := range conns {
		c.peer.Close()
	}
	err := errors.Join(closeServers(ctx, servers), closeTerminals(ctx, terminals))
	ended := make(chan struct{})
	go func() {
		h.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return err
	case <-ctx.Done():
		return errors.Join(err, ctx.Err())
	}
}

// background is the context of connections. It does not end with the host: a
// connection is closed in good order, which takes a moment.
func (h *Host) background() context.Context { return context.WithoutCancel(h.ctx) }

// now is the time as the protocol writes it.
func now() string { return protocol.FormatTime(time.Now()) }
