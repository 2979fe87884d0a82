package oauthserver_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"ahptui/internal/oauthserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	resource = "http://127.0.0.1:9/mcp"
	callback = "http://127.0.0.1:7001/callback"
	verifier = "0123456789-0123456789-0123456789-0123456789"
)

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// browser follows forms and no redirects.
type browser struct {
	*http.Client
	t *testing.T
	s *oauthserver.Server
}

func start(t *testing.T, opts oauthserver.Options) *browser {
	t.Helper()
	if opts.Scopes == nil {
		opts.Scopes = map[string]string{"tracker:read": "see issues", "tracker:write": "make issues"}
	}
	s, err := oauthserver.Start("127.0.0.1:0", opts)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(s.Close)
	return &browser{client, t, s}
}

// answer is a response with its body read.
type answer struct {
	status   int
	location string
	body     string
	header   http.Header
}

func (b *browser) read(res *http.Response, err error) answer {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header.Get("Location"), string(body), res.Header}
}

func (b *browser) get(path string, q url.Values) answer {
	b.t.Helper()
	return b.read(b.Get(b.s.Issuer() + path + "?" + q.Encode()))
}

func (b *browser) post(path string, form url.Values) answer {
	b.t.Helper()
	return b.read(b.PostForm(b.s.Issuer()+path, form))
}

func (b *browser) register(change func(map[string]any)) (string, answer) {
	b.t.Helper()
	in := map[string]any{
		"client_name": "test", "application_type": "native", "redirect_uris": []string{callback},
		"token_endpoint_auth_method": "none",
	}
	if change != nil {
		change(in)
	}
	body, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	a := b.read(b.Post(b.s.Issuer()+oauthserver.RegisterPath, "application/json", bytes.NewReader(body)))
	var out struct {
		ID string `json:"client_id"`
	}
	if a.status == http.StatusCreated {
		if err := json.Unmarshal([]byte(a.body), &out); err != nil {
			b.t.Fatal(err)
		}
	}
	return out.ID, a
}

func query(clientID string) url.Values {
	return url.Values{
		"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {callback}, "state": {"s-1"},
		"code_challenge": {challenge()}, "code_challenge_method": {"S256"}, "resource": {resource}, "scope": {"tracker:read"},
	}
}

// decide follows the consent form as a script without JavaScript would.
func (b *browser) decide(page answer, decision string) answer {
	b.t.Helper()
	form := regexp.MustCompile(`(?s)<form.*?</form>`).FindString(page.body)
	action := regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(form)
	if page.status != http.StatusOK || action == nil || !strings.Contains(form, `name="decision" value="`+decision+`"`) {
		b.t.Fatalf("no consent form: %d %s", page.status, page.body)
	}
	values := url.Values{"decision": {decision}}
	for _, in := range regexp.MustCompile(`<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		values.Set(in[1], html.UnescapeString(in[2]))
	}
	return b.post(action[1], values)
}

// code goes the way to a code.
func (b *browser) code(q url.Values) string {
	b.t.Helper()
	back := b.decide(b.get(oauthserver.AuthorizePath, q), "approve")
	u, err := url.Parse(back.location)
	if err != nil || u.Query().Get("code") == "" {
		b.t.Fatalf("no code: %d %q", back.status, back.location)
	}
	if got := u.Query(); got.Get("state") != q.Get("state") || got.Get("iss") != b.s.Issuer() {
		b.t.Errorf("state %q and iss %q come back", got.Get("state"), got.Get("iss"))
	}
	return u.Query().Get("code")
}

func exchange(clientID, code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "client_id": {clientID}, "code": {code}, "redirect_uri": {callback},
		"code_verifier": {verifier}, "resource": {resource},
	}
}

type tokenAnswer struct {
	Token     string `json:"access_token"`
	Refresh   string `json:"refresh_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
	Scope     string `json:"scope"`
	Error     string `json:"error"`
}

func (b *browser) token(form url.Values) tokenAnswer {
	b.t.Helper()
	var out tokenAnswer
	if err := json.Unmarshal([]byte(b.post(oauthserver.TokenPath, form).body), &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

func TestFlow(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	b := start(t, oauthserver.Options{Lifetime: time.Minute, Now: func() time.Time { return now }})
	id, _ := b.register(nil)
	code := b.code(query(id))
	got := b.token(exchange(id, code))
	if got.Token == "" || got.Type != "Bearer" || got.ExpiresIn != 60 || got.Scope != "tracker:read" {
		t.Fatalf("the token is %+v", got)
	}
	g, err := b.s.Verify(got.Token, resource)
	if err != nil || g.ClientID != id || len(g.Scopes) != 1 || g.Scopes[0] != "tracker:read" {
		t.Errorf("verify: %+v, %v", g, err)
	}
	if _, err := b.s.Verify(got.Token, resource+"/"); !errors.Is(err, oauthserver.ErrOtherResource) {
		t.Errorf("for another resource: %v", err)
	}
	if _, err := b.s.Verify("x", resource); !errors.Is(err, oauthserver.ErrNoToken) {
		t.Errorf("a wrong token: %v", err)
	}
	now = now.Add(time.Minute)
	if _, err := b.s.Verify(got.Token, resource); !errors.Is(err, oauthserver.ErrExpired) {
		t.Errorf("after its life: %v", err)
	}
}

// TestCodeReuse: a code that comes twice ends what its first use gave.
func TestCodeReuse(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	id, _ := b.register(nil)
	code := b.code(query(id))
	first := b.token(exchange(id, code))
	if second := b.token(exchange(id, code)); second.Error != "invalid_grant" {
		t.Errorf("the second use: %+v", second)
	}
	if _, err := b.s.Verify(first.Token, resource); err == nil {
		t.Error("the token of the first use is still good")
	}
}

func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(url.Values)
		want   string
	}{
		"other verifier":   {func(f url.Values) { f.Set("code_verifier", strings.Repeat("x", 50)) }, "invalid_grant"},
		"no verifier":      {func(f url.Values) { f.Del("code_verifier") }, "invalid_grant"},
		"other redirect":   {func(f url.Values) { f.Set("redirect_uri", callback+"/x") }, "invalid_grant"},
		"other resource":   {func(f url.Values) { f.Set("resource", resource+"x") }, "invalid_target"},
		"no resource":      {func(f url.Values) { f.Del("resource") }, "invalid_target"},
		"unknown client":   {func(f url.Values) { f.Set("client_id", "nobody") }, "invalid_client"},
		"secret of public": {func(f url.Values) { f.Set("client_secret", "x") }, "invalid_client"},
		"grant type":       {func(f url.Values) { f.Set("grant_type", "password") }, "unsupported_grant_type"},
		"twice":            {func(f url.Values) { f.Add("resource", resource) }, "invalid_request"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, oauthserver.Options{})
			id, _ := b.register(nil)
			form := exchange(id, b.code(query(id)))
			tt.change(form)
			if got := b.token(form); got.Error != tt.want || got.Token != "" {
				t.Errorf("got %+v, want %s", got, tt.want)
			}
		})
	}
}

// TestAuthorizeRefusals: what is wrong with the request itself goes back to the
// client; what is wrong with the client goes nowhere.
func TestAuthorizeRefusals(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{Resources: []string{resource}})
	id, _ := b.register(nil)
	tests := map[string]struct {
		change func(url.Values)
		want   string // "" means a page
	}{
		"unknown client":      {func(q url.Values) { q.Set("client_id", "nobody") }, ""},
		"unknown redirect":    {func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:7001/other") }, ""},
		"localhost for IP":    {func(q url.Values) { q.Set("redirect_uri", "http://localhost:7001/callback") }, ""},
		"no PKCE":             {func(q url.Values) { q.Del("code_challenge") }, "invalid_request"},
		"plain PKCE":          {func(q url.Values) { q.Set("code_challenge_method", "plain") }, "invalid_request"},
		"no resource":         {func(q url.Values) { q.Del("resource") }, "invalid_target"},
		"unknown resource":    {func(q url.Values) { q.Set("resource", "https://elsewhere") }, "invalid_target"},
		"unknown scope":       {func(q url.Values) { q.Set("scope", "admin") }, "invalid_scope"},
		"response type":       {func(q url.Values) { q.Set("response_type", "token") }, "unsupported_response_type"},
		"parameter twice":     {func(q url.Values) { q.Add("scope", "x") }, "invalid_request"},
		"other loopback port": {func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:7002/callback"); q.Set("scope", "admin") }, "invalid_scope"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			q := query(id)
			tt.change(q)
			got := b.get(oauthserver.AuthorizePath, q)
			if tt.want == "" {
				if got.status != http.StatusBadRequest || got.location != "" {
					t.Errorf("status %d, location %q; want a page", got.status, got.location)
				}
				return
			}
			u, err := url.Parse(got.location)
			if err != nil || u.Query().Get("error") != tt.want || u.Query().Get("state") != "s-1" || u.Query().Get("iss") != b.s.Issuer() {
				t.Errorf("status %d, location %q; want the error %s with state and issuer", got.status, got.location, tt.want)
			}
		})
	}
}

func TestDenyAndReplay(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	id, _ := b.register(nil)
	page := b.get(oauthserver.AuthorizePath, query(id))
	if got := b.decide(page, "deny"); !strings.Contains(got.location, "error=access_denied") {
		t.Errorf("deny leads to %q", got.location)
	}
	if got := b.decide(page, "approve"); got.status != http.StatusBadRequest {
		t.Errorf("the page works twice: %d %q", got.status, got.location)
	}
	csp := page.header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "http://127.0.0.1:7001") {
		t.Errorf("the page's policy is %q", csp)
	}
}

func TestRegistrationRefusals(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	for name, change := range map[string]func(map[string]any){
		"web with loopback": func(m map[string]any) { delete(m, "application_type") },
		"no redirect":       func(m map[string]any) { m["redirect_uris"] = []string{} },
		"http elsewhere":    func(m map[string]any) { m["redirect_uris"] = []string{"http://example.com/cb"} },
		"fragment":          func(m map[string]any) { m["redirect_uris"] = []string{callback + "#x"} },
		"wants a secret":    func(m map[string]any) { delete(m, "token_endpoint_auth_method") },
		"wrong type":        func(m map[string]any) { m["redirect_uris"] = "x" },
	} {
		if id, got := b.register(change); id != "" || got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

func TestConfidentialClient(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{Clients: []oauthserver.Client{{ID: "1PpG/Q 1", Secret: ":+%/", RedirectURIs: []string{callback}}}})
	form := exchange("1PpG/Q 1", b.code(query("1PpG/Q 1")))
	form.Del("client_id")
	req := httptest.NewRequest(http.MethodPost, b.s.Issuer()+oauthserver.TokenPath, strings.NewReader(form.Encode()))
	req.RequestURI = ""
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(url.QueryEscape("1PpG/Q 1"), url.QueryEscape(":+%/"))
	if got := b.read(b.Do(req)); got.status != http.StatusOK {
		t.Errorf("basic authentication: %d %s", got.status, got.body)
	}
}

// TestIntercept: a test can look at, change and replace any answer.
func TestIntercept(t *testing.T) {
	t.Parallel()
	var seen []string
	b := start(t, oauthserver.Options{Intercept: func(path string, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, path)
			if path == oauthserver.MetadataPath {
				http.Error(w, "broken", http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}})
	if got := b.get(oauthserver.MetadataPath, nil); got.status != http.StatusServiceUnavailable {
		t.Errorf("metadata: %d", got.status)
	}
	if id, _ := b.register(nil); id == "" || len(seen) != 2 {
		t.Errorf("registered %q, seen %v", id, seen)
	}
}

func TestRevokeAndForget(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	id, _ := b.register(nil)
	got := b.token(exchange(id, b.code(query(id))))
	b.s.Revoke()
	if _, err := b.s.Verify(got.Token, resource); !errors.Is(err, oauthserver.ErrNoToken) {
		t.Errorf("after revocation: %v", err)
	}
	b.s.Forget()
	if got := b.get(oauthserver.AuthorizePath, query(id)); got.status != http.StatusBadRequest {
		t.Errorf("a forgotten client: %d", got.status)
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	if s, err := oauthserver.Start("0.0.0.0:0", oauthserver.Options{}); err == nil {
		s.Close()
		t.Error("a server that others can reach was started")
	}
}
