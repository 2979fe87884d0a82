// Package jsonscan walks over JSON text without making anything of it. It is what
// the readers of messages and of states stand on where the general JSON library
// would be too slow: it looks at each byte once and allocates nothing.
package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// maxNesting is how deep values may be nested that are passed over. It is the
// limit of the JSON library; connections have a lower one.
const maxNesting = 10_000

// Scanner walks over JSON text. It accepts nothing that is not JSON (RFC 8259),
// except that it leaves it to its user to see to valid UTF-8 and to names that
// come twice. Its methods pass over white space first, return false where the
// text is not what they want, and then stand anywhere.
type Scanner struct {
	Text []byte
	At   int // the place of the next byte
}

// Space passes over white space.
func (s *Scanner) Space() {
	for s.At < len(s.Text) {
		switch s.Text[s.At] {
		case ' ', '\t', '\n', '\r':
			s.At++
		default:
			return
		}
	}
}

// Peek is the next byte behind white space, or 0 at the end.
func (s *Scanner) Peek() byte {
	if s.At < len(s.Text) && s.Text[s.At] > ' ' {
		return s.Text[s.At]
	}
	s.Space()
	if s.At < len(s.Text) {
		return s.Text[s.At]
	}
	return 0
}

// End reports whether there is nothing but white space left.
func (s *Scanner) End() bool {
	s.Space()
	return s.At == len(s.Text)
}

// Take passes over c, if it is what comes next.
func (s *Scanner) Take(c byte) bool {
	if s.Peek() != c {
		return false
	}
	s.At++
	return true
}

// Null passes over a null, if it is what comes next.
func (s *Scanner) Null() bool { return s.Peek() == 'n' && s.Literal("null") }

// Literal passes over a word, if it is what comes next without white space.
func (s *Scanner) Literal(word string) bool {
	if !bytes.HasPrefix(s.Text[s.At:], []byte(word)) {
		return false
	}
	s.At += len(word)
	return true
}

// Quoted passes over a string and returns what is between its quotes, and
// whether escapes are in it.
func (s *Scanner) Quoted() (inner []byte, escaped, ok bool) {
	if s.Peek() != '"' {
		return nil, false, false
	}
	start := s.At + 1
	for i := start; i < len(s.Text); {
		if i+8 <= len(s.Text) {
			found := special(binary.LittleEndian.Uint64(s.Text[i:]))
			if i += bits.TrailingZeros64(found) / 8; found == 0 {
				continue
			}
		}
		switch c := s.Text[i]; {
		case c == '"':
			s.At = i + 1
			return s.Text[start:i], escaped, true
		case c == '\\':
			n := escapeLen(s.Text[i:])
			if n == 0 {
				return nil, false, false
			}
			i, escaped = i+n, true
		case c < ' ':
			return nil, false, false
		default: // near the end of the text
			i++
		}
	}
	return nil, false, false
}

// special marks the bytes of x that have a meaning inside a string: quotes,
// backslashes and control characters. The lowest mark is right; those above may
// not be.
func special(x uint64) uint64 {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	quote, backslash := x^'"'*ones, x^'\\'*ones
	return ((x-' '*ones)&^x | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
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

// Number passes over a number and returns it.
func (s *Scanner) Number() (digits []byte, ok bool) {
	s.Space()
	start := s.At
	if s.At < len(s.Text) && s.Text[s.At] == '-' {
		s.At++
	}
	first := s.At
	if n := s.digits(); n == 0 || n > 1 && s.Text[first] == '0' {
		return nil, false
	}
	if s.At < len(s.Text) && s.Text[s.At] == '.' {
		s.At++
		if s.digits() == 0 {
			return nil, false
		}
	}
	if s.At < len(s.Text) && s.Text[s.At]|0x20 == 'e' {
		s.At++
		if s.At < len(s.Text) && (s.Text[s.At] == '+' || s.Text[s.At] == '-') {
			s.At++
		}
		if s.digits() == 0 {
			return nil, false
		}
	}
	return s.Text[start:s.At], true
}

// digits passes over digits and returns how many there were.
func (s *Scanner) digits() int {
	start := s.At
	for s.At < len(s.Text) && '0' <= s.Text[s.At] && s.Text[s.At] <= '9' {
		s.At++
	}
	return s.At - start
}

// Value passes over a value of any kind and returns it.
func (s *Scanner) Value() (raw []byte, ok bool) {
	s.Space()
	start := s.At
	if !s.skip(0) {
		return nil, false
	}
	return s.Text[start:s.At], true
}

func (s *Scanner) skip(depth int) bool {
	switch s.Peek() {
	case '"':
		_, _, ok := s.Quoted()
		return ok
	case '{':
		return depth < maxNesting && s.skipObject(depth+1)
	case '[':
		return depth < maxNesting && s.skipArray(depth+1)
	case 't':
		return s.Literal("true")
	case 'f':
		return s.Literal("false")
	case 'n':
		return s.Literal("null")
	}
	_, ok := s.Number()
	return ok
}

func (s *Scanner) skipObject(depth int) bool {
	s.At++
	if s.Take('}') {
		return true
	}
	for {
		if _, _, ok := s.Quoted(); !ok || !s.Take(':') || !s.skip(depth) {
			return false
		}
		if !s.Take(',') {
			return s.Take('}')
		}
	}
}

func (s *Scanner) skipArray(depth int) bool {
	s.At++
	if s.Take(']') {
		return true
	}
	for {
		if !s.skip(depth) {
			return false
		}
		if !s.Take(',') {
			return s.Take(']')
		}
	}
}

// Elements passes over what stands between commas up to the closing bracket of an
// array, each by way of one.
func (s *Scanner) Elements(one func() bool) bool {
	if !s.Take('[') {
		return false
	}
	if s.Take(']') {
		return true
	}
	for one() {
		if !s.Take(',') {
			return s.Take(']')
		}
	}
	return false
}
