package terminal

import (
	"net/url"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSequence bounds an operating system command that is looked into.
const maxSequence = maxLineBytes + 256

// A scanner cuts output into events. It passes everything on as data, and looks
// into the operating system commands (ECMA-48 section 8.3.89; the numbers are
// those of xterm, of FinalTerm and of VS Code) for what follows their ends.
type scanner struct {
	state    scanState
	sequence []byte // of the command under way, as far as it is kept
	partial  []byte // the begin of a character whose end is not there yet
	detected bool
	running  bool   // a command
	line     string // of the command that is about to begin
}

type scanState int

const (
	inText scanState = iota
	inEscape
	inCommand       // of the operating system
	inCommandEscape // which may end it
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// scan takes the next output.
func (s *scanner) scan(out []byte) []Event {
	var events []Event
	begin := 0
	for i, c := range out {
		if !s.next(c) {
			continue
		}
		found := s.command()
		if len(found) == 0 {
			continue
		}
		events = s.appendData(events, out[begin:i+1])
		events = append(events, found...)
		begin = i + 1
	}
	return s.appendData(events, out[begin:])
}

// next takes a byte and reports whether a command is complete with it.
func (s *scanner) next(c byte) bool {
	switch s.state {
	case inText:
		if c == esc {
			s.state = inEscape
		}
	case inEscape:
		switch c {
		case ']':
			s.state, s.sequence = inCommand, s.sequence[:0]
		case esc:
		default:
			s.state = inText
		}
	case inCommand:
		switch c {
		case bel:
			s.state = inText
			return true
		case can, sub:
			s.state = inText
		case esc:
			s.state = inCommandEscape
		default:
			s.keep(c)
		}
	case inCommandEscape:
		s.state = inText
		if c == '\\' {
			return true
		}
		if c == ']' {
			s.state, s.sequence = inCommand, s.sequence[:0]
		}
	}
	return false
}

// keep keeps a byte of a command. One that is too long is no command to us.
func (s *scanner) keep(c byte) {
	if len(s.sequence) <= maxSequence {
		s.sequence = append(s.sequence, c)
	}
}

// command is what the complete command says.
func (s *scanner) command() []Event {
	if len(s.sequence) > maxSequence {
		return nil
	}
	number, rest, _ := strings.Cut(string(s.sequence), ";")
	switch number {
	case "0", "2":
		return []Event{{Kind: Title, Text: clean(rest, maxTitleBytes)}}
	case "7":
		return directory(rest)
	case "133", "633":
		return s.mark(number, rest)
	}
	return nil
}

// mark reads a mark of the shell's integration: A and B stand around the prompt,
// C is before a command's output, D after it. At 633, E names the command's line
// and P a property.
func (s *scanner) mark(number, rest string) []Event {
	var events []Event
	if !s.detected {
		s.detected = true
		events = append(events, Event{Kind: Detection})
	}
	letter, rest, _ := strings.Cut(rest, ";")
	switch {
	case letter == "E" && number == "633":
		line, _, _ := strings.Cut(rest, ";")
		s.line = cutText(unescaped(line), maxLineBytes)
	case letter == "P" && number == "633":
		if path, ok := strings.CutPrefix(rest, "Cwd="); ok {
			return append(events, inDirectory(unescaped(path))...)
		}
	case letter == "C":
		if s.running {
			events = append(events, Event{Kind: CommandEnd})
		}
		s.running = true
		events = append(events, Event{Kind: CommandRun, Text: s.line})
		s.line = ""
	case letter == "D" && s.running:
		s.running = false
		end := Event{Kind: CommandEnd}
		code, _, _ := strings.Cut(rest, ";")
		if n, err := strconv.Atoi(code); err == nil {
			end.Code = &n
		}
		events = append(events, end)
	}
	return events
}

// directory reads the file URI of OSC 7. That of another machine, which a program
// such as ssh passes on, is not ours.
func directory(text string) []Event {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" {
		return nil
	}
	if own, _ := os.Hostname(); u.Host != "" && u.Host != "localhost" && u.Host != own {
		return nil
	}
	return inDirectory(u.Path)
}

func inDirectory(path string) []Event {
	if !strings.HasPrefix(path, "/") || len(path) > maxPathBytes || strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path) {
		return nil
	}
	return []Event{{Kind: Dir, Text: path}}
}

// unescaped undoes the escapes of OSC 633: \\ and \xAB.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, `\\`):
			b.WriteByte('\\')
			i++
		case strings.HasPrefix(rest, `\x`) && len(rest) >= 4:
			if n, err := strconv.ParseUint(rest[2:4], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
			b.WriteByte('\\')
		default:
			b.WriteByte(text[i])
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// clean is a text as one line without control characters.
func clean(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return cutText(strings.TrimSpace(text), limit)
}

func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// appendData adds output as it can be sent: in whole characters. What is no UTF-8
// becomes U+FFFD.
func (s *scanner) appendData(events []Event, out []byte) []Event {
	if len(s.partial) > 0 {
		out = append(s.partial, out...)
		s.partial = nil
	}
	if n := incomplete(out); n > 0 {
		s.partial = append([]byte(nil), out[len(out)-n:]...)
		out = out[:len(out)-n]
	}
	if len(out) == 0 {
		return events
	}
	text := string(out)
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // each byte that is wrong by itself, so that it does not matter how the output is cut
	}
	return append(events, Event{Kind: Data, Text: text})
}

// rest is what is left of a character when nothing more comes.
func (s *scanner) rest() []Event {
	if len(s.partial) == 0 {
		return nil
	}
	s.partial = nil
	return []Event{{Kind: Data, Text: "\uFFFD"}}
}

// incomplete is how many bytes at the end begin a character that may be completed.
func incomplete(out []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(out); n++ {
		tail := out[len(out)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		if utf8.FullRune(tail) {
			return 0
		}
		return n
	}
	return 0
}
