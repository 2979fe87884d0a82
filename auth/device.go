package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"ahptui/internal/guard"
	"ahptui/internal/secret"
)

// The bounds of what a server may say of a device (RFC 8628, section 3.2).
const (
	defaultInterval  = 5 * time.Second // when the server does not say
	slowDown         = 5 * time.Second // what each slow_down adds
	maxInterval      = time.Minute
	maxDeviceTime    = 30 * time.Minute
	maxUserCodeBytes = 64
)

// deviceResponse is the answer of a device authorization endpoint (RFC 8628, section 3.2).
type deviceResponse struct {
	DeviceCode secretText `json:"device_code"`
	UserCode   string     `json:"user_code"`
	URI        string     `json:"verification_uri"`
	URL        string     `json:"verification_url"` // what drafts of the standard called it, and some servers still do
	Complete   string     `json:"verification_uri_complete"`
	ExpiresIn  *int64     `json:"expires_in"`
	Interval   *int64     `json:"interval"`
	Error      string     `json:"error"`
}

// deviceCodes are what a person goes on with elsewhere while this program asks what has become of it.
type deviceCodes struct {
	device        secret.Value
	user          string
	uri, complete string
	life          time.Duration
	interval      time.Duration
}

// byDevice gets a token by a code that the person types in a browser anywhere.
func (f *Flow) byDevice(ctx context.Context, p *plan) (token, oauthClient, error) {
	client, err := f.client(ctx, p, clientUse{redirectURI: deviceRedirectURI, device: true})
	if err != nil {
		return token{}, oauthClient{}, err
	}
	g := deviceGrant{endpoint: p.metadata.TokenEndpoint, client: client, resource: f.Challenge().Resource, scopes: p.scopes.Request}
	codes, err := g.start(ctx, p.client, p.metadata.DeviceEndpoint, p.policy)
	if err != nil {
		return token{}, client, deviceFailure(ctx, err)
	}
	f.emit(UserCode{
		UserCode: codes.user, VerificationURI: codes.uri, VerificationURIComplete: codes.complete,
		ExpiresIn: codes.life, Until: time.Now().Add(codes.life),
	})
	t, err := g.wait(ctx, p.client, codes)
	if err != nil {
		return token{}, client, deviceFailure(ctx, err)
	}
	return t, client, nil
}

// deviceFailure says what a person can do about it.
func deviceFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ended(ctx, StepDevice)
	}
	f := fail(StepDevice, err, "Try again, or sign in by the browser.")
	refused, ok := errors.AsType[*OAuthError](err)
	switch {
	case errors.Is(err, ErrAbandoned), ok && refused.Code == "expired_token":
		f.Retryable, f.Remedy = true, "Try again for a new code."
	case ok && refused.Code == "access_denied":
		f.Remedy = "Sign in again and agree, or cancel the call."
	}
	return f
}

// deviceGrant is one request of a device. The resource goes with each part of it (RFC 8707).
type deviceGrant struct {
	endpoint string // the token endpoint
	client   oauthClient
	resource string
	scopes   []string
}

// start asks for the codes.
func (g deviceGrant) start(ctx context.Context, to poster, endpoint string, policy guard.Policy) (deviceCodes, error) {
	form := url.Values{"resource": {g.resource}}
	if len(g.scopes) > 0 {
		form.Set("scope", strings.Join(g.scopes, " "))
	}
	response, err := postForm(ctx, to, endpoint, g.client, form)
	if err != nil {
		return deviceCodes{}, err
	}
	answer, err := parseDocument[deviceResponse](response.Body)
	if response.Status != http.StatusOK || err == nil && answer.Error != "" {
		return deviceCodes{}, refusal(response.Status, answer.Error)
	}
	if err != nil {
		return deviceCodes{}, fmt.Errorf("the answer to the device: %w", err)
	}
	return answer.codes(policy)
}

// codes checks an answer. What the person is shown has to be fit to be typed and to be opened.
func (r deviceResponse) codes(policy guard.Policy) (deviceCodes, error) {
	switch {
	case r.DeviceCode.IsZero():
		return deviceCodes{}, errors.New("the answer to the device holds no device_code")
	case r.UserCode == "" || len(r.UserCode) > maxUserCodeBytes || strings.ContainsFunc(r.UserCode, func(c rune) bool { return !unicode.IsPrint(c) }):
		return deviceCodes{}, errors.New("the answer to the device holds no user_code that can be typed")
	case r.ExpiresIn == nil || *r.ExpiresIn <= 0:
		return deviceCodes{}, errors.New("the answer to the device does not say for how long its code is good (expires_in)")
	case r.Interval != nil && *r.Interval < 0:
		return deviceCodes{}, errors.New("the answer to the device holds a negative interval")
	}
	if r.URI == "" {
		r.URI = r.URL
	}
	at, err := policy.CheckURL(r.URI)
	switch {
	case r.URI == "":
		return deviceCodes{}, errors.New("the answer to the device does not say where its code is to be typed (verification_uri)")
	case err != nil:
		return deviceCodes{}, fmt.Errorf("its verification_uri: %w", err)
	}
	c := deviceCodes{device: r.DeviceCode.Value, user: r.UserCode, uri: r.URI, interval: defaultInterval}
	c.life = time.Duration(min(*r.ExpiresIn, int64(maxDeviceTime/time.Second))) * time.Second
	if r.Interval != nil && *r.Interval > 0 {
		c.interval = time.Duration(min(*r.Interval, int64(maxInterval/time.Second))) * time.Second
	}
	// The address with the code in it only saves typing: one that leads elsewhere is left out.
	if complete, err := policy.CheckURL(r.Complete); err == nil && siteOf(complete) == siteOf(at) {
		c.complete = r.Complete
	}
	return c, nil
}

// wait asks again and again what has become of it, as often as the server wants (RFC 8628, sections 3.4 and 3.5).
func (g deviceGrant) wait(ctx context.Context, to poster, c deviceCodes) (token, error) {
	end := time.NewTimer(c.life)
	defer end.Stop()
	interval := c.interval
	for delay := interval; ; {
		next := time.NewTimer(delay)
		select {
		case <-next.C:
		case <-end.C:
			next.Stop()
			return token{}, fmt.Errorf("%w: nobody entered the code within %v", ErrAbandoned, c.life)
		case <-ctx.Done():
			next.Stop()
			return token{}, ctx.Err()
		}
		t, answer, err := g.poll(ctx, to, c)
		code := ""
		if refused, ok := errors.AsType[*OAuthError](err); ok {
			code = refused.Code
		}
		switch {
		case err == nil:
			return t, nil
		case ctx.Err() != nil:
			return token{}, ctx.Err()
		case code == "authorization_pending":
			delay = interval
		case code == "slow_down":
			interval = min(max(interval+slowDown, answer.interval()), maxInterval)
			delay = interval
		case passing(err):
			delay = min(2*delay, maxInterval)
		default:
			return token{}, err
		}
	}
}

// poll asks once.
func (g deviceGrant) poll(ctx context.Context, to poster, c deviceCodes) (token, tokenResponse, error) {
	response, err := postForm(ctx, to, g.endpoint, g.client, url.Values{
		"grant_type": {grantDevice}, "device_code": {c.device.Reveal()}, "resource": {g.resource},
	})
	if err != nil {
		return token{}, tokenResponse{}, err
	}
	answer, err := readToken(response)
	if err != nil {
		return token{}, answer, err
	}
	t, err := answer.token(response)
	return t, answer, err
}

// interval is what a server asks for beside slow_down.
func (t tokenResponse) interval() time.Duration {
	if t.Interval == nil || *t.Interval < 0 {
		return 0
	}
	return time.Duration(min(*t.Interval, int64(maxInterval/time.Second))) * time.Second
}
