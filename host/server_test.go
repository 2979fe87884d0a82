package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"ahptui/host"
	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// twoServers are one at the top level and one in a plugin, both started.
func twoServers(t *testing.T) []host.ServerSpec {
	t.Helper()
	return []host.ServerSpec{
		{ID: "a", URI: "file:///mcp.json", Config: stdioServer(t, "alpha")},
		{ID: "b", URI: "file:///plugin.json", Config: stdioServer(t, "beta"), Plugin: "tools"},
	}
}

func TestServersStartWithTheirSession(t *testing.T) {
	t.Parallel()
	specs := append(twoServers(t),
		host.ServerSpec{ID: "c", URI: "file:///servers", Config: stdioServer(t, "gamma"), Stopped: true},
		host.ServerSpec{ID: "d", URI: "file:///servers", Config: mcpserver.Config{Name: "delta", Command: "no-such-binary-xyz"}})
	h := newHost(t, host.Options{}, nil, specs...)
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("a", protocol.McpReady)
	c.serverState("b", protocol.McpReady)
	c.serverState("c", protocol.McpStopped)
	failed := c.serverState("d", protocol.McpError)
	if e := failed.State.Error; e.ErrorType != mcpserver.ErrNotFound || !contains(e.Message, "not found in PATH") {
		t.Errorf("the error is %+v", e)
	}
	server, _ := protocol.ServerByID(c.session(), "b")
	if server.Container == nil || server.Container.Name != "tools" {
		t.Error("beta is not in its plugin")
	}
}

func TestStopStartRestart(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, twoServers(t)...)
	for i, v := range []protocol.Version{protocol.V0_9_0, protocol.V0_6_0} {
		c := join(t, h, v.String(), v)
		id := []string{"a", "b"}[i]
		c.serverState(id, protocol.McpReady)
		c.dispatch(sessionURI, 1, &protocol.SessionMcpServerStopRequested{ID: id})
		c.answerTo(1)
		c.serverState(id, protocol.McpStopped)
		c.dispatch(sessionURI, 2, &protocol.SessionMcpServerStartRequested{ID: id})
		if e := c.answerTo(2); e.RejectionReason != nil {
			t.Fatalf("start is refused: %s", *e.RejectionReason)
		}
		c.serverState(id, protocol.McpReady)
		c.dispatch(sessionURI, 3, &protocol.SessionMcpServerStartRequested{ID: id})
		c.answerTo(3)
		c.serverState(id, protocol.McpReady)
	}
}

// A client that stops and starts in one breath gets what it asked for last.
func TestActionsOfOneConnectionKeepTheirOrder(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, twoServers(t)...)
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("a", protocol.McpReady)
	c.dispatch(sessionURI, 1, &protocol.SessionMcpServerStopRequested{ID: "a"})
	c.dispatch(sessionURI, 2, &protocol.SessionMcpServerStartRequested{ID: "a"})
	c.dispatch(sessionURI, 3, &protocol.SessionTitleChanged{Title: "last"})
	if one, two, three := c.answerTo(1), c.answerTo(2), c.answerTo(3); one.ServerSeq > two.ServerSeq || two.ServerSeq > three.ServerSeq {
		t.Errorf("the echoes have the numbers %d, %d, %d", one.ServerSeq, two.ServerSeq, three.ServerSeq)
	}
	c.serverState("a", protocol.McpReady)
}

func TestToggle(t *testing.T) {
	t.Parallel()
	for _, v := range []protocol.Version{protocol.V0_9_0, protocol.V0_6_0} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			h := newHost(t, host.Options{}, nil, twoServers(t)...)
			c := join(t, h, "c", v)
			other := join(t, h, "other", protocol.V0_9_0)
			c.serverState("a", protocol.McpReady)
			entry, _ := protocol.ServerByID(c.session(), "a")

			c.dispatch(sessionURI, 1, protocol.Toggle(v, entry.Customization, false))
			echo := c.answerTo(1).Action.(*protocol.SessionCustomizationToggled)
			if (echo.Enabled != nil) != (v == protocol.V0_6_0) {
				t.Errorf("the echo has not the form of the version: %+v", echo)
			}
			seen := other.typed("session/customizationToggled").Action.(*protocol.SessionCustomizationToggled)
			if len(seen.Enablement) != 1 || seen.Enablement[0].Enabled || seen.Enablement[0].Kind != protocol.ScopeSession {
				t.Errorf("the other client sees %+v", seen)
			}
			c.serverState("a", protocol.McpStopped)

			c.dispatch(sessionURI, 2, &protocol.SessionMcpServerStartRequested{ID: "a"})
			if e := c.answerTo(2); e.RejectionReason == nil || *e.RejectionReason != "alpha is disabled: enable it first" {
				t.Errorf("starting a disabled server: %+v", e.RejectionReason)
			}

			entry, _ = protocol.ServerByID(c.session(), "a")
			c.dispatch(sessionURI, 3, protocol.Toggle(v, entry.Customization, true))
			c.answerTo(3)
			c.serverState("a", protocol.McpReady) // it ran before
		})
	}
}

func TestToggleOfAPlugin(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, twoServers(t)...)
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("b", protocol.McpReady)
	plugin := &protocol.Customization{ID: "plugin:tools"}
	c.dispatch(sessionURI, 1, protocol.Toggle(protocol.V0_9_0, plugin, false))
	c.answerTo(1)
	c.serverState("b", protocol.McpStopped)
	c.dispatch(sessionURI, 2, &protocol.SessionMcpServerStartRequested{ID: "b"})
	if e := c.answerTo(2); e.RejectionReason == nil || !contains(*e.RejectionReason, "belongs to tools, which is disabled") {
		t.Errorf("starting a server of a disabled plugin: %+v", e.RejectionReason)
	}
	c.dispatch(sessionURI, 3, protocol.Toggle(protocol.V0_9_0, plugin, true))
	c.answerTo(3)
	c.serverState("b", protocol.McpReady)

	// Stopped by hand, it stays stopped when its plugin goes off and on.
	c.dispatch(sessionURI, 4, &protocol.SessionMcpServerStopRequested{ID: "b"})
	c.dispatch(sessionURI, 5, protocol.Toggle(protocol.V0_9_0, plugin, false))
	c.dispatch(sessionURI, 6, protocol.Toggle(protocol.V0_9_0, plugin, true))
	c.answerTo(6)
	c.serverState("b", protocol.McpStopped)
}

func TestWorkspaceServersWaitForAStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := protocol.Marshal(map[string]any{"mcpServers": map[string]any{
		"tools": map[string]any{"type": "stdio", "command": exe, "env": map[string]string{serverVar: "x", "GORACE": "atexit_sleep_ms=0"}},
		"web":   map[string]any{"type": "http", "url": "http://127.0.0.1:1/", "headers": map[string]string{"Authorization": "Bearer canary"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, host.Options{}, nil)
	c := connect(t, h, "c")
	c.initialize(protocol.V0_9_0, protocol.RootChannel)
	const uri = "ahp-session:/w"
	c.call("createSession", protocol.NewCreateSession(protocol.V0_9_0, uri, "", protocol.URI("file://"+dir)), nil)
	c.told("root/sessionAdded", uri)
	s := snapshot[protocol.SessionState](c, uri)
	servers := protocol.Servers(s)
	if len(servers) != 2 || servers[0].Name != "tools" || servers[0].StateKind() != protocol.McpStopped || servers[1].Name != "web" {
		t.Fatalf("the servers are %+v", servers)
	}
	c.dispatch(uri, 1, &protocol.SessionMcpServerStartRequested{ID: servers[0].ID})
	c.until("the server is ready", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.SessionMcpServerStateChanged)
		return ok && a.ID == servers[0].ID && a.State.Kind == protocol.McpReady
	})
	c.dispatch(uri, 2, &protocol.SessionMcpServerStartRequested{ID: servers[1].ID})
	failed := c.until("the other one fails", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.SessionMcpServerStateChanged)
		return ok && a.ID == servers[1].ID && a.State.Kind == protocol.McpError
	}).Action.(*protocol.SessionMcpServerStateChanged)
	if contains(failed.State.Error.Message, "canary") {
		t.Error("an error shows a header")
	}
	c.call("disposeSession", &protocol.ChannelParams{Channel: uri}, nil)
	c.told("root/sessionRemoved", uri)
	if e := c.refused("subscribe", &protocol.ChannelParams{Channel: uri}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("a session that was disposed of: %v", e)
	}
}

func TestWorkspaceFileThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := connect(t, h, "c")
	c.initialize(protocol.V0_6_0)
	for name, tt := range map[string]struct{ content, want string }{
		"no JSON":   {`{"mcpServers":`, "not the JSON that is expected"},
		"too large": {string(make([]byte, 2<<20)), "too large"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		uri := protocol.URI("ahp-session:/" + filepath.Base(dir) + name[:2])
		c.call("createSession", protocol.NewCreateSession(protocol.V0_6_0, uri, "test", protocol.URI("file://"+dir)), nil)
		s := snapshot[protocol.SessionState](c, uri)
		if len(s.Customizations) != 1 || s.Customizations[0].Load == nil || !contains(s.Customizations[0].Load.Message, tt.want) {
			t.Errorf("%s: the customizations are %+v", name, s.Customizations)
		}
		if s.WorkingDirectory != protocol.URI("file://"+dir) || s.WorkingDirectories != nil {
			t.Errorf("%s: the directory at 0.6 is %q and %q", name, s.WorkingDirectory, s.WorkingDirectories)
		}
	}
}
