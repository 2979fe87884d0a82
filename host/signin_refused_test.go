package host_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

func TestSignInsThatAreRefused(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, nil, p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	for name, tt := range map[string]struct {
		params string
		code   int
	}{
		"no resource":        {`{"token":"$T"}`, jsonrpc.CodeInvalidParams},
		"no token":           {`{"resource":"$R"}`, jsonrpc.CodeInvalidParams},
		"a token of null":    {`{"resource":"$R","token":null}`, jsonrpc.CodeInvalidParams},
		"a number":           {`{"resource":"$R","token":1}`, jsonrpc.CodeInvalidParams},
		"a line break":       {`{"resource":"$R","token":"$T\r\nX-Evil: 1"}`, jsonrpc.CodeInvalidParams},
		"a space":            {`{"resource":"$R","token":"$T $T"}`, jsonrpc.CodeInvalidParams},
		"no ASCII":           {`{"resource":"$R","token":"$Tä"}`, jsonrpc.CodeInvalidParams},
		"a huge token":       {`{"resource":"$R","token":"` + strings.Repeat("t", 40<<10) + `"}`, jsonrpc.CodeInvalidParams},
		"expired already":    {`{"resource":"$R","token":"$T","expiresIn":0}`, jsonrpc.CodeInvalidParams},
		"an empty scope":     {`{"resource":"$R","token":"$T","scopes":[""]}`, jsonrpc.CodeInvalidParams},
		"scopes of a string": {`{"resource":"$R","token":"$T","scopes":"read"}`, jsonrpc.CodeInvalidParams},
		"too little":         {`{"resource":"$R","token":"$T","scopes":["other"]}`, protocol.CodeAuthRequired},
		"no scopes at all":   {`{"resource":"$R","token":"$T","scopes":[]}`, protocol.CodeAuthRequired},
		"another resource":   {`{"resource":"https://elsewhere.example","token":"$T"}`, protocol.CodeAuthRequired},
		"another slash":      {`{"resource":"$R/","token":"$T"}`, protocol.CodeAuthRequired},
	} {
		params := strings.NewReplacer("$R", p.resource(), "$T", canary).Replace(tt.params)
		e := refusal(t, c.try("authenticate", protocol.Raw(params), nil))
		if e.Code != tt.code {
			t.Errorf("%s: %v, want %d", name, e, tt.code)
		}
		if e.Code == protocol.CodeAuthRequired && !slices.Equal(resources(t, e), []string{p.resource()}) {
			t.Errorf("%s: the data are %s", name, e.Data)
		}
	}
	if state := c.serverState("issues", protocol.McpAuthRequired).State; state.Reason != "required" {
		t.Errorf("the server was given a token: %+v", state)
	}
	if n := p.handshakes(); n != 1 {
		t.Errorf("the server was started %d times", n)
	}
}

// The host's log has no token, at any level.
func TestNoTokenInTheLog(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	p := startProtected(t)
	h := newHost(t, host.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, call("issues.create"), p.spec())
	url, err := h.Listen("127.0.0.1:0", secret.New("t0ken"))
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, url, "c", secret.New("t0ken"))
	c.initialize(protocol.V0_9_0, protocol.RootChannel, sessionURI, chatURI)
	c.serverState("issues", protocol.McpAuthRequired)
	c.mustSignIn(p.resource(), tokenRead)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.blocked()
	refusal(t, c.try("authenticate", protocol.Raw(`{"resource":1,"token":"`+tokenWrite+`"}`), nil))
	c.mustSignIn(p.resource(), tokenWrite)
	c.free()
	c.checkNoToken()
	c.close()
	if got := log.String(); contains(got, canary) || !contains(got, "client initialized") {
		t.Errorf("the log is\n%s", got)
	}
}

// lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
