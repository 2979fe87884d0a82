package ahpclient

import (
	"maps"
	"slices"
	"time"

	"ahptui/protocol"
)

// Phase is the state of the connection.
type Phase string

// The phases.
const (
	Connecting   Phase = "connecting"   // it was not up yet
	Connected    Phase = "connected"    // in step with the host
	Reconnecting Phase = "reconnecting" // it was lost; what is shown is stale
	Failed       Phase = "failed"       // it will not be tried again: Err says why
	Closed       Phase = "closed"       // it was ended from this side
)

// Connection describes the connection itself.
type Connection struct {
	Phase   Phase
	Since   time.Time // of the phase
	Err     error     // why it was lost, or why the last attempt failed
	Attempt int       // attempts in a row that failed, or did not last
	Retry   time.Time // when the next attempt starts; zero while none is waited for
	Version protocol.Version
	Host    *protocol.Implementation // what the host calls itself, if it does
	Latency time.Duration            // of a recent ping, 0 if none was answered
	Default protocol.URI             // the host's default directory
	// Greeting is what else the host said of itself: telemetry channels, say, and
	// whether it has automations. It is without the snapshots, and nil before the
	// first one.
	Greeting *protocol.InitializeResult
}

// View is everything the client knows, at one moment. It is immutable; what has
// not changed since the view before has kept its pointer.
type View struct {
	Connection Connection
	Root       *protocol.RootState        // nil before the first snapshot
	Sessions   []*protocol.SessionSummary // newest change first
	Listed     bool                       // Sessions was listed at least once
	ListErr    error                      // why Sessions was not listed, or is not whole
	Channels   map[protocol.URI]*Channel
	Ages       protocol.Ages
	Notices    []Notice // oldest first, the last few only
	Auth       []Auth   // the host's protected resources, by name

	// blocked is what waits in each open session; sessions where nothing does
	// are not in it. It is nil in a view that the store did not make.
	blocked map[protocol.URI][]protocol.Block
}

// Channel is a subscribed channel.
type Channel struct {
	URI  protocol.URI
	Kind protocol.ChannelKind
	// State is the optimistic state: Confirmed with Pending on top. Both are
	// nil before the first snapshot.
	State     protocol.ChannelState
	Confirmed protocol.ChannelState
	Pending   []*Ticket
	Stale     bool  // the connection was lost, and no newer state has come since
	Err       error // why there is no state, or no newer one
	Unknown   int   // how many actions since the last snapshot are not known here
	// History is what the servers of a session went through, as the host has
	// confirmed it.
	History History
}

// Session is the optimistic state of a session channel, or nil.
func (v *View) Session(uri protocol.URI) *protocol.SessionState {
	if c := v.Channels[uri]; c != nil {
		s, _ := c.State.(*protocol.SessionState)
		return s
	}
	return nil
}

// Chat is the optimistic state of a chat channel, or nil.
func (v *View) Chat(uri protocol.URI) *protocol.ChatState {
	if c := v.Channels[uri]; c != nil {
		s, _ := c.State.(*protocol.ChatState)
		return s
	}
	return nil
}

// Chats are the optimistic states of a session's subscribed chats.
func (v *View) Chats(s *protocol.SessionState) map[protocol.URI]*protocol.ChatState {
	chats := make(map[protocol.URI]*protocol.ChatState, len(s.Chats))
	for _, c := range s.Chats {
		if chat := v.Chat(c.Resource); chat != nil {
			chats[c.Resource] = chat
		}
	}
	return chats
}

// Summary is a session's entry in the list, or nil.
func (v *View) Summary(uri protocol.URI) *protocol.SessionSummary {
	for _, s := range v.Sessions {
		if s.Resource == uri {
			return s
		}
	}
	return nil
}

// Blocked lists what waits for a person in the subscribed sessions, in the
// order of the session list. Sessions that are not listed (a host may list one
// only after its first message) come last.
func (v *View) Blocked() []protocol.Block {
	blocked := maps.Clone(v.blocked)
	if v.blocked == nil {
		blocked = v.findBlocked()
	}
	var list []protocol.Block
	if len(blocked) > 1 { // else the order is clear
		for _, summary := range v.Sessions {
			if blocks, ok := blocked[summary.Resource]; ok {
				list = append(list, blocks...)
				delete(blocked, summary.Resource)
			}
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(blocked)) {
		list = append(list, blocked[uri]...)
	}
	return list
}

func (v *View) findBlocked() map[protocol.URI][]protocol.Block {
	blocked := map[protocol.URI][]protocol.Block{}
	for uri := range v.Channels {
		if blocks := v.BlockedIn(uri); len(blocks) > 0 {
			blocked[uri] = blocks
		}
	}
	return blocked
}

// BlockedIn lists what waits for a person in one subscribed session.
func (v *View) BlockedIn(uri protocol.URI) []protocol.Block {
	if v.blocked != nil {
		return slices.Clip(v.blocked[uri])
	}
	if s := v.Session(uri); s != nil {
		return protocol.Blocked(uri, s, v.Chats(s))
	}
	return nil
}

// Notice is something the person should know that no state shows. No two
// notices of a client have the same time; later ones have later times.
type Notice struct {
	At      time.Time
	Kind    NoticeKind
	Channel protocol.URI
	Action  string // the type of the action it is about, if any
	Text    string // a peer may have written part of it
}

// NoticeKind is the kind of a [Notice].
type NoticeKind string

// The kinds of notices.
const (
	NoticeRejected    NoticeKind = "rejected"    // the host refused an action; Text is its reason
	NoticeExpired     NoticeKind = "expired"     // an action got no answer in time
	NoticeUnknown     NoticeKind = "unknown"     // the connection was lost before an action was answered
	NoticeLost        NoticeKind = "lost"        // the connection was lost
	NoticeReconnected NoticeKind = "reconnected" // and is back
	NoticeGone        NoticeKind = "gone"        // a channel that was open is not there any more
	NoticeAuth        NoticeKind = "auth"        // an agent needs a sign-in; Text names the resource
	NoticeMalformed   NoticeKind = "malformed"   // a message could not be read; all that is open is read anew
)
