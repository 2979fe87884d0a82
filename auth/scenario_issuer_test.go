package auth

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// Exceptions are the person's own, for one issuer, and are told wherever they apply.
func exceptionScenarios() []scenario {
	own := func(w *world, s IssuerSettings) { w.broker.config.Issuers = append(w.broker.config.Issuers, s) }
	published := func(w *world) { w.metadata["issuer"] = "https://login.example" }
	noPKCE := func(w *world) { delete(w.metadata, "code_challenge_methods_supported") }
	excepted := func(rules string) []string {
		return lines(started, "excepted {as} "+rules, consentRead+" excepted="+strings.ReplaceAll(rules, " ", "+"), returned[2:], doneRead)
	}
	toComeBack := func(events []string) []string { return events[:len(events)-2] } // without the exchange and its end
	differs := `failed discovery: the authorization server was named "{as}", but calls itself "https://login.example"`
	return []scenario{
		{
			"an exception: the server may call itself otherwise",
			func(w *world) {
				published(w)
				own(w, IssuerSettings{Issuer: w.as.URL, MetadataIssuer: "https://login.example"})
			},
			toToken, excepted("metadata_issuer"),
		},
		{
			"an exception: the answer has to come from what the server calls itself",
			func(w *world) {
				published(w)
				own(w, IssuerSettings{Issuer: w.as.URL, MetadataIssuer: "https://login.example"})
				w.comeBack = func(v url.Values) { v.Set("iss", w.as.URL) }
			},
			toToken[:4], lines(toComeBack(excepted("metadata_issuer")), `failed authorization: the answer comes from "{as}", but "https://login.example" was asked`),
		},
		{
			"an exception: PKCE is taken for granted",
			func(w *world) { noPKCE(w); own(w, IssuerSettings{Issuer: w.as.URL, AssumeS256: true}) },
			toToken, excepted("assume_pkce_s256"),
		},
		{
			"an exception: both",
			func(w *world) {
				published(w)
				noPKCE(w)
				own(w, IssuerSettings{Issuer: w.as.URL, MetadataIssuer: "https://login.example", AssumeS256: true})
			},
			toToken, excepted("metadata_issuer assume_pkce_s256"),
		},
		{
			"an exception that is not needed is none",
			func(w *world) {
				own(w, IssuerSettings{Issuer: w.as.URL, MetadataIssuer: "https://login.example", AssumeS256: true})
			},
			toToken, lines(returned, doneRead),
		},
		{
			"an exception for another name",
			func(w *world) {
				published(w)
				own(w, IssuerSettings{Issuer: w.as.URL, MetadataIssuer: "https://login.example/"})
			},
			lines(found, askOpenID), lines(started, differs),
		},
		{
			"an exception for another issuer",
			func(w *world) {
				published(w)
				noPKCE(w)
				own(w, IssuerSettings{Issuer: w.as.URL + "/", MetadataIssuer: "https://login.example", AssumeS256: true})
			},
			lines(found, askOpenID), lines(started, differs),
		},
		{
			"an exception for the name does not help against a missing PKCE",
			func(w *world) {
				published(w)
				noPKCE(w)
				own(w, IssuerSettings{Issuer: w.as.URL, MetadataIssuer: "https://login.example"})
			},
			found, lines(started, "failed discovery: the authorization server does not say that it supports PKCE with S256 (code_challenge_methods_supported)"),
		},
		{
			"an exception, and the person says no",
			func(w *world) {
				noPKCE(w)
				own(w, IssuerSettings{Issuer: w.as.URL, AssumeS256: true})
				w.answer = func(NeedConsent) Answer { return Answer{} }
			},
			found, lines(started, "excepted {as} assume_pkce_s256", consentRead+" excepted=assume_pkce_s256", "failed consent: access was not granted"),
		},
	}
}

const (
	documentID  = "https://client.example/ahptui.json"
	documentURL = "https%3A%2F%2Fclient.example%2Fahptui.json"
)

// R3, R14, B28, B40: how this program is known, the preferred way first.
func clientScenarios() []scenario {
	supports := func(w *world) { w.metadata["client_id_metadata_document_supported"] = true }
	document := func(w *world) { w.broker.config.ClientDocument = documentID }
	closed := func(w *world) { delete(w.metadata, "registration_endpoint") }
	asks := func(w *world) { w.broker.config.Interactive = true }
	hosts := func(w *world) { w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "host1"} }
	configured := func(w *world, s string) {
		w.broker.config.Issuers = []IssuerSettings{{Issuer: w.as.URL, Client: &Client{ID: "own1", Secret: secret.New(s)}}}
	}
	with := func(set ...func(*world)) func(*world) {
		return func(w *world) {
			for _, s := range set {
				s(w)
			}
		}
	}
	known := func(as string) []string {
		return lines(started, "consent {as} request=read client="+as, "open", "waiting", "exchanging", doneRead)
	}
	by := func(id string) []string { return replaced(lines(found, authorize, token1), "client1", id) }
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("own1:"+canarySecret)) + " "
	secretly := lines(found, replaced(lines(authorize), "client1", "own1"), replaced(lines(token1), "client_id=client1&", basic))
	asked := func(end ...string) []string {
		return lines(started, "consent {as} request=read client=ask", "client {as} at http://{back}/callback", end)
	}
	answers := func(id, s string) func(*world) {
		return func(w *world) { w.client = Answer{Yes: true, ClientID: id, Secret: secret.New(s)} }
	}
	return []scenario{
		{"R14, B28: a client id metadata document", with(supports, document), by(documentURL), known("document")},
		{"R14: a document that the server does not take: it registers", document, toToken, lines(returned, doneRead)},
		{"R14: a document is not configured: it registers", supports, toToken, lines(returned, doneRead)},
		{
			"R14: the server takes no document and no registration", with(document, closed), found,
			lines(started, "failed discovery: the authorization server knows no client of the host's, and lets none register itself"),
		},
		{"R3: the host's client goes before all", with(supports, document, hosts, func(w *world) { configured(w, "") }), by("host1"), known("host")},
		{"R3: the person's client goes before a document", with(supports, document, func(w *world) { configured(w, "") }), by("own1"), known("configured")},
		{"R3: the person's client has a secret", func(w *world) { configured(w, canarySecret) }, secretly, known("configured")},
		{
			"R16: the person's client is for one issuer", func(w *world) { configured(w, ""); w.broker.config.Issuers[0].Issuer += "/" },
			toToken, lines(returned, doneRead),
		},
		{"B28: a document comes back to an address, whatever name is configured", with(supports, document, func(w *world) { w.broker.config.Redirect.Host = localhost }), by(documentURL), known("document")},
		{
			"B30: a name that is configured is used in registration, request and exchange", func(w *world) { w.broker.config.Redirect.Host = localhost },
			replaced(toToken, "{back}", "{localhost}"), lines(returned, doneRead),
		},
		{"B40: the person is asked for a client", with(closed, asks, answers("named1", "")), by("named1"), asked("open", "waiting", "exchanging", doneRead)},
		{"B40: the person is asked for a client with a secret", with(closed, asks, answers("own1", canarySecret)), secretly, asked("open", "waiting", "exchanging", doneRead)},
		{"B40: the person names no client", with(closed, asks, answers("", "")), found, asked("failed registration: access was not granted")},
		{"B40: the person names an endless client", with(closed, asks, answers(strings.Repeat("x", maxClientBytes+1), "")), found, asked("failed registration: the client id is longer than any")},
		{
			"R14: the person is asked where registration is refused",
			with(asks, answers("named1", ""), func(w *world) {
				w.asPaths["/register"] = says(403, `{"error":"access_denied","error_description":"`+canarySecret+`"}`)
			}),
			lines(found, postRegister, by("named1")[2:]),
			lines(agreed, "registering", "client {as} at http://{back}/callback after access was denied at the authorization server (access_denied)", "open", "waiting", "exchanging", doneRead),
		},
	}
}

// R22: a refresh token is asked for where the server, and not the resource, offers that.
func offlineScenarios() []scenario {
	offered := func(w *world) { w.metadata["scopes_supported"] = []string{"read", "offline_access"} }
	with := func(scope string) []string { return replaced(toToken, "&scope=read", scope) }
	asked := func(scopes, end string) []string {
		return replaced(lines(returned, end), "request=read", "request="+scopes)
	}
	return []scenario{
		{"R22: the server lists offline_access", offered, with("&scope=read%20offline_access"), asked("read+offline_access", "done read+offline_access")},
		{
			"R22: the server lists offline_access and does not grant it", func(w *world) { offered(w); w.token["scope"] = "read" },
			with("&scope=read%20offline_access"), asked("read+offline_access", "done read"),
		},
		{
			"R22: the person leaves offline_access out",
			func(w *world) {
				offered(w)
				w.answer = func(NeedConsent) Answer { return Answer{Yes: true, Scopes: []string{"read"}} }
			},
			toToken, asked("read+offline_access", doneRead),
		},
		{
			"R22: only the resource lists offline_access",
			func(w *world) {
				w.need.RequiredScopes, w.need.Resource.ScopesSupported = nil, []string{"read", "offline_access"}
			},
			toToken, lines(returned, doneRead),
		},
		{
			"R4: offline_access is required", func(w *world) { w.need.RequiredScopes = []string{"offline_access"} },
			with("&scope=offline_access"), asked("offline_access", "done offline_access"),
		},
		{
			"R4: no scope is known, and offline_access listed: none is asked for", func(w *world) { offered(w); w.need.RequiredScopes = nil },
			with(""), asked("", "done "),
		},
	}
}

// R29, R23, T31: what a device asks for, and what it is told.
func deviceScenarios() []scenario {
	device := func(set func(*world)) func(*world) {
		return func(w *world) {
			w.metadata["device_authorization_endpoint"] = w.as.URL + "/device_authorization"
			w.broker.config.Method = ByDevice
			set(w)
		}
	}
	toCode := lines(found, registerDevice, startDeviceA+"&scope=read")
	byDevice := lines(agreed, "by device", "registering")
	refused := func(name, why string, set func(map[string]any)) scenario {
		return scenario{"T31: " + name, device(func(w *world) { set(w.device) }), toCode, lines(byDevice, "failed device: "+why)}
	}
	fixed := func(set ...any) func(*world) { // a client that the host names, with a secret
		return device(func(w *world) {
			w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "c", ClientSecret: canarySecret}
			for _, s := range set {
				w.metadata["token_endpoint_auth_methods_supported"] = []string{s.(string)}
			}
		})
	}
	hosts := lines(started, "consent {as} request=read client=host", "by device", codeEvent, doneRead)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("c:"+canarySecret)) + " "
	posts := replaced(lines(toCode[3:], pollDevice), "client_id=client1", "client_id=c&client_secret="+canarySecret)
	return []scenario{
		{"R23: a device's client in the header", fixed(), lines(found, replaced(lines(toCode[3:], pollDevice), "client_id=client1&", basic)), hosts},
		{"R23: a device's client in the body", fixed("client_secret_post"), lines(found, posts), hosts},
		{
			"a device with a client document",
			device(func(w *world) {
				w.metadata["client_id_metadata_document_supported"] = true
				w.broker.config.ClientDocument = documentID
			}),
			lines(found, replaced(lines(toCode[3:], pollDevice), "client1", documentURL)),
			lines(started, "consent {as} request=read client=document", "by device", codeEvent, doneRead),
		},
		{
			"a device is told to wait, and then that its code is at an end",
			device(func(w *world) {
				answers := []string{"authorization_pending", "expired_token"}
				w.asPaths["/token"] = func(rw http.ResponseWriter, r *http.Request) {
					says(400, `{"error":"`+answers[0]+`"}`)(rw, r)
					answers = answers[1:]
				}
			}),
			lines(toCode, pollDevice, pollDevice), lines(byDevice, codeEvent, "failed device: the authorization server refused: expired_token (retryable)"),
		},
		{
			"R24: the token endpoint sends a device elsewhere",
			device(func(w *world) {
				w.asPaths["/token"] = func(rw http.ResponseWriter, r *http.Request) {
					http.Redirect(rw, r, "/register", http.StatusTemporaryRedirect)
				}
			}),
			lines(toCode, pollDevice), lines(byDevice, codeEvent, "failed device: POST {as}/token: the server's redirect is not followed: a POST follows none"),
		},
		{
			"T31: the address with the code in it leads elsewhere, and is left out",
			device(func(w *world) { w.device["verification_uri_complete"] = "https://evil.example/?user_code=ABCD-EFGH" }),
			lines(toCode, pollDevice), lines(byDevice, "code ABCD-EFGH at {as}/device for 10m0s", doneRead),
		},
		refused("a code that cannot be typed", "the answer to the device holds no user_code that can be typed", func(d map[string]any) { d["user_code"] = "A\x1b[2J" }),
		refused("no code for the device", "the answer to the device holds no device_code", func(d map[string]any) { delete(d, "device_code") }),
		refused("a code without an end", "the answer to the device does not say for how long its code is good (expires_in)", func(d map[string]any) { delete(d, "expires_in") }),
		refused("an interval that is negative", "the answer to the device holds a negative interval", func(d map[string]any) { d["interval"] = -1 }),
		refused("an interval that is a text", "the answer to the device: its interval is not of the right form", func(d map[string]any) { d["interval"] = "5" }),
	}
}
