package auth

import (
	"net/http"
	"strings"

	"ahptui/internal/secret"
)

// The requests and events of a device.
const (
	registerDevice = `as POST /register {"client_name":"ahptui","redirect_uris":["http://127.0.0.1/callback"],"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],"token_endpoint_auth_method":"none","application_type":"native"}`
	startDeviceA   = `as POST /device_authorization client_id=client1&resource={rs}%2Fmcp`
	pollDevice     = `as POST /token client_id=client1&device_code=` + canaryCode + `&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&resource={rs}%2Fmcp`
	codeEvent      = `code ABCD-EFGH at {as}/device for 10m0s or {as}/device?user_code=ABCD-EFGH`
)

// supplied is a token from elsewhere.
func supplied(w *world, text string) {
	w.broker.config.Supplies = map[string]Supply{w.resource: FromReader("the test", strings.NewReader(text))}
}

// R29, R30, B11, B13, B53: the ways beside the browser.
func methodScenarios() []scenario {
	devices := func(w *world) { w.metadata["device_authorization_endpoint"] = w.as.URL + "/device_authorization" }
	overSSH := func(w *world) {
		w.broker.config.Place = Place{OS: "linux", SSHConnection: "10.0.0.9 50000 10.0.0.5 22", User: "kim"}
	}
	toCode := lines(found, registerDevice, startDeviceA+"&scope=read")
	byDevice := lines(agreed, "by device", "registering", codeEvent)
	device := func(name string, set func(w *world), requests, events []string) scenario {
		return scenario{name, func(w *world) { devices(w); overSSH(w); set(w) }, requests, events}
	}
	refused := func(name, body, why string) scenario {
		return device(name, func(w *world) { w.asPaths["/device_authorization"] = says(400, body) }, toCode,
			lines(agreed, "by device", "registering", "failed device: "+why))
	}
	return []scenario{
		device("B13, B53: over SSH a code is first", func(*world) {}, lines(toCode, pollDevice), lines(byDevice, doneRead)),
		{
			"a desktop has a browser though there are devices", devices, toToken, lines(returned, doneRead),
		},
		{
			"B11: no authorization endpoint, but devices",
			func(w *world) {
				devices(w)
				delete(w.metadata, "authorization_endpoint")
				delete(w.metadata, "code_challenge_methods_supported")
			},
			lines(toCode, pollDevice), lines(byDevice, doneRead),
		},
		device("R4: no scope at the device either", func(w *world) { w.need.RequiredScopes = nil },
			lines(found, registerDevice, startDeviceA, pollDevice), replaced(lines(byDevice, "done "), "request=read", "request=")),
		device("R29: denied at the device", func(w *world) {
			w.asPaths["/token"] = says(400, `{"error":"access_denied","error_description":"`+canarySecret+`"}`)
		},
			lines(toCode, pollDevice), lines(byDevice, "failed device: access was denied at the authorization server (access_denied)")),
		device("R29: expired at the device", func(w *world) { w.asPaths["/token"] = says(400, `{"error":"expired_token"}`) },
			lines(toCode, pollDevice), lines(byDevice, "failed device: the authorization server refused: expired_token (retryable)")),
		refused("the server gives the device no code", `{"error":"unauthorized_client","error_description":"`+canarySecret+`"}`, "the authorization server refused: unauthorized_client"),
		refused("the server tells the device nothing that is known", canarySecret, "the authorization server refused, with status 400 and without a reason"),
		device("R24: the device endpoint redirects", func(w *world) {
			w.asPaths["/device_authorization"] = func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, "/token", http.StatusTemporaryRedirect)
			}
		}, toCode, lines(agreed, "by device", "registering", "failed device: POST {as}/device_authorization: the server's redirect is not followed: a POST follows none")),
		device("R12: the device endpoint is plain http", func(w *world) { w.metadata["device_authorization_endpoint"] = "http://login.example/d" },
			found, lines(started, "failed discovery: its device_authorization_endpoint: the URL is refused: it is plain http, and not on this machine")),
		device("T31: the code leads to a place that is not one", func(w *world) { w.device["verification_uri"] = "http://login.example/device" },
			toCode, lines(agreed, "by device", "registering", "failed device: its verification_uri: the URL is refused: it is plain http, and not on this machine")),
		device("T10: the devices' origin is told", func(w *world) { w.metadata["device_authorization_endpoint"] = "https://devices.example/d" },
			found, lines(started, "consent {as} request=read client=register also=https://devices.example", "failed consent: access was not granted")).but(func(w *world) {
			w.answer = func(NeedConsent) Answer { return Answer{} }
		}),
		{
			"R17: a device that the server has forgotten is registered anew, once",
			func(w *world) {
				devices(w)
				overSSH(w)
				w.asPaths["/device_authorization"] = says(401, `{"error":"invalid_client"}`)
			},
			lines(toCode, registerDevice, strings.Replace(startDeviceA, "client1", "client2", 1)+"&scope=read"),
			lines(agreed, "by device", "registering", "by device", "registering", "failed device: the authorization server refused: invalid_client"),
		},
		{
			"a token that is configured for the resource", func(w *world) { supplied(w, canaryToken) },
			lines(askPRM), lines(started, "consent {as} request= client=", "by token", "supplying from the test", "done "),
		},
		{
			"a token for a resource that names no authorization server",
			func(w *world) {
				supplied(w, canaryToken)
				w.need.Resource.AuthorizationServers = nil
				clear(w.rsPaths)
			},
			lines(askPRM, askRootPRM), lines("discovering ", "consent  request= client= unverified", "by token", "supplying from the test", "done "),
		},
		{
			"R7: a token for a resource that contradicts",
			func(w *world) {
				supplied(w, canaryToken)
				w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = says(200, `{"resource":"https://other.example/mcp","authorization_servers":["`+w.as.URL+`"]}`)
			},
			lines(askPRM),
			lines(started, `failed resource: the host asks for a token for "{rs}/mcp", but the metadata at {rs}/.well-known/oauth-protected-resource/mcp is of "https://other.example/mcp"`),
		},
		{
			"a configured token, refused by the person",
			func(w *world) { supplied(w, canaryToken); w.answer = func(NeedConsent) Answer { return Answer{} } },
			lines(askPRM), lines(started, "consent {as} request= client=", "failed consent: access was not granted"),
		},
		{
			"a configured token that is none", func(w *world) { supplied(w, canaryToken+" "+canarySecret) },
			lines(askPRM), lines(started, "consent {as} request= client=", "by token", "supplying from the test", "failed supply: the test: it is not one token and nothing else"),
		},
		{
			"a token that the person hands over",
			func(w *world) {
				w.broker.config.Interactive, w.broker.config.Method = true, ByToken
				w.secret = Answer{Yes: true, Secret: secret.New(canaryToken)}
			},
			lines(askPRM), lines(started, "consent {as} request= client=", "by token", "token {rs}/mcp", "done "),
		},
		{
			"a token that the person does not hand over",
			func(w *world) { w.broker.config.Interactive, w.broker.config.Method = true, ByToken },
			lines(askPRM), lines(started, "consent {as} request= client=", "by token", "token {rs}/mcp", "failed supply: access was not granted"),
		},
		{
			"a token is wanted, and nobody is there to be asked",
			func(w *world) { w.broker.config.Method = ByToken },
			lines(askPRM), lines(started, "consent {as} request= client=", "by token", "failed supply: no token is configured for the resource"),
		},
		{
			"the person chooses another way",
			func(w *world) {
				devices(w)
				w.answer = func(NeedConsent) Answer { return Answer{Yes: true, Method: ByDevice} }
			},
			lines(toCode, pollDevice), lines(byDevice, doneRead),
		},
		{
			"the person chooses a way that there is not",
			func(w *world) { w.answer = func(NeedConsent) Answer { return Answer{Yes: true, Method: ByDevice} } },
			found, lines(agreed, `failed consent: "device" is none of the ways that were offered`),
		},
		{
			"the person asks for fewer scopes",
			func(w *world) {
				w.need.RequiredScopes = []string{"read", "write"}
				w.answer = func(NeedConsent) Answer { return Answer{Yes: true, Scopes: []string{"read"}} }
			},
			toToken, replaced(lines(returned, doneRead), "request=read", "request=read+write"),
		},
		{
			"the person asks for other scopes than were shown",
			func(w *world) {
				w.answer = func(NeedConsent) Answer { return Answer{Yes: true, Scopes: []string{"admin"}} }
			},
			found, lines(agreed, `failed consent: the scope "admin" was not among those that were shown`),
		},
	}
}

// but is a scenario in which something more is set.
func (s scenario) but(set func(w *world)) scenario {
	before := s.set
	s.set = func(w *world) { before(w); set(w) }
	return s
}
