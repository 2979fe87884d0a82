package safetext

import "unicode"

// class is what the cleaner does with a character.
type class uint8

const (
	plain    class = iota // printed as it is
	control               // C0, DEL, C1: shown as \xNN
	mark                  // combining: needs a base, counted
	hidden                // invisible or reordering: shown as a dot
	bad                   // nothing that terminals know: U+FFFD
	joiner                // U+200D
	selector              // U+FE0E, U+FE0F
	modifier              // skin tones
	regional              // a flag is two of them
)

const (
	zwj           = '\u200d'
	regionalA     = '\U0001F1E6'
	regionalZ     = '\U0001F1FF'
	firstModifier = '\U0001F3FB'
	lastModifier  = '\U0001F3FF'
)

// classify returns the class of a character that is not printable ASCII. The
// cases stand in the order of how often they are met.
func classify(r rune) class {
	switch {
	case r < 0xa0:
		return control
	case r < 0x300:
		if r == '\u00ad' {
			return hidden
		}
		return plain
	case unremarkable(r):
		return plain
	case r == zwj:
		return joiner
	case r == '\ufe0e' || r == '\ufe0f':
		return selector
	case r >= firstModifier && r <= lastModifier:
		return modifier
	case r >= regionalA && r <= regionalZ:
		return regional
	case unicode.In(r, hiddenTables...):
		return hidden
	case unicode.Is(unicode.M, r), isMarkLetter(r):
		return mark
	case unicode.Is(unicode.Noncharacter_Code_Point, r):
		return bad
	case !assigned(r), unicode.Is(prepended, r), r == unicode.ReplacementChar && Wide():
		return bad
	}
	return plain
}

// unremarkable reports whether r is in one of the large ranges of letters,
// ideographs, line drawing and arrows where there is nothing to look for. It
// only spares the search through tables.
func unremarkable(r rune) bool {
	switch {
	case r >= 0x370 && r <= 0x482, // Greek, Cyrillic
		r >= 0x48a && r <= 0x52f,
		r >= 0x2010 && r <= 0x2027, // punctuation
		r >= 0x2030 && r <= 0x205e,
		r >= 0x2070 && r <= 0x20cf,
		r >= 0x2100 && r <= 0x2bff, // arrows, mathematics, boxes, symbols
		r >= 0x3001 && r <= 0x3029, // CJK
		r >= 0x3041 && r <= 0x3096,
		r >= 0x309b && r <= 0x312f,
		r >= 0x3400 && r <= 0x9fff,
		r >= 0xac00 && r <= 0xd7a3,
		r >= 0xff01 && r <= 0xff9d,
		r >= 0x1f300 && r <= 0x1f3fa,
		r >= 0x1f400 && r <= 0x1f64f,
		r >= 0x20000 && r <= 0x2fa1d:
		return true
	}
	return false
}

// hiddenTables are the characters that print nothing or move what others print:
// format characters, separators, variation selectors, and the rest of
// Default_Ignorable_Code_Point (UAX #44), such as the Hangul fillers.
var hiddenTables = []*unicode.RangeTable{
	unicode.Cf,
	unicode.Zl,
	unicode.Zp,
	unicode.Variation_Selector,
	unicode.Other_Default_Ignorable_Code_Point,
}

// assigned reports whether r is a character of the Unicode version that Go
// knows, or new in the blocks of emoji and ideographs, where the width is known
// all the same. Nobody agrees on the width of the rest.
func assigned(r rune) bool {
	return unicode.IsGraphic(r) || unicode.Is(unicode.Co, r) || isEmoji(r) || r >= 0x20000 && r <= 0x3fffd
}

// isMarkLetter reports whether r is a letter that is drawn on the one before it
// and shares its cluster: the Thai and Lao AM, the halfwidth katakana sound
// marks.
func isMarkLetter(r rune) bool {
	return r == 0xe33 || r == 0xeb3 || r == 0xff9e || r == 0xff9f
}

// conjoins reports whether r may share a grapheme cluster with a neighbour
// although it is no combining mark: the Hangul jamo (UAX #29, GB6 to GB8).
func conjoins(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97c || r >= 0xd7b0 && r <= 0xd7fb
}

// prepended are the letters that share a cluster with whatever follows, be it
// the frame of a panel (Grapheme_Cluster_Break=Prepend without the format
// characters). They are signs of historic scripts.
var prepended = &unicode.RangeTable{
	R16: []unicode.Range16{{0x0d4e, 0x0d4e, 1}},
	R32: []unicode.Range32{
		{0x111c2, 0x111c3, 1},
		{0x1193f, 0x1193f, 1},
		{0x11941, 0x11941, 1},
		{0x11a3a, 0x11a3a, 1},
		{0x11a84, 0x11a89, 1},
		{0x11d46, 0x11d46, 1},
		{0x11f02, 0x11f02, 1},
	},
}

// isEmoji reports whether r can be the base of an emoji.
func isEmoji(r rune) bool { return unicode.Is(pictographic, r) }

// pictographic is about Extended_Pictographic (UTS #51): what a selector, a
// skin tone or a joiner may follow in an emoji.
var pictographic = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00a9, 0x00a9, 1},
		{0x00ae, 0x00ae, 1},
		{0x203c, 0x203c, 1},
		{0x2049, 0x2049, 1},
		{0x2122, 0x2122, 1},
		{0x2139, 0x2139, 1},
		{0x2194, 0x2199, 1},
		{0x21a9, 0x21aa, 1},
		{0x231a, 0x231b, 1},
		{0x2328, 0x2328, 1},
		{0x23cf, 0x23cf, 1},
		{0x23e9, 0x23fa, 1},
		{0x24c2, 0x24c2, 1},
		{0x25aa, 0x25ab, 1},
		{0x25b6, 0x25b6, 1},
		{0x25c0, 0x25c0, 1},
		{0x25fb, 0x25fe, 1},
		{0x2600, 0x27bf, 1},
		{0x2934, 0x2935, 1},
		{0x2b05, 0x2b07, 1},
		{0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b50, 1},
		{0x2b55, 0x2b55, 1},
		{0x3030, 0x3030, 1},
		{0x303d, 0x303d, 1},
		{0x3297, 0x3297, 1},
		{0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1f000, 0x1f0ff, 1},
		{0x1f10d, 0x1f10f, 1},
		{0x1f12f, 0x1f12f, 1},
		{0x1f16c, 0x1f171, 1},
		{0x1f17e, 0x1f17f, 1},
		{0x1f18e, 0x1f18e, 1},
		{0x1f191, 0x1f19a, 1},
		{0x1f201, 0x1f3fa, 1},
		{0x1f400, 0x1fbef, 1},
	},
	LatinOffset: 2,
}
