package guard

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// verdict is what CheckURL says, in a word.
func verdict(err error) string {
	if err == nil {
		return "ok"
	}
	if address, ok := errors.AsType[*AddressError](err); ok {
		return map[Class]string{Public: "public?", Loopback: "loopback", Private: "private", Forbidden: "forbidden"}[address.Class]
	}
	if _, ok := errors.AsType[*URLError](err); ok {
		return "refused"
	}
	return "unknown error " + err.Error()
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	const same = ""
	for _, tt := range []struct {
		url              string
		strict, loopback string // with the zero Policy, and with Loopback; same as strict when empty
		private          string // with Private; same as strict when empty
	}{
		// Names.
		{"https://login.example", "ok", same, same},
		{"https://login.example:8443/a/b?c=d%20e&f", "ok", same, same},
		{"HTTPS://Login.Example/", "ok", same, same},
		{"https://xn--bcher-kva.example/", "ok", same, same},
		{"https://login.example./", "ok", same, same},
		{"https://x/$(id)", "ok", same, same},
		{"https://1password.example1/", "ok", same, same},
		{"https://0xdeadbeef.example/", "ok", same, same},
		{"https://bücher.example/", "refused", same, same},
		{"https://b%C3%BCcher.example/", "refused", same, same},
		{"http://login.example/", "refused", same, same},
		{"ftp://login.example/", "refused", same, same},
		{"file:///etc/passwd", "refused", same, same},
		{"javascript:alert(1)", "refused", same, same},
		{"-x", "refused", same, same},
		{"", "refused", same, same},
		{"login.example", "refused", same, same},
		{"//login.example/", "refused", same, same},
		{"https:login.example", "refused", same, same},
		{"https:///path", "refused", same, same},
		{"https://:443/", "refused", same, same},
		{"https://login.example:/", "refused", same, same},
		{"https://login.example:0/", "refused", same, same},
		{"https://login.example:65536/", "refused", same, same},
		{"https://login.example:https/", "refused", same, same},
		{"https://user@login.example/", "refused", same, same},
		{"https://good.example:pw@evil.example/", "refused", same, same},
		{"https://login.example/#f", "refused", same, same},
		{"https://login.example/#", "refused", same, same},
		{"https://a\nb/", "refused", same, same},
		{"https://login.example/a b", "refused", same, same},
		{"https://login.example/\x1b[2J", "refused", same, same},
		{"https://login.example\\@evil.example/", "refused", same, same},
		{"https://login.example/%zz", "refused", same, same},
		{"https://login.example/" + strings.Repeat("a", maxURLBytes), "refused", same, same},
		// This machine.
		{"https://localhost/", "loopback", "ok", same},
		{"http://localhost:8080/x", "loopback", "ok", same},
		{"http://LOCALHOST/", "loopback", "ok", same},
		{"http://localhost./", "refused", same, same},
		{"http://localhost.evil.example/", "refused", same, same},
		{"http://127.0.0.1:8080/", "loopback", "ok", same},
		{"https://127.255.255.254/", "loopback", "ok", same},
		{"http://[::1]:8080/", "loopback", "ok", same},
		{"http://[::ffff:127.0.0.1]/", "loopback", "ok", same},
		// Numbers in disguise.
		{"http://127.1/", "refused", same, same},
		{"http://0x7f.1/", "refused", same, same},
		{"https://0x7f000001/", "refused", same, same},
		{"https://2130706433/", "refused", same, same},
		{"https://0177.0.0.1/", "refused", same, same},
		{"https://127.0.0.1./", "refused", same, same},
		{"https://1.2.3.4.5/", "refused", same, same},
		{"https://example.0x/", "refused", same, same},
		{"https://[::1%25lo]/", "refused", same, same},
		{"https://[v1.x]/", "refused", same, same},
		// Networks.
		{"https://8.8.8.8/", "ok", same, same},
		{"http://8.8.8.8/", "refused", same, same},
		{"https://[2606:4700::1111]/", "ok", same, same},
		{"https://10.1.2.3/", "private", same, "ok"},
		{"https://172.31.255.255/", "private", same, "ok"},
		{"https://192.168.0.1/", "private", same, "ok"},
		{"https://[fd12:3456::1]/", "private", same, "ok"},
		{"http://10.1.2.3/", "private", same, "refused"},
		{"https://172.32.0.1/", "ok", same, same},
		{"https://0.0.0.0/", "forbidden", same, same},
		{"https://[::]/", "forbidden", same, same},
		{"https://169.254.169.254/latest/meta-data", "forbidden", same, same},
		{"https://[::ffff:169.254.169.254]/", "forbidden", same, same},
		{"https://[64:ff9b::a9fe:a9fe]/", "forbidden", same, same},
		{"https://[64:ff9b::7f00:1]/", "forbidden", same, same},
		{"https://[64:ff9b::808:808]/", "ok", same, same},
		{"https://[2002:7f00:1::]/", "forbidden", same, same},
		{"https://[::127.0.0.1]/", "forbidden", same, same},
		{"https://[fe80::1]/", "forbidden", same, same},
		{"https://[fd00:ec2::254]/", "forbidden", same, same},
		{"https://100.100.100.200/", "forbidden", same, same},
		{"https://168.63.129.16/", "forbidden", same, same},
		{"https://224.0.0.251/", "forbidden", same, same},
		{"https://255.255.255.255/", "forbidden", same, same},
	} {
		for policy, want := range map[Policy]string{
			{}:                              tt.strict,
			{Loopback: true}:                or(tt.loopback, tt.strict),
			{Private: true}:                 or(tt.private, tt.strict),
			{Loopback: true, Private: true}: or(tt.loopback, or(tt.private, tt.strict)),
		} {
			u, err := policy.CheckURL(tt.url)
			if got := verdict(err); got != want {
				t.Errorf("%+v.CheckURL(%.60q) = %s (%v), want %s", policy, tt.url, got, err, want)
			}
			if (u == nil) != (err != nil) {
				t.Errorf("%+v.CheckURL(%.60q) = %v, %v: one of them", policy, tt.url, u, err)
			}
		}
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]Class{
		"1.1.1.1": Public, "9.255.255.255": Public, "11.0.0.0": Public, "100.63.255.255": Public, "100.128.0.0": Public,
		"169.253.255.255": Public, "198.17.255.255": Public, "198.20.0.0": Public, "223.255.255.255": Public,
		"2001:4860:4860::8888": Public, "2a00::1": Public, "2002:808:808::1": Public, "::ffff:8.8.8.8": Public,
		"127.0.0.1": Loopback, "127.0.0.53": Loopback, "::1": Loopback, "::ffff:127.9.9.9": Loopback,
		"10.0.0.0": Private, "10.255.255.255": Private, "172.16.0.0": Private, "192.168.255.255": Private, "198.18.0.1": Private,
		"fc00::": Private, "fdff:ffff::1": Private, "::ffff:10.0.0.1": Private,
		"0.0.0.0": Forbidden, "0.1.2.3": Forbidden, "100.64.0.0": Forbidden, "100.127.255.255": Forbidden,
		"169.254.0.1": Forbidden, "192.0.0.8": Forbidden, "192.0.2.1": Forbidden, "192.88.99.1": Forbidden,
		"198.51.100.1": Forbidden, "203.0.113.1": Forbidden, "224.0.0.1": Forbidden, "239.255.255.255": Forbidden, "240.0.0.1": Forbidden,
		"::": Forbidden, "::2": Forbidden, "::7f00:1": Forbidden, "64:ff9b::a00:1": Forbidden, "64:ff9b:1::1": Forbidden, "100::1": Forbidden,
		"2001::1": Forbidden, "2001:db8::1": Forbidden, "2002:a00:1::1": Forbidden, "3fff::1": Forbidden, "4000::1": Forbidden,
		"fd00:ec2::254": Forbidden, "fd20:ce::254": Forbidden, "fe80::1": Forbidden, "fe80::1%eth0": Forbidden, "fec0::1": Forbidden,
		"ff02::1": Forbidden,
	} {
		if got := Classify(netip.MustParseAddr(addr)); got != want {
			t.Errorf("Classify(%s) = %v, want %v", addr, got, want)
		}
	}
	if got := Classify(netip.Addr{}); got != Forbidden {
		t.Errorf("Classify of the zero Addr = %v, want Forbidden", got)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://u:p@login.example:1/a%2Fb?code=x#f": "https://login.example:1/a%2Fb",
		"https://login.example":                      "https://login.example",
		"mailto:x":                                   "a text that is no URL",
		"https://a\x1bb/?code=x":                     "a text that is no URL",
	} {
		if got := Shown(in); got != want {
			t.Errorf("Shown(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{"https://login.example/a?b", "http://127.0.0.1:1/", "http://[::1]", "https://0x7f.1", "https://a@b", "x"} {
		f.Add(seed, true, true)
	}
	f.Fuzz(func(t *testing.T, raw string, loopback, private bool) {
		policy := Policy{Loopback: loopback, Private: private}
		u, err := policy.CheckURL(raw)
		if err != nil {
			if _, isURL := errors.AsType[*URLError](err); isURL && raw != "" && len(raw) > 40 && strings.Contains(err.Error(), raw) {
				t.Fatalf("the error repeats the URL: %v", err)
			}
			return
		}
		again, err := url.Parse(raw)
		if err != nil || *again != *u {
			t.Fatalf("CheckURL(%q) = %v, but package url says %v, %v", raw, u, again, err)
		}
		plainHere := u.Scheme == "http" && IsLoopback(u) && loopback
		if u.User != nil || u.Fragment != "" || u.Hostname() == "" || (u.Scheme != "https" && !plainHere) {
			t.Fatalf("CheckURL(%q) lets it through as %#v", raw, u)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !policy.allows(Classify(addr)) {
			t.Fatalf("CheckURL(%q) lets the address through", raw)
		}
	})
}
