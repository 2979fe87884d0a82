package transcript

import (
	"regexp"
	"strings"
	"unicode"
)

// words is what is searched for.
type words struct {
	text   string         // in lower case if fold is set
	fold   bool           // capitals do not count
	folded *regexp.Regexp // for what is not ASCII; nil otherwise
}

// newWords looks for text. Capitals count where there is one in it.
func newWords(text string) *words {
	w := &words{text: text, fold: !strings.ContainsFunc(text, unicode.IsUpper)}
	if w.fold && strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		w.folded = regexp.MustCompile("(?i)" + regexp.QuoteMeta(text)) // a quoted text is always a pattern
	}
	return w
}

// next is where the next match in s begins and ends; begin is -1 if there is none.
func (w *words) next(s string) (begin, end int) {
	switch {
	case w.folded != nil:
		if loc := w.folded.FindStringIndex(s); loc != nil {
			return loc[0], loc[1]
		}
		return -1, -1
	case w.fold:
		begin = indexFold(s, w.text)
	default:
		begin = strings.Index(s, w.text)
	}
	return begin, begin + len(w.text)
}

// all are all matches in s.
func (w *words) all(s string) (found [][2]int) {
	for at := 0; at < len(s); {
		begin, end := w.next(s[at:])
		if begin < 0 {
			break
		}
		found = append(found, [2]int{at + begin, at + end})
		at += end
	}
	return found
}

// indexFold is where lower, which is ASCII in lower case, first stands in s in whatever case, or -1.
func indexFold(s, lower string) int {
	small, large := lower[0], lower[0]
	if 'a' <= small && small <= 'z' {
		large -= 'a' - 'A'
	}
	for at := 0; at+len(lower) <= len(s); at++ {
		rest := s[at : len(s)-len(lower)+1]
		i := strings.IndexByte(rest, small)
		if i >= 0 {
			rest = rest[:i]
		}
		if large != small {
			if j := strings.IndexByte(rest, large); j >= 0 {
				i = j
			}
		}
		if i < 0 {
			return -1
		}
		if at += i; strings.EqualFold(s[at:at+len(lower)], lower) {
			return at
		}
	}
	return -1
}
