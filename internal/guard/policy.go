package guard

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxURLBytes bounds a URL: what browsers and servers take, and far more than a real one has.
const maxURLBytes = 8 << 10

// Policy says where else than to the public internet a URL may lead. The zero Policy allows the public internet over
// https alone. Link-local, multicast and reserved addresses and the metadata services of clouds are never allowed.
type Policy struct {
	Loopback bool // this machine, and there plain http as well
	Private  bool // private networks, over https
}

// URLError says why a URL is not used, whoever it would lead to.
type URLError struct{ Reason string }

// Error implements error. The URL itself is not in it.
func (e *URLError) Error() string { return "the URL is refused: " + e.Reason }

// allows reports whether an address of the class may be contacted.
func (p Policy) allows(class Class) bool {
	return class == Public || class == Loopback && p.Loopback || class == Private && p.Private
}

// checkAddr returns an [*AddressError] for an address that must not be contacted.
func (p Policy) checkAddr(host string, addr netip.Addr) error {
	if class, name := classify(addr); !p.allows(class) {
		return &AddressError{Host: host, Addr: addr, Class: class, name: name}
	}
	return nil
}

// checkPlain is checkAddr for plain http, which never leaves this machine: the name localhost is somebody's entry in a
// file or a name service.
func (p Policy) checkPlain(host string, addr netip.Addr) error {
	if class, name := classify(addr); class != Loopback || !p.Loopback {
		return &AddressError{Host: host, Addr: addr, Class: class, name: name}
	}
	return nil
}

// CheckURL parses a URL that is to be fetched, or opened in a browser, and refuses what is not beyond doubt: anything but
// https (and http on this machine), a user, a password, a fragment, characters that RFC 3986 does not know, hosts that
// are numbers in disguise. The error is a [*URLError], or an [*AddressError] where another policy would allow it.
//
// A name is not resolved here. That it leads where it may is checked by [Client] when it dials.
func (p Policy) CheckURL(raw string) (*url.URL, error) {
	u, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if err := p.checkHost(u); err != nil {
		return nil, err
	}
	if u.Scheme == "http" && !IsLoopback(u) {
		return nil, &URLError{"it is plain http, and not on this machine"}
	}
	return u, nil
}

// parse holds the rules that do not depend on the policy.
func parse(raw string) (*url.URL, error) {
	switch {
	case len(raw) > maxURLBytes:
		return nil, &URLError{"it is longer than " + strconv.Itoa(maxURLBytes) + " bytes"}
	case strings.ContainsFunc(raw, notInURL):
		return nil, &URLError{"it holds characters that no URL may hold"}
	case strings.Contains(raw, "#"):
		return nil, &URLError{"it holds a fragment (#)"}
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, &URLError{"it is not a valid URL"} // what package url says would repeat it
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, &URLError{"it begins with neither https:// nor http://"}
	case u.Opaque != "" || u.Hostname() == "":
		return nil, &URLError{"it names no host"}
	case u.User != nil:
		return nil, &URLError{"it holds a user or a password"}
	case !validPort(u):
		return nil, &URLError{"its port is not one"}
	}
	return u, nil
}

// notInURL reports the characters that RFC 3986 (section 2) keeps out of a URL. The number sign is looked for apart.
func notInURL(r rune) bool {
	const marks = "-._~" + ":/?#[]@" + "!$&'()*+,;=" + "%"
	return !alphanumeric(r) && !strings.ContainsRune(marks, r)
}

// notInName reports what no host name is made of. An international name has to be in its ASCII form (xn--): what the
// person is shown is what is connected to.
func notInName(r rune) bool { return !alphanumeric(r) && !strings.ContainsRune("-._", r) }

func alphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

// checkHost checks what can be known without resolving the name.
func (p Policy) checkHost(u *url.URL) error {
	host := u.Hostname()
	if isLocalhost(host) && !p.Loopback {
		return &AddressError{Host: host, Class: Loopback}
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case err == nil && addr.Zone() != "":
		return &URLError{"its address names an interface of this machine"}
	case err == nil:
		return p.checkAddr(host, addr)
	case strings.HasPrefix(u.Host, "[") || endsInNumber(host):
		return &URLError{"its host is a number, but not an address in its usual form"}
	case strings.ContainsFunc(host, notInName):
		return &URLError{"its host is not a name in ASCII"}
	}
	return nil
}

// endsInNumber reports hosts that browsers and resolvers take for an IPv4 address in one of its old spellings: 127.1,
// 0x7f.1, 2130706433 (WHATWG URL, "ends in a number checker").
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(strings.ToLower(last), "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

func isLocalhost(host string) bool { return strings.EqualFold(host, "localhost") }

// IsLoopback reports whether a URL says by itself that it leads to this machine: by a loopback address or by the name
// localhost.
func IsLoopback(u *url.URL) bool {
	if isLocalhost(u.Hostname()) {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && Classify(addr) == Loopback
}

// Shown returns a URL as far as it can be shown in an error: without user, query and fragment. What is no URL is
// described instead.
func Shown(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "a text that is no URL"
	}
	return shown(u)
}

func shown(u *url.URL) string {
	return fmt.Sprintf("%s://%s%s", u.Scheme, u.Host, u.EscapedPath())
}
