package ahpclient

import (
	"cmp"
	"context"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// Options say which host a client talks to, and how. Of the zero values only
// that of URL is no good, and with Dial even that.
type Options struct {
	// URL is the WebSocket address of the host, ws:// or wss://. Token is its
	// connection token; it is added when dialling and stripped from errors.
	URL   string
	Token secret.Value
	// Dial replaces the WebSocket, for transports that need no socket.
	Dial func(context.Context) (jsonrpc.Transport, error)
	// Info identifies the program to the host. Locale (BCP 47) is the language
	// in which the host may word its labels; empty leaves that to the host.
	Info   protocol.Implementation
	Locale string
	// McpApps tells the host that views of MCP servers can be shown.
	McpApps bool
	// Offer are the protocol versions to offer, most preferred first; nil means
	// [protocol.Offered]. A host that speaks none of them, but says that it
	// speaks another which this package does, is offered that once.
	Offer []protocol.Version
	// Retry keeps the client trying after the connection failed or was lost.
	// Without it the first failure ends Run.
	Retry bool
	// Patience is how long a dispatched action may stay unanswered, and how
	// long a request may take. 0 means 10 s.
	Patience time.Duration
	// Silence is how long the host may send nothing before it is pinged, Dead
	// how long in all before it is given up; any byte counts. 0 means 5 s and
	// 20 s. Silence is at most half of Dead.
	Silence, Dead time.Duration
	// Terms are how channels are subscribed to where Open names no others.
	Terms Terms
	// Requests answers what the host asks of the client: to read files, say,
	// that a person shares. Without it all is refused.
	Requests Responder
	// Limits bound what the host can make the client hold.
	Limits Limits
}

// Terms are how a channel is subscribed to.
type Terms struct {
	// Turns is about how many of a chat's newest turns the host is asked for;
	// 0 means 200, [AllTurns] all. [Client.FetchTurns] gets the older ones. It is
	// a wish: hosts may send more.
	Turns int
	// Latency is how long the host may hold messages back on purpose, in order
	// to send them together. 0 leaves it to the host, [NoLatency] forbids it.
	Latency time.Duration
}

// The ends of what [Terms] can say.
const (
	AllTurns                = -1
	NoLatency time.Duration = -1
)

const (
	defaultPatience = 10 * time.Second
	defaultSilence  = 5 * time.Second
	defaultDead     = 20 * time.Second
	defaultTurns    = 200
)

func (o Options) withDefaults() Options {
	o.Patience = cmp.Or(o.Patience, defaultPatience)
	o.Dead = cmp.Or(o.Dead, defaultDead)
	o.Silence = min(cmp.Or(o.Silence, defaultSilence), o.Dead/2)
	o.Terms.Turns = cmp.Or(o.Terms.Turns, defaultTurns)
	o.Limits = o.Limits.withDefaults()
	if o.Offer == nil {
		o.Offer = protocol.Offered()
	}
	return o
}

// or takes what is not said here from what others say.
func (t Terms) or(others Terms) Terms {
	return Terms{Turns: cmp.Or(t.Turns, others.Turns), Latency: cmp.Or(t.Latency, others.Latency)}
}

// matter reports whether the terms say anything for a kind of channels.
func (t Terms) matter(kind protocol.ChannelKind) bool {
	return kind == protocol.ChatKind && t.Turns > 0 || t.Latency != 0
}

// params are the parameters of a subscribe on these terms.
func (t Terms) params(uri protocol.URI, kind protocol.ChannelKind) *protocol.SubscribeParams {
	p := &protocol.SubscribeParams{Channel: uri}
	if kind == protocol.ChatKind && t.Turns > 0 {
		turns := float64(t.Turns)
		p.View = &protocol.View{Turns: &turns}
	}
	if t.Latency != 0 {
		ms := max(0, float64(t.Latency)/float64(time.Millisecond))
		p.Delivery = &protocol.Delivery{MaxLatencyMs: &ms}
	}
	return p
}
