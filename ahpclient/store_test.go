package ahpclient

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

var limits = Limits{}.withDefaults()

// storeWith is a store with the session open, as of a number.
func storeWith(t testing.TB, fromSeq int64) *store {
	t.Helper()
	s := newStore("me", limits, testTime)
	s.open(sessionURI, protocol.SessionKind)
	s.install(sessionAt(t, "T", fromSeq), testTime)
	return s
}

func sessionAt(t testing.TB, title string, fromSeq int64) decoded {
	t.Helper()
	state := decodeState(t, protocol.SessionKind, fmt.Sprintf(`{"title":%q,"status":1,"lifecycle":"ready","chats":[]}`, title))
	return decoded{uri: sessionURI, kind: protocol.SessionKind, state: state, fromSeq: fromSeq}
}

func envelope(seq int64, title string) *protocol.Envelope {
	return &protocol.Envelope{Channel: sessionURI, ServerSeq: seq, Action: retitle(title)}
}

func echo(seq, clientSeq int64, title string) *protocol.Envelope {
	e := envelope(seq, title)
	e.Origin = &protocol.ActionOrigin{ClientID: "me", ClientSeq: clientSeq}
	return e
}

func refusal(seq, clientSeq int64, reason string) *protocol.Envelope {
	e := echo(seq, clientSeq, "refused")
	e.RejectionReason = &reason
	return e
}

func confirmedTitle(s *store) string {
	return s.channels[sessionURI].confirmed().(*protocol.SessionState).Title
}

// TestSequence: numbers order the actions of a channel, and only those that were
// taken count.
func TestSequence(t *testing.T) {
	t.Parallel()
	other := refusal(9, 1, "not yours")
	other.Origin.ClientID = "somebody"
	for _, test := range []struct {
		name      string
		envelopes []*protocol.Envelope
		title     string
		lastSeq   int64
	}{
		{"in order, with gaps", []*protocol.Envelope{envelope(6, "a"), envelope(60, "b")}, "b", 60},
		{"what the snapshot has", []*protocol.Envelope{envelope(4, "a"), envelope(5, "b")}, "T", 5},
		{"a duplicate", []*protocol.Envelope{envelope(6, "a"), envelope(7, "b"), envelope(6, "a")}, "b", 7},
		{"a refusal moves nothing", []*protocol.Envelope{refusal(9, 7, "no"), envelope(6, "a")}, "a", 6},
		{"somebody else's refusal", []*protocol.Envelope{other, envelope(6, "a")}, "a", 6},
		{"an echo nobody waits for", []*protocol.Envelope{echo(6, 99, "a")}, "a", 6},
		{"another channel", []*protocol.Envelope{{Channel: "x:/", ServerSeq: 9, Action: retitle("a")}}, "T", 0},
		{"unknown action", []*protocol.Envelope{{Channel: sessionURI, ServerSeq: 9, Action: &protocol.UnknownAction{Type: "x"}}, envelope(8, "a")}, "T", 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := storeWith(t, 5)
			for _, e := range test.envelopes {
				s.apply(e, testTime)
			}
			if got := confirmedTitle(s); got != test.title || s.lastSeq != test.lastSeq {
				t.Errorf("title %q, seen up to %d", got, s.lastSeq)
			}
		})
	}
}

// TestEchoInSnapshot: our own echo may come after a snapshot that has it. It
// ends the waiting, and is not reduced once more.
func TestEchoInSnapshot(t *testing.T) {
	t.Parallel()
	s := storeWith(t, 5)
	ticket := s.dispatch(sessionURI, retitle("mine"), testTime, time.Second)
	s.install(sessionAt(t, "theirs, after mine", 7), testTime)
	s.apply(echo(6, 1, "mine"), testTime)
	if o, ok := ticket.Outcome(); !ok || o.Kind != Accepted {
		t.Errorf("outcome %+v, %t", o, ok)
	}
	if v := s.view(testTime); title(v) != "theirs, after mine" || len(v.Channels[sessionURI].Pending) != 0 {
		t.Errorf("title %q", title(v))
	}
}

// TestEchoRewritten: it is the echo's action that counts.
func TestEchoRewritten(t *testing.T) {
	t.Parallel()
	s := storeWith(t, 5)
	s.dispatch(sessionURI, retitle("as I said"), testTime, time.Second)
	s.apply(echo(6, 1, "as the host says"), testTime)
	if got := title(s.view(testTime)); got != "as the host says" {
		t.Errorf("title %q", got)
	}
}

// TestRefusedInBetween: a refusal takes back one effect and leaves those before
// and after it.
func TestRefusedInBetween(t *testing.T) {
	t.Parallel()
	s := storeWith(t, 5)
	read := &protocol.SessionIsReadChanged{IsRead: true}
	archived := &protocol.SessionIsArchivedChanged{IsArchived: true}
	first := s.dispatch(sessionURI, read, testTime, time.Second)
	second := s.dispatch(sessionURI, retitle("no"), testTime, time.Second)
	s.dispatch(sessionURI, archived, testTime, time.Second)
	before := s.view(testTime).Channels[sessionURI].Confirmed
	s.apply(refusal(6, 2, strings.Repeat("n", 5000)), testTime)
	v := s.view(testTime)
	state := v.Session(sessionURI)
	if state.Title != "T" || !state.Status.Read() || !state.Status.Archived() || v.Channels[sessionURI].Confirmed != before {
		t.Errorf("%+v", state)
	}
	if o, ok := second.Outcome(); !ok || o.Kind != Rejected || len(o.Reason) > maxText+len("…") {
		t.Errorf("outcome %s %d bytes, %t", o.Kind, len(o.Reason), ok)
	}
	if o, ok := first.Outcome(); ok {
		t.Errorf("the first has an outcome: %+v", o)
	}
	// A late second answer finds nobody.
	s.apply(refusal(7, 2, "again"), testTime)
	if n := len(s.notices); n != 1 {
		t.Errorf("%d notices", n)
	}
}

// TestOldSnapshot: a snapshot that is older than what was folded before it was
// asked for is not installed.
func TestOldSnapshot(t *testing.T) {
	t.Parallel()
	s := storeWith(t, 5)
	c := s.channels[sessionURI]
	s.apply(&protocol.Envelope{Channel: sessionURI, ServerSeq: 6, Action: &protocol.SessionIsReadChanged{IsRead: true}}, testTime)
	s.ask(c, testTime.Add(time.Second))
	s.apply(envelope(8, "eight"), testTime)
	s.answered(c)
	if again := s.install(sessionAt(t, "five", 5), testTime); again || confirmedTitle(s) != "eight" || !c.confirmed().(*protocol.SessionState).Status.Read() {
		t.Errorf("again %t, title %q", again, confirmedTitle(s))
	}
	s.ask(c, testTime.Add(time.Second))
	s.answered(c)
	if again := s.install(sessionAt(t, "fresh eight", 8), testTime); again || confirmedTitle(s) != "fresh eight" {
		t.Errorf("again %t, title %q", again, confirmedTitle(s))
	}
}

// TestSnapshotOfAnotherKind: a channel was closed and opened as something else
// while the snapshot was on its way.
func TestSnapshotOfAnotherKind(t *testing.T) {
	t.Parallel()
	s := storeWith(t, 5)
	s.close(sessionURI)
	s.open(sessionURI, protocol.ChatKind)
	s.install(sessionAt(t, "x", 9), testTime)
	if c := s.channels[sessionURI]; c.confirmed() != nil {
		t.Errorf("installed %T", c.confirmed())
	}
}

// TestExpiry of several at once: each by what the state says.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := storeWith(t, 5)
	s.profile = protocol.ProfileOf(protocol.V0_9_0)
	later := testTime.Add(time.Minute)
	lost := s.dispatch(sessionURI, retitle("lost"), testTime, time.Second)
	nothing := s.dispatch(sessionURI, retitle("T"), testTime, time.Second)
	fresh := s.dispatch(sessionURI, retitle("fresh"), testTime, time.Hour)
	loose := s.dispatch("x:/", retitle("x"), testTime, time.Second)
	if at, ok := s.nextDeadline(); !ok || !at.Equal(testTime.Add(time.Second)) {
		t.Errorf("next deadline %v, %t", at, ok)
	}
	if early := s.expire(testTime, true); early != nil || len(s.channels[sessionURI].pending) != 3 {
		t.Error("expired early")
	}
	doubtful := s.expire(later, true)
	if len(doubtful) != 1 || doubtful[0].uri != sessionURI {
		t.Errorf("%d channels are in doubt", len(doubtful))
	}
	for _, test := range []struct {
		name   string
		ticket *Ticket
		want   OutcomeKind
	}{{"lost", lost, Expired}, {"nothing", nothing, Accepted}, {"fresh", fresh, ""}, {"loose", loose, Expired}} {
		if o, _ := test.ticket.Outcome(); o.Kind != test.want {
			t.Errorf("%s: %+v", test.name, o)
		}
	}
	if v := s.view(later); title(v) != "fresh" || len(s.channels) != 1 || len(s.notices) != 2 {
		t.Errorf("title %q, %d channels, %d notices", title(v), len(s.channels), len(s.notices))
	}
	if at, ok := s.nextDeadline(); !ok || !at.Equal(testTime.Add(time.Hour)) {
		t.Errorf("next deadline %v, %t", at, ok)
	}
}

// TestExpiryStamped: the time that old reducers stamp is no change.
func TestExpiryStamped(t *testing.T) {
	t.Parallel()
	s := newStore("me", limits, testTime)
	s.profile = protocol.ProfileOf(protocol.V0_6_0)
	s.open(chatURI, protocol.ChatKind)
	state := decodeState(t, protocol.ChatKind, `{"title":"","status":1,"modifiedAt":"2020-01-01T00:00:00.000Z","turns":[{"id":"t","message":{"text":"x","origin":{"kind":"user"}},"responseParts":[],"state":"complete"}]}`)
	s.install(decoded{uri: chatURI, kind: protocol.ChatKind, state: state, fromSeq: 1}, testTime)
	keepsAll := &protocol.ChatTruncated{TurnID: "t"}
	if protocol.Reduce(s.profile.At(testTime), state, keepsAll) == state {
		t.Fatal("this action stamps nothing any more: the test needs another")
	}
	ticket := s.dispatch(chatURI, keepsAll, testTime, time.Second)
	s.expire(testTime.Add(time.Minute), true)
	if o, _ := ticket.Outcome(); o.Kind != Accepted {
		t.Errorf("outcome %+v", o)
	}
}

// TestRefusedSubscribe: a channel that was there is gone, the root channel
// never is.
func TestRefusedSubscribe(t *testing.T) {
	t.Parallel()
	s := storeWith(t, 5)
	root, _ := s.open(protocol.RootChannel, protocol.RootKind)
	root.folded = protocol.NewFold(&protocol.RootState{})
	notThere := fmt.Errorf("subscribe: %w", &jsonrpc.Error{Code: protocol.CodeSessionNotFound})
	s.refused(s.channels[sessionURI], &jsonrpc.Error{Code: jsonrpc.CodeInternalError}, testTime)
	if c := s.channels[sessionURI]; c == nil || c.err == nil || c.confirmed() == nil {
		t.Errorf("an internal error: %+v", c)
	}
	s.refused(s.channels[sessionURI], notThere, testTime)
	s.refused(root, notThere, testTime)
	if s.channels[sessionURI] != nil || s.channels[protocol.RootChannel].err == nil {
		t.Errorf("channels %v", s.channels)
	}
}

// TestAges: a server has been in its state since that was first seen, over
// changes elsewhere and over snapshots.
func TestAges(t *testing.T) {
	t.Parallel()
	s := newStore("me", limits, testTime)
	s.open(sessionURI, protocol.SessionKind)
	at := func(minute int) time.Time { return testTime.Add(time.Duration(minute) * time.Minute) }
	session := func(kind string) decoded {
		state := decodeState(t, protocol.SessionKind, `{"chats":[],"customizations":[{"type":"mcpServer","id":"m","name":"m","state":{"kind":"`+kind+`"}}]}`)
		return decoded{uri: sessionURI, kind: protocol.SessionKind, state: state}
	}
	since := func(minute int, kind string) (time.Time, bool) {
		return s.view(at(minute)).Ages.Since("state:" + string(sessionURI) + ":m:" + kind)
	}
	s.install(session("starting"), at(0))
	since(1, "starting")
	s.open("test:/other", protocol.SessionKind)
	s.install(session("starting"), at(2))
	if got, ok := since(3, "starting"); !ok || !got.Equal(at(1)) {
		t.Errorf("starting since %v, %t", got, ok)
	}
	s.install(session("ready"), at(4))
	if got, ok := since(5, "ready"); !ok || !got.Equal(at(5)) {
		t.Errorf("ready since %v, %t", got, ok)
	}
	if _, ok := since(6, "starting"); ok {
		t.Error("a state that is over has an age")
	}
	s.close(sessionURI)
	if _, ok := since(7, "ready"); ok {
		t.Error("a closed session has an age")
	}
}

// TestBlockedOrder: what is blocked comes in the order of the list, what is not
// listed after it, always in the same order.
func TestBlockedOrder(t *testing.T) {
	t.Parallel()
	s := newStore("me", limits, testTime)
	var want []string
	for i, uri := range []protocol.URI{"s:/listed2", "s:/listed1", "s:/a", "s:/b", "s:/c"} {
		s.open(uri, protocol.SessionKind)
		state := decodeState(t, protocol.SessionKind, `{"chats":[{"resource":"c:/`+fmt.Sprint(i)+`"}],
			"inputNeeded":[{"kind":"chatInput","id":"q","chat":"c:/`+fmt.Sprint(i)+`","request":{"id":"r"}}]}`)
		s.install(decoded{uri: uri, kind: protocol.SessionKind, state: state}, testTime)
		if strings.Contains(string(uri), "listed") {
			s.sessionAdded(summary(uri, fmt.Sprint(9-i), ""), 0)
		}
		want = append(want, string(uri))
	}
	v := s.view(testTime)
	byHand := *v
	byHand.blocked = nil // as in a view that the store did not make
	for name, v := range map[string]*View{"store": v, "by hand": &byHand} {
		for range 10 {
			var got []string
			for _, b := range v.Blocked() {
				got = append(got, string(b.Session))
			}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Fatalf("%s: %v", name, got)
			}
		}
		if n := len(v.BlockedIn("s:/a")); n != 1 {
			t.Errorf("%s: %d blocked in a session", name, n)
		}
	}
	// The chat tells better once it is open.
	s.open("c:/0", protocol.ChatKind)
	s.install(decoded{uri: "c:/0", kind: protocol.ChatKind, state: &protocol.ChatState{}}, testTime)
	if n := len(s.view(testTime).BlockedIn("s:/listed2")); n != 0 {
		t.Errorf("%d blocked in a session whose chat waits for nothing", n)
	}
}

// TestResnapshotCountsFromTheOldest: after snapshots of different age the next
// reconnect must not ask for less than the one lacks that lacks most.
func TestResnapshotCountsFromTheOldest(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int64{{7, 5}, {5, 7}} {
		s := newStore("me", Limits{}.withDefaults(), testTime)
		s.open(sessionURI, protocol.SessionKind)
		s.open(chatURI, protocol.ChatKind)
		session, chat := sessionAt(t, "title", order[0]), decoded{
			uri: chatURI, kind: protocol.ChatKind, fromSeq: order[1],
			state: decodeState(t, protocol.ChatKind, `{"resource":"test-chat:/c","title":"","status":1,"turns":[]}`),
		}
		r := &protocol.ReconnectResult{Snapshots: []*protocol.Snapshot{{Resource: sessionURI}, {Resource: chatURI}}}
		s.resnapshot(r, []decoded{session, chat}, []protocol.URI{sessionURI, chatURI}, testTime)
		if s.lastSeq != 5 {
			t.Errorf("snapshots at %v: counts from %d", order, s.lastSeq)
		}
	}
}
