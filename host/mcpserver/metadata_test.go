package mcpserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/guard"
	"ahptui/protocol"
)

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		resource, server string
		want             bool
	}{
		{"https://h/mcp", "https://h/mcp", true},
		{"https://h/mcp/", "https://h/mcp", true},
		{"https://h/mcp", "https://h/mcp/", true},
		{"https://h", "https://h/mcp", true},
		{"https://h/", "https://h", true},
		{"https://h/a", "https://h/a/b", true},
		{"https://h/mcp", "https://h/mcp?key=1", true},
		{"https://h/mcp?key=1", "https://h/mcp?key=1", true},
		{"https://h/mcp?key=2", "https://h/mcp?key=1", false},
		{"https://h/a", "https://h/ab", false},
		{"https://h/a/b", "https://h/a", false},
		{"https://h/MCP", "https://h/mcp", false},
		{"http://h/mcp", "https://h/mcp", false},
		{"https://h:444/mcp", "https://h/mcp", false},
		{"https://evil/mcp", "https://h/mcp", false},
		{"https://u@h/mcp", "https://h/mcp", false},
		{"https://h/mcp#x", "https://h/mcp", false},
		{"h/mcp", "https://h/mcp", false},
		{"", "https://h/mcp", false},
		{"https://h/" + strings.Repeat("a", maxURIBytes), "https://h/" + strings.Repeat("a", maxURIBytes), false},
	} {
		if got := covers(tt.resource, mustURL(t, tt.server)); got != tt.want {
			t.Errorf("covers(%.80q, %.80q) = %v", tt.resource, tt.server, got)
		}
	}
}

func TestMetadataURLs(t *testing.T) {
	t.Parallel()
	for server, want := range map[string][]string{
		"https://h/mcp?key=1":     {"https://h" + wellKnown + "/mcp", "https://h" + wellKnown},
		"https://h:1/a%2Fb/":      {"https://h:1" + wellKnown + "/a%2Fb/", "https://h:1" + wellKnown},
		"https://h":               {"https://h" + wellKnown},
		"https://u:p@[::1]:8/":    {"https://[::1]:8" + wellKnown},
		"http://127.0.0.1:80/x/y": {"http://127.0.0.1:80" + wellKnown + "/x/y", "http://127.0.0.1:80" + wellKnown},
	} {
		if got := metadataURLs(mustURL(t, server)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q", server, got)
		}
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]guard.Policy{
		"http://127.0.0.1:1/mcp": {Loopback: true},
		"http://localhost/mcp":   {Loopback: true},
		"https://[::1]/":         {Loopback: true},
		"https://10.1.2.3/mcp":   {Private: true},
		"https://192.168.0.1/":   {Private: true},
		"https://1.1.1.1/mcp":    {},
		"https://169.254.1.1/":   {},
	} {
		if got := reach(t.Context(), mustURL(t, server)); got != want {
			t.Errorf("%s: %+v", server, got)
		}
	}
}

// What cannot be believed is not passed on: then the server is described as it
// is configured.
func TestMetadataThatIsNotUsed(t *testing.T) {
	t.Parallel()
	document := func(body string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { _, _ = w.Write([]byte(body)) }
	}
	issuers := strings.TrimSuffix(strings.Repeat(`"https://login.example",`, maxIssuers+1), ",")
	for name, metadata := range map[string]func(w http.ResponseWriter){
		"not there":        func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"an error":         func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"a page":           document("<html>"),
		"another resource": document(`{"resource":"https://elsewhere.example/mcp","authorization_servers":["https://evil.example"]}`),
		"a member twice":   document(`{"resource":"URL","resource":"URL"}`),
		"invalid UTF-8":    document("{\"resource\":\"URL\",\"resource_name\":\"\xff\"}"),
		"no resource":      document(`{"authorization_servers":["https://login.example"]}`),
		"too many issuers": document(`{"resource":"URL","authorization_servers":[` + issuers + `]}`),
		"too large":        document(`{"resource":"URL","x":"` + strings.Repeat("x", 1<<20) + `"}`),
		"a redirect outside": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://169.254.169.254/")
			w.WriteHeader(302)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g *guarded
			g = protected(t, func(made *guarded) {
				made.metadata = func(w http.ResponseWriter) {
					metadata(&replacing{w, "URL", g.URL + "/mcp"})
				}
			})
			cfg := g.config()
			cfg.URL += "?key=canary"
			s, _ := launch(t, cfg)
			settle(t, s.Start())
			wantKind(t, s, AuthRequired)
			want := &protocol.ProtectedResourceMetadata{Resource: g.URL + "/mcp", ResourceName: "guarded"}
			if diff := cmp.Diff(want, s.State().Auth.Resource); diff != "" {
				t.Errorf("the resource (-want +got):\n%s", diff)
			}
		})
	}
}

// replacing writes with one text for another.
type replacing struct {
	http.ResponseWriter
	old, text string
}

func (r *replacing) Write(p []byte) (int, error) {
	_, err := r.ResponseWriter.Write([]byte(strings.ReplaceAll(string(p), r.old, r.text)))
	return len(p), err
}

// Without a hint the metadata is looked for where it has to be; what was heard
// once is remembered while it cannot be had.
func TestMetadataAtTheWellKnownPlace(t *testing.T) {
	t.Parallel()
	down := false
	var srv *httptest.Server
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	mux.HandleFunc(wellKnown, func(w http.ResponseWriter, _ *http.Request) { // at the root, for the whole origin
		if down {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprintf(w, `{"resource":%q,"authorization_servers":["https://login.example"]}`, srv.URL)
	})
	srv = httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	s, _ := launch(t, Config{Name: "web", URL: srv.URL + "/mcp"})
	want := &protocol.ProtectedResourceMetadata{Resource: srv.URL, AuthorizationServers: []string{"https://login.example"}}
	for range 2 {
		settle(t, s.Start())
		wantKind(t, s, AuthRequired)
		if diff := cmp.Diff(want, s.State().Auth.Resource); diff != "" {
			t.Errorf("the resource (-want +got):\n%s", diff)
		}
		down = true
	}
}
