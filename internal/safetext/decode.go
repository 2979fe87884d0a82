package safetext

import "unicode/utf8"

// High bits of eight bytes, and the amounts that carry a byte below 0x80 into
// them: from 0x20 on, and from 0x7f on.
const (
	highBits  = 0x8080808080808080
	fromSpace = 0x6060606060606060
	fromDEL   = 0x0101010101010101
)

// plainPrefix returns how many bytes at the beginning of s are printable ASCII.
// Most text is that and nothing else, so eight bytes are looked at a time.
func plainPrefix(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		if (w|^(w+fromSpace)|(w+fromDEL))&highBits != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if b := s[i]; b < 0x20 || b > 0x7e {
			break
		}
	}
	return i
}

// decode returns the first character of s and its length in bytes. What is not
// UTF-8 is U+FFFD: one for the longest beginning of a sequence (Unicode 3.9,
// table 3-8) and one for a surrogate written in three bytes (WTF-8). A byte
// that stands alone where C1 controls are in 8-bit sets is returned as that
// control, because a terminal may take it for one. If s ends within a sequence,
// whole is false.
func decode(s string) (r rune, size int, whole bool) {
	r, size = utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size != 1 {
		return r, size, true
	}
	lead := s[0]
	if lead >= 0x80 && lead <= 0x9f {
		return rune(lead), 1, true
	}
	more, low, high := expect(lead)
	n := 1
	for n <= more && n < len(s) && s[n] >= low && s[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return utf8.RuneError, n, n > more || n < len(s)
}

// expect returns how many bytes follow a lead byte and the range of the first
// of them (Unicode 3.9, table 3-7, surrogates let in).
func expect(lead byte) (more int, low, high byte) {
	switch {
	case lead >= 0xc2 && lead <= 0xdf:
		return 1, 0x80, 0xbf
	case lead == 0xe0:
		return 2, 0xa0, 0xbf
	case lead > 0xe0 && lead <= 0xef:
		return 2, 0x80, 0xbf
	case lead == 0xf0:
		return 3, 0x90, 0xbf
	case lead > 0xf0 && lead < 0xf4:
		return 3, 0x80, 0xbf
	case lead == 0xf4:
		return 3, 0x80, 0x8f
	}
	return 0, 0, 0
}
