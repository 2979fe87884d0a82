package tui

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// configSchema offers one of each kind.
const configSchema = `{"type":"object","required":["branch"],"properties":{
	"confirm":{"type":"string","title":"Confirmations","enum":["ask","never"],"enumLabels":["Ask first","Never ask"],"enumDescriptions":["slow","fast"],"default":"ask"},
	"isolated":{"type":"boolean","title":"Own worktree"},
	"depth":{"type":"number","title":"Depth","description":"how deep to look"},
	"branch":{"type":"string","title":"Branch","enumDynamic":true},
	"labels":{"type":"array","title":"Labels","items":{"type":"string"}},
	"extra":{"type":"object","title":"Extra"},
	"build":{"type":"string","title":"Build of the host","readOnly":true}}}`

// configurableHost is a host whose agents have models, and that lets sessions be configured.
func configurableHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	h.root = &protocol.RootState{Agents: []*protocol.AgentInfo{
		{Provider: "copilot", DisplayName: "Copilot", Models: []*protocol.SessionModelInfo{
			{ID: "gpt-x", Name: "GPT X", MaxContextWindow: ptr(128000.0)}, {ID: "off", Name: "Off limits", PolicyState: protocol.PolicyDisabled}, {ID: "mini"},
		}},
		{Provider: "other", DisplayName: "Other"},
	}}
	h.resolve = func(_ context.Context, p *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error) {
		if p.Provider == "other" {
			return &protocol.ResolveSessionConfigResult{}, nil
		}
		return &protocol.ResolveSessionConfigResult{Schema: protocol.Raw(configSchema), Values: map[string]protocol.Raw{"confirm": protocol.Raw(`"ask"`)}}, nil
	}
	h.values = func(_ context.Context, p *protocol.SessionConfigCompletionsParams) ([]*protocol.SessionConfigValue, error) {
		var list []*protocol.SessionConfigValue
		for _, name := range []string{"main", "develop", "feature/login"} {
			if strings.Contains(name, p.Query) {
				list = append(list, &protocol.SessionConfigValue{Value: name, Label: "branch " + name})
			}
		}
		return list, nil
	}
	h.create = func(context.Context, string, protocol.URI) (protocol.URI, error) { return "copilot:/new", nil }
	return h
}

// TestSessionConfig: what the host offers can be chosen, is checked before it is sent, and is sent in the host's form.
func TestSessionConfig(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 100, Height: 40}, configurableHost, func(t *testing.T, d *driver) {
		d.key("n")
		d.pass(time.Second)
		d.sees("Provider", "Copilot", "Directory", "Model", "the agent's own choice", "Confirmations", "Ask first", "Own worktree", "not set", "Depth", "Branch", "Labels", "Extra")
		d.lacks("Off limits", "Build of the host")
		d.key("tab", "tab", "down")
		d.sees("GPT X", "128000 tokens", "mini")
		d.key("tab", "down")
		d.sees("Never ask", "fast")
		d.key("tab", "j", "tab")
		d.write("deep")
		d.key("enter")
		d.sees("is no number", "deep")
		d.key("ctrl+u")
		d.write("3")
		d.key("enter")
		d.sees("Branch (needed)", "Branch: a value is needed") // and it has the keys now
		d.pass(time.Second)
		d.sees("branch main", "branch develop")
		d.write("log")
		d.pass(time.Second)
		d.lacks("a value is needed")
		d.sees("branch feature/login")
		d.lacks("branch main")
		d.key("down", "tab")
		d.sees("feature/login")
		d.write("a, b")
		d.key("tab")
		d.write("{")
		d.key("enter")
		d.sees("Extra: that is no JSON", "feature/login", "a, b")
		d.write("}")
		d.key("enter")
		d.settle()
		p := d.host.created
		if p == nil {
			t.Fatalf("nothing was made:\n%s", d.screen())
		}
		want := map[string]string{
			"confirm": `"never"`, "isolated": "true", "depth": "3", "branch": `"feature/login"`, "labels": `["a","b"]`, "extra": "{}",
		}
		got := map[string]string{}
		for name, value := range p.Config {
			got[name] = string(value)
		}
		if p.Provider != "copilot" || p.WorkingDirectory != "file:///home/u/app" || !maps.Equal(got, want) {
			t.Errorf("asked for %q in %q with %v", p.Provider, p.WorkingDirectory, got)
		}
		d.focused(keymap.Composer)
		d.host.change(func() {
			d.host.states["copilot:/new"] = &protocol.SessionState{Provider: "copilot", Lifecycle: protocol.LifecycleReady, DefaultChat: "ahp-chat:/new", Chats: []*protocol.ChatSummary{{Resource: "ahp-chat:/new"}}}
			d.host.states["ahp-chat:/new"] = &protocol.ChatState{Resource: "ahp-chat:/new"}
		})
		d.look()
		d.write("hello")
		d.key("enter")
		if a, ok := d.host.last().Action.(*protocol.ChatTurnStarted); !ok || a.Message.Model == nil || a.Message.Model.ID != "gpt-x" {
			t.Errorf("sent %+v", d.host.last().Action)
		}
	})
}

// TestSessionConfigByProvider: each provider has its own fields, and what was typed for one is kept.
func TestSessionConfigByProvider(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 100, Height: 40}, configurableHost, func(t *testing.T, d *driver) {
		d.key("n")
		d.pass(time.Second)
		d.key("tab", "tab", "tab", "tab", "tab")
		d.write("7")
		d.key("shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "down")
		d.pass(time.Second)
		d.lacks("Depth", "Model")
		d.key("up")
		d.pass(time.Second)
		d.sees("Depth", "7", "Model")
		d.key("down", "enter")
		d.settle()
		if p := d.host.created; p == nil || p.Provider != "other" || len(p.Config) != 0 {
			t.Errorf("asked for %+v", p)
		}
	})
}

// TestSessionConfigUnknown: a host that offers nothing has no fields, and one that fails says so; a session can be made with
// both. What was offered before stays.
func TestSessionConfigUnknown(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"an old protocol", &ahpclient.UnsupportedError{What: "resolveSessionConfig", Version: protocol.V0_5_1}, ""},
		{"a failure", errors.New("no such directory"), "what can be configured is not known: no such directory"},
		{"a sign-in", &ahpclient.AuthRequiredError{Err: errors.New("sign in")}, "once you have signed in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, viewtest.Size{Width: 100, Height: 40}, configurableHost, func(t *testing.T, d *driver) {
				ok := d.host.resolve
				d.host.resolve = func(context.Context, *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error) {
					return nil, tt.err
				}
				d.key("n")
				d.pass(time.Second)
				d.lacks("Depth")
				d.sees("Directory", tt.want)
				d.host.resolve = ok
				d.key("tab", "x") // another directory
				d.pass(time.Second)
				d.sees("Depth")
				d.host.resolve = func(context.Context, *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error) {
					return nil, tt.err
				}
				d.key("y")
				d.pass(time.Second)
				d.sees("Depth", tt.want)
			})
		})
	}
}

// TestSessionConfigAsked: the host is not asked for each letter, and what it says of an older draft is left alone.
func TestSessionConfigAsked(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 100, Height: 40}, configurableHost, func(t *testing.T, d *driver) {
		resolve, n := d.host.resolve, 0
		hold := make(chan struct{})
		d.host.resolve = func(ctx context.Context, p *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error) {
			if n++; n == 1 {
				<-hold
				return nil, errors.New("too late")
			}
			return resolve(ctx, p)
		}
		d.key("n")
		d.pass(time.Second)
		d.key("tab")
		d.write("/a/long/path")
		d.pass(time.Second)
		close(hold)
		d.pass(time.Second)
		d.sees("Depth")
		d.lacks("too late")
		d.key("tab", "tab")
		d.pass(time.Second)
		if n != 2 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestSessionFormSizes: every field can be reached in a small window.
func TestSessionFormSizes(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 40, Height: 12}, configurableHost, func(t *testing.T, d *driver) {
		d.key("n")
		d.pass(time.Second)
		for _, label := range []string{"Directory", "Model", "Confirmations", "Own worktree", "Depth", "Branch", "Labels", "Extra", "Provider"} {
			d.key("tab")
			d.pass(time.Second)
			d.sees(label)
			viewtest.Check(t, d.frame.Content, 40, 12)
		}
		d.key("shift+tab")
		d.checkSizes()
	})
}

// TestHostileConfig: what a host calls its fields and values does no harm.
func TestHostileConfig(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 60, Height: 50}, configurableHost, func(t *testing.T, d *driver) {
		for _, s := range viewtest.Hostile() {
			text, err := protocol.Marshal(s)
			if err != nil {
				continue
			}
			d.host.resolve = func(context.Context, *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error) {
				schema := `{"type":"object","properties":{"a":{"type":"string","title":T,"description":T,"enum":[T,"b"],"enumLabels":[T],"enumDescriptions":[T]},"c":{"type":"string","title":T,"description":T}}}`
				return &protocol.ResolveSessionConfigResult{
					Schema: protocol.Raw(strings.ReplaceAll(schema, "T", string(text))), Values: map[string]protocol.Raw{"a": text, "c": text},
				}, nil
			}
			d.key("n")
			d.pass(time.Second)
			for range 4 {
				viewtest.Check(t, d.frame.Content, 60, 50)
				d.key("tab")
			}
			d.key("esc")
		}
	})
}
