package ahpclient

import (
	"time"

	"ahptui/protocol"
)

// Phase is the state of the connection.
type Phase string

// The phases.
const (
	Connecting   Phase = "connecting"   // the first attempt is under way
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
	Attempt int       // failed attempts since it was last up
	Retry   time.Time // when the next attempt starts, while waiting for it
	Version protocol.Version
	Host    *protocol.Implementation // what the host calls itself, if it does
	Latency time.Duration            // of the last ping, 0 if none
	Default protocol.URI             // the host's default directory
}

// View is everything the client knows, at one moment. It is immutable; what has
// not changed since the view before has kept its pointer.
type View struct {
	Connection Connection
	Root       *protocol.RootState        // nil before the first snapshot
	Sessions   []*protocol.SessionSummary // newest change first
	Listed     bool                       // Sessions was listed at least once
	Channels   map[protocol.URI]*Channel
	Ages       protocol.Ages
	Notices    []Notice // oldest first, the last few only
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
	Stale     bool  // the connection was lost since the last message
	Err       error // why there is no state
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
// order of the session list.
func (v *View) Blocked() []protocol.Block {
	var list []protocol.Block
	for _, summary := range v.Sessions {
		list = append(list, v.BlockedIn(summary.Resource)...)
	}
	for uri, c := range v.Channels {
		if c.Kind == protocol.SessionKind && v.Summary(uri) == nil { // not listed before its first message
			list = append(list, v.BlockedIn(uri)...)
		}
	}
	return list
}

// BlockedIn lists what waits for a person in one subscribed session.
func (v *View) BlockedIn(uri protocol.URI) []protocol.Block {
	if s := v.Session(uri); s != nil {
		return protocol.Blocked(uri, s, v.Chats(s))
	}
	return nil
}

// Notice is something the person should know that no state shows.
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
	NoticeGone        NoticeKind = "gone"        // a channel is not there any more
	NoticeAuth        NoticeKind = "auth"        // an agent needs a sign-in; Text names the resource
)

// maxNotices bounds the notices that are kept.
const maxNotices = 50
