package auth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

var testHost = Host{ID: "wss://host.example:443/"}

// decoded reads what a host sends.
func decoded[T any](t *testing.T, text string) *T {
	t.Helper()
	var v T
	if err := protocol.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &v
}

const issues = `{"resource":"https://tracker.example/mcp","resource_name":"Tracker","authorization_servers":["https://login.example"],"scopes_supported":["read","write"]}`

// Every place in which a host says that it needs a token makes the same challenge of it.
func TestChallengesOfEverySource(t *testing.T) {
	t.Parallel()
	requirement := `{"reason":"insufficientScope","resource":` + issues + `,"requiredScopes":["write"]}`
	const uri = "copilot:/s1"
	// A session of which no chat is known: what its own entry says about a call is enough.
	session := decoded[protocol.SessionState](t, `{"inputNeeded":[{"kind":"toolAuthentication","id":"i1","chat":"ahp-chat:/1","turnId":"t9",
		"toolCall":{"status":"auth-required","toolCallId":"c3","toolName":"create_issue","displayName":"Create issue",
		"contributor":{"kind":"mcp","customizationId":"srv-41"},"auth":`+requirement+`}}]}`)
	server := decoded[protocol.SessionState](t, `{"customizations":[{"type":"mcpServer","id":"srv-41","name":"tracker","state":{"kind":"authRequired",`+requirement[1:]+`}]}`)
	blocks := append(protocol.Blocked(uri, session, nil), protocol.Blocked(uri, server, nil)...)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks: %+v", len(blocks), blocks)
	}
	more := Challenge{
		Host: testHost, Reason: InsufficientScope, Resource: "https://tracker.example/mcp", ResourceName: "Tracker",
		Issuers: []string{"https://login.example"}, RequiredScopes: []string{"write"}, SupportedScopes: []string{"read", "write"},
	}
	required := more
	required.Reason, required.RequiredScopes = Required, nil
	named := Challenge{Host: testHost, Reason: Required, Resource: "https://tracker.example/mcp"}
	from := func(c Challenge, s Source) Challenge { c.Source = s; return c }
	one := func(c Challenge, err error) []Challenge {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return []Challenge{c}
	}
	refused := func(data string) []Challenge {
		t.Helper()
		all, err := ResourceChallenges(testHost, Source{Command: "createSession"}, "", decoded[protocol.AuthRequiredData](t, data).Resources)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	notified := func(params string) []Challenge {
		t.Helper()
		p := decoded[protocol.AuthRequiredParams](t, params)
		return one(ResourceChallenge(testHost, Source{Agent: "copilot"}, Reason(p.Reason), &p.Resource.ProtectedResourceMetadata))
	}
	agent := decoded[protocol.AgentInfo](t, `{"provider":"copilot","protectedResources":[`+issues+`]}`)
	for name, tt := range map[string]struct{ got, want []Challenge }{
		"a question about a call":         {one(BlockChallenge(testHost, "tracker", blocks[0])), []Challenge{from(more, Source{Server: "tracker", Tool: "create_issue"})}},
		"a call of an unknown server":     {one(BlockChallenge(testHost, "", blocks[0])), []Challenge{from(more, Source{Server: "srv-41", Tool: "create_issue"})}},
		"a server":                        {one(BlockChallenge(testHost, "", blocks[1])), []Challenge{from(more, Source{Server: "tracker"})}},
		"a refused command, an object":    {refused(`{"resources":[` + issues + `]}`), []Challenge{from(required, Source{Command: "createSession"})}},
		"a refused command, a bare array": {refused(`[` + issues + `]`), []Challenge{from(required, Source{Command: "createSession"})}},
		"a refused command, twice":        {refused(`[` + issues + `,` + issues + `]`), []Challenge{from(required, Source{Command: "createSession"})}},
		"a refused command, nothing":      {refused(`{}`), nil},
		"a notification":                  {notified(`{"channel":"ahp-root://","resource":` + issues + `,"reason":"expired"}`), []Challenge{func() Challenge { c := from(required, Source{Agent: "copilot"}); c.Reason = Expired; return c }()}},
		"a notification of 0.7":           {notified(`{"channel":"ahp-root://","resource":"https://tracker.example/mcp"}`), []Challenge{from(named, Source{Agent: "copilot"})}},
		"an agent":                        {one(ResourceChallenge(testHost, Source{Agent: agent.Provider}, "", agent.ProtectedResources[0])), []Challenge{from(required, Source{Agent: "copilot"})}},
	} {
		if diff := cmp.Diff(tt.want, tt.got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What cannot be authorized is told, and does not hide what can.
func TestResourceChallengesTellWhatFails(t *testing.T) {
	t.Parallel()
	resources := []*protocol.ProtectedResourceMetadata{{Resource: "Tracker"}, nil, {Resource: "https://a.example"}}
	all, err := ResourceChallenges(testHost, Source{}, "", resources)
	if err == nil || len(all) != 1 || all[0].Resource != "https://a.example" {
		t.Errorf("%+v, %v", all, err)
	}
	for n := range 1000 {
		resources = append(resources, &protocol.ProtectedResourceMetadata{Resource: fmt.Sprintf("https://r%d.example", n)})
	}
	if all, _ := ResourceChallenges(testHost, Source{}, "", resources); len(all) > maxWaiting {
		t.Errorf("%d challenges of one refusal", len(all))
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	const resource = "https://tracker.example/mcp"
	a := Source{Server: "tracker"}
	b := Source{Server: "tracker", Tool: "create"}
	client := &Client{ID: "c", Secret: secret.New(canarySecret)}
	base := Challenge{Host: testHost, Source: a, Reason: Required, Resource: resource, Issuers: []string{"https://login.example"}}
	with := func(change func(*Challenge)) Challenge { c := base; change(&c); return c }
	write := with(func(c *Challenge) {
		c.Source, c.Reason, c.RequiredScopes, c.Description = b, InsufficientScope, []string{"write", "read"}, "more"
	})
	read := with(func(c *Challenge) { c.RequiredScopes = []string{"read"} })
	elsewhere := with(func(c *Challenge) { c.Resource = "https://other.example" })
	otherHost := with(func(c *Challenge) { c.Host.ID = "wss://other.example:443/" })
	known := with(func(c *Challenge) { c.Source, c.Client, c.Issuers = b, client, []string{"https://own.example"} })
	nobody := with(func(c *Challenge) { c.Issuers = nil })
	for name, tt := range map[string]struct{ in, want []Challenge }{
		"nothing":          {nil, nil},
		"the same":         {[]Challenge{base, base}, []Challenge{base}},
		"another resource": {[]Challenge{base, elsewhere}, []Challenge{base, elsewhere}},
		"another host":     {[]Challenge{base, otherHost}, []Challenge{base, otherHost}},
		"different scopes": {[]Challenge{read, write}, []Challenge{with(func(c *Challenge) {
			*c = write
			c.Source, c.Also, c.RequiredScopes = a, []Source{b}, []string{"read", "write"}
		})}},
		"in another order":  {[]Challenge{write, elsewhere, read}, []Challenge{with(func(c *Challenge) { *c = write; c.Also = []Source{a} }), elsewhere}},
		"a client":          {[]Challenge{base, known}, []Challenge{with(func(c *Challenge) { c.Also, c.Client, c.Issuers = []Source{b}, client, []string{"https://own.example"} })}},
		"a client first":    {[]Challenge{known, base}, []Challenge{with(func(c *Challenge) { *c = known; c.Also = []Source{a} })}},
		"no issuer":         {[]Challenge{nobody, base}, []Challenge{base}},
		"no issuer, second": {[]Challenge{base, nobody}, []Challenge{base}},
	} {
		if diff := cmp.Diff(tt.want, Merge(tt.in), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// T3, T17: however many challenges there are, what is made of them is bounded.
func TestMergeIsBounded(t *testing.T) {
	t.Parallel()
	var flood []Challenge
	for n := range 1000 {
		flood = append(flood, Challenge{
			Host: testHost, Resource: "https://r.example", Source: Source{Server: fmt.Sprint(n)}, RequiredScopes: []string{fmt.Sprint("s", n)},
		})
	}
	merged := Merge(flood)
	if len(merged) != 1 || len(merged[0].Also) > maxSources || len(merged[0].RequiredScopes) > maxScopes {
		t.Errorf("%d challenges, %d sources, %d scopes", len(merged), len(merged[0].Also), len(merged[0].RequiredScopes))
	}
}

// B51: who comes while the question is open is answered by it: it is asked anew, for all that is required.
func TestChallengesJoinTheQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.broker.Start(t.Context(), w.challenge())
	first := nth[NeedConsent](w, f, 1)
	again := w.challenge()
	again.Source.Tool = "list"
	if w.broker.Start(t.Context(), again) != f {
		t.Fatal("a second flow for the same")
	}
	more := again
	more.Source.Tool, more.RequiredScopes = "delete", []string{"write"}
	if w.broker.Start(t.Context(), more) != f {
		t.Fatal("a third flow for the same")
	}
	second := nth[NeedConsent](w, f, 2)
	if f.Answer(first.Question, Answer{Yes: true}) {
		t.Error("the answer to what was asked before was taken for what is asked now")
	}
	tools := []string{second.Source.Tool}
	for _, s := range second.Also {
		tools = append(tools, s.Tool)
	}
	if !slices.Equal(second.Scopes.Request, []string{"read", "write"}) || !slices.Equal(tools, []string{"create", "list", "delete"}) {
		t.Errorf("asked for %v, for %v", second.Scopes.Request, tools)
	}
	f.Answer(second.Question, Answer{Yes: true})
	events := slices.Collect(f.Events(t.Context()))
	if g := last(t, events); !slices.Equal(g.Scopes, []string{"read", "write"}) {
		t.Errorf("granted %v", g.Scopes)
	}
	if n := strings.Count(strings.Join(w.log(), "\n"), "GET /authorize"); n != 1 {
		t.Errorf("%d windows", n)
	}
	// Who comes after the yes gets what was agreed to, and asks anew for the rest.
	late := more
	late.RequiredScopes = []string{"admin"}
	if c := w.broker.Start(t.Context(), late); c == f || !slices.Equal(c.Challenge().RequiredScopes, []string{"admin"}) {
		t.Error("a flow that is over was joined")
	} else {
		c.Cancel()
		c.Wait()
	}
}

// T3: a host cannot have any number of sign-ins under way.
func TestFlowsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = nil
	clear(w.rsPaths)
	var flows []*Flow
	for n := range 1000 {
		c := w.challenge()
		c.Resource = fmt.Sprintf("%s/%d", w.rs.URL, n)
		flows = append(flows, w.broker.Start(t.Context(), c))
	}
	refused := 0
	for _, f := range flows[maxWaiting:] {
		e, _ := f.Event(t.Context(), 0)
		if failed, ok := e.(Failed); ok && strings.Contains(failed.Failure.Error(), "20 sign-ins are under way") {
			refused++
		}
	}
	if refused != len(flows)-maxWaiting {
		t.Errorf("%d of %d were refused", refused, len(flows))
	}
}
