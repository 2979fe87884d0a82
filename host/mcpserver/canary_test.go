package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/internal/secret"
)

const canary = "canary-5f1cb2"

// shown is everything of a value that somebody may look at.
func shown(t *testing.T, values ...any) string {
	t.Helper()
	var b strings.Builder
	for _, v := range values {
		data, err := json.Marshal(v)
		if err != nil {
			data = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%v %+v %#v %s\n", v, v, v, data)
	}
	return b.String()
}

// A server that repeats the token wherever it can does not make it public.
func TestServerThatRepeatsTheToken(t *testing.T) {
	t.Parallel()
	g := protected(t, func(g *guarded) {
		g.tokens[canary] = []string{"read"}
		g.extra = func(token string) string {
			return fmt.Sprintf(`, error_description="the token %s is no good", scope="read %s"`, token, token)
		}
		g.metadata = func(w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, `{"resource":%q,"resource_name":%q,"authorization_servers":["https://%s.example"],"scopes_supported":[%q]}`,
				g.URL+"/mcp", canary, canary, canary)
		}
	})
	s, states := signedIn(t, g.config(), canary)
	res, err := s.CallTool(t.Context(), "test.echo", jsontext.Value(`{"text":"`+canary+`"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	stepUp := wantAuth(t, s, "test.env")
	g.revoke(canary)
	expired := wantAuth(t, s, "test.echo")
	await(t, states, AuthRequired)
	if !strings.Contains(stepUp.Requirement.Description, secret.Redacted) {
		t.Errorf("the description is %q", stepUp.Requirement.Description)
	}
	all := shown(t, res, stepUp, stepUp.Requirement, stepUp.Requirement.Resource, expired, expired.Requirement, s.State(), s.State().Auth, s.State().Auth.Resource)
	if strings.Contains(all, canary) {
		t.Errorf("the token is shown:\n%s", all)
	}
}

// The same for what a tool gives and says, and for a refusal of the handshake.
func TestToolThatRepeatsTheToken(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "leaky", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "leak"}, func(ctx context.Context, req *mcp.CallToolRequest, in textArgs) (*mcp.CallToolResult, map[string]string, error) {
		for range 20 { // progress that comes with the result may be lost
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1, Message: canary})
		}
		if in.Text == "fail" {
			return nil, nil, fmt.Errorf("cannot do it with %s", canary)
		}
		return text("it is " + canary), map[string]string{"token": canary, canary: "x"}, nil
	})
	g := protected(t, func(g *guarded) { g.tokens[canary] = []string{"read"} })
	g.Config.Handler = g.protect(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	s, _ := signedIn(t, g.config(), canary)
	var mu sync.Mutex
	var said []Progress
	for _, in := range []string{"work", "fail"} {
		res, err := s.CallTool(t.Context(), "leak", jsontext.Value(`{"text":"`+in+`"}`), func(p Progress) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, p)
		})
		if err != nil {
			t.Fatal(err)
		}
		if all := shown(t, res, res.Text(), string(res.Structured)); strings.Contains(all, canary) || !strings.Contains(all, secret.Redacted) {
			t.Errorf("%s: the result is %s", in, all)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if all := shown(t, said); len(said) == 0 || strings.Contains(all, canary) {
		t.Errorf("the progress is %s", all)
	}
}

func TestHandshakeThatRepeatsTheToken(t *testing.T) {
	t.Parallel()
	srv := endpoint(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"what is %s?"}}`, canary)
		})
	})
	s, _ := launch(t, Config{Name: "web", URL: srv.URL})
	s.SetToken(secret.New(canary))
	settle(t, s.Start())
	wantKind(t, s, Failed)
	if all := shown(t, s.State(), s.State().Err); strings.Contains(all, canary) || !strings.Contains(all, "what is "+secret.Redacted) {
		t.Errorf("the error is %s", all)
	}
}
