package auth

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/protocol"
)

// The requests of a flow in which nothing is special, and its events.
const (
	askPRM       = `rs GET /.well-known/oauth-protected-resource/mcp`
	askRootPRM   = `rs GET /.well-known/oauth-protected-resource`
	askMetadata  = `as GET /.well-known/oauth-authorization-server`
	askOpenID    = `as GET /.well-known/openid-configuration`
	postRegister = `as POST /register {"client_name":"ahptui","redirect_uris":["http://{back}/callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","application_type":"native"}`
	authorizeA   = `as GET /authorize?response_type=code&client_id=client1&redirect_uri=http%3A%2F%2F{back}/callback`
	authorizeB   = `&state={state}&code_challenge={challenge}&code_challenge_method=S256&resource={rs}%2Fmcp`
	authorize    = authorizeA + `&scope=read` + authorizeB
	tokenA       = `as POST /token client_id=client1&code=` + canaryCode
	tokenB       = `&code_verifier={verifier}&grant_type=authorization_code&redirect_uri=http%3A%2F%2F{back}/callback&resource={rs}%2Fmcp`
	token1       = tokenA + tokenB

	consentRead = `consent {as} request=read client=register`
	doneRead    = `done read`
)

// lines joins the lines of a flow.
func lines(parts ...any) []string {
	var all []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, p)
		case []string:
			all = append(all, p...)
		}
	}
	return all
}

var (
	found    = lines(askPRM, askMetadata)
	toToken  = lines(found, postRegister, authorize, token1)
	started  = lines("discovering {as}")
	agreed   = lines(started, consentRead)
	gone     = lines(agreed, "registering", "open", "waiting")
	returned = lines(gone, "exchanging")
)

type scenario struct {
	name string
	set  func(w *world)
	// requests byte for byte, and events.
	requests, events []string
}

func scenarios() []scenario {
	s := []scenario{
		{"R15, B36: plain", func(*world) {}, toToken, lines(returned, doneRead)},
	}
	for _, group := range [][]scenario{
		resourceScenarios(), discoveryScenarios(), refusedMetadata(), scopeScenarios(), registrationScenarios(),
		callbackScenarios(), tokenScenarios(), consentScenarios(), methodScenarios(),
		exceptionScenarios(), clientScenarios(), offlineScenarios(), deviceScenarios(),
	} {
		s = append(s, group...)
	}
	return s
}

// R7, R2: what the resource says of itself.
func resourceScenarios() []scenario {
	return []scenario{
		{
			"resource metadata at the root",
			func(w *world) {
				w.rsPaths["/.well-known/oauth-protected-resource"] = w.prm
				delete(w.rsPaths, "/.well-known/oauth-protected-resource/mcp")
			},
			lines(askPRM, askRootPRM, askMetadata, postRegister, authorize, token1), lines(returned, doneRead),
		},
		{
			"resource metadata cannot be fetched",
			func(w *world) { clear(w.rsPaths) },
			lines(askPRM, askRootPRM, askMetadata, postRegister, authorize, token1),
			lines(started, consentRead+" unverified", "registering", "open", "waiting", "exchanging", doneRead),
		},
		{
			"resource metadata is a page",
			func(w *world) {
				w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = says(200, "<html>")
				w.rsPaths["/.well-known/oauth-protected-resource"] = says(503, "")
			},
			lines(askPRM, askRootPRM, askMetadata, postRegister, authorize, token1),
			lines(started, consentRead+" unverified", "registering", "open", "waiting", "exchanging", doneRead),
		},
		{
			"resource metadata is of another resource",
			func(w *world) {
				w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = says(200, `{"resource":"https://other.example/mcp","authorization_servers":["`+w.as.URL+`"]}`)
			},
			lines(askPRM),
			lines(started, `failed resource: the host asks for a token for "{rs}/mcp", but the metadata at {rs}/.well-known/oauth-protected-resource/mcp is of "https://other.example/mcp"`),
		},
		{
			"resource metadata names another authorization server",
			func(w *world) {
				w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = says(200, `{"resource":"`+w.resource+`","authorization_servers":["https://good.example"]}`)
			},
			lines(askPRM),
			lines(started, `failed resource: the host names the authorization server "{as}", but the resource itself names ["https://good.example"]`),
		},
		{
			"R1, B16: the resource is a prefix of what the server is",
			func(w *world) {
				w.resource = w.rs.URL
				w.need.Resource.Resource = w.rs.URL
				w.rsPaths["/.well-known/oauth-protected-resource"] = w.prm
			},
			replaced(lines(askRootPRM, askMetadata, postRegister, authorize, token1), "resource={rs}%2Fmcp", "resource={rs}"),
			lines(returned, doneRead),
		},
		{
			"the host names no authorization server, the resource does",
			func(w *world) { w.need.Resource.AuthorizationServers = nil },
			toToken, lines("discovering ", returned[1:], doneRead),
		},
		{
			"R2: nobody names an authorization server",
			func(w *world) {
				w.need.Resource.AuthorizationServers = nil
				w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = says(200, `{"resource":"`+w.resource+`"}`)
			},
			lines(askPRM), lines("discovering ", "failed resource: the host names no authorization server for the resource, nor does the resource"),
		},
		{
			"R7: the host names no authorization server, and the metadata is of another resource",
			func(w *world) {
				w.need.Resource.AuthorizationServers = nil
				w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = says(200, `{"resource":"https://other.example/mcp","authorization_servers":["`+w.as.URL+`"]}`)
			},
			lines(askPRM),
			lines("discovering ", `failed resource: the host asks for a token for "{rs}/mcp", but the metadata at {rs}/.well-known/oauth-protected-resource/mcp is of "https://other.example/mcp"`),
		},
		{
			"T5: a secret, but no authorization server to send it to",
			func(w *world) {
				w.need.Resource.AuthorizationServers = nil
				w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "c", ClientSecret: canarySecret}
			},
			lines(askPRM), lines("discovering ", "failed resource: the host names no authorization server for the resource, but a client's secret to send there"),
		},
	}
}

// replaced replaces in every line.
func replaced(in []string, oldnew ...string) []string {
	r := strings.NewReplacer(oldnew...)
	var out []string
	for _, line := range in {
		out = append(out, r.Replace(line))
	}
	return out
}

// at puts the authorization server below a path.
func at(path string, documentAt string) func(w *world) {
	return func(w *world) {
		issuer := w.as.URL + path
		w.metadata["issuer"] = issuer
		w.need.Resource.AuthorizationServers = []string{issuer}
		delete(w.asPaths, "/.well-known/oauth-authorization-server")
		if documentAt != "" {
			w.asPaths[documentAt] = w.document(&w.metadata)
		}
		clear(w.rsPaths) // its metadata is not the point
	}
}

// R8 to R10, B1 to B10.
func discoveryScenarios() []scenario {
	unverified := func(issuer string) []string {
		return lines("discovering "+issuer, "consent "+issuer+" request=read client=register unverified", "registering", "open", "waiting", "exchanging", doneRead)
	}
	noPRM := lines(askPRM, askRootPRM)
	rest := lines(postRegister, authorize, token1)
	tenant := []string{
		"as GET /.well-known/oauth-authorization-server/oauth2/aus1", "as GET /.well-known/openid-configuration/oauth2/aus1",
		"as GET /oauth2/aus1/.well-known/openid-configuration",
	}
	next := func(name string, first http.HandlerFunc) scenario {
		return scenario{
			name, func(w *world) {
				w.asPaths["/.well-known/openid-configuration"] = w.document(&w.metadata)
				w.asPaths["/.well-known/oauth-authorization-server"] = first
			},
			lines(askPRM, askMetadata, askOpenID, rest), lines(returned, doneRead),
		}
	}
	broken := func(name, document, why string) scenario {
		return scenario{
			name, func(w *world) { w.asPaths["/.well-known/oauth-authorization-server"] = says(200, document) },
			lines(askPRM, askMetadata, askOpenID),
			lines(started, "failed discovery: no metadata of the authorization server was found: {as}/.well-known/oauth-authorization-server: "+why,
				"{as}/.well-known/openid-configuration: the answer is 404"),
		}
	}
	return []scenario{
		{
			"B1, B3: an issuer with a path, found at the first place", at("/login/oauth", "/.well-known/oauth-authorization-server/login/oauth"),
			lines(noPRM, "as GET /.well-known/oauth-authorization-server/login/oauth", rest), unverified("{as}/login/oauth"),
		},
		{
			"B2: an issuer with a path, found at the last place", at("/oauth2/aus1", "/oauth2/aus1/.well-known/openid-configuration"),
			lines(noPRM, tenant, rest), unverified("{as}/oauth2/aus1"),
		},
		{"R8: an issuer with a path, found nowhere", at("/oauth2/aus1", ""), lines(noPRM, tenant), lines("discovering {as}/oauth2/aus1",
			"failed discovery: no metadata of the authorization server was found: {as}/.well-known/oauth-authorization-server/oauth2/aus1: the answer is 404",
			"{as}/.well-known/openid-configuration/oauth2/aus1: the answer is 404", "{as}/oauth2/aus1/.well-known/openid-configuration: the answer is 404")},
		{
			"an issuer that ends with a slash", at("/t/", "/.well-known/oauth-authorization-server/t"),
			lines(noPRM, "as GET /.well-known/oauth-authorization-server/t", rest), unverified("{as}/t/"),
		},
		{
			"B9: an issuer that has nothing to do with the resource's URL", at("", "/.well-known/oauth-authorization-server"),
			lines(noPRM, askMetadata, rest), unverified("{as}"),
		},
		next("B4, R13: a plain OAuth document at the OpenID place", http.NotFound),
		next("B5: a page at the first place", says(200, "<!doctype html><title>App</title>")),
		next("B6: 401 at the first place", says(401, "")),
		next("B6: 403 at the first place", says(403, "{}")),
		next("B6: 404 at the first place", says(404, "")),
		next("R9: JSON without an issuer at the first place", says(200, `{"hello":1}`)),
		next("B10: metadata of another issuer at the first place", says(200, `{"issuer":"https://evil.example","authorization_endpoint":"https://evil.example/a","token_endpoint":"https://evil.example/t","code_challenge_methods_supported":["S256"]}`)),
		next("a redirect into the inside at the first place", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		}),
		next("a flood at the first place", says(200, `{"issuer":"`+strings.Repeat("x", 300<<10)+`"}`)),
		next("a document that is too deep at the first place", says(200, `{"x":`+strings.Repeat("[", 100000)+strings.Repeat("]", 100000)+`}`)),
		{
			"metadata behind a redirect",
			func(w *world) {
				w.asPaths["/.well-known/oauth-authorization-server"] = func(rw http.ResponseWriter, r *http.Request) {
					http.Redirect(rw, r, "/elsewhere", http.StatusFound)
				}
				w.asPaths["/elsewhere"] = w.document(&w.metadata)
			},
			lines(found, "as GET /elsewhere", rest), lines(returned, doneRead),
		},
		{
			"B6: 503 at the first place",
			func(w *world) { w.asPaths["/.well-known/oauth-authorization-server"] = says(503, canaryToken) },
			found, lines(started, "failed discovery: {as}/.well-known/oauth-authorization-server: the server has failed (503) (retryable)"),
		},
		{
			"a broken answer at the first place",
			func(w *world) {
				w.asPaths["/.well-known/oauth-authorization-server"] = func(rw http.ResponseWriter, _ *http.Request) {
					conn, _, err := http.NewResponseController(rw).Hijack()
					if err == nil {
						conn.Write([]byte("HTTP/1.1 200 " + canaryToken + "\r\n" + canaryToken + "\r\n\r\n"))
						conn.Close()
					}
				}
			},
			found, lines(started, "failed discovery: GET {as}/.well-known/oauth-authorization-server: the server's answer is broken: it is not valid HTTP (retryable)"),
		},
		{
			"B7: the server calls itself otherwise",
			func(w *world) { w.metadata["issuer"] = "https://login.example" },
			lines(found, askOpenID), lines(started, `failed discovery: the authorization server was named "{as}", but calls itself "https://login.example"`),
		},
		{
			"B8: only a slash differs",
			func(w *world) { w.metadata["issuer"] = w.as.URL + "/" },
			lines(found, askOpenID), lines(started, `failed discovery: the authorization server was named "{as}", but calls itself "{as}/"`),
		},
		broken("a member twice", `{"issuer":"x","token_endpoint":"https://a/","token_endpoint":"https://b/"}`, "it has a member twice"),
		broken("a member in another case", `{"issuer":"x","Issuer":"y"}`, "it spells issuer in another case"),
		broken("invalid UTF-8", "{\"issuer\":\"\xff\"}", "it is not UTF-8"),
		broken("a member of another form", `{"issuer":5}`, "its issuer is not of the right form"),
		broken("something after the document", `{"issuer":"x"}{}`, "it is not JSON"),
		broken("an endless list", `{"issuer":"x","scopes_supported":[`+strings.Repeat(`"s",`, 10000)+`"s"]}`, "it has more than 1024 values in one place"),
		broken("nothing", ``, "it is not JSON"),
	}
}

// R11, R12, T11, B11, B12: metadata that is refused before anything is registered or opened.
func refusedMetadata() []scenario {
	refuse := func(name, member string, value any, why string) scenario {
		return scenario{name, func(w *world) {
			if value == nil {
				delete(w.metadata, member)
				return
			}
			w.metadata[member] = value
		}, found, lines(started, "failed discovery: "+why)}
	}
	const noPKCE = "the authorization server does not say that it supports PKCE with S256 (code_challenge_methods_supported)"
	return []scenario{
		refuse("B12: no word about PKCE", "code_challenge_methods_supported", nil, noPKCE),
		refuse("B12, T12: PKCE by plain only", "code_challenge_methods_supported", []string{"plain"}, noPKCE),
		refuse("R11: PKCE in another case", "code_challenge_methods_supported", []string{"s256"}, noPKCE),
		{
			"B12: PKCE by both", func(w *world) { w.metadata["code_challenge_methods_supported"] = []string{"plain", "S256"} },
			toToken, lines(returned, doneRead),
		},
		refuse("B11: no authorization endpoint", "authorization_endpoint", nil, "the authorization server names no authorization_endpoint"),
		refuse("no token endpoint", "token_endpoint", nil, "the authorization server names no token_endpoint"),
		refuse("a plain endpoint elsewhere", "token_endpoint", "http://login.example/t", "its token_endpoint: the URL is refused: it is plain http, and not on this machine"),
		refuse("a user in an endpoint", "authorization_endpoint", "https://a@login.example/t", "its authorization_endpoint: the URL is refused: it holds a user or a password"),
		refuse("a fragment in an endpoint", "authorization_endpoint", "https://login.example/t#x", "its authorization_endpoint: the URL is refused: it holds a fragment (#)"),
		refuse("a number for an endpoint's host", "registration_endpoint", "https://0x7f.1/r", "its registration_endpoint: the URL is refused: its host is a number, but not an address in its usual form"),
		refuse("an endpoint at a metadata service", "token_endpoint", "https://169.254.169.254/t", "its token_endpoint: 169.254.169.254 is an address that is never contacted (link-local)"),
		refuse("a script for an endpoint", "authorization_endpoint", "javascript:alert(1)", "its authorization_endpoint: the URL is refused: it begins with neither https:// nor http://"),
		refuse("a client id in the endpoint", "authorization_endpoint", "https://login.example/a?client_id=evil", "its authorization_endpoint sets client_id, which is not its to set"),
		refuse("an escaped state in the endpoint", "authorization_endpoint", "https://login.example/a?x=1&st%61te=evil", "its authorization_endpoint sets state, which is not its to set"),
		refuse("a query that cannot be read", "authorization_endpoint", "https://login.example/a?x=1;client_id=evil", "its authorization_endpoint has a query that cannot be read"),
		{
			"an endpoint with a query of its own",
			func(w *world) { w.metadata["authorization_endpoint"] = w.as.URL + "/authorize?tenant=a%20b" },
			replaced(toToken, "/authorize?", "/authorize?tenant=a%20b&"), lines(returned, doneRead),
		},
	}
}

// R3, R4, B19 to B21.
func scopeScenarios() []scenario {
	with := func(scope string) []string { return replaced(toToken, "&scope=read", scope) }
	events := func(asked, got string) []string {
		return replaced(lines(returned, "done "+got), "request=read", "request="+asked)
	}
	return []scenario{
		{
			"B21: what is required, though more is supported",
			func(w *world) { w.need.Resource.ScopesSupported = []string{"read", "b", "c"} },
			toToken, lines(returned, doneRead),
		},
		{
			"B19: what is supported, when nothing is required",
			func(w *world) {
				w.need.RequiredScopes, w.need.Resource.ScopesSupported = nil, []string{"a", "b"}
			},
			with("&scope=a%20b"), events("a+b", "a+b"),
		},
		{
			"B20: nothing, when nobody says anything",
			func(w *world) { w.need.RequiredScopes = nil },
			with(""), events("", ""),
		},
		{
			"a reason that is not known",
			func(w *world) { w.need.Reason = "newReason" },
			toToken, lines(returned, doneRead),
		},
		{
			"R5: more scopes, when nothing is held",
			func(w *world) {
				w.need.Reason, w.need.RequiredScopes, w.need.Resource.ScopesSupported = "insufficientScope", []string{"write"}, []string{"a"}
			},
			with("&scope=write"), events("write", "write"),
		},
		{
			"scopes with marks, escaped",
			func(w *world) { w.need.RequiredScopes = []string{"https://x.example/a+b", "c:d&e"} },
			with("&scope=https%3A%2F%2Fx.example%2Fa%2Bb%20c%3Ad%26e"), events("https://x.example/a+b+c:d&e", "https://x.example/a+b+c:d&e"),
		},
	}
}

// Consent, and networks that need one of their own.
func consentScenarios() []scenario {
	remote := func(w *world) { w.host = Host{ID: "wss://host.example:443/"}; clear(w.rsPaths) }
	const reach = "reach 127.0.0.1 private=false"
	return []scenario{
		{"the person says no", func(w *world) { w.answer = func(NeedConsent) Answer { return Answer{} } }, found, lines(agreed, "failed consent: access was not granted")},
		{
			"the person chooses another server",
			func(w *world) {
				w.need.Resource.AuthorizationServers = []string{w.as.URL + "/other", w.as.URL}
				w.asPaths["/.well-known/oauth-authorization-server/other"] = says(200, `{"issuer":"`+w.as.URL+`/other","authorization_endpoint":"https://other.example/a","token_endpoint":"https://api.example/t","code_challenge_methods_supported":["S256"],"registration_endpoint":"https://other.example/r"}`)
				w.answer = func(need NeedConsent) Answer { return Answer{Yes: true, Issuer: need.Issuers[1]} }
				clear(w.rsPaths)
			},
			lines(askPRM, askRootPRM, "as GET /.well-known/oauth-authorization-server/other", askMetadata, postRegister, authorize, token1),
			lines("discovering {as}/other", "consent {as}/other request=read client=register also=https://other.example+https://api.example unverified",
				"discovering {as}", consentRead+" unverified", returned[2:], doneRead),
		},
		{
			"the person chooses what there is not",
			func(w *world) {
				w.answer = func(NeedConsent) Answer { return Answer{Yes: true, Issuer: "https://evil.example"} }
			},
			found, lines(agreed, "failed consent: access was not granted"),
		},
		{"a host elsewhere names a server on this machine", remote, nil, lines(started, reach, "failed consent: access was not granted")},
		{
			"and the person agrees", func(w *world) { remote(w); w.reach = true },
			lines(askMetadata, postRegister, authorize, token1), lines(started, reach, consentRead+" unverified", returned[2:], doneRead),
		},
		{
			"a server in a private network",
			func(w *world) {
				w.need.Resource.AuthorizationServers = []string{"https://10.1.2.3"}
				clear(w.rsPaths)
			},
			lines(askPRM, askRootPRM), lines("discovering https://10.1.2.3", "reach 10.1.2.3 private=true", "failed consent: access was not granted"),
		},
		{
			"an endpoint in a private network",
			func(w *world) { w.metadata["token_endpoint"] = "https://192.168.0.7/t" },
			found, lines(started, "reach 192.168.0.7 private=true", "failed consent: access was not granted"),
		},
		{
			"a server at a metadata service",
			func(w *world) {
				w.need.Resource.AuthorizationServers = []string{"https://169.254.169.254"}
				clear(w.rsPaths)
			},
			lines(askPRM, askRootPRM), lines("discovering https://169.254.169.254", `failed discovery: the authorization server "https://169.254.169.254": 169.254.169.254 is an address that is never contacted (link-local)`),
		},
		{
			"R12: an issuer over plain http",
			func(w *world) {
				w.need.Resource.AuthorizationServers = []string{"http://login.example"}
				clear(w.rsPaths)
			},
			lines(askPRM, askRootPRM), lines("discovering http://login.example", `failed discovery: the authorization server "http://login.example": the URL is refused: it is plain http, and not on this machine`),
		},
		{
			"an issuer with a query",
			func(w *world) {
				w.need.Resource.AuthorizationServers = []string{"https://login.example/?x=1"}
				clear(w.rsPaths)
			},
			lines(askPRM, askRootPRM), lines("discovering https://login.example/?x=1", `failed discovery: the authorization server "https://login.example/?x=1": an issuer holds no query`),
		},
	}
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	all := scenarios()
	if len(all) < 190 {
		t.Errorf("there are only %d scenarios", len(all))
	}
	seen := map[string]bool{}
	for _, tt := range all {
		if seen[tt.name] {
			t.Errorf("two scenarios are named %q", tt.name)
		}
		seen[tt.name] = true
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.set(w)
			events := w.run()
			told := strings.Split(strings.Join(w.told(events), "\n"), "\n")
			if diff := cmp.Diff(tt.events, told); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			requests := w.log()
			if diff := cmp.Diff(tt.requests, requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if got, want := w.message(events), w.wantMessage(tt.events[len(tt.events)-1]); got != want {
				t.Errorf("the host is told %s, want %s", got, want)
			}
		})
	}
}

// message is what the host of a flow is told in the end: one request to authenticate, or nothing.
func (w *world) message(events []Event) string {
	w.t.Helper()
	done, ok := events[len(events)-1].(Done)
	if !ok {
		return ""
	}
	return w.authenticate(done.Grant.Params(time.Now()))
}

// authenticate is a message to a host as it is sent, but for the time that has passed since the token was asked for.
func (w *world) authenticate(p *protocol.AuthenticateParams) string {
	w.t.Helper()
	message, err := protocol.Marshal(p)
	if err != nil {
		w.t.Fatal(err)
	}
	return century.ReplaceAllString(passed.ReplaceAllString(w.flat(string(message)), `"expiresIn":3600`), `"expiresIn":3153600000`)
}

var (
	passed  = regexp.MustCompile(`"expiresIn":35[5-9][0-9]\b`)
	century = regexp.MustCompile(`"expiresIn":31535999[0-9][0-9]\b`)
)

// wantMessage is what the host is to be told after the last event of a scenario: the resource as it spelled it, and what
// the server granted.
func (w *world) wantMessage(end string) string {
	w.t.Helper()
	granted, ok := strings.CutPrefix(end, "done ")
	if !ok {
		return ""
	}
	granted, _, _ = strings.Cut(granted, " missing=")
	want := `{"channel":"ahp-root://","resource":"` + w.flat(w.need.Resource.Resource) + `","token":"` + canaryToken + `"`
	supplied := w.broker.config.Method == ByToken || w.broker.config.Supplies != nil
	switch scopes := strings.Split(granted, "+"); {
	case supplied: // nobody knows what it is good for
	case w.token["scope"] == "":
		want += `,"scopes":[]`
	case granted != "":
		if w.token["scope"] == nil {
			scopes = w.asked()
		}
		want += `,"scopes":["` + strings.Join(scopes, `","`) + `"]`
	}
	switch life, _ := w.token["expires_in"].(int); {
	case supplied || w.token["expires_in"] == nil:
	case life > 0:
		want += fmt.Sprintf(`,"expiresIn":%d`, life)
	default: // more than a hundred years
		want += `,"expiresIn":3153600000`
	}
	return want + "}"
}

// asked are the scopes that were asked for last.
func (w *world) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var scopes []string
	for _, line := range w.requests {
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '&' || r == '?' }) {
			if escaped, ok := strings.CutPrefix(part, "scope="); ok {
				text, _ := url.QueryUnescape(escaped)
				scopes = strings.Fields(text)
			}
		}
	}
	return scopes
}
