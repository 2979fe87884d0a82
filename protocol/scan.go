package protocol

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// maxNesting is how deep values may be nested that are passed over. It is the
// limit of the JSON library; connections have a lower one.
const maxNesting = 10_000

// scanner walks over JSON text. It accepts nothing that is not JSON (RFC 8259),
// except that it leaves it to its user to see to valid UTF-8 and to names that
// come twice. Its methods return false where the text is not what they want, and
// then stand anywhere.
type scanner struct {
	text []byte
	at   int
}

// space passes over white space.
func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// peek is the next byte behind white space, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) && s.text[s.at] > ' ' {
		return s.text[s.at]
	}
	s.space()
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// take passes over c, if it is what comes next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// null passes over a null, if it is what comes next.
func (s *scanner) null() bool { return s.peek() == 'n' && s.literal("null") }

func (s *scanner) literal(word string) bool {
	if !bytes.HasPrefix(s.text[s.at:], []byte(word)) {
		return false
	}
	s.at += len(word)
	return true
}

// quoted passes over a string and returns what is between its quotes, and
// whether escapes are in it.
func (s *scanner) quoted() (inner []byte, escaped, ok bool) {
	if s.peek() != '"' {
		return nil, false, false
	}
	start := s.at + 1
	for i := start; ; i++ {
		i = plainUntil(s.text, i)
		if i >= len(s.text) {
			return nil, false, false
		}
		switch s.text[i] {
		case '"':
			s.at = i + 1
			return s.text[start:i], escaped, true
		case '\\':
			escaped = true
			n := escapeLen(s.text[i:])
			if n == 0 {
				return nil, false, false
			}
			i += n - 1
		default: // a control character
			return nil, false, false
		}
	}
}

// plainUntil is the place, from i on, of the first byte that has a meaning inside
// a string: a quote, a backslash or a control character. It looks at eight bytes
// at a time: in each of the three terms the lowest bit that is set belongs to
// the first such byte.
func plainUntil(text []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote, backslash := x^'"'*ones, x^'\\'*ones
		found := ((x-' '*ones)&^x | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return i
}

// escapeLen is the length of the escape at the start of b; 0 where it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		const length = len(`\u0000`)
		if len(b) < length {
			return 0
		}
		for _, c := range b[2:length] {
			if c|0x20 < 'a' || c|0x20 > 'f' {
				if c < '0' || c > '9' {
					return 0
				}
			}
		}
		return length
	}
	return 0
}

// number passes over a number and returns it.
func (s *scanner) number() (digits []byte, ok bool) {
	s.space()
	start := s.at
	if s.at < len(s.text) && s.text[s.at] == '-' {
		s.at++
	}
	first := s.at
	if n := s.digits(); n == 0 || n > 1 && s.text[first] == '0' {
		return nil, false
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return nil, false
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return nil, false
		}
	}
	return s.text[start:s.at], true
}

// digits passes over digits and returns how many there were.
func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at - start
}

// value passes over a value of any kind and returns it.
func (s *scanner) value() (raw []byte, ok bool) {
	s.space()
	start := s.at
	if !s.skip(0) {
		return nil, false
	}
	return s.text[start:s.at], true
}

func (s *scanner) skip(depth int) bool {
	switch s.peek() {
	case '"':
		_, _, ok := s.quoted()
		return ok
	case '{':
		s.at++
		return depth < maxNesting && s.members('}', func() bool {
			_, _, ok := s.quoted()
			return ok && s.take(':') && s.skip(depth+1)
		})
	case '[':
		s.at++
		return depth < maxNesting && s.members(']', func() bool { return s.skip(depth + 1) })
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	_, ok := s.number()
	return ok
}

// members passes over what stands between commas up to the closing end, each by
// way of one.
func (s *scanner) members(end byte, one func() bool) bool {
	if s.take(end) {
		return true
	}
	for one() {
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
	return false
}
