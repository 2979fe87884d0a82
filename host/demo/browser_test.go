package demo_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"ahptui/internal/oauthserver"
)

// grant is what a sign-in gives.
type grant struct {
	Token     string `json:"access_token"`
	ExpiresIn int64  `json:"expires_in"`
	Scope     string `json:"scope"`
}

const (
	callback = "http://127.0.0.1:1/callback"
	verifier = "0123456789-0123456789-0123456789-0123456789"
)

// signIn gets a token as a client and a person do who follow the metadata and
// say yes on the page. There are no cookies and no scripts.
func signIn(t *testing.T, issuer, resource string, scopes ...string) grant {
	t.Helper()
	browser := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	read := func(res *http.Response, err error) (string, *http.Response) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= http.StatusBadRequest {
			t.Fatalf("%s: %d, %s, %v", res.Request.URL.Path, res.StatusCode, body, err)
		}
		return string(body), res
	}
	decode := func(body string, v any) {
		t.Helper()
		if err := json.Unmarshal([]byte(body), v); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
	}
	var server struct {
		Register  string `json:"registration_endpoint"`
		Authorize string `json:"authorization_endpoint"`
		Token     string `json:"token_endpoint"`
	}
	body, _ := read(browser.Get(issuer + oauthserver.MetadataPath))
	decode(body, &server)
	var client struct {
		ID string `json:"client_id"`
	}
	body, _ = read(browser.Post(server.Register, "application/json",
		strings.NewReader(`{"client_name":"test","application_type":"native","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`)))
	decode(body, &client)

	sum := sha256.Sum256([]byte(verifier))
	page, _ := read(browser.Get(server.Authorize + "?" + url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {callback}, "resource": {resource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "scope": {strings.Join(scopes, " ")},
	}.Encode()))
	form := url.Values{"decision": {"approve"}}
	for _, field := range regexp.MustCompile(`type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	_, res := read(browser.PostForm(issuer+oauthserver.DecidePath, form))
	back, err := res.Location()
	if err != nil {
		t.Fatal(err)
	}
	var g grant
	body, _ = read(browser.PostForm(server.Token, url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {callback},
		"client_id": {client.ID}, "code_verifier": {verifier}, "resource": {resource},
	}))
	decode(body, &g)
	return g
}
