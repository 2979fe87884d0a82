package ahpclient

import (
	"slices"
	"time"

	"ahptui/protocol"
)

// History is what the MCP servers of a session went through, as far as this client has seen it: the protocol tells the
// present alone. It is a value that never changes: [History.Snapshot] and [History.Apply] return another one, which shares
// what has stayed the same.
type History struct{ servers map[string]*ServerHistory }

// ServerHistory is what one server went through.
type ServerHistory struct {
	// Events are the latest, oldest first; Forgotten counts those before them.
	Events    []ServerEvent
	Forgotten int

	// Attempts counts the starts that were seen, Succeeded and Failed how they ended. One that is under way, or was
	// stopped, is neither. A request within an attempt that has not ended belongs to it.
	Attempts, Succeeded, Failed int
	// LastStart is how long the last start took that succeeded, without the time that a sign-in was waited for; 0 where
	// that was not seen.
	LastStart time.Duration
	// Problem is the latest event that brought an error or the need of a sign-in; its State is empty where none did.
	Problem ServerEvent

	open attempt // the attempt that has not ended; its zero value: there is none
}

// ServerEvent is something that happened to a server: it came to be in another state, something was asked of it, or both.
type ServerEvent struct {
	// At is when this client learnt of it. Missed: it had happened before, while the client did not look.
	At     time.Time
	Missed bool
	By     Actor
	Asked  ServerRequest         // "": nothing was asked
	State  protocol.McpStateKind // "": it stayed in the state that it was in
	Gone   bool                  // the host does not have the server any more

	Attempt int           // the number of the attempt that it belongs to, 0 if to none
	Took    time.Duration // of the attempt that it ended, without the time that a sign-in was waited for; 0: not known

	// What the host says of the state, cut to what is worth remembering.
	Reason, Resource   string
	Scopes             []string
	ErrorType, Message string
	Blocking           bool // messages wait for the start
}

// ServerRequest is what somebody asked of a server.
type ServerRequest string

// The requests.
const (
	AskedStart      ServerRequest = "start"
	AskedStop       ServerRequest = "stop"
	AskedBackground ServerRequest = "background" // messages are not to wait for the start
	AskedEnable     ServerRequest = "enable"
	AskedDisable    ServerRequest = "disable"
)

// Actor is who caused an event.
type Actor struct {
	Kind ActorKind
	Name string // of another client, where it has said one
}

// ActorKind tells the causes of an event apart.
type ActorKind string

// The kinds of actors.
const (
	ByHost   ActorKind = "host"
	ByUs     ActorKind = "us"     // this client
	ByClient ActorKind = "client" // another one
)

// The bounds of a history.
const (
	maxServerEvents = 64
	maxServers      = 500
	maxEventText    = 300 // bytes of a text
	maxEventScopes  = 32
)

// attempt is a start that is under way.
type attempt struct {
	began  time.Time // zero: there is none
	missed bool      // it began before it was seen
	// asked is since when a sign-in is waited for, waited for how long that was done before.
	asked  time.Time
	waited time.Duration
}

// Server is the history of a server, nil where nothing was seen of it.
func (h History) Server(id string) *ServerHistory { return h.servers[id] }

// Last is the event that brought the state that the server is in; ok is false where that was forgotten.
func (h *ServerHistory) Last() (e ServerEvent, ok bool) {
	for _, e := range slices.Backward(h.Events) {
		if e.State != "" {
			return e, true
		}
	}
	return ServerEvent{}, false
}

func (h *ServerHistory) gone() bool { return len(h.Events) > 0 && h.Events[len(h.Events)-1].Gone }

// ReadySince is since when the server is ready; ok is false where it is not.
func (h *ServerHistory) ReadySince() (since time.Time, ok bool) {
	last, ok := h.Last()
	return last.At, ok && last.State == protocol.McpReady && !h.gone()
}

// CurrentProblem is what the server suffers from now; ok is false where it is nothing.
func (h *ServerHistory) CurrentProblem() (e ServerEvent, ok bool) {
	last, ok := h.Last()
	return last, ok && last.problem() && !h.gone()
}

func (e ServerEvent) problem() bool {
	return e.State == protocol.McpError || e.State == protocol.McpAuthRequired
}

// Starting reports whether a start has not ended yet, since when it is under way, and whether it began unseen before that.
func (h *ServerHistory) Starting() (since time.Time, missed, ok bool) {
	return h.open.began, h.open.missed, !h.open.began.IsZero()
}
