package oauthserver

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// device is a device that asks for a person's consent (RFC 8628).
type device struct {
	authorization
	userCode         string
	decided, granted bool
	interval         time.Duration
	polled           time.Time
}

// authorizeDevice gives a device the codes to go on with (RFC 8628 section 3.1).
func (s *Server) authorizeDevice(w http.ResponseWriter, r *http.Request) {
	client, form, ok := s.clientRequest(w, r)
	if !ok {
		return
	}
	a := authorization{clientID: client.ID, resource: form.Get("resource"), scopes: fields(form)}
	no := s.checkTarget(a)
	if !client.may(GrantDevice) {
		no = &refusal{"unauthorized_client", "the client has not registered for this grant"}
	}
	if no != nil {
		oauthError(w, http.StatusBadRequest, *no)
		return
	}
	code := random()
	now := s.opts.Now()
	a.expires = now.Add(s.opts.DeviceLifetime)
	d := &device{authorization: a, userCode: newUserCode(), interval: s.opts.DeviceInterval, polled: now}
	s.mu.Lock()
	makeRoom(s.devices, func(d *device) bool { return now.After(d.expires) })
	makeRoom(s.userCodes, func(code string) bool { return s.devices[code] == nil })
	s.devices[code] = d
	s.userCodes[plainCode(d.userCode)] = code
	s.mu.Unlock()
	answer := map[string]any{
		"device_code": code, "user_code": d.userCode,
		"verification_uri":          s.issuer + DevicePath,
		"verification_uri_complete": s.issuer + DevicePath + "?user_code=" + url.QueryEscape(d.userCode),
		"expires_in":                int(s.opts.DeviceLifetime.Seconds()), "interval": int(d.interval.Seconds()),
	}
	if s.opts.Alter.Device != nil {
		s.opts.Alter.Device(answer)
	}
	writeJSON(w, http.StatusOK, answer)
}

// newUserCode returns a code that a person can read out and type: no vowels, so
// no words, and no letters that look like others (RFC 8628 section 6.1).
func newUserCode() string {
	const letters = "BCDFGHJKLMNPQRSTVWXZ"
	const unbiased = 256 - 256%len(letters)
	var code []byte
	for len(code) < 9 {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails
		switch {
		case len(code) == 4:
			code = append(code, '-')
		case int(b[0]) < unbiased:
			code = append(code, letters[int(b[0])%len(letters)])
		}
	}
	return string(code)
}

// plainCode is a code without what people add and leave out.
func plainCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, strings.ToUpper(typed))
}

// devicePage asks a person for the user code, and then for consent (RFC 8628
// section 3.3). A code that came with the address is shown all the same, to be
// compared with the one on the device.
func (s *Server) devicePage(w http.ResponseWriter, r *http.Request) {
	typed := r.URL.Query().Get("user_code")
	s.mu.Lock()
	code := s.userCodes[plainCode(typed)]
	d := s.devices[code]
	if d == nil || d.decided || s.opts.Now().After(d.expires) {
		s.mu.Unlock()
		p := page{Server: s.name(), AskCode: DevicePath}
		if typed != "" {
			p.Note = "This code is not known, was used, or is too old."
		}
		secureHeaders(w, "")
		writePage(w, http.StatusOK, p)
		return
	}
	a, userCode := d.authorization, d.userCode
	s.mu.Unlock()
	a.device = code
	client, _ := s.lookup(r.Context(), a.clientID)
	s.consent(w, client, a, userCode)
}

// decideDevice notes what a person said to a device, and reports whether it still
// waits for that.
func (s *Server) decideDevice(a authorization, granted bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.devices[a.device]
	if d == nil || d.decided {
		return false
	}
	d.decided, d.granted = true, granted
	return true
}

// poll answers a device that asks whether its person has decided (RFC 8628
// sections 3.4 and 3.5).
func (s *Server) poll(client Client, form url.Values) (map[string]any, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code := form.Get("device_code")
	d := s.devices[code]
	if d == nil || d.clientID != client.ID {
		return nil, &refusal{"invalid_grant", "the device code is not known"}
	}
	now := s.opts.Now()
	early := now.Sub(d.polled) < d.interval
	d.polled = now
	switch {
	case form.Get("resource") != d.resource:
		return nil, &refusal{"invalid_target", "the resource is not the one of the device authorization request"}
	case now.After(d.expires):
		s.forgetDevice(code)
		return nil, &refusal{"expired_token", "the device code has expired"}
	case early:
		d.interval += 5 * time.Second
		return nil, &refusal{"slow_down", "that was too soon"}
	case !d.decided:
		return nil, &refusal{"authorization_pending", "nobody has decided yet"}
	}
	s.forgetDevice(code)
	if !d.granted {
		return nil, &refusal{"access_denied", "the person said no"}
	}
	f := s.newFamily(d.authorization)
	return s.issue(client, f, f.scopes), nil
}

func (s *Server) forgetDevice(code string) {
	delete(s.userCodes, plainCode(s.devices[code].userCode))
	delete(s.devices, code)
}
