package ahpclient

import (
	"cmp"

	"ahptui/internal/jsonrpc"
)

// Limits bound what a host can make a client hold. For zero values there are
// defaults, given below. A host that goes over one loses the connection or the
// channel (its Err is a [*LimitError] then), or what is beyond is dropped and
// counted, as is said with each.
type Limits struct {
	// Of a single message. One of more than FrameBytes (128 MiB) ends the
	// connection. What has more Depth (512), a longer string (StringBytes,
	// 64 MiB), more Elements in one array or object (1,048,576) or more Values
	// in all (4,194,304) costs the channel it is about.
	FrameBytes, Depth, StringBytes, Elements, Values int
	// QueuedFrames (65,536) and QueuedBytes (256 MiB) bound what waits to be
	// sent. A host that does not read loses the connection.
	QueuedFrames, QueuedBytes int

	// Subscriptions bounds the channels that are open (10,000). One more is not
	// subscribed to, and its Err says so.
	Subscriptions int
	// Turns bounds what FetchTurns loads of one chat (100,000): it has no more
	// than twice as many. StateBytes bounds the states of all channels (1 GiB),
	// as counted in what the host sent of them. Beyond, fresh snapshots replace
	// what has grown; what is too much even so costs the channel.
	Turns, StateBytes int
	// Kept and KeptBytes bound the actions that wait for the snapshot of their
	// channel (1,000 and 16 MiB). Beyond, another snapshot is needed.
	Kept, KeptBytes int
	// Sessions and SessionBytes bound the session list (100,000 and 256 MiB).
	// The rest is not shown.
	Sessions, SessionBytes int
	// Pending bounds the dispatched actions without an answer (10,000). One more
	// is not sent.
	Pending int
	// Notices are the last ones that are held (50).
	Notices int
	// Listeners bounds the listeners (1,000), Events and EventBytes what waits
	// for each (1,000 and 16 MiB): older events make way, and are counted.
	Listeners, Events, EventBytes int
	// Requests bounds the host's requests that are being answered (16). More are
	// refused at once.
	Requests int
}

// LimitError says that the host went over one of the [Limits].
type LimitError = jsonrpc.LimitError

func (l Limits) withDefaults() Limits {
	l.FrameBytes = cmp.Or(l.FrameBytes, jsonrpc.DefaultMaxMessageBytes)
	l.Subscriptions = cmp.Or(l.Subscriptions, 10_000)
	l.Turns = cmp.Or(l.Turns, 100_000)
	l.StateBytes = cmp.Or(l.StateBytes, 1<<30)
	l.Kept = cmp.Or(l.Kept, 1000)
	l.KeptBytes = cmp.Or(l.KeptBytes, 16<<20)
	l.Sessions = cmp.Or(l.Sessions, 100_000)
	l.SessionBytes = cmp.Or(l.SessionBytes, 256<<20)
	l.Pending = cmp.Or(l.Pending, 10_000)
	l.Notices = cmp.Or(l.Notices, 50)
	l.Listeners = cmp.Or(l.Listeners, 1000)
	l.Events = cmp.Or(l.Events, 1000)
	l.EventBytes = cmp.Or(l.EventBytes, 16<<20)
	l.Requests = cmp.Or(l.Requests, 16)
	return l
}

// peer are the options of a connection that is bounded like this.
func (l Limits) peer() jsonrpc.Options {
	return jsonrpc.Options{
		Limits: jsonrpc.Limits{
			Bytes: l.FrameBytes, Depth: l.Depth, StringBytes: l.StringBytes, Elements: l.Elements, Values: l.Values,
		},
		MaxQueuedBytes: l.QueuedBytes, MaxQueuedMessages: l.QueuedFrames,
	}
}

// What a host can have too much of, in words.
const (
	tooManyChannels  = "channels that are open"
	tooManyTurns     = "turns of a chat"
	tooManyBytes     = "bytes of state"
	tooManyPending   = "actions that are not answered"
	tooManyListeners = "listeners"
)

// The bounds of what is too small to be worth a limit of its own.
const (
	maxText      = 1000     // bytes of one reason, notice or error text
	maxListPages = 100      // pages of the session list
	maxVersions  = 16       // versions that a refusal names
	maxResources = 64       // protected resources that a refusal or the host's notifications name
	maxMetadata  = 64 << 10 // bytes of one that is remembered
)
