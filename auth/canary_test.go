package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ahptui/auth/store"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// A canary is planted in every place from which a secret could come. Each is told from the others, so that a leak says
// where it comes from, and each may stand in certain requests alone.
const (
	plantCode     = "canary1code"
	plantAccess   = "canary2access"
	plantRefresh  = "canary3refresh"
	plantIDToken  = "canary4idtoken"
	plantClient   = "canary5clientsecret"
	plantDevice   = "canary6devicecode"
	plantOwnToken = "canary7suppliedtoken"
	plantUnknown  = "canary8unknownmember" // in members, headers and pages that nobody reads
	plantManage   = "canary9registrationtoken"
	plantSession  = "canary0session" // beside the code, in the address that the browser comes back to
)

var plants = []string{plantCode, plantAccess, plantRefresh, plantIDToken, plantClient, plantDevice, plantOwnToken, plantUnknown, plantManage, plantSession}

// belongs says in which requests to the authorization server a canary may stand. It may be in none to the resource.
var belongs = map[string]string{
	plantCode:    "POST /token",
	plantAccess:  "POST /revoke",
	plantRefresh: "POST /token POST /revoke",
	plantClient:  "POST /token POST /revoke POST /device_authorization",
	plantDevice:  "POST /token",
}

// planted makes a world with canaries wherever its servers and its person can put them.
func planted(t *testing.T) (*world, string) {
	t.Helper()
	w := newWorld(t)
	w.broker.Close()
	dir := t.TempDir()
	w.broker = NewBroker(Config{Opener: w, Store: onDisk(t, dir)})
	t.Cleanup(w.broker.Close)
	w.metadata["x_unknown"] = plantUnknown
	w.metadata["revocation_endpoint"] = w.as.URL + "/revoke"
	w.metadata["device_authorization_endpoint"] = w.as.URL + "/device_authorization"
	w.token = map[string]any{
		"access_token": plantAccess, "refresh_token": plantRefresh, "id_token": plantIDToken, "token_type": "Bearer", "expires_in": 3600,
		"x_unknown": map[string]any{"token": plantUnknown},
	}
	w.device["device_code"], w.device["message"], w.device["expires_in"] = plantDevice, plantUnknown, 2
	w.asPaths["/register"] = func(rw http.ResponseWriter, _ *http.Request) {
		writeJSON(rw, http.StatusCreated, map[string]any{
			"client_id": "client1", "client_secret": plantClient, "token_endpoint_auth_method": "client_secret_post",
			"registration_access_token": plantManage, "registration_client_uri": w.as.URL + "/c/" + plantManage,
		})
	}
	w.asPaths["/revoke"] = says(http.StatusOK, plantUnknown)
	w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = func(rw http.ResponseWriter, _ *http.Request) {
		writeJSON(rw, http.StatusOK, map[string]any{"resource": w.resource, "authorization_servers": []string{w.as.URL}, "x_unknown": plantUnknown})
	}
	for _, paths := range []map[string]http.HandlerFunc{w.asPaths, w.rsPaths} {
		for path, handle := range paths {
			paths[path] = func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Set-Cookie", "session="+plantUnknown)
				rw.Header().Set("WWW-Authenticate", `Bearer realm="`+plantUnknown+`"`)
				handle(rw, r)
			}
		}
	}
	w.comeBack = func(back url.Values) { back.Set("code", plantCode); back.Set("session_state", plantSession) }
	return w, dir
}

// breaks are the ways in which an endpoint can answer with what it was sent, or with what it should have kept for itself.
func breaks() map[string]http.HandlerFunc {
	all := strings.Join(plants, " ")
	return map[string]http.HandlerFunc{
		"as it should":         nil,
		"a refusal":            says(400, `{"error":"invalid_grant","error_description":"`+all+`","error_uri":"https://login.example/`+plantUnknown+`"}`),
		"a refusal that is it": says(401, `{"error":"`+plantRefresh+`"}`),
		"a failure":            says(500, "<html>"+all),
		"a page":               says(200, "<html>"+all),
		"a broken document":    says(200, `{"access_token":"`+plantAccess+`","refresh_token":"`+plantRefresh+`","client_secret":"`+plantClient+`"`),
		"a document twice":     says(200, `{"access_token":"`+plantAccess+`","access_token":"`+plantAccess+`","token_type":"Bearer"}`),
		"another kind":         says(200, `{"access_token":["`+plantAccess+`"],"device_code":["`+plantDevice+`"],"client_id":["`+plantClient+`"],"issuer":["`+plantUnknown+`"]}`),
		"a token of two lines": says(200, `{"access_token":"`+plantAccess+`\r\n","token_type":"Bearer"}`),
		"a token of no kind":   says(200, `{"access_token":"`+plantAccess+`","token_type":"`+plantUnknown+`"}`),
		"a redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "https://login.example/"+plantUnknown+"?token="+plantAccess, http.StatusTemporaryRedirect)
		},
		"a redirect to nowhere": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Location", "javascript:"+plantAccess)
			rw.WriteHeader(http.StatusFound)
		},
		"no HTTP": func(rw http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(rw).Hijack(); err == nil {
				_, _ = conn.Write([]byte("HTTP/1.1 200 " + plantAccess + "\r\n" + all + "\r\n\r\n" + plantRefresh))
				conn.Close()
			}
		},
	}
}

// Secrets that are planted everywhere surface nowhere: not in an event, an error, a log or a file but the store's own, and
// in no request but those that they are for. It looks at the log of the process, so it runs alone.
func TestCanaries(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	log.SetOutput(&logged)
	t.Cleanup(func() { slog.SetDefault(before); log.SetOutput(os.Stderr) })

	seen := &sung{plants: map[string]bool{}}
	t.Run("", func(t *testing.T) { singEverywhere(t, seen) })
	for _, plant := range plants {
		if bytes.Contains(logged.Bytes(), []byte(plant)) {
			t.Errorf("the log holds %s: %s", plant, logged.String())
		}
	}
	// The canaries did sing where they should, or the test would show nothing.
	for _, plant := range []string{plantCode, plantRefresh, plantClient, plantAccess, plantDevice} {
		if !seen.plants[plant] {
			t.Errorf("%s was in no request at all", plant)
		}
	}
}

// sung are the canaries that were in a request.
type sung struct {
	mu     sync.Mutex
	plants map[string]bool
}

func (s *sung) add(plant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plants[plant] = true
}

// singEverywhere has each endpoint answer in each way.
func singEverywhere(t *testing.T, seen *sung) {
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/register", "/token", "/device_authorization", "/revoke", "/.well-known/oauth-protected-resource/mcp",
	} {
		for how, handle := range breaks() {
			for _, method := range []Method{ByBrowser, ByDevice} {
				if method == ByDevice && (path != "/token" && path != "/device_authorization" || how == "as it should") {
					continue // its other parts are the browser's, and each of its questions takes a second
				}
				t.Run(fmt.Sprint(path, " ", how, " ", method), func(t *testing.T) {
					t.Parallel()
					w, dir := planted(t)
					w.broker.config.Method = method
					paths := w.asPaths
					if strings.Contains(path, "protected-resource") {
						paths = w.rsPaths
					}
					if handle != nil && path != "/revoke" {
						paths[path] = handle
					}
					said := livesThrough(w, path, how, handle)
					checkPlants(t, w, dir, said, seen)
				})
			}
		}
	}
}

// livesThrough signs in, asks in silence, refreshes, asks for more and signs out, and returns all that it was told.
func livesThrough(w *world, path, how string, handle http.HandlerFunc) []any {
	var said []any
	flow := func() {
		ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
		defer cancel()
		f := w.broker.Start(ctx, w.challenge())
		for _, e := range w.drive(ctx, f) {
			said = append(said, e)
		}
		f.Wait()
	}
	silent := func(reason Reason) {
		c := w.challenge()
		c.Reason = reason
		w.broker.Settle(c)
		g, d := w.broker.Silent(w.t.Context(), c)
		said = append(said, g, d, c)
	}
	flow()
	if _, ok := said[len(said)-1].(Done); !ok && how != "as it should" {
		return said
	}
	silent(Required)
	silent(Expired)
	if handle != nil && path == "/revoke" {
		w.asPaths[path] = handle
	}
	out, err := w.broker.SignOut(w.t.Context(), store.Which{}, w.host)
	return append(said, out, err)
}

func checkPlants(t *testing.T, w *world, dir string, said []any, seen *sung) {
	t.Helper()
	for _, one := range said {
		text := printed(one)
		for _, plant := range plants {
			if strings.Contains(text, plant) {
				t.Errorf("a %T shows %s: %.600s", one, plant, text)
			}
		}
	}
	w.mu.Lock()
	requests := w.requests
	w.mu.Unlock()
	for _, request := range requests {
		to, _, _ := strings.Cut(strings.TrimPrefix(request, "as "), "?")
		for _, plant := range plants {
			if !strings.Contains(request+basicIn(request), plant) {
				continue
			}
			seen.add(plant)
			right := false
			for _, where := range strings.Split(strings.ReplaceAll(belongs[plant], " POST", "|POST"), "|") {
				right = right || where != "" && strings.HasPrefix(request, "as "+where)
			}
			if !right {
				t.Errorf("%s goes to %s", plant, to)
			}
		}
	}
	for _, page := range w.pages {
		for _, plant := range plants {
			if strings.Contains(page, plant) {
				t.Errorf("the browser is shown %s: %s", plant, page)
			}
		}
	}
	// The person signed out in the end, or nothing was got: no file holds any of it.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, plant := range plants {
			// The client that was registered stays, for the next sign-in.
			if bytes.Contains(content, []byte(plant)) && plant != plantClient {
				t.Errorf("%s holds %s", filepath.Base(path), plant)
			}
		}
		return err
	})
}

// basicIn are the credentials of a request's header, as they are meant.
func basicIn(request string) string {
	_, rest, found := strings.Cut(request, "Basic ")
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, " ")
	decoded, _ := base64.StdEncoding.DecodeString(text)
	return string(decoded)
}

// printed is all that comes of printing and marshalling something, and the errors in it.
func printed(one any) string {
	text := fmt.Sprintf("%v %+v %#v %s %q", one, one, one, one, one)
	if out, err := json.Marshal(one); err == nil {
		text += string(out)
	}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "one", one)
	text += logged.String()
	for _, err := range errorsIn(reflect.ValueOf(one), 4) {
		for ; err != nil; err = errors.Unwrap(err) {
			text += fmt.Sprintf(" %v %+v %#v", err, err, err)
		}
	}
	return text
}

// errorsIn finds the errors in a value.
func errorsIn(v reflect.Value, depth int) (all []error) {
	if !v.IsValid() || depth == 0 {
		return nil
	}
	if v.CanInterface() {
		if err, ok := v.Interface().(error); ok && (v.Kind() != reflect.Pointer || !v.IsNil()) {
			all = append(all, err)
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		all = append(all, errorsIn(v.Elem(), depth-1)...)
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, errorsIn(v.Field(i), depth-1)...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, errorsIn(v.Index(i), depth-1)...)
		}
	}
	return all
}

func TestCanariesAreSeenWhenTheyAreThere(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]any{
		"an error": Failed{fail(StepExchange, fmt.Errorf("no: %w", errors.New(plantAccess)), "")}, "a remedy": Failed{&Failure{Remedy: plantAccess}},
		"a scope": Done{Grant{Scopes: []string{plantAccess}}}, "a decision": Decision{Why: errors.New(plantAccess)},
	} {
		if !strings.Contains(printed(one), plantAccess) {
			t.Errorf("%s hides what it says", name)
		}
	}
	if !strings.Contains(basicIn("as POST /token Basic "+base64.StdEncoding.EncodeToString([]byte("c:"+plantClient))+" x"), plantClient) {
		t.Error("what a header says is not seen")
	}
}

// A token from elsewhere, and the secrets of clients, are as safe, whoever holds them.
func TestCanariesOfThePerson(t *testing.T) {
	t.Parallel()
	failing := openerFunc(func(context.Context, string) error { return errors.New("no browser") })
	for name, set := range map[string]func(w *world){
		"a token that is handed over": func(w *world) {
			w.broker.config.Interactive, w.broker.config.Method = true, ByToken
			w.secret = Answer{Yes: true, Secret: secret.New(plantOwnToken)}
		},
		"two tokens that are handed over": func(w *world) {
			w.broker.config.Interactive, w.broker.config.Method = true, ByToken
			w.secret = Answer{Yes: true, Secret: secret.New(plantOwnToken + " " + plantOwnToken)}
		},
		"a token from a reader": func(w *world) {
			w.broker.config.Supplies = map[string]Supply{w.resource: FromReader("the test", strings.NewReader(plantOwnToken))}
		},
		"lines from a reader": func(w *world) {
			w.broker.config.Supplies = map[string]Supply{w.resource: FromReader("the test", strings.NewReader("a\n"+plantOwnToken))}
		},
		"a secret of the host's": func(w *world) {
			w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "client1", ClientSecret: plantClient}
		},
		"a secret of the host's that fits nowhere": func(w *world) {
			w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "client1", ClientSecret: plantClient}
			w.metadata["token_endpoint_auth_methods_supported"] = []string{plantUnknown[:6]}
		},
		"T5: a secret of the host's, and the server is another": func(w *world) {
			w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "client1", ClientSecret: plantClient}
			w.metadata["issuer"] = "https://login.example"
		},
		"a secret that the person gives": func(w *world) {
			w.broker.config.Interactive = true
			delete(w.metadata, "registration_endpoint")
			w.client = Answer{Yes: true, ClientID: "client1", Secret: secret.New(plantClient)}
		},
		"a secret of the configuration": func(w *world) {
			w.broker.config.Issuers = []IssuerSettings{{Issuer: w.as.URL, Client: &Client{ID: "client1", Secret: secret.New(plantClient)}}}
		},
		"a code that the server says again": func(w *world) {
			w.comeBack = func(back url.Values) {
				back.Del("code")
				back.Set("error", "server_error")
				back.Set("error_description", "code="+plantCode+" "+back.Get("state"))
			}
		},
	} {
		w, dir := planted(t)
		set(w)
		if strings.Contains(name, "handed") {
			w.broker.config.Opener = failing
		}
		said := livesThrough(w, "", name, nil)
		checkPlants(t, w, dir, append(said, w.broker.config.Issuers, w.broker.config.Supplies, w.challenge()), &sung{plants: map[string]bool{}})
	}
}
