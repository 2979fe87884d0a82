package testwire

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// recorder is a test that notes what it is told.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// conversation is a connection whose frames are heard one by one.
type conversation struct{ hearing }

func (j *Judge) converse(sides ...side) *conversation {
	return &conversation{hearing{judge: j, sides: sides, asked: map[string]question{}}}
}

func (c *conversation) hearAll(from side, frames ...string) {
	for _, f := range frames {
		c.hear([]byte(f), from)
	}
}

// greet makes the handshake at a version.
func (c *conversation) greet(version string) {
	c.hearAll(ours, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","protocolVersions":["`+version+`"],"clientId":"c"}}`)
	c.hearAll(theirs, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"`+version+`","serverSeq":1,"snapshots":[]}}`)
}

const envelopeOf = `{"jsonrpc":"2.0","method":"action","params":{"channel":"x:/1","serverSeq":1,"action":%s}}`

// TestJudge: what is right at a version passes, and what is not does not, with the place of the mistake.
func TestJudge(t *testing.T) {
	t.Parallel()
	const (
		old     = "0.6.0"
		seventh = "0.7.0"
		eighth  = "0.8.0"
		ninth   = "0.9.0"
		first   = "1.0.0"
	)
	action := func(a string) string { return fmt.Sprintf(envelopeOf, a) }
	state := func(s string) string {
		return `{"jsonrpc":"2.0","id":2,"result":{"snapshot":{"resource":"x:/1","fromSeq":1,"state":` + s + `}}}`
	}
	chat := func(turn string) string {
		return state(`{"resource":"x:/1","title":"","status":33,"modifiedAt":"","turns":[` + turn + `]}`)
	}
	for _, tt := range []struct {
		version, frame string
		want           []string // parts of the failure; none: it is right
	}{
		{old, action(`{"type":"session/titleChanged","title":"x"}`), nil},
		{old, action(`{"type":"session/titleChanged"}`), []string{"SessionTitleChangedAction", "'title'"}},
		{old, action(`{"type":"session/titleChanged","title":"x","colour":"red"}`), []string{"'colour'"}},
		{old, action(`{"type":"session/customizationToggled","id":"m","enabled":true}`), nil},
		{old, action(`{"type":"session/customizationToggled","id":"m","enablement":[]}`), []string{"'enabled'", "'enablement'"}},
		{old, action(`{"type":"session/workingDirectorySet","directory":"file:///w"}`), []string{"do not define SessionWorkingDirectorySetAction"}},
		{old, chat(`{"id":"t","message":{"text":"x","origin":{"kind":"user"}},"responseParts":[],"state":"complete"}`), nil},
		{
			old, chat(`{"id":"t","message":{"text":"x","origin":{"kind":"user"}},"responseParts":[{"kind":"markdown","id":"p"}],"state":"complete"}`),
			[]string{"snapshot 0", "'/turns/0/responseParts/0'", "'content'"},
		},
		{old, chat(`{"id":"t","message":{"text":"x","origin":{"kind":"user"}},"responseParts":[],"state":"finished"}`), []string{"/turns/0/state"}},
		{old, `{"jsonrpc":"2.0","id":2,"result":{"snapshot":{}}}`, []string{"snapshot 0"}},
		{old, `{"jsonrpc":"2.0","id":2,"error":{"code":-32007,"message":"x","data":{"resources":[]}}}`, nil},
		{old, `{"jsonrpc":"2.0","id":2,"error":{"code":-32007,"message":"x","data":{}}}`, []string{"AuthRequiredErrorData"}},
		{old, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"x","data":{}}}`, []string{"-32001"}},
		{old, `{"jsonrpc":"2.0","method":"auth/required","params":{"channel":"ahp-root://","resource":"r"}}`, nil},
		{old, `{"jsonrpc":"2.0","method":"root/unheardOf","params":{"channel":"ahp-root://"}}`, []string{"UnheardOfParams"}},
		{old, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"channel":"mcp://m"}}`, nil},
		{old, `{"jsonrpc":"2.0","method":"action","params":{"channel":"x:/1","serverSeq":1,"action":{"type":"nonsense"},"rejectionReason":"no"}}`, nil},
		{seventh, action(`{"type":"session/workingDirectorySet","directory":"file:///w"}`), nil},
		{seventh, action(`{"type":"session/customizationToggled","id":"m","enablement":[]}`), []string{"'enablement'"}},
		{eighth, action(`{"type":"session/customizationToggled","id":"m","enablement":[]}`), nil},
		{eighth, action(`{"type":"session/customizationToggled","id":"m","enabled":true}`), []string{"'enabled'"}},
		{eighth, action(`{"type":"chat/error","turnId":"t","duration":1,"part":{"kind":"error"}}`), []string{"'part'"}},

		{ninth, action(`{"type":"session/titleChanged","title":"x"}`), nil},
		{ninth, action(`{"type":"session/titleChanged"}`), []string{"session/titleChanged lacks title"}},
		{ninth, action(`{"type":"session/titleChanged","title":"x","colour":"red"}`), []string{"titleChanged.colour is not known"}},
		{ninth, action(`{"type":"session/unheardOf"}`), []string{`"session/unheardOf"`}},
		{ninth, action(`{"type":"chat/isReadChanged","isRead":true}`), []string{"not known at 0.9.0"}},
		{first, action(`{"type":"chat/isReadChanged","isRead":true}`), nil},
		{ninth, action(`{"type":"session/mcpServerStateChanged","id":"m","state":{"kind":"asleep"}}`), []string{`"asleep"`}},
		{ninth, chat(`{"id":"t","message":{"text":"x","origin":{"kind":"user"}},"responseParts":[],"state":"complete"}`), nil},
		{ninth, chat(`{"id":"t","message":{"text":"x","origin":{"kind":"user"}},"responseParts":[],"state":"error","error":{"errorType":"e","message":"m"}}`), []string{"snapshot 0", "error is not known"}},
		{ninth, state(`{"colour":"red"}`), []string{"snapshot 0", "no channel"}},
		{ninth, `{"jsonrpc":"2.0","method":"root/unheardOf","params":{"channel":"ahp-root://"}}`, []string{"no method"}},
		{ninth, `{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"c","clientSeq":1,"action":{"type":"session/isReadChanged","isRead":true}}}`, []string{"not sent by that side"}},
		{ninth, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"x"}}`, nil},
	} {
		t.Run(tt.version+" "+tt.frame, func(t *testing.T) {
			t.Parallel()
			v, err := protocol.ParseVersion(tt.version)
			if err != nil {
				t.Fatal(err)
			}
			skipWithoutSchemas(t, v)
			r := &recorder{TB: t}
			c := NewJudge(r).converse(ours, theirs)
			c.greet(tt.version)
			c.hearAll(ours, `{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"channel":"x:/1"}}`)
			c.hearAll(theirs, tt.frame)
			if tt.want == nil {
				if len(r.failures) > 0 {
					t.Errorf("it fails: %q", r.failures)
				}
				return
			}
			if len(r.failures) != 1 {
				t.Fatalf("the failures are %q, want one", r.failures)
			}
			for _, part := range tt.want {
				if !strings.Contains(r.failures[0], part) {
					t.Errorf("the failure does not say %q: %s", part, r.failures[0])
				}
			}
		})
	}
}

// TestJudgeOverConnections: a version outlives its connection; before there is one nothing is judged, and a greeting is
// judged when the version is known.
func TestJudgeOverConnections(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	judge := NewJudge(r)
	c := judge.converse(ours, theirs)
	c.hearAll(ours, `{"jsonrpc":"2.0","method":"x"}`, `no JSON`)
	c.hearAll(ours, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientId":"c","protocolVersions":[]}}`)
	if len(r.failures) > 0 {
		t.Errorf("before there is a version: %q", r.failures)
	}
	c.hearAll(theirs, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"0.9.0","serverSeq":1,"snapshots":[]}}`)
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "lacks channel") {
		t.Errorf("a greeting without a channel: %q", r.failures)
	}

	again := judge.converse(ours)
	again.hearAll(ours, `{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"c","lastSeenServerSeq":1,"subscriptions":[]}}`)
	again.hearAll(theirs, `{"jsonrpc":"2.0","id":1,"result":{"type":"replay","actions":[],"missing":[]}}`)
	again.hearAll(theirs, `{"jsonrpc":"2.0","method":"y"}`) // not judged here
	again.hearAll(ours, `{"jsonrpc":"2.0","method":"x"}`)
	if len(r.failures) != 2 || !strings.Contains(r.failures[1], "x is no method") {
		t.Errorf("on the next connection: %q", r.failures)
	}
	if n := (*Judge)(nil); n.Sent(nil) != nil {
		t.Error("nobody judges")
	}
}

// TestJudgeReplay: what is replayed is judged action by action.
func TestJudgeReplay(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0.6.0", "0.9.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			v, err := protocol.ParseVersion(version)
			if err != nil {
				t.Fatal(err)
			}
			skipWithoutSchemas(t, v)
			r := &recorder{TB: t}
			c := NewJudge(r).converse(theirs)
			c.greet(version)
			c.hearAll(ours, `{"jsonrpc":"2.0","id":2,"method":"reconnect","params":{"clientId":"c"}}`)
			c.hearAll(theirs, `{"jsonrpc":"2.0","id":2,"result":{"type":"replay","missing":[],"actions":[
				{"channel":"x:/1","serverSeq":1,"action":{"type":"nonsense"},"rejectionReason":"no"},
				{"channel":"x:/1","serverSeq":2,"action":{"type":"session/titleChanged","title":"x","colour":"red"}}]}}`)
			if len(r.failures) != 1 || !strings.Contains(r.failures[0], "colour") {
				t.Errorf("the failures are %q", r.failures)
			}
		})
	}
}

// skipWithoutSchemas skips a test at a version whose schemas are not there.
func skipWithoutSchemas(t *testing.T, v protocol.Version) {
	t.Helper()
	if v.AtLeast(protocol.V0_9_0) {
		return
	}
	s, err := schemasOf(v)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		dir, _ := SchemaDir()
		t.Skipf("there are no schemas for %s below %s: what is sent at this version is not checked (set AHP_SCHEMA_DIR to check it)", v, dir)
	}
}

// TestTransports: frames are judged where they pass, and pass all the same.
func TestTransports(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	a, b := jsonrpc.Pipe()
	client, host := NewJudge(r).Sent(a), NewJudge(r).Received(b)
	said := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","clientId":"c","protocolVersions":["0.9.0"]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"0.9.0","serverSeq":1,"snapshots":[]}}`,
		`{"jsonrpc":"2.0","method":"unsubscribe","params":{}}`,
	}
	for i, frame := range said {
		from, to := client, host
		if i == 1 {
			from, to = host, client
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := from.Write(t.Context(), []byte(frame)); err != nil {
				t.Error(err)
			}
		})
		if msg, err := to.Read(t.Context()); err != nil || string(msg) != frame {
			t.Errorf("%s arrives as %s, %v", frame, msg, err)
		}
		wg.Wait()
	}
	if len(r.failures) != 2 { // one where it is sent and one where it is received
		t.Errorf("the failures are %q", r.failures)
	}
	if _, live := client.(liveness); live {
		t.Error("a pipe does not know when it last heard of the other side")
	}
	if _, live := NewJudge(t).Sent(NewLink(1, Line{}, Line{}).Port(Client)).(liveness); !live {
		t.Error("a link does")
	}
}
