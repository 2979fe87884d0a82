package ahpclient

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ahptui/protocol"
)

// step is one thing that happens in a random run.
type step struct {
	Kind   string
	Client int
	Chat   bool // on the chat, else on the session
	Action int
	N      int
	Wait   time.Duration // before the next step; 0: at once
}

// TestConvergence lets clients and host act at random while connections break,
// the host restarts, forgets its replay buffer, prepares actions late, refuses,
// loses and swallows them, and holds its answers back. In the end every client
// shows what the host has, nothing is pending, and every ticket has the outcome
// that it can have.
func TestConvergence(t *testing.T) {
	t.Parallel()
	kinds := []string{
		"dispatch", "dispatch", "dispatch", "dispatch", "dispatch", "host", "host", "host", "hold", "release", "prepare",
		"cut", "restart", "forget", "open", "close", "refresh", "list", "off", "on",
	}
	steps := rapid.Custom(func(t *rapid.T) step {
		return step{
			Kind:   rapid.SampledFrom(kinds).Draw(t, "kind"),
			Client: rapid.IntRange(0, 2).Draw(t, "client"),
			Chat:   rapid.Bool().Draw(t, "chat"),
			Action: rapid.IntRange(0, 99).Draw(t, "action"),
			N:      rapid.IntRange(0, 9).Draw(t, "n"),
			Wait:   rapid.SampledFrom([]time.Duration{0, 0, 0, time.Nanosecond, 300 * time.Millisecond, 4 * time.Second}).Draw(t, "wait"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		version := rapid.SampledFrom([]protocol.Version{protocol.V0_6_0, protocol.V0_9_0, protocol.V1_0_0}).Draw(rt, "version")
		script := rapid.SliceOfN(steps, 0, 80).Draw(rt, "script")
		var problems []string
		synctest.Test(t, func(t *testing.T) { problems = converge(t, version, script) })
		if len(problems) > 0 {
			rt.Fatalf("at %s:\n%s", version, strings.Join(problems, "\n"))
		}
	})
}

// sent is a dispatched action and what the host was to do with it.
type sent struct {
	client  *Client
	ticket  *Ticket
	verdict verdict
}

type world struct {
	t       *testing.T
	host    *testHost
	clients []*Client
	sent    []sent
	calm    bool // no connection broke
}

func converge(t *testing.T, version protocol.Version, script []step) (problems []string) {
	h := newTestHost(t)
	h.version = version
	w := &world{t: t, host: h, calm: true}
	h.decide = w.verdictOn
	for range 3 {
		w.clients = append(w.clients, h.opened(Options{Retry: true}))
	}
	for i, s := range script {
		if s.Kind == "dispatch" {
			w.dispatch(i, s)
		} else {
			w.disturb(i, s)
		}
		if s.Wait > 0 {
			sleep(s.Wait)
		}
	}
	h.setDialErr(nil)
	h.release()
	h.prepare()
	sleep(5 * time.Minute)

	return w.check()
}

func uriOf(s step) protocol.URI {
	if s.Chat {
		return chatURI
	}
	return sessionURI
}

func (w *world) dispatch(i int, s step) {
	w.host.mu.Lock() // it takes the action after what is to become of it is noted
	defer w.host.mu.Unlock()
	c := w.clients[s.Client]
	if ticket, err := c.Dispatch(uriOf(s), clientAction(i, s)); err == nil {
		w.sent = append(w.sent, sent{c, ticket, []verdict{"", "", "", "", "", "", reject, lose, slow, eat}[s.N]})
	}
}

func (w *world) verdictOn(clientID string, p *protocol.DispatchActionParams) verdict {
	for _, s := range w.sent {
		if s.client.store.clientID == clientID && s.ticket.seq == p.ClientSeq {
			return s.verdict
		}
	}
	w.t.Errorf("action %d of %s was never sent", p.ClientSeq, clientID)
	return ""
}

// clientAction is an action of a client.
func clientAction(i int, s step) protocol.Action {
	id := fmt.Sprint("c", i)
	if !s.Chat {
		return []protocol.Action{
			retitle(id),
			&protocol.SessionMcpServerStartRequested{ID: "m"},
			&protocol.SessionMcpServerStopRequested{ID: "m"},
			&protocol.SessionIsReadChanged{IsRead: s.N%2 == 0},
			&protocol.SessionIsArchivedChanged{IsArchived: s.N%2 == 0},
		}[s.Action%5]
	}
	took := float64(i)
	return []protocol.Action{
		protocol.StartTurn(protocol.V0_9_0, id, "hello", time.Unix(int64(i), 0)),
		&protocol.ChatTurnCancelled{TurnID: fmt.Sprint("c", s.N), Duration: &took},
		&protocol.ChatPendingMessageSet{Kind: "queued", ID: fmt.Sprint("q", s.N), Message: protocol.UserMessage(id)},
		&protocol.ChatPendingMessageRemoved{Kind: "queued", ID: fmt.Sprint("q", s.N)},
	}[s.Action%4]
}

// hostAction is an action of the host's own.
func (w *world) hostAction(i int, s step) string {
	if !s.Chat {
		return []string{
			fmt.Sprintf(`{"type":"session/titleChanged","title":"h%d"}`, i),
			`{"type":"session/mcpServerStateChanged","id":"m","state":{"kind":"ready"}}`,
			fmt.Sprintf(`{"type":"session/customizationUpdated","customization":{"type":"mcpServer","id":"m%d","name":"m"}}`, s.N),
			`{"type":"session/unheardOf"}`,
		}[s.Action%4]
	}
	turn := "none"
	w.host.mu.Lock()
	if chat, ok := w.host.states[chatURI].(*protocol.ChatState); ok && chat.ActiveTurn != nil {
		turn = chat.ActiveTurn.ID
	}
	w.host.mu.Unlock()
	return []string{
		fmt.Sprintf(`{"type":"chat/responsePart","turnId":%q,"part":{"kind":"markdown","id":"p%d","content":""}}`, turn, s.N%3),
		fmt.Sprintf(`{"type":"chat/delta","turnId":%q,"partId":"p%d","content":"%d "}`, turn, s.N%3, i),
		fmt.Sprintf(`{"type":"chat/delta","turnId":%q,"partId":"p%d","content":"%d "}`, turn, s.N%3, i),
		fmt.Sprintf(`{"type":"chat/turnComplete","turnId":%q,"duration":5}`, turn),
		fmt.Sprintf(`{"type":"chat/activityChanged","activity":"%d"}`, i),
	}[s.Action%5]
}

func (w *world) disturb(i int, s step) {
	h, c := w.host, w.clients[s.Client]
	switch s.Kind {
	case "host":
		h.act(uriOf(s), w.hostAction(i, s))
	case "hold":
		h.hold()
	case "release":
		h.release()
	case "prepare":
		h.prepare()
	case "forget":
		h.forget()
	case "restart":
		w.calm = false
		h.restart()
	case "cut":
		w.calm = false
		h.cutOne(c.store.clientID)
	case "off":
		h.setDialErr(errNoRoute)
	case "on":
		h.setDialErr(nil)
	case "open":
		c.Open(sessionURI, protocol.SessionKind)
		c.Open(chatURI, protocol.ChatKind)
	case "close":
		w.calm = false // so is the way to the outcome
		c.Close(uriOf(s))
	case "refresh":
		c.Refresh(uriOf(s))
	case "list":
		w.changeList(i, s)
	}
}

// changeList adds, changes or removes a session of the list.
func (w *world) changeList(i int, s step) {
	h := w.host
	h.mu.Lock()
	defer h.mu.Unlock()
	uri := protocol.URI(fmt.Sprint("listed:/", s.N))
	old := h.summaries[uri]
	switch {
	case old == nil:
		h.summaries[uri] = &protocol.SessionSummary{Resource: uri, ModifiedAt: fmt.Sprint(i)}
		h.tellAll("root/sessionAdded", protocol.SessionAddedParams{Channel: protocol.RootChannel, Summary: h.summaries[uri]})
	case s.Action%3 == 0:
		delete(h.summaries, uri)
		h.tellAll("root/sessionRemoved", protocol.SessionRemovedParams{Channel: protocol.RootChannel, Session: uri})
	default:
		changes := protocol.Raw(fmt.Sprintf(`{"title":"t%d","modifiedAt":"%d"}`, i, i))
		h.summaries[uri] = protocol.MergeSummary(old, changes)
		h.tellAll("root/sessionSummaryChanged", protocol.SessionSummaryChangedParams{Channel: protocol.RootChannel, Session: uri, Changes: changes})
	}
}

// cutOne breaks the newest connection of a client.
func (h *testHost) cutOne(clientID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if conn := h.newest[clientID]; conn != nil {
		conn.cut()
		delete(h.newest, clientID)
	}
}

// check says what is not as it must be in the end.
func (w *world) check() (problems []string) {
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for i, c := range w.clients {
		v := c.View()
		if v.Connection.Phase != Connected || !v.Listed || v.ListErr != nil {
			complain("client %d: %+v", i, v.Connection)
		}
		for uri, ch := range v.Channels {
			if diff := same(w.t, ch.Confirmed, w.host.states[uri]); diff != "" {
				complain("client %d has another state of %s (-want +got):\n%s", i, uri, diff)
			}
			if ch.State != ch.Confirmed || len(ch.Pending) > 0 || ch.Stale || ch.Err != nil {
				complain("client %d, %s: %d pending, stale %t, %v", i, uri, len(ch.Pending), ch.Stale, ch.Err)
			}
		}
		for uri, ch := range c.store.channels {
			if len(ch.pending) > 0 || ch.asked != 0 || len(ch.kept) > 0 || ch.kind == "" {
				complain("client %d holds something for %s: %+v", i, uri, ch)
			}
		}
		listed := map[protocol.URI]*protocol.SessionSummary{}
		for _, s := range v.Sessions {
			listed[s.Resource] = s
		}
		if diff := cmp.Diff(w.host.summaries, listed); diff != "" {
			complain("client %d has another list (-want +got):\n%s", i, diff)
		}
	}
	for _, s := range w.sent {
		if o, ok := s.ticket.Outcome(); !ok || !w.possible(s.verdict, o) {
			complain("%q %s has the outcome %+v", s.verdict, s.ticket.Action.ActionType(), o)
		}
	}
	return problems
}

// possible reports whether an action can have had an outcome.
func (w *world) possible(v verdict, o Outcome) bool {
	switch o.Kind {
	case Accepted:
		return v != reject && v != lose || o.Reason == reasonNothing
	case Rejected:
		return v == reject
	case Expired:
		return v == lose || v == slow || v == eat || !w.calm || w.anySlow()
	case Unknown:
		return !w.calm
	}
	return false
}

// anySlow: what waits for its preparation holds up what comes after it.
func (w *world) anySlow() bool {
	for _, s := range w.sent {
		if s.verdict == slow {
			return true
		}
	}
	return false
}
