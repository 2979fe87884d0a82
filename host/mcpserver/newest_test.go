package mcpserver

import (
	"bytes"
	"io"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/internal/secret"
)

// newest makes a server speak the newest version, which knows no sessions.
var newest = &mcp.StreamableHTTPOptions{Stateless: true}

// unknown are the ways in which a server says that it does not know a method.
var unknown = map[string]func(w http.ResponseWriter, id jsontext.Value){
	"bad request": func(w http.ResponseWriter, _ jsontext.Value) { http.Error(w, "what?", http.StatusBadRequest) },
	"not found":   func(w http.ResponseWriter, id jsontext.Value) { unknownMethod(w, id, http.StatusNotFound) },
	"an error":    func(w http.ResponseWriter, id jsontext.Value) { unknownMethod(w, id, http.StatusOK) },
}

func unknownMethod(w http.ResponseWriter, id jsontext.Value, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": -32601, "message": "Method not found"}})
}

// newestOnly stands before a server that knows the handshake of the newest version alone.
func newestOnly(refuse func(http.ResponseWriter, jsontext.Value), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var call struct {
			ID     jsontext.Value `json:"id"`
			Method string         `json:"method"`
		}
		if _ = json.Unmarshal(body, &call); call.Method == "initialize" { // a GET has none
			refuse(w, call.ID)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A server that knows the newest version alone is asked in the words of that.
func TestNewestOverHTTP(t *testing.T) {
	t.Parallel()
	for name, refuse := range unknown {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := endpointWith(t, newest, func(next http.Handler) http.Handler { return newestOnly(refuse, next) })
			s, _ := launch(t, Config{Name: "newest", URL: srv.URL})
			ready(t, s)
			if err := echo(t, s); err != nil {
				t.Fatal(err)
			}
			if _, err := s.CallTool(t.Context(), "test.grow", jsontext.Value(`{"text":""}`), nil); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the new tool is listed", func() bool {
				return slices.ContainsFunc(s.Tools(), func(tool Tool) bool { return tool.Name == "test.new" })
			})
			settle(t, s.Stop())
			ready(t, s)
		})
	}
}

// Such a server asks for a sign-in, and for more access, as any other does.
func TestNewestTakesASignIn(t *testing.T) {
	t.Parallel()
	for name, refuse := range unknown {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := protected(t, func(g *guarded) {
				g.opts, g.public = newest, func(r rpc) bool { return r.Method == "initialize" }
			})
			g.Config.Handler = newestOnly(refuse, g.Config.Handler)
			s, states := launch(t, g.config())
			settle(t, s.Start())
			st := await(t, states, AuthRequired)
			if st.Auth.Reason != ReasonRequired || !reflect.DeepEqual(st.Auth.RequiredScopes, []string{"read"}) || st.Auth.Resource.Resource != g.URL+"/mcp" {
				t.Errorf("the requirement is %+v", st.Auth)
			}
			s.SetToken(secret.New("t-bad"))
			await(t, states, Starting)
			if st := await(t, states, AuthRequired); st.Auth.Reason != ReasonExpired {
				t.Errorf("with a bad token the reason is %s", st.Auth.Reason)
			}
			s.SetToken(secret.New("t-read"))
			await(t, states, Ready)
			if err := echo(t, s); err != nil {
				t.Fatal(err)
			}
			auth := wantAuth(t, s, "test.env")
			if auth.Server || auth.Requirement.Reason != ReasonInsufficientScope || !reflect.DeepEqual(auth.Requirement.RequiredScopes, []string{"write"}) {
				t.Errorf("the call says %+v, %+v", auth, auth.Requirement)
			}
			s.SetToken(secret.New("t-write"))
			if _, err := s.CallTool(t.Context(), "test.env", jsontext.Value(`{"text":"HOME"}`), nil); err != nil {
				t.Errorf("the call with more access: %v", err)
			}
			g.revoke("t-write")
			if auth := wantAuth(t, s, "test.echo"); auth.Requirement.Reason != ReasonExpired {
				t.Errorf("with a token that is gone the call says %+v", auth.Requirement)
			}
		})
	}
}
