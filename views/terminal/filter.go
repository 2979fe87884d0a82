package terminal

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxSequence bounds a control sequence that is looked into, in bytes.
	maxSequence = 128
	// maxParam bounds a number in one: no screen is that large.
	maxParam = 9999
)

// A filter reads the output of a terminal's program and lets only that through
// which puts text on a screen: characters, moves of the cursor, erasing, scrolling
// and styles (ECMA-48; XTerm control sequences). Everything that a terminal would
// answer, keep or do outside of its cells (OSC, DCS, APC, PM, SOS, reports, windows,
// palettes, keyboards, mice) is dropped, however the output is cut.
type filter struct {
	sink  sink
	state filterState
	held  []byte // of a sequence or a character that is not whole yet
}

// sink takes what the filter lets through.
type sink interface {
	// text is characters and the control characters that move.
	text(s string)
	// escape is a whole sequence, and its last byte with the numbers in it.
	escape(s string, final byte, params []int)
	// mode says that the program sets or resets a private mode.
	mode(number int, set bool)
}

type filterState uint8

const (
	inGround       filterState = iota
	inEscape                   // behind ESC
	inIntermediate             // behind ESC and an intermediate byte
	inSequence                 // behind CSI
	inString                   // of OSC, DCS, APC, PM or SOS
	inStringEscape             // in one, behind ESC
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// write takes the next output.
func (f *filter) write(s string) {
	for s != "" {
		if f.state == inGround {
			s = f.ground(s)
			continue
		}
		c := s[0]
		if f.state != inString && f.state != inStringEscape && c >= utf8.RuneSelf {
			f.reset() // it is no sequence
			continue
		}
		f.next(c)
		s = s[1:]
	}
}

// reset forgets what has begun.
func (f *filter) reset() { f.state, f.held = inGround, f.held[:0] }

// ground takes text up to the next escape, and returns what is behind it.
func (f *filter) ground(s string) string {
	end := strings.IndexByte(s, esc)
	run, rest := s, ""
	if end >= 0 {
		run, rest = s[:end], s[end+1:]
	}
	if len(f.held) > 0 {
		run = string(f.held) + run
		f.held = f.held[:0]
	}
	if end < 0 {
		n := incomplete(run)
		f.held = append(f.held, run[len(run)-n:]...)
		run = run[:len(run)-n]
	} else {
		f.state = inEscape
	}
	if run = printable(run); run != "" {
		f.sink.text(run)
	}
	return rest
}

// printable is a text without the control characters that do not move the cursor.
func printable(s string) string {
	if !strings.ContainsFunc(s, dropped) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if dropped(r) {
			return -1
		}
		return r
	}, s)
}

func dropped(r rune) bool {
	switch r {
	case '\b', '\t', '\n', '\v', '\f', '\r', 0x0e, 0x0f: // the last two choose the character set
		return false
	}
	return r < ' ' || r >= 0x7f && r < 0xa0
}

// incomplete is how many bytes at the end begin a character that may be completed.
func incomplete(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRuneInString(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// next takes a byte that belongs to a sequence.
func (f *filter) next(c byte) {
	switch {
	case c == can || c == sub:
		f.reset()
		return
	case c == esc && f.state != inString:
		f.reset()
		f.state = inEscape
		return
	}
	switch f.state {
	case inEscape:
		f.introduced(c)
	case inIntermediate:
		f.hold(c)
		if c >= '0' && c <= '~' {
			f.shift()
		}
	case inSequence:
		f.hold(c)
		if c >= '@' && c <= '~' {
			f.sequence()
		}
	case inString:
		switch c {
		case bel:
			f.reset()
		case esc:
			f.state = inStringEscape
		}
	case inStringEscape: // ESC \ ends it, and so does any other escape, which it then is
		f.reset()
		if c != '\\' {
			f.introduced(c)
		}
	case inGround:
	}
}

func (f *filter) hold(c byte) {
	if len(f.held) <= maxSequence {
		f.held = append(f.held, c)
	}
}

// introduced takes the byte behind an escape.
func (f *filter) introduced(c byte) {
	f.reset()
	switch {
	case c == '[':
		f.state = inSequence
	case strings.IndexByte("]PX^_", c) >= 0:
		f.state = inString
	case c >= ' ' && c <= '/':
		f.state = inIntermediate
		f.hold(c)
	case c == '=' || c == '>':
		f.sink.mode(modeKeypad, c == '=')
	case strings.IndexByte("78DEHMc", c) >= 0:
		f.sink.escape("\x1b"+string(rune(c)), c, nil)
	}
}

// shift takes an escape with an intermediate byte: those that choose a character
// set are let through.
func (f *filter) shift() {
	s := string(f.held)
	f.reset()
	if len(s) == 2 && strings.IndexByte("()", s[0]) >= 0 && strings.IndexByte("AB0", s[1]) >= 0 {
		f.sink.escape("\x1b"+s, 0, nil)
	}
}

// sequence takes a whole control sequence.
func (f *filter) sequence() {
	s := string(f.held)
	f.reset()
	if len(s) > maxSequence {
		return
	}
	final, body := s[len(s)-1], s[:len(s)-1]
	if modes, ok := strings.CutPrefix(body, "?"); ok {
		if params, ok := numbers(modes); ok && (final == 'h' || final == 'l') {
			for _, n := range params {
				f.sink.mode(n, final == 'h')
			}
		}
		return
	}
	if final == 'm' && strings.Trim(body, "0123456789;:") == "" {
		f.sink.escape("\x1b["+s, final, nil)
		return
	}
	params, ok := numbers(body)
	if !ok || strings.IndexByte("@ABCDEFGHIJKLMPSTXZ`abdefgrsu", final) < 0 {
		return
	}
	if final == 's' && len(params) > 0 { // margins at the sides, which are not known here
		return
	}
	f.sink.escape("\x1b["+s, final, params)
}

// numbers are the parameters of a sequence, which are small. One that is left out
// is -1.
func numbers(s string) (list []int, ok bool) {
	if s == "" {
		return nil, true
	}
	for part := range strings.SplitSeq(s, ";") {
		n := -1
		if part != "" {
			var err error
			if n, err = strconv.Atoi(part); err != nil || n < 0 || n > maxParam {
				return nil, false
			}
		}
		list = append(list, n)
	}
	return slices.Clip(list), true
}
