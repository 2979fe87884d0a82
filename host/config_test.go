package host_test

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

func TestCompletions(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	for _, name := range []string{"main.go", "sub/domain.go", "sub/other.txt", ".hidden", ".git/main", "node_modules/main.js", "mäin dir/x"} {
		writeFile(t, "x", dir, name)
	}
	h := fileHost(t, host.ReadFiles, dir)
	c := connect(t, h, "c")
	if r := c.initialize(protocol.V0_9_0, chatURI); len(r.CompletionTriggerCharacters) != 2 || r.CompletionTriggerCharacters[0] != "@" {
		t.Errorf("completions begin with %q", r.CompletionTriggerCharacters)
	}
	complete := func(text string, offset int) []*protocol.CompletionItem {
		t.Helper()
		var r protocol.CompletionsResult
		c.call("completions", &protocol.CompletionsParams{Channel: chatURI, Kind: protocol.CompletionsUserMessage, Text: text, Offset: offset}, &r)
		return r.Items
	}
	labels := func(items []*protocol.CompletionItem) (all string) {
		for _, item := range items {
			all += item.InsertText + ";"
		}
		return all
	}
	for text, want := range map[string]string{
		"look at @main":    "@main.go;@sub/domain.go;",
		"look at #MAIN":    "#main.go;#sub/domain.go;",
		"@sub/":            "@sub/;@sub/domain.go;@sub/other.txt;",
		"@.hid":            "@.hidden;",
		"@../":             "@main.go;@mäin dir/;@sub/;@mäin dir/x;@sub/domain.go;@sub/other.txt;",
		"main":             "",
		"a@main":           "",
		"@nothing like it": "",
		"":                 "",
	} {
		if got := labels(complete(text, len([]rune(text)))); got != want {
			t.Errorf("%q completes to %q, want %q", text, got, want)
		}
	}
	// The offsets are those of UTF-16, and the cursor may stand in the middle.
	item := complete("😀\nä @oth and more", 9)[0]
	if *item.RangeStart != 5 || *item.RangeEnd != 9 || item.InsertText != "@sub/other.txt" {
		t.Errorf("the completion is %s", encode(t, item))
	}
	a := item.Attachment
	if a.Type != protocol.AttachmentResource || a.URI != host.FileURI(dir+"/sub/other.txt") || a.DisplayKind != "document" || len(a.Meta) == 0 ||
		a.Range.Start != (protocol.TextPosition{Line: 1, Character: 2}) || a.Range.End != (protocol.TextPosition{Line: 1, Character: 16}) {
		t.Errorf("its attachment is %s", encode(t, a))
	}
	for _, offset := range []int{-1, 1, 3, 100} {
		e := c.try("completions", &protocol.CompletionsParams{Channel: chatURI, Kind: protocol.CompletionsUserMessage, Text: "😀", Offset: offset}, nil)
		if e == nil {
			t.Errorf("the offset %d is taken", offset)
		}
	}
	none := join(t, fileHost(t, host.NoFiles, dir), "c", protocol.V0_9_0)
	var r protocol.CompletionsResult
	none.call("completions", &protocol.CompletionsParams{Channel: chatURI, Kind: protocol.CompletionsUserMessage, Text: "@", Offset: 1}, &r)
	if len(r.Items) != 0 {
		t.Errorf("without access there are %s", encode(t, r.Items))
	}
}

func TestSessionConfig(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	writeFile(t, "Be kind.", dir, "docs", "AGENTS.md")
	h := host.New(host.Options{Files: host.ReadFiles, DefaultDirectory: host.FileURI(dir)})
	t.Cleanup(func() { closeHost(t, h) })
	h.AddAgent(&protocol.AgentInfo{Provider: "test", Models: []*protocol.SessionModelInfo{}}, host.AgentFunc(func(_ context.Context, turn *host.Turn) error {
		text, _ := turn.Instructions()
		return turn.Write("told: " + text)
	}))
	c := connect(t, h, "c")
	c.initialize(protocol.V0_9_0, protocol.RootChannel)
	resolve := func(config map[string]protocol.Raw) (*protocol.Config, error) {
		r := new(protocol.Config)
		return r, c.try("resolveSessionConfig", &protocol.ResolveSessionConfigParams{Channel: protocol.RootChannel, Config: config}, r)
	}
	r, err := resolve(nil)
	if err != nil || len(r.Properties()) != 2 || string(r.Values["confirm"]) != `"ask"` {
		t.Fatalf("the configuration is %s, %v", encode(t, r), err)
	}
	if p := r.Properties()[1]; p.Name != "instructions" || !p.EnumDynamic || p.SessionMutable {
		t.Errorf("the second property is %+v", p)
	}
	// The host's own configuration is what sessions begin with.
	c.dispatch(protocol.RootChannel, 1, &protocol.RootConfigChanged{Config: map[string]protocol.Raw{"confirm": protocol.Raw(`"never"`)}})
	if e := c.answerTo(1); e.RejectionReason != nil {
		t.Fatalf("refused: %s", *e.RejectionReason)
	}
	chosen := map[string]protocol.Raw{"instructions": protocol.Raw(`"docs/AGENTS.md"`)}
	if r, err = resolve(chosen); err != nil || string(r.Values["confirm"]) != `"never"` || string(r.Values["instructions"]) != `"docs/AGENTS.md"` {
		t.Errorf("the configuration is %s, %v", encode(t, r), err)
	}
	for _, bad := range []map[string]protocol.Raw{
		{"none": protocol.Raw(`1`)}, {"confirm": protocol.Raw(`"perhaps"`)}, {"instructions": protocol.Raw(`7`)}, {"instructions": protocol.Raw(`"../etc/passwd"`)}, {"instructions": protocol.Raw(`"/etc/passwd"`)},
	} {
		if _, err := resolve(bad); err == nil {
			t.Errorf("%s is taken", encode(t, bad))
		}
	}
	var values protocol.SessionConfigCompletionsResult
	c.call("sessionConfigCompletions", &protocol.SessionConfigCompletionsParams{
		Channel: protocol.RootChannel, Property: "instructions", Query: "agents", WorkingDirectory: host.FileURI(dir),
	}, &values)
	if len(values.Items) != 1 || values.Items[0].Value != "docs/AGENTS.md" {
		t.Errorf("the values are %s", encode(t, values))
	}
	c.call("sessionConfigCompletions", &protocol.SessionConfigCompletionsParams{Channel: protocol.RootChannel, Property: "instructions", WorkingDirectory: "file:///etc"}, &values)
	if len(values.Items) != 0 {
		t.Errorf("elsewhere the values are %s", encode(t, values))
	}

	const uri = "ahp-session:/n"
	p := protocol.NewCreateSession(protocol.V0_9_0, uri, "test", host.FileURI(dir))
	p.Config = chosen
	c.call("createSession", p, nil)
	s := snapshot[protocol.SessionState](c, uri)
	if string(s.Config.Values["instructions"]) != `"docs/AGENTS.md"` || len(s.Config.Properties()) != 2 {
		t.Errorf("the session has %s", encode(t, s.Config))
	}
	snapshot[protocol.ChatState](c, s.DefaultChat)
	c.dispatch(s.DefaultChat, 2, startTurn("t", "go"))
	c.typed("chat/turnComplete")
	if got := lastText(snapshot[protocol.ChatState](c, s.DefaultChat).Turns[0]); got != "told: Be kind." {
		t.Errorf("the agent is %q", got)
	}
	for seq, tt := range map[int64]struct {
		a    *protocol.SessionConfigChanged
		want string // the values afterwards; "" for a refusal
	}{
		10: {&protocol.SessionConfigChanged{Config: map[string]protocol.Raw{"instructions": protocol.Raw(`"other"`)}}, ""},
		11: {&protocol.SessionConfigChanged{Config: map[string]protocol.Raw{"none": protocol.Raw(`1`)}}, ""},
		12: {&protocol.SessionConfigChanged{Config: map[string]protocol.Raw{"confirm": protocol.Raw(`"ask"`)}, Replace: new(true)}, `{"confirm":"ask","instructions":"docs/AGENTS.md"}`},
	} {
		c.dispatch(uri, seq, tt.a)
		e := c.answerTo(seq)
		if (e.RejectionReason == nil) != (tt.want != "") {
			t.Errorf("%s: %v", encode(t, tt.a), e.RejectionReason)
		}
		if tt.want != "" {
			if got := encode(t, snapshot[protocol.SessionState](c, uri).Config.Values); got != tt.want {
				t.Errorf("after %s there is %s", encode(t, tt.a), got)
			}
		}
	}
}

// Who wants to be asked nothing is asked nothing.
func TestNothingIsConfirmed(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, caller(host.Call{Server: "tools", Tool: "tools.write", Args: jsontext.Value(`{}`)}), tools(t))
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("tools", protocol.McpReady)
	c.dispatch(sessionURI, 1, &protocol.SessionConfigChanged{Config: map[string]protocol.Raw{"confirm": protocol.Raw(`"never"`)}})
	c.dispatch(chatURI, 2, startTurn("t1", "go"))
	c.typed("chat/turnComplete")
	if call := theCall(t, c.chat().Turns[0]); call.Confirmed != "setting" || call.Status != protocol.ToolCompleted {
		t.Errorf("the call is %s", encode(t, call))
	}
	if e := c.refused("sessionConfigCompletions", &protocol.SessionConfigCompletionsParams{Channel: protocol.RootChannel, Property: "instructions"}); e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("without files: %v", e)
	}
}
