package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/guard"
	"ahptui/internal/oauthserver"
	"ahptui/internal/secret"
)

// inProcess posts to a handler without a socket, so that virtual time can pass. It notes when, and may be told to fail.
type inProcess struct {
	handler http.Handler
	began   time.Time
	posts   []string
	fail    func(n int) error // nil or no error: the handler answers
	instead *guard.Response   // when set, answers in the handler's place
}

func (p *inProcess) Post(_ context.Context, rawURL, _ string, body guard.Body) (*guard.Response, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	p.posts = append(p.posts, fmt.Sprintf("%v %s", time.Since(p.began), u.Path))
	if p.fail != nil {
		if err := p.fail(len(p.posts)); err != nil {
			return nil, err
		}
	}
	if p.instead != nil {
		return p.instead, nil
	}
	r := httptest.NewRequest(http.MethodPost, rawURL, strings.NewReader(string(body.Data)))
	r.Header.Set("Content-Type", body.ContentType)
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return &guard.Response{Status: w.Code, Body: w.Body.Bytes(), Sent: time.Now(), Received: time.Now()}, nil
}

const deviceIssuer = "http://127.0.0.1:1"

// deviceWorld is a server for devices in the same process, under virtual time, and a device that asks it.
func deviceWorld(opts oauthserver.Options) (*oauthserver.Server, *inProcess, deviceGrant) {
	opts.Scopes = map[string]string{"read": "", "write": ""}
	opts.Clients = []oauthserver.Client{{ID: "c"}}
	s := oauthserver.New(deviceIssuer, opts)
	to := &inProcess{handler: s, began: time.Now()}
	return s, to, deviceGrant{
		endpoint: deviceIssuer + oauthserver.TokenPath, client: oauthClient{id: "c", method: authNone},
		resource: "https://r.example/mcp", scopes: []string{"read", "write"},
	}
}

func startDevice(t *testing.T, g deviceGrant, to poster) deviceCodes {
	t.Helper()
	codes, err := g.start(t.Context(), to, deviceIssuer+oauthserver.DeviceAuthorizationPath, guard.Policy{Loopback: true})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// decide does what a person does on the server's page.
func decide(t *testing.T, s http.Handler, userCode, decision string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, oauthserver.DevicePath+"?user_code="+userCode, nil))
	_, rest, _ := strings.Cut(w.Body.String(), `name="request" value="`)
	id, _, found := strings.Cut(rest, `"`)
	if !found {
		t.Fatalf("no form: %s", w.Body)
	}
	form := url.Values{"request": {id}, "decision": {decision}}
	r := httptest.NewRequest(http.MethodPost, oauthserver.DecidePath, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	s.ServeHTTP(httptest.NewRecorder(), r)
}

// B52, R29: the first question comes after an interval, and what the server wants is kept to, for good.
func TestDevicePolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s, to, g := deviceWorld(oauthserver.Options{Intercept: func(path string, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if path == oauthserver.TokenPath {
					if n++; n == 2 {
						w.WriteHeader(http.StatusBadRequest)
						_, _ = w.Write([]byte(`{"error":"slow_down"}`))
						return
					}
				}
				next.ServeHTTP(w, r)
			})
		}})
		codes := startDevice(t, g, to)
		time.AfterFunc(25*time.Second, func() { decide(t, s, codes.user, "approve") })
		got, err := g.wait(t.Context(), to, codes)
		if err != nil {
			t.Fatal(err)
		}
		if grant, err := s.Verify(got.access.Reveal(), g.resource); err != nil || len(grant.Scopes) != 2 || len(got.granted) != 2 || got.refresh.IsZero() {
			t.Errorf("the token: %+v, %v", grant, err)
		}
		want := []string{"0s /device_authorization", "5s /token", "10s /token", "20s /token", "30s /token"}
		if diff := cmp.Diff(want, to.posts); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	})
}

// R29: a server that cannot be reached for a moment is asked ever more rarely, and then as before.
func TestDeviceBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, to, g := deviceWorld(oauthserver.Options{})
		codes := startDevice(t, g, to)
		to.fail = func(n int) error {
			switch n {
			case 3, 5:
				return &guard.Error{Err: guard.ErrTimeout}
			case 4:
				return &guard.Error{Err: guard.ErrUnreachable}
			}
			return nil
		}
		time.AfterFunc(79*time.Second, func() { decide(t, s, codes.user, "approve") })
		if _, err := g.wait(t.Context(), to, codes); err != nil {
			t.Fatal(err)
		}
		want := []string{"0s /device_authorization", "5s /token", "10s /token", "20s /token", "40s /token", "1m20s /token"}
		if diff := cmp.Diff(want, to.posts); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	})
}

func TestDeviceEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		decision string          // of the person; none: they do not come
		instead  *guard.Response // what answers in the server's place
		want     string          // an error code, or a part of the error
	}{
		"denied":               {"deny", nil, "access_denied"},
		"nobody":               {"", nil, "nobody entered the code within 10m0s"},
		"expired":              {"", &guard.Response{Status: 400, Body: []byte(`{"error":"expired_token"}`)}, "expired_token"},
		"a failure that stays": {"", &guard.Response{Status: 400, Body: []byte(`{"error":"invalid_grant"}`)}, "invalid_grant"},
		"an error with 200":    {"", &guard.Response{Status: 200, Body: []byte(`{"error":"access_denied"}`)}, "access_denied"},
		"a token that is none": {"", &guard.Response{Status: 200, Body: []byte(`{"access_token":"x","token_type":"mac"}`)}, "token_type is not Bearer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, to, g := deviceWorld(oauthserver.Options{})
				codes := startDevice(t, g, to)
				to.instead = tt.instead
				if tt.decision != "" {
					decide(t, s, codes.user, tt.decision)
				}
				_, err := g.wait(t.Context(), to, codes)
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("ended with %v, want %s", err, tt.want)
				}
				if name == "nobody" && !errors.Is(err, ErrAbandoned) {
					t.Errorf("%v is not ErrAbandoned", err)
				}
				if f := fail(StepDevice, deviceFailure(t.Context(), err), ""); f.Remedy == "" || f.Step != StepDevice {
					t.Errorf("the failure is %+v", f)
				}
			})
		})
	}
}

// A wait that is given up ends at once, whatever the interval.
func TestDeviceWaitIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, to, g := deviceWorld(oauthserver.Options{DeviceInterval: time.Minute})
		codes := startDevice(t, g, to)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := g.wait(ctx, to, codes); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// R29, T20, T31: what the person is shown is of the authorization server's, and fit to be typed and opened.
func TestDeviceCodes(t *testing.T) {
	t.Parallel()
	seconds := func(n int64) *int64 { return &n }
	good := deviceResponse{
		DeviceCode: secretText{secret.New("d")}, UserCode: "ABCD-EFGH", URI: "https://login.example/device",
		Complete: "https://login.example/device?user_code=ABCD-EFGH", ExpiresIn: seconds(600), Interval: seconds(7),
	}
	for name, tt := range map[string]struct {
		change func(*deviceResponse)
		want   string // a part of the error, or what is made of it
	}{
		"good":                       {func(*deviceResponse) {}, "ABCD-EFGH https://login.example/device https://login.example/device?user_code=ABCD-EFGH 10m0s 7s"},
		"no interval":                {func(r *deviceResponse) { r.Interval = nil }, "10m0s 5s"},
		"interval 0":                 {func(r *deviceResponse) { r.Interval = seconds(0) }, "10m0s 5s"},
		"an endless interval":        {func(r *deviceResponse) { r.Interval = seconds(1 << 40) }, "10m0s 1m0s"},
		"a negative interval":        {func(r *deviceResponse) { r.Interval = seconds(-1) }, "negative interval"},
		"an endless code":            {func(r *deviceResponse) { r.ExpiresIn = seconds(1 << 40) }, "30m0s 7s"},
		"no expires_in":              {func(r *deviceResponse) { r.ExpiresIn = nil }, "expires_in"},
		"expired":                    {func(r *deviceResponse) { r.ExpiresIn = seconds(0) }, "expires_in"},
		"no device code":             {func(r *deviceResponse) { r.DeviceCode = secretText{} }, "no device_code"},
		"no user code":               {func(r *deviceResponse) { r.UserCode = "" }, "no user_code"},
		"a user code that hides":     {func(r *deviceResponse) { r.UserCode = "AB\x1b[2JCD" }, "no user_code"},
		"a user code in bidi":        {func(r *deviceResponse) { r.UserCode = "AB\u202eCD" }, "no user_code"},
		"an endless user code":       {func(r *deviceResponse) { r.UserCode = strings.Repeat("A", 65) }, "no user_code"},
		"no complete address":        {func(r *deviceResponse) { r.Complete = "" }, "https://login.example/device  10m0s"},
		"another site when complete": {func(r *deviceResponse) { r.Complete = "https://evil.example/device?user_code=x" }, "https://login.example/device  10m0s"},
		"a script when complete":     {func(r *deviceResponse) { r.Complete = "javascript:alert(1)" }, "https://login.example/device  10m0s"},
		"as drafts called it":        {func(r *deviceResponse) { r.URL, r.URI = r.URI, "" }, "ABCD-EFGH https://login.example/device "},
		"no address":                 {func(r *deviceResponse) { r.URI, r.Complete = "", "" }, "does not say where"},
		"plain http":                 {func(r *deviceResponse) { r.URI = "http://login.example/device" }, "verification_uri: the URL is refused: it is plain http"},
		"a script":                   {func(r *deviceResponse) { r.URI = "javascript:alert(1)" }, "verification_uri: the URL is refused"},
		"a name that is not ASCII":   {func(r *deviceResponse) { r.URI = "https://аррle.com/device" }, "verification_uri: the URL is refused"},
		"a metadata service":         {func(r *deviceResponse) { r.URI = "https://169.254.169.254/" }, "never contacted"},
	} {
		r := good
		tt.change(&r)
		c, err := r.codes(guard.Policy{})
		got := fmt.Sprintf("%s %s %s %v %v", c.user, c.uri, c.complete, c.life, c.interval)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
