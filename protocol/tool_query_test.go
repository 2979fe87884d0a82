package protocol

import (
	"testing"
)

func TestToolAnnotations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                                         string
		a                                            *ToolAnnotations
		readOnly, destructive, idempotent, openWorld bool
	}{
		{"nothing said", nil, false, true, false, true},
		{"nothing in it", &ToolAnnotations{}, false, true, false, true},
		{"reads only", &ToolAnnotations{ReadOnlyHint: boolean(true)}, true, false, false, true},
		{"reads only and destroys", &ToolAnnotations{ReadOnlyHint: boolean(true), DestructiveHint: boolean(true)}, true, false, false, true},
		{"all said", &ToolAnnotations{ReadOnlyHint: boolean(false), DestructiveHint: boolean(false), IdempotentHint: boolean(true), OpenWorldHint: boolean(false)}, false, false, true, false},
	} {
		got := []bool{tt.a.ReadOnly(), tt.a.Destructive(), tt.a.Idempotent(), tt.a.OpenWorld()}
		equalTo(t, tt.name, got, []bool{tt.readOnly, tt.destructive, tt.idempotent, tt.openWorld})
	}
}

func TestMcpAppCapabilities(t *testing.T) {
	t.Parallel()
	methods := []string{"tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "logging/setLevel", "notifications/message", "sampling/createMessage", "initialize", ""}
	for raw, want := range map[string]int{
		``: 0, `7`: 0, `{}`: 0, `{"capabilities":{}}`: 0,
		`{"capabilities":{"serverTools":{}}}`:                                                 2,
		`{"capabilities":{"serverTools":{},"serverResources":{},"logging":{},"sampling":{}}}`: 8,
	} {
		c := &Customization{McpApp: Raw(raw)}
		if raw == "" {
			c.McpApp = nil
		}
		n := 0
		for _, m := range methods {
			if c.App().Serves(m) {
				n++
			}
		}
		equalTo(t, raw, n, want)
	}
	app := (&Customization{McpApp: Raw(`{"capabilities":{"serverTools":{"listChanged":true},"serverResources":{}}}`)}).App()
	for method, want := range map[string]bool{"notifications/tools/list_changed": true, "notifications/resources/list_changed": false, "notifications/cancelled": false} {
		equalTo(t, method, app.Forwards(method), want)
	}
	if (*McpAppCapabilities)(nil).Forwards("notifications/tools/list_changed") {
		t.Error("nothing is forwarded without a channel")
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	c := read[ToolResultContent](t, `{"type":"fileEdit","after":{"uri":"file:///a","content":{"uri":"x:/1"}},"diff":{"added":3}}`)
	if e := c.Edit(); e.Before != nil || e.After.URI != "file:///a" || *e.Diff.Added != 3 {
		t.Errorf("%+v", e)
	}
	if TextContent("x").Edit() != nil {
		t.Error("a text is no edit")
	}
}

func TestProgressAndTelemetry(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{`{"progress":1}`: false, `{"progress":1,"total":2}`: false, `{"progress":2,"total":2}`: true, `{"progress":3,"total":2}`: true} {
		equalTo(t, raw, read[ProgressParams](t, raw).Done(), want)
	}
	last := 0
	for _, level := range []string{"trace", "debug", "info", "warn", "error", "fatal"} {
		floor := SeverityFloor(level)
		if floor != last+4 && last != 0 {
			t.Errorf("%s begins at %d", level, floor)
		}
		last = floor
	}
	equalTo(t, "the last", last, 21)
	equalTo(t, "none", SeverityFloor("loud"), 0)
}
