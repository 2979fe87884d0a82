package auth

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/auth/store"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// A story is what comes after a sign-in, or beside a browser: each part does something and says what has to be told, what
// the host has to be sent, and what has to be requested, byte for byte.
type story struct {
	name  string
	set   func(w *world)
	parts []part
}

type part struct {
	does func(w *world) []string // events and what the host is sent
	want []string
}

// The tokens of the stories, which differ from one another and hold a canary each.
const (
	secondToken   = canaryToken + "-2"
	firstRefresh  = canarySecret + "-r1"
	secondRefresh = canarySecret + "-r2"
)

const (
	refreshBy     = `as POST /token client_id=client1&grant_type=refresh_token&refresh_token=`
	resourceParam = `&resource={rs}%2Fmcp`
	hostGets      = `host authenticate {"channel":"ahp-root://","resource":"{rs}/mcp","token":"`
	hostIsEmptied = hostGets + `"}`
	oneHour       = `,"expiresIn":3600}`
)

// hostGot is what the host is sent with a token for scopes.
func hostGot(token, scopes string) string {
	return hostGets + token + `","scopes":["` + strings.ReplaceAll(scopes, "+", `","`) + `"]` + oneHour
}

// withStore makes a world whose broker keeps tokens, which come with a refresh token, and can be revoked.
func withStore(w *world) {
	w.broker.Close()
	config := w.broker.config
	config.Store = store.Open(w.t.Context(), store.Options{})
	w.broker = NewBroker(config)
	w.t.Cleanup(w.broker.Close)
	w.token["refresh_token"] = firstRefresh
	w.metadata["revocation_endpoint"] = w.as.URL + "/revoke"
	w.asPaths["/revoke"] = says(http.StatusOK, "")
}

// flows drives a flow, and says what the host is sent in the end.
func flows(set ...func(w *world)) func(w *world) []string {
	return func(w *world) []string {
		for _, s := range set {
			s(w)
		}
		events := w.run()
		told := w.told(events)
		if message := w.message(events); message != "" {
			told = append(told, "host authenticate "+message)
		}
		return told
	}
}

// silently does what can be done without a person.
func silently(reason Reason, set ...func(w *world)) func(w *world) []string {
	return func(w *world) []string {
		for _, s := range set {
			s(w)
		}
		w.need.Reason = string(reason)
		g, d := w.broker.Silent(w.t.Context(), w.challenge())
		line := string(d.Act)
		if d.Act == ActAsk {
			line += " for " + strings.Join(d.Scopes, "+")
		}
		if d.Why != nil {
			line += ": " + d.Why.Error()
		}
		told := []string{w.flat(line)}
		if g != nil {
			if len(g.Exceptions) > 0 {
				told = append(told, "excepted "+string(g.Exceptions[0].Rule))
			}
			told = append(told, "host authenticate "+w.authenticate(g.Params(time.Now())))
		}
		return told
	}
}

// signsOut removes what there is.
func signsOut(set ...func(w *world)) func(w *world) []string {
	return func(w *world) []string {
		for _, s := range set {
			s(w)
		}
		out, err := w.broker.SignOut(w.t.Context(), store.Which{Host: w.host.ID}, w.host)
		if err != nil {
			w.t.Error(err)
		}
		var told []string
		for _, r := range out.Tokens {
			line := "removed"
			if r.Err != nil {
				line += ": " + r.Err.Error()
			}
			told = append(told, w.flat(line))
		}
		for _, s := range out.Subjects {
			told = append(told, "host authenticate "+w.authenticate(Emptied(s.Resource)))
		}
		return told
	}
}

// settled has the host go on with what it has got.
func settled(w *world) { w.broker.Settle(w.challenge()) }

// requires changes what the host asks for, and what the server gives next.
func requires(reason Reason, scopes ...string) func(w *world) {
	return func(w *world) { w.need.Reason, w.need.RequiredScopes = string(reason), scopes }
}

func gives(member string, value any) func(w *world) {
	return func(w *world) {
		if value == nil {
			delete(w.token, member)
			return
		}
		w.token[member] = value
	}
}

func tokenSays(status int, text string) func(w *world) {
	return func(w *world) { w.asPaths["/token"] = says(status, text) }
}

// second has the server give other tokens from here on.
func second(w *world) { w.token["access_token"], w.token["refresh_token"] = secondToken, secondRefresh }

// signedIn is the part that most stories begin with.
var signedIn = part{flows(), lines(returned, doneRead, hostGot(canaryToken, "read"), toToken)}

// again is a sign-in after that: the consent and the registration are there already.
func again(scope string, end ...any) []string {
	return lines(started, "open", "waiting", "exchanging", lines(end...), found, replaced(lines(authorize), "scope=read", "scope="+scope), token1)
}

func stories() []story {
	var all []story
	for _, group := range [][]story{refreshStories(), stepUpStories(), signOutStories(), pasteStories(), clientStories()} {
		all = append(all, group...)
	}
	return all
}

// R5, R22, R25 to R27: what a token that has ended leads to.
func refreshStories() []story {
	refreshed := lines(askMetadata, refreshBy+firstRefresh+resourceParam)
	fails := func(name string, set func(w *world), why string, after part) story {
		return story{name, nil, []part{signedIn, {silently(Expired, settled, set), lines("ask for read: "+why, refreshed)}, after}}
	}
	// What fails on the way deletes nothing: the same refresh token is used for the next challenge.
	keeps := part{
		silently(Expired, settled, func(w *world) { w.asPaths["/token"] = w.document(&w.token); second(w) }),
		lines("refresh", hostGot(secondToken, "read"), refreshed),
	}
	gone := part{silently(Required, settled), lines("ask for read: there is no token for it yet")}
	return []story{
		{"R26: expired is one refresh, and the rotated token is used next", nil, []part{
			signedIn,
			{silently(Expired, settled, second), lines("refresh", hostGot(secondToken, "read"), refreshed)},
			{silently(Expired, settled), lines("refresh", hostGot(secondToken, "read"), askMetadata, refreshBy+secondRefresh+resourceParam)},
		}},
		{"R26: no new refresh token leaves the old one", nil, []part{
			signedIn,
			{silently(Expired, settled, second, gives("refresh_token", nil)), lines("refresh", hostGot(secondToken, "read"), refreshed)},
			{silently(Expired, settled), lines("refresh", hostGot(secondToken, "read"), refreshed)},
		}},
		{"B22: a refresh narrows what is granted", requires(Required, "read", "write"), []part{
			{flows(), lines(replaced(returned, "request=read", "request=read+write"), "done read+write", hostGot(canaryToken, "read+write"), replaced(toToken, "scope=read", "scope=read%20write"))},
			{silently(Expired, settled, second, requires(Expired, "read"), gives("scope", "read")), lines("refresh", hostGot(secondToken, "read"), refreshed)},
			{silently(InsufficientScope, settled, requires(InsufficientScope, "write")), lines("ask for read+write: the token is not good for what is required")},
		}},
		{"R1: a refresh spells the resource as the host did", func(w *world) {
			w.resource = w.rs.URL + "/%7Em%63p/"
			w.need.Resource.Resource = w.resource
			clear(w.rsPaths)
		}, []part{
			{flows(), replaced(
				lines("discovering {as}", consentRead+" unverified", returned[2:], doneRead, hostGot(canaryToken, "read"),
					"rs GET /.well-known/oauth-protected-resource/%7Em%63p/", askRootPRM, toToken[1:]),
				"{rs}%2Fmcp", "{rs}%2F%257Em%2563p%2F", "{rs}/mcp", "{rs}/%7Em%63p/")},
			{silently(Expired, settled, second), replaced(lines("refresh", hostGot(secondToken, "read"), refreshed), "{rs}%2Fmcp", "{rs}%2F%257Em%2563p%2F", "{rs}/mcp", "{rs}/%7Em%63p/")},
		}},
		{"R5: a token that cannot be refreshed is a person's", gives("refresh_token", nil), []part{
			{func(w *world) []string { delete(w.token, "refresh_token"); return flows()(w) }, signedIn.want},
			{silently(Expired, settled), lines("ask for read: the token has ended and cannot be refreshed")},
		}},
		fails("R27: invalid_grant ends the token", tokenSays(400, `{"error":"invalid_grant","error_description":"`+canarySecret+`"}`),
			"refresh: the authorization server has ended the grant: the authorization server refused: invalid_grant", gone),
		fails("R27: a server that fails ends nothing", tokenSays(503, canaryToken), "refresh: the server has failed (503)", keeps),
		fails("R27: a refusal that says nothing of the token ends nothing", tokenSays(429, canaryToken), "refresh: the token was not refreshed: the authorization server refused, with status 429 and without a reason", keeps),
		fails("R24: a refresh follows no redirect", func(w *world) {
			w.asPaths["/token"] = func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, "/register", http.StatusTemporaryRedirect)
			}
		}, "refresh: POST {as}/token: the server's redirect is not followed: a POST follows none", keeps),
		{"R10: a server that calls itself otherwise by now gets no refresh token", nil, []part{
			signedIn,
			{silently(Expired, settled, func(w *world) { w.metadata["issuer"] = "https://evil.example" }), lines(
				`ask for read: discovery: the authorization server was named "{as}", but calls itself "https://evil.example"`, askMetadata, askOpenID)},
		}},
		{"T10: a server whose token endpoint is elsewhere by now gets no refresh token", nil, []part{
			signedIn,
			{silently(Expired, settled, func(w *world) { w.metadata["token_endpoint"] = "https://evil.example/token" }), lines(
				"ask for read: refresh: the token was not refreshed: the authorization server leads elsewhere by now than you agreed to", askMetadata)},
		}},
		{"R25: a refreshed token that has ended already is none", nil, []part{
			signedIn,
			{silently(Expired, settled, second, gives("expires_in", 0)), lines("ask for read: refresh: the token that was given has expired already (expires_in is 0)", refreshed)},
		}},
		{"R26: a refresh proves itself as the sign-in did", func(w *world) {
			w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "c", ClientSecret: canarySecret}
		}, []part{
			{flows(), lines(started, "consent {as} request=read client=host", returned[3:], doneRead, hostGot(canaryToken, "read"),
				found, replaced(lines(authorize), "client1", "c"), replaced(lines(token1), "client_id=client1&", basicOf("c")))},
			{silently(Expired, settled, second), lines("refresh", hostGot(secondToken, "read"), askMetadata, replaced(lines(refreshBy), "client_id=client1&", basicOf("c"))[0]+firstRefresh+resourceParam)},
		}},
		{"an exception is told where it lets a refresh pass", func(w *world) {
			delete(w.metadata, "code_challenge_methods_supported")
			w.broker.config.Issuers = []IssuerSettings{{Issuer: w.as.URL, AssumeS256: true}}
		}, []part{
			{flows(), lines(started, "excepted {as} assume_pkce_s256", consentRead+" excepted=assume_pkce_s256", returned[2:], doneRead, hostGot(canaryToken, "read"), toToken)},
			{silently(Expired, settled, second), lines("refresh", "excepted assume_pkce_s256", hostGot(secondToken, "read"), refreshed)},
		}},
		{"B50: by a key, after invalid_grant, a sign-in", nil, []part{
			signedIn,
			{flows(settled, requires(Expired, "read"), func(w *world) {
				once := true
				w.asPaths["/token"] = func(rw http.ResponseWriter, r *http.Request) {
					if once {
						once = false
						says(400, `{"error":"invalid_grant"}`)(rw, r)
						return
					}
					second(w)
					writeJSON(rw, http.StatusOK, w.token)
				}
			}), lines("refreshing", "a person is needed: refresh: the authorization server has ended the grant: the authorization server refused: invalid_grant",
				started, "open", "waiting", "exchanging", doneRead, hostGot(secondToken, "read"), refreshed, again("read")[4:])},
		}},
		{"R17: by a key, after invalid_client, a new registration", nil, []part{
			signedIn,
			{silently(Expired, settled, tokenSays(401, `{"error":"invalid_client"}`)), lines(
				"ask for read: refresh: the token was not refreshed: the authorization server refused: invalid_client", refreshed)},
			{flows(requires(Expired, "read"), func(w *world) { w.asPaths["/token"] = w.document(&w.token); second(w) }), lines(
				"a person is needed: "+stillExpired, started, "registering", "open", "waiting", "exchanging", doneRead, hostGot(secondToken, "read"),
				toToken)},
		}},
	}
}

const stillExpired = "the token was refreshed, and the host says that it has expired all the same"

func basicOf(id string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+canarySecret)) + " "
}

// R5, B18, B20: more access is a person's, for all that was held, and twice at most.
func stepUpStories() []story {
	more := requires(InsufficientScope, "write")
	wider := again("read%20write", "done read+write", hostGot(secondToken, "read+write"))
	return []story{
		{"R5: a step-up asks for what is held and what is required, and never refreshes", nil, []part{
			signedIn,
			{silently(InsufficientScope, settled, more), lines("ask for read+write: the token is not good for what is required")},
			{flows(second), lines("a person is needed: the token is not good for what is required", wider)},
			{silently(Required, settled, requires(Required, "read")), lines("push", hostGot(secondToken, "read+write"))},
		}},
		{"R5: a step-up ends after two rounds", nil, []part{
			signedIn,
			{flows(settled, more, second), lines("a person is needed: the token is not good for what is required", wider)},
			{flows(), wider},
			{flows(), lines("failed challenge: more access was granted 2 times, and each time it asked for more")},
			{silently(InsufficientScope), lines("stop: more access was granted 2 times, and each time it asked for more")},
		}},
		{"R25: a step-up that grants less says so, and the host is told what it gets", nil, []part{
			signedIn,
			{flows(settled, more, second, gives("scope", "read")), replaced(lines("a person is needed: the token is not good for what is required", wider),
				"done read+write", "done read missing=write", `["read","write"]`, `["read"]`)},
		}},
		{"a step-up that the person leaves keeps the old token", nil, []part{
			signedIn,
			{flows(settled, more, func(w *world) { w.comeBack = func(v url.Values) { v.Del("code"); v.Set("error", "access_denied") } }), lines(
				"a person is needed: the token is not good for what is required", started, "open", "waiting", "failed authorization: access was denied at the authorization server (access_denied)",
				found, replaced(lines(authorize), "scope=read", "scope=read%20write"))},
			{silently(Required, requires(Required, "read")), lines("push", hostGot(canaryToken, "read"))},
		}},
		{"a step-up whose exchange fails keeps the old token", nil, []part{
			signedIn,
			{flows(settled, more, tokenSays(500, canaryToken)), replaced(again("read%20write", "failed exchange: the server has failed (500) (retryable)"),
				"discovering", "a person is needed: the token is not good for what is required\ndiscovering")},
			{silently(Required, requires(Required, "read")), lines("push", hostGot(canaryToken, "read"))},
		}},
	}
}

// T29: signing out.
func signOutStories() []story {
	revokes := func(token, hint string) string {
		return "as POST /revoke client_id=client1&token=" + token + "&token_type_hint=" + hint
	}
	both := lines(askMetadata, revokes(firstRefresh, "refresh_token"), revokes(canaryToken, "access_token"))
	signedOut := part{silently(Required), lines("ask for read: you signed out of it")}
	return []story{
		{"T29: both tokens are revoked, and the host is emptied", nil, []part{
			signedIn,
			{signsOut(settled), lines("removed", hostIsEmptied, both)},
			signedOut,
			{flows(second), again("read", doneRead, hostGot(secondToken, "read"))},
			{silently(Required, settled), lines("push", hostGot(secondToken, "read"))},
		}},
		{"T29: without a refresh token one is revoked", nil, []part{
			{func(w *world) []string { delete(w.token, "refresh_token"); return flows()(w) }, signedIn.want},
			{signsOut(settled), lines("removed", hostIsEmptied, askMetadata, revokes(canaryToken, "access_token"))},
			signedOut,
		}},
		{"T29: a server that revokes nothing", func(w *world) { delete(w.metadata, "revocation_endpoint") }, []part{
			signedIn, {signsOut(settled), lines("removed: its authorization server offers no revocation", hostIsEmptied, askMetadata)}, signedOut,
		}},
		{"T29: a server that fails to revoke", func(w *world) { w.asPaths["/revoke"] = says(503, canaryToken) }, []part{
			signedIn, {signsOut(settled), lines("removed: revocation: the server has failed (503)", hostIsEmptied, both)}, signedOut,
		}},
		{"R24: a revocation follows no redirect", func(w *world) {
			w.asPaths["/revoke"] = func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, "/token", http.StatusTemporaryRedirect)
			}
		}, []part{
			signedIn, {signsOut(settled), lines("removed: revocation: POST {as}/revoke: the server's redirect is not followed: a POST follows none", hostIsEmptied, both)}, signedOut,
		}},
		{"T10: a server whose revocation endpoint is elsewhere by now gets no token", nil, []part{
			signedIn, {signsOut(settled, func(w *world) { w.metadata["revocation_endpoint"] = "https://evil.example/revoke" }), lines(
				"removed: revocation: the authorization server leads elsewhere by now than you agreed to", hostIsEmptied, askMetadata)}, signedOut,
		}},
		{"T29: what was signed out of is not renewed by a challenge", nil, []part{
			signedIn,
			{signsOut(settled), lines("removed", hostIsEmptied, both)},
			{silently(Expired), lines("ask for read: you signed out of it")},
			{silently(InsufficientScope, requires(InsufficientScope, "write")), lines("ask for write: you signed out of it")},
		}},
	}
}

// R30, B35: an address that is pasted is judged like a browser that comes back.
func pasteStories() []story {
	overSSH := func(w *world) {
		w.broker.config.Place = Place{OS: "linux", SSHConnection: "10.0.0.9 50000 10.0.0.5 22", User: "kim"}
		w.broker.config.Opener = nil
	}
	ways := lines(agreed, "by paste", "registering", "open", "waiting")
	asked := lines(found, postRegister)
	good := func(back, state string) string { return back + "?code=" + canaryCode + "&state=" + state }
	pasted := func(name string, with func(back, state string) string, said []string, end []string, requests ...any) story {
		return story{name, overSSH, []part{{pastes(with, good), lines(ways, said, end, lines(asked, lines(requests...)))}}}
	}
	done := lines("exchanging", doneRead, hostGot(canaryToken, "read"))
	refusedBy := func(name string, with func(back, state string) string, why string) story {
		return pasted(name, with, lines("pasted: "+why, "pasted"), done, token1)
	}
	const foreign = "the address is of another sign-in: its state is not the one that is waited for. Open the address shown here, and paste where that ends"
	return []story{
		pasted("R30: the whole address", good, lines("pasted"), done, token1),
		pasted("R30: with white space and a line break, as terminals copy it", func(back, state string) string { return " \n" + good(back, state) + "\n" }, lines("pasted"), done, token1),
		refusedBy("R30: a code alone", func(string, string) string { return canaryCode }, bareCode),
		refusedBy("R30: another state", func(back, _ string) string { return good(back, "wrong") }, foreign),
		refusedBy("R30: no state", func(back, _ string) string { return back + "?code=" + canaryCode }, foreign),
		pasted("R20: the person denied", func(back, state string) string { return back + "?error=access_denied&state=" + state }, lines("pasted"),
			lines("failed authorization: access was denied at the authorization server (access_denied)")),
		pasted("R21: another issuer", func(back, state string) string { return good(back, state) + "&iss=https%3A%2F%2Fevil.example" }, lines("pasted"),
			lines(`failed authorization: the answer comes from "https://evil.example", but "{as}" was asked`)),
		{"R30: a desktop may be pasted to as well", func(w *world) { w.broker.config.Opener = nil }, []part{
			{pastes(good, good), lines(gone, "pasted", done, asked, token1)},
		}},
	}
}

const bareCode = "that is not an address: a code alone is not taken, since nothing shows which sign-in it belongs to. Paste the whole address, from http:// on"

// B40, B36, T2: clients and consents outlive a sign-in, for their issuer and their host.
func clientStories() []story {
	asks := func(w *world) {
		delete(w.metadata, "registration_endpoint")
		w.broker.config.Interactive = true
		w.client = Answer{Yes: true, ClientID: "own1", Secret: secret.New(canarySecret)}
	}
	const askedFor = "client {as} at http://{back}/callback"
	byOwn := lines(found, replaced(lines(authorize), "client1", "own1"), replaced(lines(token1), "client_id=client1&", basicOf("own1")))
	otherHost := func(w *world) { w.host.ID = "ws://127.0.0.1:2/" }
	return []story{
		{"B40: a client is asked for once, and kept under its issuer", asks, []part{
			{flows(), lines(started, "consent {as} request=read client=ask", askedFor, "open", "waiting", "exchanging", doneRead, hostGot(canaryToken, "read"), byOwn)},
			{flows(otherHost), lines(started, "consent {as} request=read client=asked", "open", "waiting", "exchanging", doneRead, hostGot(canaryToken, "read"), byOwn)},
			{silently(Expired, settled, second), lines("refresh", hostGot(secondToken, "read"), askMetadata, replaced(lines(refreshBy), "client_id=client1&", basicOf("own1"))[0]+firstRefresh+resourceParam)},
		}},
		{"B40: a client of one issuer is not another's", asks, []part{
			{flows(), lines(started, "consent {as} request=read client=ask", askedFor, "open", "waiting", "exchanging", doneRead, hostGot(canaryToken, "read"), byOwn)},
			{flows(otherHost, at("/other", "/.well-known/oauth-authorization-server/other"), func(w *world) { w.client = Answer{} }), lines(
				"discovering {as}/other", "consent {as}/other request=read client=ask unverified", "client {as}/other at http://{back}/callback", "failed registration: access was not granted",
				askPRM, askRootPRM, "as GET /.well-known/oauth-authorization-server/other")},
		}},
		{"a registration is used again, by another host as well", nil, []part{
			signedIn,
			{flows(otherHost), lines(started, "consent {as} request=read client=registered", "open", "waiting", "exchanging", doneRead, hostGot(canaryToken, "read"), found, authorize, token1)},
		}},
		{"T1: another host is pushed nothing, and asked about", nil, []part{
			signedIn,
			{silently(Required, settled, otherHost), lines("ask for read: there is no token for it yet")},
		}},
		{"T2: another issuer for the same resource is asked about, loudly", nil, []part{
			signedIn,
			{silently(Required, settled, at("/other", "/.well-known/oauth-authorization-server/other")), lines("ask for read: there is no token for it yet")},
			{flows(func(w *world) { w.answer = func(NeedConsent) Answer { return Answer{} } }), lines(
				"discovering {as}/other", "consent {as}/other request=read client=register previous={as} unverified", "failed consent: access was not granted",
				askPRM, askRootPRM, "as GET /.well-known/oauth-authorization-server/other")},
		}},
	}
}

// pastes drives a flow whose person pastes what with makes of where it ends, and then what then makes of it if that was not
// taken.
func pastes(with, then func(back, state string) string) func(w *world) []string {
	return func(w *world) []string {
		ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
		defer cancel()
		f := w.broker.Start(ctx, w.challenge())
		var events []Event
		var told []string
		state := ""
		for e := range f.Events(ctx) {
			events = append(events, e)
			told = append(told, w.told([]Event{e})...)
			switch e := e.(type) {
			case NeedConsent:
				f.Answer(e.Question, Answer{Yes: true})
			case OpenURL:
				w.learn(e.URL)
				if u, err := url.Parse(e.URL); err == nil {
					state = u.Query().Get("state")
				}
			case Waiting:
				for _, paste := range []func(string, string) string{with, then} {
					err := f.Paste(paste(e.RedirectURI, state))
					if err == nil {
						told = append(told, "pasted")
						break
					}
					told = append(told, "pasted: "+err.Error())
				}
			}
		}
		w.checkCanaries(events)
		if message := w.message(events); message != "" {
			told = append(told, "host authenticate "+message)
		}
		for i := range told {
			told[i] = w.flat(told[i])
		}
		return told
	}
}

func TestStories(t *testing.T) {
	t.Parallel()
	for _, tt := range stories() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			withStore(w)
			if tt.set != nil {
				tt.set(w)
			}
			for i, p := range tt.parts {
				w.mu.Lock()
				w.requests = nil
				w.mu.Unlock()
				got := append(p.does(w), w.log()...)
				got = strings.Split(strings.Join(got, "\n"), "\n")
				want := strings.Split(strings.Join(p.want, "\n"), "\n")
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("part %d (-want +got):\n%s", i+1, diff)
				}
			}
		})
	}
}
