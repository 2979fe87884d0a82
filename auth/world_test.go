package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ahptui/auth/store"
	"ahptui/protocol"
)

// Secrets that must come up nowhere but in the requests that carry them.
const (
	canaryCode   = "canary-code-31b7"
	canaryToken  = "canary-token-c09e"
	canarySecret = "canary-secret-5d44"
)

// world is what a flow meets: an authorization server, a resource, a browser with a person in front of it. Each does what
// an honest one does unless a test says otherwise, and every request is noted.
type world struct {
	t      *testing.T
	as, rs *httptest.Server
	broker *Broker

	// What the servers answer, by path. The authorization server's documents are made from metadata.
	asPaths, rsPaths map[string]http.HandlerFunc
	metadata         map[string]any
	resource         string // its identifier
	// comeBack changes the parameters with which the browser is sent back.
	comeBack func(url.Values)
	// token is the token response, device the answer to a device.
	token, device map[string]any
	// answer is what the person says.
	answer func(NeedConsent) Answer
	client Answer // to a question for a client id
	secret Answer // to a question for a token
	reach  bool
	host   Host
	need   *protocol.McpAuthRequirement

	mu       sync.Mutex
	requests []string
	known    []string // pairs of what changes from run to run and what stands for it
	verifier string
	pages    []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, asPaths: map[string]http.HandlerFunc{}, rsPaths: map[string]http.HandlerFunc{}, host: Host{ID: "ws://127.0.0.1:1/", Loopback: true}}
	w.as = w.serve("as", w.asPaths)
	w.rs = w.serve("rs", w.rsPaths)
	w.resource = w.rs.URL + "/mcp"
	w.metadata = map[string]any{
		"issuer":                           w.as.URL,
		"authorization_endpoint":           w.as.URL + "/authorize",
		"token_endpoint":                   w.as.URL + "/token",
		"registration_endpoint":            w.as.URL + "/register",
		"code_challenge_methods_supported": []string{"S256"},
	}
	w.token = map[string]any{"access_token": canaryToken, "token_type": "Bearer", "expires_in": 3600}
	w.asPaths["/.well-known/oauth-authorization-server"] = w.document(&w.metadata)
	w.asPaths["/register"] = w.register
	w.asPaths["/authorize"] = w.authorize
	w.asPaths["/token"] = w.document(&w.token)
	w.device = map[string]any{
		"device_code": canaryCode, "user_code": "ABCD-EFGH", "verification_uri": w.as.URL + "/device",
		"verification_uri_complete": w.as.URL + "/device?user_code=ABCD-EFGH", "expires_in": 600, "interval": 1,
	}
	w.asPaths["/device_authorization"] = w.document(&w.device)
	w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = w.prm
	w.answer = func(NeedConsent) Answer { return Answer{Yes: true} }
	w.need = &protocol.McpAuthRequirement{
		Reason:         "required",
		Resource:       &protocol.ProtectedResourceMetadata{Resource: w.resource, ResourceName: "Tracker", AuthorizationServers: []string{w.as.URL}},
		RequiredScopes: []string{"read"},
	}
	w.broker = NewBroker(Config{Opener: w})
	t.Cleanup(w.broker.Close)
	w.known = []string{w.as.URL, "{as}", w.rs.URL, "{rs}"}
	return w
}

func (w *world) serve(name string, paths map[string]http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.note(name, r, string(body))
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if handle := paths[r.URL.EscapedPath()]; handle != nil {
			handle(rw, r)
			return
		}
		http.NotFound(rw, r)
	}))
	w.t.Cleanup(s.Close)
	return s
}

// note writes a request down, and fails the test for a header that has no place in it.
func (w *world) note(server string, r *http.Request, body string) {
	line := fmt.Sprintf("%s %s %s", server, r.Method, r.RequestURI)
	if r.Header.Get("User-Agent") != "browser" {
		want := map[string]string{"User-Agent": "ahptui", "Accept": "application/json", "Accept-Encoding": "gzip", "Connection": "close"}
		if r.Method == http.MethodPost {
			want["Content-Type"] = "application/x-www-form-urlencoded"
			if strings.HasPrefix(body, "{") {
				want["Content-Type"] = "application/json"
			}
			want["Content-Length"] = fmt.Sprint(len(body))
		}
		for name, values := range r.Header {
			if got := strings.Join(values, ","); got != want[name] && name != "Authorization" {
				w.t.Errorf("%s: header %s: %s, want %q", line, name, got, want[name])
			}
		}
		if header := r.Header.Get("Authorization"); header != "" {
			line += " " + header
		}
	}
	if body != "" {
		line += " " + body
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, line)
	for _, back := range callbackForm.FindAllStringSubmatch(body, -1) {
		w.knowPort(back[1])
	}
	if form, err := url.ParseQuery(body); err == nil && form.Get("code_verifier") != "" {
		w.verifier = form.Get("code_verifier")
		w.known = append(w.known, w.verifier, "{verifier}")
	}
}

// document answers with what a map holds at the time.
func (w *world) document(content *map[string]any) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { writeJSON(rw, http.StatusOK, *content) }
}

func (w *world) prm(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, http.StatusOK, map[string]any{"resource": w.resource, "authorization_servers": []string{w.as.URL}})
}

func (w *world) register(rw http.ResponseWriter, _ *http.Request) {
	w.mu.Lock()
	n := strings.Count(strings.Join(w.requests, "\n"), "POST /register")
	w.mu.Unlock()
	writeJSON(rw, http.StatusCreated, map[string]any{"client_id": fmt.Sprintf("client%d", n)})
}

func (w *world) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back := url.Values{"code": {canaryCode}, "state": q["state"]}
	if w.comeBack != nil {
		w.comeBack(back)
	}
	http.Redirect(rw, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func writeJSON(rw http.ResponseWriter, status int, v any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.MarshalWrite(rw, v, json.Deterministic(true))
}

// says answers with a status and a text.
func says(status int, text string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, text)
	}
}

// Open implements Opener: a browser whose person agrees to everything.
func (w *world) Open(ctx context.Context, target string) error {
	w.learn(target)
	page, err := browse(ctx, target)
	if err == nil {
		w.mu.Lock()
		w.pages = append(w.pages, page)
		w.mu.Unlock()
	}
	return nil
}

// learn notes what a URL has that is different each time.
func (w *world) learn(target string) {
	u, err := url.Parse(target)
	if err != nil {
		w.t.Errorf("the browser got %q: %v", target, err)
		return
	}
	q := u.Query()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = append(w.known, q.Get("state"), "{state}", q.Get("code_challenge"), "{challenge}")
	if back, err := url.Parse(q.Get("redirect_uri")); err == nil {
		w.knowPort(back.Port())
	}
}

var callbackForm = regexp.MustCompile(`http://[a-z0-9.]+:([0-9]+)/callback`)

// knowPort notes a port that a browser is sent back to, which is different each time.
func (w *world) knowPort(port string) {
	w.known = append(w.known, "127.0.0.1:"+port+"/", "{back}/", "localhost:"+port+"/", "{localhost}/")
}

// browse does what a browser does with a URL, and returns the page that it shows in the end.
func browse(ctx context.Context, target string) (string, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		r.Header.Set("User-Agent", "browser")
		r.Header.Del("Referer")
		return nil
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("User-Agent", "browser")
	response, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	return fmt.Sprintf("%d %s", response.StatusCode, page), err
}

// flat replaces what is different each time, also where it stands escaped.
func (w *world) flat(text string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := 0; i < len(w.known); i += 2 {
		from, to := w.known[i], w.known[i+1]
		if from == "" {
			continue
		}
		text = strings.ReplaceAll(text, from, to)
		text = strings.ReplaceAll(text, url.QueryEscape(from), to)
	}
	return text
}

func (w *world) log() []string {
	w.mu.Lock()
	lines := strings.Join(w.requests, "\n")
	w.mu.Unlock()
	if lines == "" {
		return nil
	}
	return strings.Split(w.flat(lines), "\n")
}

func (w *world) challenge() Challenge {
	w.t.Helper()
	c, err := NewChallenge(w.host, Source{Server: "tracker", Tool: "create"}, w.need)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// run drives one flow to its end and returns its events.
func (w *world) run() []Event {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	f := w.broker.Start(ctx, w.challenge())
	events := w.drive(ctx, f)
	f.Wait()
	w.checkCanaries(events)
	return events
}

// drive answers a flow's questions until it ends.
func (w *world) drive(ctx context.Context, f *Flow) []Event {
	var events []Event
	for e := range f.Events(ctx) {
		events = append(events, e)
		switch e := e.(type) {
		case NeedConsent:
			if !f.Answer(e.Question, w.answer(e)) {
				w.t.Errorf("the answer to question %d was not taken", e.Question)
			}
		case NeedReach:
			f.Answer(e.Question, Answer{Yes: w.reach})
		case NeedClient:
			f.Answer(e.Question, w.client)
		case NeedToken:
			f.Answer(e.Question, w.secret)
		}
	}
	return events
}

// checkCanaries looks for secrets in all that a caller may print.
func (w *world) checkCanaries(events []Event) {
	w.t.Helper()
	secrets := []string{canaryCode, canaryToken, canarySecret, url.QueryEscape(canarySecret)}
	w.mu.Lock()
	if w.verifier != "" {
		secrets = append(secrets, w.verifier)
	}
	w.mu.Unlock()
	for _, e := range events {
		text := fmt.Sprintf("%v %+v %#v", e, e, e)
		if out, err := json.Marshal(e); err == nil {
			text += string(out)
		}
		if failed, ok := e.(Failed); ok {
			text += fmt.Sprintf("%v %+v %#v", failed.Failure, *failed.Failure, *failed.Failure)
			for err := error(failed.Failure); err != nil; err = errors.Unwrap(err) {
				text += fmt.Sprintf("%v %+v %#v", err, err, err)
			}
		}
		for _, s := range secrets {
			if strings.Contains(text, s) {
				w.t.Errorf("a %T shows the secret %s: %s", e, s, text)
			}
		}
	}
}

// told renders events as lines.
func (w *world) told(events []Event) []string {
	var lines []string
	for _, e := range events {
		line := ""
		switch e := e.(type) {
		case Discovering:
			line = "discovering " + e.Issuer
		case NeedReach:
			line = fmt.Sprintf("reach %s private=%t", e.Address, e.Private)
		case NeedConsent:
			line = fmt.Sprintf("consent %s request=%s client=%s", e.Issuer, strings.Join(e.Scopes.Request, "+"), e.Client)
			for _, extra := range [][2]string{
				{"held", strings.Join(e.Scopes.Held, "+")},
				{"previous", e.PreviousIssuer},
				{"also", strings.Join(e.OtherOrigins, "+")},
			} {
				if extra[1] != "" {
					line += " " + extra[0] + "=" + extra[1]
				}
			}
			for i, x := range e.Exceptions {
				line += []string{" excepted=", "+"}[min(i, 1)] + string(x.Rule)
			}
			if !e.Agreement.Verified {
				line += " unverified"
			}
		case NeedClient:
			line = "client " + e.Issuer + " at " + e.RedirectURI
			w.mu.Lock()
			w.knowPort(strconv.Itoa(redirectOf(e.RedirectURI).Port))
			w.mu.Unlock()
			if e.Why != nil {
				line += " after " + e.Why.Error()
			}
		case NeedToken:
			line = "token " + e.Resource
		case Excepted:
			line = "excepted " + e.Issuer
			for _, x := range e.Exceptions {
				line += " " + string(x.Rule)
			}
		case Chosen:
			if e.Method == ByBrowser {
				continue
			}
			line = "by " + string(e.Method)
		case Supplying:
			line = "supplying from " + e.From
		case UserCode:
			line = fmt.Sprintf("code %s at %s for %v", e.UserCode, e.VerificationURI, e.ExpiresIn)
			if e.VerificationURIComplete != "" {
				line += " or " + e.VerificationURIComplete
			}
		case Refreshing:
			line = "refreshing"
		case PersonNeeded:
			line = "a person is needed: " + e.Why.Error()
		case NotKept:
			line = "not kept: " + e.Err.Error()
		case Registering:
			line = "registering"
		case OpenURL:
			line = "open"
		case Waiting:
			line = "waiting"
		case NotOpened:
			line = "not opened: " + e.Err.Error()
		case Exchanging:
			line = "exchanging"
		case Done:
			line = "done " + strings.Join(e.Grant.Scopes, "+")
			if len(e.Grant.Missing) > 0 {
				line += " missing=" + strings.Join(e.Grant.Missing, "+")
			}
		case Failed:
			line = "failed " + e.Failure.Error()
			if e.Failure.Retryable {
				line += " (retryable)"
			}
		}
		lines = append(lines, w.flat(line))
	}
	return lines
}

// onDisk opens a store in a directory of its own below dir, which keeps tokens in a file.
func onDisk(t *testing.T, dir string) *store.Store {
	t.Helper()
	s := store.Open(t.Context(), store.Options{Dir: filepath.Join(dir, "auth")})
	err := s.Use(t.Context(), store.InFile)
	if runtime.GOOS == "windows" && err != nil {
		t.Skipf("no file for tokens here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}
