package auth

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"ahptui/protocol"
)

// R3, R15 to R17, R23, B36, B37, B39 to B42.
func registrationScenarios() []scenario {
	hosts := func(secret string, methods ...string) func(w *world) {
		return func(w *world) {
			w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "1PpG/Q 1", ClientSecret: secret}
			if methods != nil {
				w.metadata["token_endpoint_auth_methods_supported"] = methods
			}
		}
	}
	hostsEvents := lines(started, "consent {as} request=read client=host", "open", "waiting", "exchanging", doneRead)
	hostsAuthorize := replaced(lines(authorize), "client1", "1PpG%2FQ%201")[0]
	basic := replaced(lines(token1), "client_id=client1&", "Basic MVBwRyUyRlErMTpjYW5hcnktc2VjcmV0LTVkNDQlM0ElMkIlMjUlMkY= ")[0]
	post := replaced(lines(token1), "client_id=client1", "client_id=1PpG%2FQ+1&client_secret="+canarySecret+"%3A%2B%25%2F")[0]
	fails := func(name string, answer http.HandlerFunc, why string) scenario {
		return scenario{
			name, func(w *world) { w.asPaths["/register"] = answer },
			lines(found, postRegister), lines(agreed, "registering", "failed registration: register this program: "+why),
		}
	}
	registered := func(name, answer string, methods []string, registerAs, tokenRequest string) scenario {
		return scenario{
			name, func(w *world) {
				w.asPaths["/register"] = says(201, answer)
				if methods != nil {
					w.metadata["token_endpoint_auth_methods_supported"] = methods
				}
			},
			lines(found, replaced(lines(postRegister), `"none"`, `"`+registerAs+`"`), authorize, tokenRequest), lines(returned, doneRead),
		}
	}
	ourBasic := replaced(lines(token1), "client_id=client1&", "Basic Y2xpZW50MTpjYW5hcnktc2VjcmV0LTVkNDQ= ")[0]
	ourPost := replaced(lines(token1), "&code=", "&client_secret="+canarySecret+"&code=")[0]
	return []scenario{
		{"B39: the host's public client", hosts(""), lines(found, hostsAuthorize, replaced(lines(token1), "client1", "1PpG%2FQ+1")), hostsEvents},
		{"B41, B42: the host's secret in the header when the server does not say", hosts(canarySecret + ":+%/"), lines(found, hostsAuthorize, basic), hostsEvents},
		{"the host's secret in the header when both are supported", hosts(canarySecret+":+%/", "client_secret_post", "client_secret_basic"), lines(found, hostsAuthorize, basic), hostsEvents},
		{"B42: the host's secret in the body", hosts(canarySecret+":+%/", "client_secret_post"), lines(found, hostsAuthorize, post), hostsEvents},
		{"the host's secret fits nowhere", hosts(canarySecret, "private_key_jwt"), found, lines(started, `failed discovery: the authorization server takes a client's secret in none of the ways known here, only by ["private_key_jwt"]`)},
		{
			"the host's client without registration endpoint",
			func(w *world) { hosts("")(w); delete(w.metadata, "registration_endpoint") },
			lines(found, hostsAuthorize, replaced(lines(token1), "client1", "1PpG%2FQ+1")), hostsEvents,
		},
		{
			"B40: no client and no registration",
			func(w *world) { delete(w.metadata, "registration_endpoint") },
			found, lines(started, "failed discovery: the authorization server knows no client of the host's, and lets none register itself"),
		},
		registered("a secret that was not asked for", `{"client_id":"client1","client_secret":"`+canarySecret+`","token_endpoint_auth_method":"none"}`, nil, "none", token1),
		registered("the server wants the header", `{"client_id":"client1","client_secret":"`+canarySecret+`"}`, []string{"client_secret_basic"}, "client_secret_basic", ourBasic),
		registered("the server wants the body", `{"client_id":"client1","client_secret":"`+canarySecret+`"}`, []string{"client_secret_post"}, "client_secret_post", ourPost),
		registered("the server decides otherwise", `{"client_id":"client1","client_secret":"`+canarySecret+`","token_endpoint_auth_method":"client_secret_post"}`, nil, "none", ourPost),
		fails("R15: registration is refused", says(400, `{"error":"invalid_client_metadata","error_description":"`+canarySecret+`"}`), "the authorization server refused: invalid_client_metadata"),
		{
			"R15: no redirect is taken", func(w *world) { w.asPaths["/register"] = says(400, `{"error":"invalid_redirect_uri"}`) },
			lines(found, postRegister, replaced(lines(postRegister), "{back}", "{localhost}")),
			lines(agreed, "registering", "registering", "failed registration: register this program: the authorization server refused: invalid_redirect_uri"),
		},
		{
			"R15: a redirect to a name is taken, to an address not",
			func(w *world) {
				w.asPaths["/register"] = func(rw http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if !strings.Contains(string(body), "http://localhost:") {
						says(400, `{"error":"invalid_redirect_uri"}`)(rw, r)
						return
					}
					says(201, `{"client_id":"client1"}`)(rw, r)
				}
			},
			lines(found, postRegister, replaced(lines(postRegister, authorize, token1), "{back}", "{localhost}")),
			lines(agreed, "registering", returned[2:], doneRead),
		},
		fails("registration fails", says(500, canarySecret), "the server has failed (500) (retryable)"),
		fails("registration is a page", says(200, "<html>"+canarySecret), "the answer to the registration: it is not JSON"),
		fails("registration gives no id", says(201, `{"client_secret":"`+canarySecret+`"}`), "the answer to the registration holds no usable client_id"),
		fails("registration wants a secret and gives none", says(201, `{"client_id":"c","token_endpoint_auth_method":"client_secret_basic"}`), "the answer to the registration wants a secret, but holds none"),
		fails("R24: registration redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/token", http.StatusTemporaryRedirect)
		}, "POST {as}/register: the server's redirect is not followed: a POST follows none"),
		{
			"the server takes no client that can be registered",
			func(w *world) {
				w.metadata["token_endpoint_auth_methods_supported"] = []string{"tls_client_auth"}
			},
			found, lines(agreed, "registering", `failed registration: register this program: the authorization server takes a client's secret in none of the ways known here, only by ["tls_client_auth"]`),
		},
		{
			"R17, B37: an unknown client is registered anew, once",
			func(w *world) { w.asPaths["/token"] = says(401, `{"error":"invalid_client"}`) },
			lines(toToken, replaced(toToken[2:], "client1", "client2")),
			lines(returned, returned[2:], "failed exchange: the authorization server refused: invalid_client"),
		},
		{
			"the host's client is unknown",
			func(w *world) { hosts("")(w); w.asPaths["/token"] = says(401, `{"error":"invalid_client"}`) },
			lines(found, hostsAuthorize, replaced(lines(token1), "client1", "1PpG%2FQ+1")),
			lines(hostsEvents[:5], "failed exchange: the authorization server refused: invalid_client"),
		},
	}
}

// R20, R21, B24, B26, B27.
func callbackScenarios() []scenario {
	toBrowser := toToken[:4]
	back := func(name string, change func(w *world, back url.Values), why string) scenario {
		s := scenario{
			name, func(w *world) { w.comeBack = func(v url.Values) { change(w, v) } },
			toBrowser, lines(gone, "failed authorization: "+why),
		}
		if why == "" {
			s.requests, s.events = toToken, lines(returned, doneRead)
		}
		return s
	}
	announced := func(s scenario) scenario {
		set := s.set
		s.name += ", announced"
		s.set = func(w *world) { set(w); w.metadata["authorization_response_iss_parameter_supported"] = true }
		return s
	}
	right := back("R21: the right iss", func(w *world, v url.Values) { v.Set("iss", w.as.URL) }, "")
	wrong := back("R21, T9: another iss", func(w *world, v url.Values) { v.Set("iss", "https://evil.example") }, `the answer comes from "https://evil.example", but "{as}" was asked`)
	slash := back("an iss with a slash more", func(w *world, v url.Values) { v.Set("iss", w.as.URL+"/") }, `the answer comes from "{as}/", but "{as}" was asked`)
	return []scenario{
		right, announced(right), wrong, announced(wrong), slash, announced(slash),
		announced(back("no iss", func(*world, url.Values) {}, "the answer does not say which authorization server it comes from, though that has announced it (RFC 9207)")),
		back("an empty iss", func(_ *world, v url.Values) { v.Set("iss", "") }, `the answer comes from "", but "{as}" was asked`),
		back("two iss", func(w *world, v url.Values) { v["iss"] = []string{w.as.URL, w.as.URL} }, "the answer names its issuer twice"),
		back("another iss with an error", func(_ *world, v url.Values) {
			v.Set("iss", "https://evil.example")
			v.Set("error", "access_denied")
			v.Set("error_description", canarySecret)
		}, `the answer comes from "https://evil.example", but "{as}" was asked`),
		back("two codes", func(_ *world, v url.Values) { v.Add("code", "x") }, "the answer holds code twice"),
		back("two errors", func(_ *world, v url.Values) { v["error"] = []string{"a", "b"} }, "the answer holds error twice"),
		back("neither code nor error", func(_ *world, v url.Values) { v.Del("code") }, "the answer holds neither a code nor an error"),
		back("an empty code", func(_ *world, v url.Values) { v.Set("code", "") }, "the answer holds neither a code nor an error"),
		back("the person denies", func(_ *world, v url.Values) { v.Del("code"); v.Set("error", "access_denied") }, "access was denied at the authorization server (access_denied)"),
		back("an error and a code", func(_ *world, v url.Values) { v.Set("error", "invalid_scope") }, "the authorization server refused: invalid_scope"),
		back("an error that is none", func(_ *world, v url.Values) { v.Set("error", "<script>\x1b[2J") }, "the authorization server refused, for a reason that it does not name properly"),
		back("a server that is busy", func(_ *world, v url.Values) { v.Set("error", "temporarily_unavailable") }, "the authorization server refused: temporarily_unavailable (retryable)"),
	}
}

// R23 to R25, B48.
func tokenScenarios() []scenario {
	answers := func(name string, set func(w *world), end string) scenario {
		return scenario{name, set, toToken, lines(returned, end)}
	}
	member := func(name, member string, value any, end string) scenario {
		return answers(name, func(w *world) {
			if value == nil {
				delete(w.token, member)
				return
			}
			w.token[member] = value
		}, end)
	}
	refused := func(name string, status int, text, why string) scenario {
		return answers(name, func(w *world) { w.asPaths["/token"] = says(status, text) }, "failed exchange: "+why)
	}
	return []scenario{
		member("R25: token_type in capitals", "token_type", "BEARER", doneRead),
		member("token_type of another kind", "token_type", "DPoP", "failed exchange: the token response's token_type is not Bearer"),
		member("no token_type", "token_type", nil, "failed exchange: the token response's token_type is not Bearer"),
		member("no access_token", "access_token", nil, "failed exchange: the token response holds no access_token"),
		member("an empty access_token", "access_token", "", "failed exchange: the token response holds no access_token"),
		member("an access_token with a line break", "access_token", canaryToken+"\r\nX: y", "failed exchange: the token response holds an access_token that fits into no header"),
		member("an access_token that is a number", "access_token", 5, "failed exchange: the token response: its access_token is not of the right form"),
		member("B48: expires_in is 0", "expires_in", 0, "failed exchange: the token that was given has expired already (expires_in is 0)"),
		member("B48: no expires_in", "expires_in", nil, doneRead),
		member("B48: expires_in is a text", "expires_in", "3600abc", "failed exchange: the token response: its expires_in is not of the right form"),
		member("expires_in is a fraction", "expires_in", 3600.5, "failed exchange: the token response: its expires_in is not of the right form"),
		member("expires_in is negative", "expires_in", -1, "failed exchange: the token response's expires_in is negative"),
		member("expires_in is enormous", "expires_in", int64(1)<<62, doneRead),
		member("other scopes are granted", "scope", "other", "done other missing=read"),
		member("R25: more scopes are granted", "scope", "read write", "done read+write"),
		member("no scopes are granted", "scope", "", "done  missing=read"),
		member("scopes that are none", "scope", "a\x01b", "failed exchange: the token response's scope: one holds characters that no scope may hold"),
		member("a refresh token comes along", "refresh_token", canarySecret, doneRead),
		refused("a token twice", 200, `{"access_token":"`+canaryToken+`","access_token":"x","token_type":"Bearer"}`, "the token response: it has a member twice"),
		refused("a token in another case", 200, `{"Access_Token":"`+canaryToken+`","token_type":"Bearer"}`, "the token response: it spells access_token in another case"),
		refused("a token in a page", 200, "<html>"+canaryToken, "the token response: it is not JSON"),
		refused("an error with status 200", 200, `{"error":"bad_verification_code","error_description":"`+canaryToken+`"}`, "the authorization server refused: bad_verification_code"),
		refused("invalid_grant", 400, `{"error":"invalid_grant","error_description":"`+canaryCode+`"}`, "the authorization server refused: invalid_grant"),
		refused("an error that repeats the code", 400, `{"error":"`+canaryCode+`"}`, "the authorization server refused, with status 400 and without a reason"),
		refused("a success with another status", 201, `{"access_token":"`+canaryToken+`","token_type":"Bearer"}`, "the authorization server refused, with status 201 and without a reason"),
		refused("a failure of the server", 502, canaryToken, "the server has failed (502) (retryable)"),
		answers("R24: the token endpoint redirects", func(w *world) {
			w.asPaths["/token"] = func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, "/register", http.StatusPermanentRedirect)
			}
		}, "failed exchange: POST {as}/token: the server's redirect is not followed: a POST follows none"),
	}
}
