package protocol

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// surrogateLen is the length of one surrogate in generalised UTF-8 (WTF-8).
const surrogateLen = 3

var errNotString = errors.New("want a JSON string")

func isSurrogate(u uint16) bool { return u&0xf800 == 0xd800 }
func isHigh(u uint16) bool      { return u&0xfc00 == 0xd800 }
func isLow(u uint16) bool       { return u&0xfc00 == 0xdc00 }

func appendSurrogate(dst []byte, u uint16) []byte {
	return append(dst, 0xed, 0x80|byte(u>>6)&0x3f, 0x80|byte(u)&0x3f)
}

// decodeSurrogate reads the surrogate in the first three bytes of b.
func decodeSurrogate[T []byte | string](b T) (uint16, bool) {
	if len(b) < surrogateLen || b[0] != 0xed || b[1] < 0xa0 || b[1] > 0xbf || b[2]&0xc0 != 0x80 {
		return 0, false
	}
	return 0xd000 | uint16(b[1]&0x3f)<<6 | uint16(b[2]&0x3f), true
}

func leadingLow(b string) (uint16, bool) {
	u, ok := decodeSurrogate(b)
	return u, ok && isLow(u)
}

// splitTrailingHigh cuts a high surrogate off the end of b.
func splitTrailingHigh(b string) (string, uint16) {
	if n := len(b) - surrogateLen; n >= 0 {
		if u, ok := decodeSurrogate(b[n:]); ok && isHigh(u) {
			return b[:n], u
		}
	}
	return b, 0
}

// appendUnquoted appends the content of a well-formed JSON string, with unpaired
// surrogate escapes as WTF-8 and invalid UTF-8 as U+FFFD. Valid UTF-8 is never
// longer than its JSON.
func appendUnquoted(out []byte, raw jsontext.Value) []byte {
	inner := raw[1 : len(raw)-1]
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return appendValid(out, inner)
		}
		out = appendValid(out, inner[:i])
		if inner[i+1] == 'u' {
			out, inner = appendUnits(out, inner[i:])
			continue
		}
		out = append(out, unescaped(inner[i+1]))
		inner = inner[i+2:]
	}
}

// appendValid appends b with U+FFFD for each byte that is no UTF-8.
func appendValid(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	for _, r := range string(b) {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// appendUnits appends what the \u escape at the start of b stands for, together
// with the one behind it where the two make a pair. It returns what follows.
func appendUnits(dst, b []byte) (out, rest []byte) {
	const escape = len(`\u0000`)
	unit, rest := hexUnit(b[2:escape]), b[escape:]
	switch {
	case !isSurrogate(unit):
		return utf8.AppendRune(dst, rune(unit)), rest
	case isHigh(unit) && bytes.HasPrefix(rest, []byte(`\u`)):
		if low := hexUnit(rest[2:escape]); isLow(low) {
			return utf8.AppendRune(dst, utf16.DecodeRune(rune(unit), rune(low))), rest[escape:]
		}
	}
	return appendSurrogate(dst, unit), rest
}

// unescaped is the character that a backslash and c stand for.
func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// hexUnit reads four hexadecimal digits.
func hexUnit(b []byte) uint16 {
	var unit uint16
	for _, c := range b {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c&^0x20 - 'A' + 10
		}
		unit = unit<<4 | uint16(c)
	}
	return unit
}

// quote is the inverse of appendUnquoted: a JSON string in which surrogates are escapes.
func quote(b []byte) jsontext.Value {
	out := []byte{'"'}
	for len(b) > 0 {
		i := indexSurrogate(b)
		out = appendQuoted(out, b[:i])
		b = b[i:]
		if u, ok := decodeSurrogate(b); ok {
			out = append(out, `\u`...)
			out = strconv.AppendUint(out, uint64(u), 16)
			b = b[surrogateLen:]
		}
	}
	return append(out, '"')
}

// indexSurrogate is the place of the first surrogate in b, or the length of b.
func indexSurrogate(b []byte) int {
	at := 0
	for {
		i := bytes.IndexByte(b[at:], 0xed)
		if i < 0 {
			return len(b)
		}
		at += i
		if _, ok := decodeSurrogate(b[at:]); ok {
			return at
		}
		at++
	}
}

// appendQuoted appends b as the inside of a JSON string.
func appendQuoted(dst, b []byte) []byte {
	if len(b) == 0 {
		return dst
	}
	start := len(dst)
	dst, _ = jsontext.AppendQuote(dst, b) // invalid UTF-8 is an error, and replaced
	inner := dst[start+1 : len(dst)-1]
	return dst[:start+copy(dst[start:], inner)]
}
