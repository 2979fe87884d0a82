package oauthserver_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/oauthserver"
)

type deviceAnswer struct {
	Code     string `json:"device_code"`
	UserCode string `json:"user_code"`
	URI      string `json:"verification_uri"`
	Complete string `json:"verification_uri_complete"`
	Expires  int    `json:"expires_in"`
	Interval int    `json:"interval"`
	Error    string `json:"error"`
}

// every registers a client for every grant.
func (b *browser) every() string {
	b.t.Helper()
	id, a := b.register(func(m map[string]any) {
		m["grant_types"] = []string{oauthserver.GrantCode, oauthserver.GrantRefresh, oauthserver.GrantDevice}
	})
	if id == "" {
		b.t.Fatalf("not registered: %d %s", a.status, a.body)
	}
	return id
}

func (b *browser) device(clientID string, change func(url.Values)) deviceAnswer {
	b.t.Helper()
	form := url.Values{"client_id": {clientID}, "scope": {"tracker:read"}, "resource": {resource}}
	if change != nil {
		change(form)
	}
	var out deviceAnswer
	if err := json.Unmarshal([]byte(b.post(oauthserver.DeviceAuthorizationPath, form).body), &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

func poll(clientID, code string) url.Values {
	return url.Values{"grant_type": {oauthserver.GrantDevice}, "client_id": {clientID}, "device_code": {code}, "resource": {resource}}
}

// visit opens the page of a device with a user code in the address.
func (b *browser) visit(userCode string) answer {
	b.t.Helper()
	return b.get(oauthserver.DevicePath, url.Values{"user_code": {userCode}})
}

func TestDeviceGrant(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	b := start(t, oauthserver.Options{Now: func() time.Time { return now }})
	id := b.every()
	d := b.device(id, nil)
	want := deviceAnswer{Code: d.Code, UserCode: d.UserCode, URI: b.s.Issuer() + "/device", Complete: b.s.Issuer() + "/device?user_code=" + d.UserCode, Expires: 600, Interval: 5}
	if diff := cmp.Diff(want, d); diff != "" || !regexp.MustCompile(`^[B-Z]{4}-[B-Z]{4}$`).MatchString(d.UserCode) {
		t.Fatalf("the answer (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		at   int
		want string
	}{
		{4, "slow_down"},  // the first interval is not over: it becomes ten seconds
		{13, "slow_down"}, // nine seconds after that: fifteen now
		{28, "authorization_pending"},
		{43, "authorization_pending"},
	} {
		now = time.Unix(1_000_000+int64(tt.at), 0)
		if got := b.token(poll(id, d.Code)); got.Error != tt.want {
			t.Errorf("after %d s: %+v, want %s", tt.at, got, tt.want)
		}
	}
	page := b.visit(strings.ToLower(strings.ReplaceAll(d.UserCode, "-", " ")))
	if !strings.Contains(page.body, "<code>"+d.UserCode+"</code>") || !strings.Contains(page.body, "tracker:read") {
		t.Errorf("the page does not say what it is about:\n%s", page.body)
	}
	if done := b.decide(page, "approve"); done.status != http.StatusOK || !strings.Contains(done.body, "Done.") {
		t.Errorf("approved: %d %s", done.status, done.body)
	}
	if again := b.visit(d.UserCode); strings.Contains(again.body, "approve") || !strings.Contains(again.body, "was used") {
		t.Errorf("the code works twice:\n%s", again.body)
	}
	now = now.Add(time.Minute)
	got := b.token(poll(id, d.Code))
	if g, err := b.s.Verify(got.Token, resource); err != nil || g.ClientID != id || got.Scope != "tracker:read" {
		t.Errorf("the token %+v: %+v, %v", got, g, err)
	}
	if got := b.token(poll(id, d.Code)); got.Error != "invalid_grant" {
		t.Errorf("the device code works twice: %+v", got)
	}
}

func TestDeviceEnds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	b := start(t, oauthserver.Options{Now: func() time.Time { return now }, DeviceLifetime: time.Minute})
	id := b.every()

	denied := b.device(id, nil)
	page := b.visit(denied.UserCode)
	b.decide(page, "deny")
	if again := b.decide(page, "approve"); again.status != http.StatusBadRequest {
		t.Errorf("the page works twice: %d", again.status)
	}
	now = now.Add(10 * time.Second)
	if got := b.token(poll(id, denied.Code)); got.Error != "access_denied" {
		t.Errorf("denied: %+v", got)
	}

	// Two pages of one code: the first decision counts.
	twice := b.device(id, nil)
	first, second := b.visit(twice.UserCode), b.visit(twice.UserCode)
	b.decide(first, "deny")
	if got := b.decide(second, "approve"); got.status != http.StatusBadRequest {
		t.Errorf("a second decision: %d", got.status)
	}

	late := b.device(id, nil)
	now = now.Add(2 * time.Minute)
	if got := b.visit(late.UserCode); !strings.Contains(got.body, "too old") {
		t.Errorf("a code that is too old:\n%s", got.body)
	}
	if got := b.token(poll(id, late.Code)); got.Error != "expired_token" {
		t.Errorf("too late: %+v", got)
	}
	if got := b.get(oauthserver.DevicePath, nil); !strings.Contains(got.body, `name="user_code"`) || strings.Contains(got.body, "too old") {
		t.Errorf("without a code the page asks for one:\n%s", got.body)
	}
}

func TestDeviceRefusals(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{Resources: []string{resource}})
	id, other := b.every(), b.every()
	codeOnly, _ := b.register(nil)
	for want, change := range map[string]func(url.Values){
		"invalid_client":      func(f url.Values) { f.Set("client_id", "nobody") },
		"unauthorized_client": func(f url.Values) { f.Set("client_id", codeOnly) },
		"invalid_scope":       func(f url.Values) { f.Set("scope", "admin") },
		"invalid_target":      func(f url.Values) { f.Del("resource") },
		"invalid_request":     func(f url.Values) { f.Add("scope", "x") },
	} {
		if got := b.device(id, change); got.Error != want || got.Code != "" {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
	d := b.device(id, nil)
	for want, change := range map[string]func(url.Values){
		"invalid_grant":       func(f url.Values) { f.Set("client_id", other) },
		"unauthorized_client": func(f url.Values) { f.Set("client_id", codeOnly) },
		"invalid_target":      func(f url.Values) { f.Del("resource") },
	} {
		form := poll(id, d.Code)
		change(form)
		if got := b.token(form); got.Error != want {
			t.Errorf("a poll: %+v, want %s", got, want)
		}
	}
}

// TestUserCodes: they differ, and no letter is rarer than another.
func TestUserCodes(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	id := b.every()
	seen := map[string]bool{}
	for range 50 {
		seen[b.device(id, nil).UserCode] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d codes of 50 differ", len(seen))
	}
}

// TestFeatures: what a server does not have stands in no metadata and answers
// nothing.
func TestFeatures(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{Closed: true, GrantTypes: []string{oauthserver.GrantCode}, Clients: []oauthserver.Client{{ID: "c", RedirectURIs: []string{callback}}}})
	var m map[string]any
	if err := json.Unmarshal([]byte(b.get(oauthserver.MetadataPath, nil).body), &m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"registration_endpoint", "device_authorization_endpoint", "client_id_metadata_document_supported"} {
		if m[name] != nil {
			t.Errorf("%s is %v", name, m[name])
		}
	}
	if got := fmt.Sprint(m["grant_types_supported"]); got != "[authorization_code]" {
		t.Errorf("grants: %s", got)
	}
	if _, a := b.register(nil); a.status != http.StatusNotFound {
		t.Errorf("registration: %d", a.status)
	}
	if a := b.post(oauthserver.DeviceAuthorizationPath, nil); a.status != http.StatusNotFound {
		t.Errorf("a device: %d", a.status)
	}
	if got := b.token(url.Values{"grant_type": {"refresh_token"}, "client_id": {"c"}}); got.Error != "unsupported_grant_type" {
		t.Errorf("a refresh: %+v", got)
	}
	if got := b.token(exchange("c", b.code(query("c")))); got.Token == "" || got.Refresh != "" {
		t.Errorf("the token: %+v", got)
	}
}
