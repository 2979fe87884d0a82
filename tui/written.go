package tui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"ahptui/protocol"
	"ahptui/views/composer"
)

// written is a message that somebody writes: its text, and what goes with it.
type written struct {
	text  string
	files []attachment
	as    *protocol.Message // whose model, agent and metadata it is sent with; nil: no one's
}

// attachment goes with a message. One that has a word stands for it in the text, and goes along only while it is there.
type attachment struct {
	*protocol.MessageAttachment
	word string
	path string // of the file of this machine whose content it holds, "" if it holds none
	size int    // of that, in bytes
}

// empty reports whether there is nothing to send in it.
func (w written) empty() bool {
	return blank(w.text) && !slices.ContainsFunc(w.files, func(a attachment) bool { return a.word == "" })
}

// same reports whether two messages say the same with the same attachments.
func (w written) same(other written) bool {
	return w.text == other.text && slices.EqualFunc(w.files, other.files, func(a, b attachment) bool {
		return a.word == b.word && a.path == b.path && (a.MessageAttachment == b.MessageAttachment || alike(a.MessageAttachment, b.MessageAttachment))
	})
}

// alike reports whether two attachments are the same but for where their words stand.
func alike(a, b *protocol.MessageAttachment) bool {
	x, y := *a, *b
	x.Range, y.Range = nil, nil
	one, err := protocol.Marshal(&x)
	two, err2 := protocol.Marshal(&y)
	return err == nil && err2 == nil && string(one) == string(two)
}

// fits reports whether there is room for it in the composer.
func (w written) fits() bool { return composer.Fits(w.text) && len(w.files) <= maxFiles }

// blank reports whether there is nothing to send in a text.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// joined is two messages, one under the other.
func joined(a, b written) written {
	switch {
	case a.empty():
		return b
	case b.empty():
		return a
	}
	both := written{text: a.text + "\n\n" + b.text, files: slices.Concat(a.files, b.files), as: a.as}
	if blank(a.text) || blank(b.text) {
		both.text = a.text + b.text
	}
	if both.as == nil {
		both.as = b.as
	}
	return both
}

// without takes a message out of one that it was joined to; ok is false if it does not stand there as it was.
func (w written) without(part written) (rest written, ok bool) {
	if w.same(part) {
		return written{}, true
	}
	text, ok := strings.CutPrefix(w.text, part.text+"\n\n")
	n := len(part.files)
	if !ok || len(w.files) < n || !(written{part.text, w.files[:n], nil}).same(part) {
		return w, false
	}
	return written{text, w.files[n:], w.as}, true
}

// live are the attachments that go with the text as it is, and where their words stand in it, -1 for those without one.
func (w written) live() (files []attachment, at []int) {
	from := map[string]int{}
	for _, a := range w.files {
		i := -1
		if a.word != "" {
			if i = find(w.text, a.word, from[a.word]); i < 0 {
				continue
			}
			from[a.word] = i + len(a.word)
		}
		files, at = append(files, a), append(at, i)
	}
	return files, at
}

// find is where a word stands in a text from an offset on, and does not go on; -1 if it does not.
func find(text, word string, from int) int {
	for from <= len(text) {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		if i += from; ends(text[i+len(word):]) {
			return i
		}
		from = i + 1
	}
	return -1
}

// ends reports whether a name of a file ends where rest goes on.
func ends(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case size == 0:
		return true
	case r == '.':
		next, size := utf8.DecodeRuneInString(rest[1:])
		return size == 0 || !unicode.IsLetter(next) && !unicode.IsDigit(next)
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-/", r)
}

// message is what is sent of it.
func (w written) message() *protocol.Message {
	m := protocol.UserMessage(w.text)
	if w.as != nil {
		m.Model, m.Agent, m.Extra = w.as.Model, w.as.Agent, w.as.Extra
	}
	files, at := w.live()
	for i, a := range files {
		sent := *a.MessageAttachment
		sent.Range = nil
		if at[i] >= 0 {
			sent.Range = &protocol.TextRange{Start: position(w.text, at[i]), End: position(w.text, at[i]+len(a.word))}
		}
		m.Attachments = append(m.Attachments, &sent)
	}
	return m
}

// ofMessage is a message as it can be written on.
func ofMessage(m *protocol.Message) written {
	if m == nil {
		return written{}
	}
	w := written{text: m.Text.String()}
	if m.Model != nil || m.Agent != nil || m.Extra != nil {
		w.as = &protocol.Message{Model: m.Model, Agent: m.Agent, Extra: m.Extra}
	}
	for _, a := range m.Attachments[:min(len(m.Attachments), maxFiles)] {
		if a == nil || a.Raw != nil {
			continue
		}
		file := attachment{MessageAttachment: a, size: len(a.Data) / 4 * 3}
		if a.Range != nil {
			start, end := offset(w.text, a.Range.Start), offset(w.text, a.Range.End)
			file.word = w.text[start:max(start, end)]
		}
		w.files = append(w.files, file)
	}
	return w
}

// position is where a byte of a text stands, as the protocol counts: lines, and UTF-16 units in the line.
func position(text string, at int) protocol.TextPosition {
	before := text[:at]
	units := 0
	for _, r := range before[strings.LastIndexByte(before, '\n')+1:] {
		units += max(1, utf16.RuneLen(r))
	}
	return protocol.TextPosition{Line: strings.Count(before, "\n"), Character: units}
}

// offset is the byte of a text at a position, or the nearest before it.
func offset(text string, p protocol.TextPosition) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for units := p.Character; at < len(text) && text[at] != '\n'; {
		r, size := utf8.DecodeRuneInString(text[at:])
		if units -= max(1, utf16.RuneLen(r)); units < 0 {
			break
		}
		at += size
	}
	return at
}
