package ahpclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// supports makes a host refuse what it is offered unless one of these is in it.
func (h *testHost) supports(data string, accepted ...string) {
	h.answerWith("initialize", func(conn *hostConn, req *jsonrpc.Request) {
		var p protocol.InitializeParams
		h.must(protocol.Unmarshal(req.Params, &p))
		for _, v := range p.ProtocolVersions {
			if slices.Contains(accepted, v) {
				version, err := protocol.ParseVersion(v)
				h.must(err)
				h.version = version
				conn.answer(req)
				return
			}
		}
		req.Fail(&jsonrpc.Error{Code: protocol.CodeUnsupportedProtocolVersion, Data: jsontext.Value(`{"supportedVersions":` + data + `}`)})
	})
}

func offers(frames []string) (list []string) {
	for _, f := range frames {
		if _, rest, ok := strings.Cut(f, `"protocolVersions":[`); ok {
			offer, _, _ := strings.Cut(rest, "]")
			list = append(list, strings.ReplaceAll(offer, `"`, ""))
		}
	}
	return list
}

// TestReoffer: what a host names and this client speaks is offered once more, on
// a connection of its own, and never twice.
func TestReoffer(t *testing.T) {
	all := strings.Join(versionNames(protocol.Offered()), ",")
	for _, test := range []struct {
		name     string
		offer    []protocol.Version
		says     string
		accepts  []string
		offers   []string
		accepted string // "": the end
	}{
		{"a version that was not offered", []protocol.Version{protocol.V0_8_0}, `["0.9.0","0.7.0"]`, []string{"0.9.0"}, []string{"0.8.0", "0.9.0,0.7.0"}, "0.9.0"},
		{"a range", []protocol.Version{protocol.V0_8_0}, `["^0.9.0"]`, []string{"0.9.0"}, []string{"0.8.0", "0.9.0"}, "0.9.0"},
		{"several ranges", []protocol.Version{protocol.V0_8_0}, `["^0.5.1","^1.0.0"]`, []string{"0.5.2"}, []string{"0.8.0", "1.0.0,0.5.2,0.5.1"}, "0.5.2"},
		{"an open range", []protocol.Version{protocol.V0_6_0}, `[">=0.8.0"]`, []string{"0.10.0"}, []string{"0.6.0", "1.0.0,0.10.0,0.9.0,0.8.0"}, "0.10.0"},
		{"a later patch", nil, `["^0.9.3"]`, []string{"0.9.3"}, []string{all, "0.9.3"}, "0.9.3"},
		{"an exact later patch", nil, `["0.9.3"]`, []string{"0.9.3"}, []string{all, "0.9.3"}, "0.9.3"},
		{"a later minor of 1", nil, `["^1.4.2"]`, []string{"1.4.2"}, []string{all, "1.4.2"}, "1.4.2"},
		{"another major", nil, `["^2.0.0",">=2.0.0"]`, nil, []string{all}, ""},
		{"an earlier patch", nil, `["0.5.0","0.4.0"]`, nil, []string{all}, ""},
		{"what it refuses", nil, `["^0.9.0","1.0.0"]`, nil, []string{all}, ""},
		{"what it refuses again", []protocol.Version{protocol.V0_8_0}, `["^0.9.0"]`, nil, []string{"0.8.0", "0.9.0"}, ""},
		{"something else each time", []protocol.Version{protocol.V0_8_0}, `["0.9.0","0.9.1","0.9.2","0.9.7"]`, nil, []string{"0.8.0", "0.9.7,0.9.2,0.9.1,0.9.0"}, ""},
		{"nonsense", nil, `["","x","^","latest","^0.9","1.0.0 || "]`, nil, []string{all}, ""},
		{"nothing", nil, `[]`, nil, []string{all}, ""},
	} {
		bubbleRun(t, test.name, func(t *testing.T) {
			h := newTestHost(t)
			h.supports(test.says, test.accepts...)
			c, ended := h.run(Options{Offer: test.offer, Retry: true})
			v, err := c.Await(t.Context(), func(v *View) bool { return v.Connection.Phase == Connected })
			if diff := cmp.Diff(test.offers, offers(h.heard(c))); diff != "" {
				t.Errorf("offered (-want +got):\n%s", diff)
			}
			if n := len(h.conns); n != len(test.offers) {
				t.Errorf("%d connections", n)
			}
			if test.accepted != "" {
				if got := v.Connection.Version.String(); err != nil || got != test.accepted || v.Connection.Err != nil {
					t.Errorf("at %s, %v", got, err)
				}
				return
			}
			var version *VersionError
			if err := <-ended; !errors.As(err, &version) || strings.Join(version.Offered, ",") != test.offers[len(test.offers)-1] {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

// TestReofferOnce: a host that names something else each time is not followed.
func TestReofferOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		patch := 0
		h.answerWith("initialize", func(_ *hostConn, req *jsonrpc.Request) {
			patch++
			req.Fail(&jsonrpc.Error{Code: protocol.CodeUnsupportedProtocolVersion, Data: jsontext.Value(fmt.Sprintf(`{"supportedVersions":["^0.9.%d"]}`, patch))})
		})
		c, ended := h.run(Options{Retry: true})
		var version *VersionError
		if err := <-ended; !errors.As(err, &version) || len(offers(h.heard(c))) != 2 {
			t.Errorf("Run: %v", err)
		}
	})
}

// TestReofferLater: a host that is replaced by one of another version while the
// client is away is met halfway, too.
func TestReofferLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.supports(`["^0.9.3"]`, "0.9.3")
		c := h.opened(Options{Retry: true})
		for _, version := range []string{"1.2.0", "0.9.3", "0.8.0"} {
			h.supports(`["`+version+`"]`, version)
			h.restart()
			if v, err := c.Await(t.Context(), func(v *View) bool { return v.Connection.Phase == Connected && v.Connection.Version.String() == version }); err != nil {
				t.Errorf("%s: %v, %+v", version, err, v.Connection)
			}
		}
	})
}

// FuzzNegotiation: whatever a host says that it supports, what it is offered then
// is spoken here, was not refused before, and can be written down.
func FuzzNegotiation(f *testing.F) {
	for _, seed := range []string{"^0.9.0", "0.9.0", ">=0.8.0 <1.0.0", "0.5.1|1.0.0", "1.x", "~0.6", "99999999999.1.1", "\x1b[31m", "^1.0.0||^0.9.0", "0.9.0 - 0.10.0", "*", ""} {
		f.Add(seed, "0.8.0")
	}
	f.Fuzz(func(t *testing.T, supported, refused string) {
		list := strings.Split(supported, "|")
		var offered []protocol.Version
		for _, text := range strings.Split(refused, "|") {
			if v, err := protocol.ParseVersion(text); err == nil {
				offered = append(offered, v)
			}
		}
		e := newVersionError(versionNames(offered), list)
		if len(e.Supported) > maxVersions || strings.ContainsFunc(e.Error(), func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q", e)
		}
		wanted := wantedVersions(e.Supported, offered)
		for i, v := range wanted {
			if !speaks(v) || slices.Contains(offered, v) || slices.Contains(wanted[:i], v) || i > 0 && v.AtLeast(wanted[i-1]) {
				t.Errorf("%q lets offer %v after %v", supported, wanted, offered)
			}
			if again, err := protocol.ParseVersion(v.String()); err != nil || again != v {
				t.Errorf("%v: %v", v, err)
			}
		}
	})
}

// FuzzSessionScheme: whatever a provider is called, the scheme of its sessions is
// one (RFC 3986, section 3.1).
func FuzzSessionScheme(f *testing.F) {
	for _, seed := range []string{"", "copilotcli", "a b", "1a", "Ünï", "a+b-c.d", "+", "a\x00", "a:/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, provider string) {
		scheme := sessionScheme(provider)
		letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		if scheme == "" || !strings.Contains(letters, scheme[:1]) || strings.Trim(scheme, letters+"0123456789+-.") != "" {
			t.Errorf("%q becomes %q", provider, scheme)
		}
		if scheme != provider && scheme != "ahp-session" {
			t.Errorf("%q becomes %q", provider, scheme)
		}
	})
}
