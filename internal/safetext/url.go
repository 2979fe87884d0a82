package safetext

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL bounds the bytes of a URL that are looked at.
const maxURL = 4096

// Link is a URL taken apart for showing: the host stands alone, so that a view
// can point it out. All of it is ASCII.
type Link struct {
	Before Text // the scheme and what else stands before the host
	Host   Text // the host as the resolver will see it: lower case, Punycode
	After  Text // port, path, query and fragment
	Warn   LinkWarning
}

// Text is the whole URL.
func (l Link) Text() Text { return Concat(l.Before, l.Host, l.After) }

// LinkWarning says what a person should look at before opening a URL.
type LinkWarning uint8

// The warnings, to be combined.
const (
	LinkInvalid       LinkWarning = 1 << iota // it is no URL, or its host is no host
	LinkNoHost                                // it names no host, as mailto: does
	LinkUser                                  // a user part stands before the host; it is not shown
	LinkInternational                         // the host is not ASCII; look-alikes are possible
	LinkCut                                   // it is longer than what is shown
)

// Words returns the warnings in words for a person.
func (w LinkWarning) Words() []Text {
	var words []Text
	for _, x := range []struct {
		bit  LinkWarning
		word Text
	}{
		{LinkInvalid, Const("not a valid URL")},
		{LinkNoHost, Const("names no host")},
		{LinkUser, Const("has a user part that is not shown")},
		{LinkInternational, Const("international host name: look-alikes are possible")},
		{LinkCut, Const("too long to be shown in full")},
	} {
		if w&x.bit != 0 {
			words = append(words, x.word)
		}
	}
	return words
}

// URL takes a URL that a peer named apart for showing. Everything but printable
// ASCII is percent-encoded (RFC 3986), the host is in Punycode (RFC 5891), and
// a user part, which serves to deceive or holds a credential, is replaced by
// asterisks.
func URL(raw string) Link {
	var warn LinkWarning
	if len(raw) > maxURL {
		raw, warn = raw[:maxURL], LinkCut
	}
	u, err := url.Parse(raw)
	if err != nil {
		return Link{Before: percent(raw), Warn: warn | LinkInvalid}
	}
	head, rest, found := strings.Cut(raw, "://")
	if u.Host == "" || !found {
		return Link{Before: percent(raw), Warn: warn | LinkNoHost}
	}
	before := head + "://"
	if u.User != nil {
		before += "***@"
		warn |= LinkUser
	}
	host, hostWarn := asciiHost(u.Hostname())
	after := ""
	if port := u.Port(); port != "" {
		after = ":" + port
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		after += rest[i:]
	}
	return Link{Before: percent(before), Host: host, After: percent(after), Warn: warn | hostWarn}
}

// asciiHost returns a host name or address in the form that is looked up.
func asciiHost(name string) (Text, LinkWarning) {
	if strings.Contains(name, ":") {
		return percent("[" + name + "]"), 0
	}
	var warn LinkWarning
	host := strings.ToLower(name)
	if plainPrefix(name) != len(name) {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return percent(name), LinkInvalid | LinkInternational
		}
		host, warn = ascii, LinkInternational
	}
	for label := range strings.SplitSeq(host, ".") {
		if strings.HasPrefix(label, "xn--") {
			warn |= LinkInternational
		}
	}
	return percent(host), warn
}

// percent encodes every byte of s that is not printable ASCII, spaces too.
func percent(s string) Text {
	const digits = "0123456789ABCDEF"
	if plainPrefix(s) == len(s) && !strings.Contains(s, " ") {
		return Text{s}
	}
	b := make([]byte, 0, len(s)+16)
	for i := range len(s) {
		if c := s[i]; c > 0x20 && c < 0x7f {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&0xf])
		}
	}
	return Text{string(b)}
}
