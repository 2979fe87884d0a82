// Package syntax tells the words of source code apart, for a code block on a terminal.
//
// It knows what most languages have in common (comments, strings, numbers, keywords) and reads a line at a time, in time that
// grows with the line whatever stands in it: code comes from peers, and a block that streams is read while it is drawn. What a
// line leaves open, such as a comment, is a [State], so that reading can go on from any line. Nothing is prepared before it
// is needed, so a start of the program costs nothing.
package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Class is what a piece of code is.
type Class uint8

// The classes.
const (
	Plain Class = iota
	Comment
	String
	Number
	Keyword
	Name // a constant or a type
	Call // a function that is called or declared
	Key  // of a value: a member, an attribute, a setting
	Added
	Removed
	Heading
)

// State is what the lines before one have left open. The zero State is that of a beginning. States are comparable.
type State struct {
	open  uint8 // which span, counted from 1
	depth uint8 // of spans that can be in one another
	tag   bool  // in a tag of a markup language
}

// Line reads a line, without its line end, and hands its pieces to emit, which may be nil. All pieces together are the line.
// It returns the state for the line after it.
func (l *Language) Line(s State, line string, emit func(Class, string)) State {
	if emit == nil {
		emit = func(Class, string) {}
	}
	r := reader{Language: l, state: s, line: line, emit: emit}
	switch {
	case l.diff:
		emit(diffClass(line), line)
	case l.markup:
		r.run(r.markupStep)
	default:
		r.run(r.step)
	}
	return r.state
}

// reader is where in a line reading is.
type reader struct {
	*Language
	state State
	line  string
	at    int // the next byte
	plain int // where what was not handed over yet begins
	emit  func(Class, string)
}

// run goes through the line with steps, each of which takes at least a byte.
func (r *reader) run(step func()) {
	if r.state.open > 0 {
		r.inside()
	}
	for r.at < len(r.line) {
		step()
	}
	r.flush(len(r.line))
}

// flush hands over what is plain up to a byte.
func (r *reader) flush(to int) {
	if to > r.plain {
		r.emit(Plain, r.line[r.plain:to])
	}
	r.plain = to
}

// take hands over the next bytes as a piece of a class.
func (r *reader) take(class Class, n int) {
	if class == Plain {
		r.at += n
		return
	}
	r.flush(r.at)
	r.emit(class, r.line[r.at:r.at+n])
	r.at += n
	r.plain = r.at
}

// step reads the next piece of code.
func (r *reader) step() {
	rest := r.line[r.at:]
	switch c := rest[0]; {
	case c == ' ' || c == '\t':
		r.at++
	case r.comment(rest):
		r.take(Comment, len(rest))
	case r.span(rest):
	case r.quote(rest):
		r.quoted(rest)
	case '0' <= c && c <= '9':
		r.take(Number, numberLen(rest))
	case wordStart(c) || c == '$' && r.dollar || c == '@' && r.at+1 < len(r.line):
		r.word(rest)
	default:
		r.at++
	}
}

// quote reports whether a string begins here that ends in its line.
func (r *reader) quote(rest string) bool {
	if r.lifetimes && rest[0] == '\'' && lifetime(rest) {
		return false
	}
	return strings.IndexByte(r.quotes, rest[0]) >= 0
}

// comment reports whether a comment begins here that goes to the end of the line. A # begins one only where a word could.
func (r *reader) comment(rest string) bool {
	for _, mark := range r.comments {
		if strings.HasPrefix(rest, mark) && (mark != "#" || r.at == 0 || r.line[r.at-1] == ' ' || r.line[r.at-1] == '\t') {
			return true
		}
	}
	return false
}

// span reads what may go over several lines, if such a thing begins here.
func (r *reader) span(rest string) bool {
	for i, s := range r.spans {
		if strings.HasPrefix(rest, s.open) {
			r.state.open, r.state.depth = uint8(i+1), 1
			r.within(len(s.open))
			return true
		}
	}
	return false
}

// inside goes on with what the line before has left open.
func (r *reader) inside() { r.within(0) }

// within reads on in the open span, of which so many bytes were looked at, to its end or that of the line.
func (r *reader) within(n int) {
	s := r.spans[r.state.open-1]
	rest := r.line[r.at:]
	for n < len(rest) {
		switch {
		case s.escapes && rest[n] == '\\':
			n += 2
		case strings.HasPrefix(rest[n:], s.close):
			n += len(s.close)
			if r.state.depth--; r.state.depth == 0 {
				r.state.open = 0
				r.take(s.class, n)
				return
			}
		case s.nests && r.state.depth < 255 && strings.HasPrefix(rest[n:], s.open):
			r.state.depth++
			n += len(s.open)
		default:
			n++
		}
	}
	r.take(s.class, len(rest))
}

// quoted reads a string that ends in this line.
func (r *reader) quoted(rest string) {
	quote, n := rest[0], 1
	escapes := !r.raw || quote != '\''
	for n < len(rest) && rest[n] != quote {
		if rest[n] == '\\' && escapes {
			n++
		}
		n++
	}
	n = min(n+1, len(rest))
	class := String
	if r.keyed(rest[n:]) {
		class = Key
	}
	r.take(class, n)
}

// keyed reports whether what stands before this is the key of a value.
func (r *reader) keyed(after string) bool {
	after = strings.TrimLeft(after, " \t")
	return r.key != 0 && after != "" && after[0] == r.key
}

// word reads a word and says what it is.
func (r *reader) word(rest string) {
	n := 1
	for n < len(rest) && (wordStart(rest[n]) || '0' <= rest[n] && rest[n] <= '9' || rest[n] == '-' && r.dashes) {
		n++
	}
	word, class := rest[:n], Plain
	switch after := rest[n:]; {
	case word[0] == '@' || word[0] == '$':
		class = Name
	case has(r.keywords, word, r.fold):
		class = Keyword
	case has(r.names, word, r.fold):
		class = Name
	case r.keyed(after) && r.keyPlace():
		class = Key
	case r.calls && strings.HasPrefix(after, "("):
		class = Call
	case r.types && upper(word):
		class = Name
	}
	r.take(class, n)
}

// keyPlace reports whether a key can stand here: nothing is before it but white space, and what lists begin with.
func (r *reader) keyPlace() bool { return strings.Trim(r.line[:r.at], " \t-{,?[") == "" }

func wordStart(c byte) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func upper(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// numberLen is how long the number is that s begins with, with its base, exponent and unit.
func numberLen(s string) int {
	n := 1
	for n < len(s) && ('0' <= s[n] && s[n] <= '9' || wordStart(s[n]) || s[n] == '.' && n+1 < len(s) && '0' <= s[n+1] && s[n+1] <= '9') {
		n++
	}
	return n
}

// lifetime reports whether a quote begins no character but a name, as 'a does in Rust.
func lifetime(rest string) bool {
	if len(rest) > 1 && rest[1] == '\\' {
		return false
	}
	_, size := utf8.DecodeRuneInString(rest[1:])
	return len(rest) < 2+size || rest[1+size] != '\''
}

// has reports whether a word is in a list of words with blanks between them.
func has(list, word string, fold bool) bool {
	if len(word) < 2 { // no language has one that short
		return false
	}
	if fold {
		word = strings.ToLower(word)
	}
	for at := 0; ; {
		i := strings.Index(list[at:], word)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		if (i == 0 || list[i-1] == ' ') && (at == len(list) || list[at] == ' ') {
			return true
		}
	}
}

// markupStep reads the next piece of a markup language.
func (r *reader) markupStep() {
	rest := r.line[r.at:]
	switch c := rest[0]; {
	case r.span(rest):
	case !r.state.tag && c == '<' && len(rest) > 1 && (wordStart(rest[1]) || rest[1] == '/' || rest[1] == '!' || rest[1] == '?'):
		n := 2
		for n < len(rest) && !strings.ContainsRune(" \t/>", rune(rest[n])) {
			n++
		}
		r.state.tag = true
		r.take(Keyword, n)
	case !r.state.tag:
		r.at++
	case c == '>':
		r.state.tag = false
		r.take(Keyword, 1)
	case c == '"' || c == '\'':
		n := strings.IndexByte(rest[1:], c) + 2
		if n < 2 {
			n = len(rest)
		}
		r.take(String, n)
	case wordStart(c):
		n := 1
		for n < len(rest) && !strings.ContainsRune(" \t=/>\"'", rune(rest[n])) {
			n++
		}
		r.take(Key, n)
	default:
		r.at++
	}
}

func diffClass(line string) Class {
	for _, mark := range []string{"@@", "diff ", "index ", "+++", "---", "*** "} {
		if strings.HasPrefix(line, mark) {
			return Heading
		}
	}
	switch {
	case strings.HasPrefix(line, "+"):
		return Added
	case strings.HasPrefix(line, "-"):
		return Removed
	}
	return Plain
}
