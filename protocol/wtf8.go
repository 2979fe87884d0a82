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
func decodeSurrogate(b []byte) (uint16, bool) {
	if len(b) < surrogateLen || b[0] != 0xed || b[1] < 0xa0 || b[1] > 0xbf || b[2]&0xc0 != 0x80 {
		return 0, false
	}
	return 0xd000 | uint16(b[1]&0x3f)<<6 | uint16(b[2]&0x3f), true
}

func leadingLow(b []byte) (uint16, bool) {
	u, ok := decodeSurrogate(b)
	return u, ok && isLow(u)
}

// splitTrailingHigh cuts a high surrogate off the end of b.
func splitTrailingHigh(b []byte) ([]byte, uint16) {
	if n := len(b) - surrogateLen; n >= 0 {
		if u, ok := decodeSurrogate(b[n:]); ok && isHigh(u) {
			return b[:n], u
		}
	}
	return b, 0
}

// unquote returns the content of a JSON string in fresh memory, with unpaired
// surrogate escapes as WTF-8 and invalid UTF-8 as U+FFFD.
func unquote(raw jsontext.Value) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return bytes.Clone(inner)
	}
	out := make([]byte, 0, len(inner))
	for len(inner) > 0 {
		i := bytes.Index(inner, []byte(`\u`))
		if i < 0 {
			return appendUnescaped(out, inner)
		}
		if escaped(inner, i) { // `\\u`: a backslash, then a plain u
			out = appendUnescaped(out, inner[:i+1])
			inner = inner[i+1:]
			continue
		}
		out = appendUnescaped(out, inner[:i])
		unit := hexUnit(inner[i+2:])
		inner = inner[i+6:]
		switch {
		case !isSurrogate(unit):
			out = utf8.AppendRune(out, rune(unit))
		case isHigh(unit) && bytes.HasPrefix(inner, []byte(`\u`)) && isLow(hexUnit(inner[2:])):
			out = utf8.AppendRune(out, utf16.DecodeRune(rune(unit), rune(hexUnit(inner[2:]))))
			inner = inner[6:]
		default:
			out = appendSurrogate(out, unit)
		}
	}
	return out
}

// escaped reports whether the backslash at i is itself escaped.
func escaped(b []byte, i int) bool {
	n := 0
	for i > 0 && b[i-1] == '\\' {
		i, n = i-1, n+1
	}
	return n%2 == 1
}

// appendUnescaped appends the content of b, the inside of a JSON string that
// was found to be well formed and has no \u escapes of its own.
func appendUnescaped(dst, b []byte) []byte {
	quoted := make([]byte, 0, len(b)+2)
	quoted = append(append(append(quoted, '"'), b...), '"')
	dst, _ = jsontext.AppendUnquote(dst, quoted)
	return dst
}

func hexUnit(b []byte) uint16 {
	if len(b) < 4 {
		return 0
	}
	u, err := strconv.ParseUint(string(b[:4]), 16, 16)
	if err != nil {
		return 0
	}
	return uint16(u)
}

// quote is the inverse of unquote: a JSON string in which surrogates are escapes.
func quote(b []byte) jsontext.Value {
	out := []byte{'"'}
	for len(b) > 0 {
		i := bytes.IndexByte(b, 0xed)
		for i >= 0 {
			if _, ok := decodeSurrogate(b[i:]); ok {
				break
			}
			next := bytes.IndexByte(b[i+1:], 0xed)
			if next < 0 {
				i = -1
				break
			}
			i += 1 + next
		}
		plain := b
		if i >= 0 {
			plain = b[:i]
		}
		quoted, _ := jsontext.AppendQuote(nil, plain)
		out = append(out, quoted[1:len(quoted)-1]...)
		b = b[len(plain):]
		if u, ok := decodeSurrogate(b); ok {
			out = append(out, `\u`...)
			out = append(out, strconv.FormatUint(uint64(u), 16)...)
			b = b[surrogateLen:]
		}
	}
	return append(out, '"')
}
