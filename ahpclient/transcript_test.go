package ahpclient

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// recorded is one line of a transcript: what went over the wire between a
// client and VS Code's agent host, or a remark.
type recorded struct {
	T   float64        `json:"t"`
	Dir string         `json:"dir"`
	Msg jsontext.Value `json:"msg"`
}

// frame is a message, as far as it matters here.
type frame struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *jsonrpc.Error `json:"error"`
}

// TestTranscripts folds what a real host sent to other clients as if it were
// sent to ours, which subscribes and dispatches as they did. Whenever the host
// sends a snapshot of a channel that is open, the folded state must be the same.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../shared/realhost/transcripts/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no transcripts of a real host lie beside the repository")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			p := &player{t: t, asked: map[string]question{}}
			for _, line := range readTranscript(t, file) {
				p.play(line)
			}
			p.finish()
		})
	}
}

func readTranscript(t *testing.T, file string) (lines []recorded) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var line recorded
		if err := protocol.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// player plays a transcript to one client for each client in it. What the host
// pushes is shown to all of them: they sort it out by subscription and number.
type player struct {
	t       *testing.T
	clients []*Client           // in the order in which they connected first
	last    *Client             // who connected last
	asked   map[string]question // by id

	dispatcher *Client // who dispatched last

	actions, compared int
}

// question is a request that waits for its answer.
type question struct {
	client *Client
	method string
	params jsontext.Value
}

func (p *player) play(line recorded) {
	var f frame
	if bytes.HasPrefix(line.Msg, []byte("{")) {
		if err := protocol.Unmarshal(line.Msg, &f); err != nil {
			p.t.Fatalf("at %g: %v", line.T, err)
		}
	}
	switch line.Dir {
	case "c2s":
		p.send(&f)
	case "s2c":
		p.receive(line.T, &f)
	}
}

// send does what a recorded client did.
func (p *player) send(f *frame) {
	switch f.Method {
	case "initialize", "reconnect":
		p.connect(f)
	case "subscribe":
		var params protocol.SubscribeParams
		p.must(protocol.Unmarshal(f.Params, &params))
		if params.Channel != "" {
			p.subscribe(params.Channel, f)
		}
	case "dispatchAction":
		var params protocol.DispatchActionParams
		p.must(protocol.Unmarshal(f.Params, &params))
		if a := protocol.DecodeAction(params.Action); a.ActionType() != "" {
			p.dispatcherOf(params.ClientSeq).store.dispatch(params.Channel, a, testTime, time.Hour)
		}
	case "unsubscribe":
		var params protocol.ChannelParams
		p.must(protocol.Unmarshal(f.Params, &params))
		p.last.store.close(params.Channel)
	}
	if f.ID != nil && f.Method != "subscribe" && p.last != nil {
		p.asked[string(f.ID)] = question{p.last, f.Method, f.Params}
	}
}

func (p *player) connect(f *frame) {
	var params struct {
		ClientID             string         `json:"clientId"`
		InitialSubscriptions []protocol.URI `json:"initialSubscriptions"`
		Subscriptions        []protocol.URI `json:"subscriptions"`
		LastSeen             int64          `json:"lastSeenServerSeq"`
	}
	p.must(protocol.Unmarshal(f.Params, &params))
	i := slices.IndexFunc(p.clients, func(c *Client) bool { return c.store.clientID == params.ClientID })
	if i < 0 {
		i = len(p.clients)
		p.clients = append(p.clients, New(Options{}))
		p.clients[i].store.clientID = params.ClientID
		clear(p.clients[i].store.channels) // not all of them open the root channel
	}
	c := p.clients[i]
	p.last = c
	c.store.disconnected()
	for _, uri := range append(params.InitialSubscriptions, params.Subscriptions...) {
		c.store.open(uri, p.kindOf(uri))
	}
}

// owner is the client that subscribes: with two open connections it is not
// recorded which, and in these transcripts it is the first that has any channel open.
func (p *player) owner() *Client {
	for _, c := range p.clients {
		if len(c.store.channels) > 0 {
			return c
		}
	}
	return p.last
}

// dispatcherOf is the client that dispatches next with this number.
func (p *player) dispatcherOf(clientSeq int64) *Client {
	if p.dispatcher == nil {
		p.dispatcher = p.owner()
	}
	if p.dispatcher.store.clientSeq+1 != clientSeq {
		for _, c := range p.clients {
			if c.store.clientSeq+1 == clientSeq {
				p.dispatcher = c
			}
		}
	}
	p.dispatcher.store.clientSeq = clientSeq - 1
	return p.dispatcher
}

func (p *player) subscribe(uri protocol.URI, f *frame) {
	c := p.owner()
	ch, _ := c.store.open(uri, p.kindOf(uri))
	c.store.ask(ch, testTime)
	p.asked[string(f.ID)] = question{c, f.Method, f.Params}
}

// kindOf tells the kind of a channel as a client knows it that looks into what
// the host told it: the chats of a session are chats.
func (p *player) kindOf(uri protocol.URI) protocol.ChannelKind {
	if uri == protocol.RootChannel {
		return protocol.RootKind
	}
	for _, c := range p.clients {
		for _, ch := range c.store.channels {
			if session, ok := ch.confirmed().(*protocol.SessionState); ok {
				for _, chat := range session.Chats {
					if chat.Resource == uri {
						return protocol.ChatKind
					}
				}
			}
		}
	}
	switch scheme, _, _ := strings.Cut(string(uri), ":"); scheme {
	case "copilotcli", "claude", "codex", "ahp-session":
		return protocol.SessionKind
	}
	return "other"
}

// receive hands a message of the host over as the reading goroutine does.
func (p *player) receive(at float64, f *frame) {
	if f.Method != "" {
		if f.ID == nil {
			p.notified(at, f)
		}
		return
	}
	q, ok := p.asked[string(f.ID)]
	if !ok {
		return
	}
	delete(p.asked, string(f.ID))
	p.answered(at, q, f)
}

func (p *player) notified(at float64, f *frame) {
	if f.Method == "action" {
		p.actions++
		var e protocol.Envelope
		p.must(protocol.Unmarshal(f.Params, &e))
		if u, ok := e.Action.(*protocol.UnknownAction); ok && u.Err != nil {
			p.t.Errorf("at %g: %s cannot be read: %v", at, u.Type, u.Err)
		}
	}
	for _, c := range p.clients {
		(&handler{client: c}).Notification(f.Method, f.Params)
		p.look(c)
	}
}

func (p *player) answered(at float64, q question, f *frame) {
	c := q.client
	if q.method == "subscribe" {
		var params protocol.SubscribeParams
		p.must(protocol.Unmarshal(q.params, &params))
		ch := c.store.channels[params.Channel]
		if ch == nil {
			return
		}
		before := ch.confirmed()
		if f.Error != nil {
			c.subscribed(ch, nil, f.Error)
			return
		}
		c.subscribed(ch, f.Result, nil)
		p.compare(at, params.Channel, before, ch)
		return
	}
	if f.Error != nil {
		return
	}
	switch q.method {
	case "initialize":
		p.must(c.initialized(f.Result, &protocol.InitializeParams{ProtocolVersions: versionNames(protocol.Offered())}))
	case "reconnect":
		var params protocol.ReconnectParams
		p.must(protocol.Unmarshal(q.params, &params))
		c.reconnected(f.Result, &params)
		c.store.abandon(testTime)
	case "listSessions":
		var result protocol.ListSessionsResult
		p.must(protocol.Unmarshal(f.Result, &result))
		c.store.sessions.finish(result.Items, 0, nil)
	}
	p.look(c)
}

// compare holds the folded state against a snapshot that came after it.
func (p *player) compare(at float64, uri protocol.URI, folded protocol.ChannelState, ch *channel) {
	if ch.err != nil {
		p.t.Errorf("at %g: %s: %v", at, uri, ch.err)
	}
	if folded == nil || ch.kind == "other" || len(ch.pending) > 0 { // an action without an answer may have had an effect
		return
	}
	p.compared++
	if diff := same(p.t, foldable(folded), foldable(ch.confirmed())); diff != "" {
		p.t.Errorf("at %g: folding gave another state of %s than the host has (-host +folded):\n%s", at, uri, diff)
	}
}

// foldable is a state without what this host works out for each snapshot and no
// action carries: a session's activity, and when its chats changed.
func foldable(state protocol.ChannelState) protocol.ChannelState {
	session, ok := state.(*protocol.SessionState)
	if !ok {
		return state
	}
	plain := *session
	plain.Status = plain.Status.WithActivity(0)
	plain.Chats = nil
	for _, c := range session.Chats {
		chat := *c
		chat.ModifiedAt = ""
		plain.Chats = append(plain.Chats, &chat)
	}
	return &plain
}

// look asks a view everything that screens ask.
func (p *player) look(c *Client) {
	v := c.View()
	v.Blocked()
	for uri := range v.Channels {
		if s := v.Session(uri); s != nil {
			s.Activity()
			protocol.Unparsed(s)
		}
		if chat := v.Chat(uri); chat != nil {
			chat.OpenInputs()
		}
	}
}

func (p *player) must(err error) {
	if err != nil {
		p.t.Error(err)
	}
}

func (p *player) finish() {
	unanswered := 0
	for _, c := range p.clients {
		unanswered += len(c.store.pendingWhere(func(*pending) bool { return true }))
	}
	p.t.Logf("%d actions folded, %d snapshots compared, %d dispatches without an answer", p.actions, p.compared, unanswered)
}
