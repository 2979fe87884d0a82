package host_test

import (
	"testing"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

func TestNegotiation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		pinned  []protocol.Version
		offered []string
		want    string // "" for a refusal
	}{
		{"everything", nil, []string{"1.0.0", "0.10.0", "0.9.0", "0.8.0", "0.7.0", "0.6.0", "0.5.2"}, "1.0.0"},
		{"the highest, whatever the order", nil, []string{"0.6.0", "0.9.0"}, "0.9.0"},
		{"an old client", nil, []string{"0.7.0", "0.6.0"}, "0.7.0"},
		{"the oldest client", nil, []string{"0.5.1", "0.5.0"}, "0.5.1"},
		{"a patch that is not known yet", nil, []string{"1.0.1", "0.9.1", "0.8.0"}, "0.8.0"},
		{"pinned", []protocol.Version{protocol.V0_6_0}, []string{"0.9.0", "0.6.0"}, "0.6.0"},
		{"nothing in common", nil, []string{"2.0.0", "0.10.0", "0.5.0"}, ""},
		{"pinned to another", []protocol.Version{protocol.V0_9_0}, []string{"1.0.0", "0.8.0"}, ""},
		{"no versions", nil, []string{"^0.9.0", "0.9", "nine"}, ""},
		{"none", nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, host.Options{Versions: tt.pinned}, nil)
			c := connect(t, h, "c")
			params := &protocol.InitializeParams{Channel: protocol.RootChannel, ProtocolVersions: tt.offered, ClientID: c.id}
			if tt.want == "" {
				e := c.refused("initialize", params)
				var data protocol.UnsupportedVersionData
				if err := protocol.Unmarshal(e.Data, &data); e.Code != protocol.CodeUnsupportedProtocolVersion || err != nil || len(data.SupportedVersions) == 0 {
					t.Errorf("refused with %v, data %s", e, e.Data)
				}
				return
			}
			var r protocol.InitializeResult
			c.call("initialize", params, &r)
			if r.ProtocolVersion != tt.want {
				t.Errorf("negotiated %s, want %s", r.ProtocolVersion, tt.want)
			}
		})
	}
}

func TestBeforeTheHandshake(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := connect(t, h, "c")
	c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	for _, method := range []string{"subscribe", "listSessions", "createSession", "resourceRead", "nosuch"} {
		if e := c.refused(method, &protocol.ChannelParams{Channel: protocol.RootChannel}); e.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("%s: %v", method, e)
		}
	}
	c.dispatch(sessionURI, 1, &protocol.SessionTitleChanged{Title: "stolen"})
	if e := c.refused("initialize", map[string]any{"protocolVersions": []string{"0.9.0"}}); e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("without a client id: %v", e)
	}
	c.initialize(protocol.V0_9_0)
	if e := c.refused("initialize", &protocol.InitializeParams{ProtocolVersions: []string{"0.9.0"}, ClientID: "c"}); e.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("a second initialize: %v", e)
	}
	if title := c.session().Title; title != "A session" {
		t.Errorf("an action before the handshake had an effect: %q", title)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := connect(t, h, "c")
	c.initialize(protocol.V0_9_0)
	root := map[string]any{"channel": "ahp-root://"}
	with := func(members map[string]any) map[string]any {
		for k, v := range root {
			if _, ok := members[k]; !ok {
				members[k] = v
			}
		}
		return members
	}
	for _, tt := range []struct {
		method string
		params any
		code   int
	}{
		{"nosuch", root, jsonrpc.CodeMethodNotFound},
		{"completions", root, protocol.CodeSessionNotFound},
		{"completions", map[string]any{"channel": chatURI, "kind": "other"}, jsonrpc.CodeInvalidParams},
		{"completions", map[string]any{"channel": chatURI, "kind": "userMessage", "text": "@", "offset": 2}, jsonrpc.CodeInvalidParams},
		{"sessionConfigCompletions", with(map[string]any{"property": "confirm"}), jsonrpc.CodeInvalidParams},
		{"resolveSessionConfig", with(map[string]any{"config": map[string]any{"none": 1}}), jsonrpc.CodeInvalidParams},
		{"createSession", map[string]any{"channel": "ahp-session:/n", "config": map[string]any{"confirm": "perhaps"}}, jsonrpc.CodeInvalidParams},
		{"createSession", map[string]any{"channel": "ahp-session:/n", "activeClient": map[string]any{"clientId": "c", "tools": []any{map[string]any{"name": ""}}}}, jsonrpc.CodeInvalidParams},
		{"createTerminal", root, protocol.CodePermissionDenied},
		{"disposeTerminal", map[string]any{"channel": "ahp-terminal:/none"}, protocol.CodeSessionNotFound},
		{"subscribe", map[string]any{"channel": "ahp-session:/none"}, protocol.CodeSessionNotFound},
		{"subscribe", []any{1}, jsonrpc.CodeInvalidParams},
		{"subscribe", nil, jsonrpc.CodeInvalidParams},
		{"listSessions", with(map[string]any{"cursor": "!"}), jsonrpc.CodeInvalidParams},
		{"listSessions", with(map[string]any{"limit": 0}), jsonrpc.CodeInvalidParams},
		{"authenticate", with(map[string]any{"resource": "https://r.example", "token": "canary"}), protocol.CodeAuthRequired},
		{"authenticate", with(map[string]any{"token": "canary"}), jsonrpc.CodeInvalidParams},
		{"resourceRead", with(map[string]any{"uri": "file:///etc/passwd"}), protocol.CodePermissionDenied},
		{"resourceWrite", with(map[string]any{"uri": "file:///etc/passwd"}), protocol.CodePermissionDenied},
		{"createResourceWatch", with(map[string]any{"uri": "file:///etc"}), protocol.CodePermissionDenied},
		{"createSession", map[string]any{"channel": sessionURI}, protocol.CodeSessionAlreadyExists},
		{"createSession", map[string]any{"channel": "ahp-session:/n", "provider": "none"}, protocol.CodeProviderNotFound},
		{"createSession", map[string]any{"channel": ""}, jsonrpc.CodeInvalidParams},
		{"createSession", map[string]any{"channel": "ahp-session:/n", "workingDirectories": []string{"file:///a", "file:///b"}}, jsonrpc.CodeInvalidParams},
		{"createSession", map[string]any{"channel": "ahp-session:/n", "activeClient": map[string]any{"clientId": "other"}}, jsonrpc.CodeInvalidParams},
		{"disposeSession", map[string]any{"channel": "ahp-session:/none"}, protocol.CodeSessionNotFound},
		{"createChat", map[string]any{"channel": sessionURI, "chat": "ahp-chat:/second"}, jsonrpc.CodeInvalidParams},
		{"createChat", map[string]any{"channel": "ahp-session:/none", "chat": "ahp-chat:/x"}, protocol.CodeSessionNotFound},
		{"disposeChat", map[string]any{"channel": chatURI}, jsonrpc.CodeInvalidParams},
		{"disposeChat", map[string]any{"channel": "ahp-chat:/none"}, protocol.CodeSessionNotFound},
		{"fetchTurns", map[string]any{"channel": "ahp-chat:/none"}, protocol.CodeSessionNotFound},
		{"fetchTurns", map[string]any{"channel": chatURI, "cursor": "none"}, jsonrpc.CodeInvalidParams},
		{"resolveSessionConfig", with(map[string]any{"provider": "none"}), protocol.CodeProviderNotFound},
	} {
		e := c.refused(tt.method, tt.params)
		if e.Code != tt.code {
			t.Errorf("%s %v: %v, want code %d", tt.method, tt.params, e, tt.code)
		}
		if contains(e.Message, "canary") {
			t.Errorf("%s: the answer shows a token", tt.method)
		}
	}
	c.call("createChat", map[string]any{"channel": sessionURI, "chat": chatURI}, nil)
	c.call("resolveSessionConfig", root, nil)
	c.call("ping", root, nil)
}

func TestTokenAtTheDoor(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	url, err := h.Listen("127.0.0.1:0", secret.New("t0ken"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jsonrpc.Dial(t.Context(), url, jsonrpc.DialOptions{}); err == nil {
		t.Error("a connection without the token was taken")
	}
	if _, err := jsonrpc.Dial(t.Context(), url, jsonrpc.DialOptions{Token: secret.New("other")}); err == nil {
		t.Error("a connection with another token was taken")
	}
	dial(t, url, "c", secret.New("t0ken")).initialize(protocol.V0_9_0)
	if _, err := h.Listen("0.0.0.0:0", secret.Value{}); err == nil {
		t.Error("the host listens for other machines without a token")
	}
}

func TestCloseEndsConnectionsInGoodOrder(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	url, err := h.Listen("127.0.0.1:0", secret.Value{})
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, url, "c", secret.Value{})
	c.initialize(protocol.V0_9_0)
	closeHost(t, h)
	<-c.done
	if err := c.peer.Err(); !contains(err.Error(), "the peer closed the connection (1000)") {
		t.Errorf("the connection ended with %v", err)
	}
	if _, err := jsonrpc.Dial(t.Context(), url, jsonrpc.DialOptions{}); err == nil {
		t.Error("a closed host listens")
	}
	if err := h.Attach(nopTransport(t)); err == nil {
		t.Error("a closed host takes connections")
	}
}

func nopTransport(t *testing.T) jsonrpc.Transport {
	a, b := jsonrpc.Pipe()
	t.Cleanup(func() { _ = b.Close() })
	return a
}
