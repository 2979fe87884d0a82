package transcript

import (
	"strings"
	"unicode/utf8"

	"ahptui/protocol"
	"ahptui/views/syntax"
)

// maxSegment is how long a segment of a passage gets, in bytes. What grows is
// drawn anew from the beginning of its last segment, so this bounds what a
// delta costs. Code costs more, and is cut where it is longer than maxCode.
const (
	maxSegment = 4 << 10
	maxCode    = 1 << 10
)

// passage is a text cut into segments that are drawn one by one, when they are
// looked at. All but the last are final: a text grows at its end only, and cuts
// are made where what follows changes nothing before. Markdown is cut before a
// paragraph that begins at the margin, any text where it is getting too long.
type passage struct {
	markdown bool

	known protocol.Text
	text  string
	final []segment
	open  segment // the last one, whose end moves

	next   int    // the first line that was not looked at
	blank  bool   // the line before it is blank
	inside string // the mark of the code block that it is in
	margin bool   // which begins at the margin
	code   code   // the code of it, up to there
}

// code is how far the code of a block was read.
type code struct {
	in    *syntax.Language // nil if it is not known
	state syntax.State
}

// segment is a piece of a passage.
type segment struct {
	start, end int
	fence      string // the mark of the code block that it begins in
	code       code   // what that has left open
	apart      bool   // a blank line stands before it

	drawn []string
	width int    // that it was drawn for
	look  string // that it was drawn in
	until int    // the end of what was drawn
}

// update takes the text as it is now.
func (p *passage) update(t protocol.Text) {
	if t == p.known {
		return
	}
	text := whole(t.String())
	if !t.Extends(p.known) && !strings.HasPrefix(text, p.text) {
		*p = passage{markdown: p.markdown}
	}
	p.known, p.text = t, text
	p.scan()
	p.open.end = len(text)
}

// whole is s without the half of a surrogate pair that it may end in while its
// other half is on the way.
func whole(s string) string {
	if n := len(s); n >= 3 && s[n-3] == 0xed && s[n-2] >= 0xa0 && s[n-2] < 0xb0 {
		return s[:n-3]
	}
	return s
}

// scan looks at the lines that have come. What it cuts follows from the text
// alone, not from the pieces that it came in.
func (p *passage) scan() {
	for {
		rest := p.text[p.next:]
		n := strings.IndexByte(rest, '\n')
		if rest != "" && p.paragraph(rest[0]) {
			p.cut(p.next, true)
		}
		switch {
		case len(p.text)-p.open.start <= maxSegment && n < 0:
			return
		case n >= 0 && p.next+n-p.open.start <= maxSegment:
			p.line(rest[:n], p.next+n+1)
		case p.next > p.open.start:
			p.cut(p.next, false)
		default:
			p.cutLine()
		}
	}
}

// paragraph reports whether a line that begins with c is a new paragraph, which
// nothing can be before that is not finished.
func (p *passage) paragraph(c byte) bool {
	return p.markdown && p.inside == "" && p.blank && c > ' ' && p.next > p.open.start
}

// line looks at a line that is whole; the next one begins at end.
func (p *passage) line(line string, end int) {
	p.next, p.blank = end, strings.TrimSpace(line) == ""
	if !p.markdown {
		return
	}
	before := p.inside
	p.inside = fenceAfter(line, before)
	switch {
	case before == "" && p.inside != "":
		_, info, _ := strings.Cut(line, p.inside)
		p.margin, p.code = strings.HasPrefix(line, p.inside), code{in: syntax.Of(info)}
	case p.open.fence != "" && p.inside == "":
		p.cut(end, false)
	case p.inside != "":
		if p.code.in != nil {
			p.code.state = p.code.in.Line(p.code.state, line, nil)
		}
		if p.margin && end-p.open.start > maxCode {
			p.cut(end, false)
		}
	}
}

// cutLine cuts a line that is too long by itself, at a space if there is one
// near.
func (p *passage) cutLine() {
	const near = 256
	at := p.open.start + maxSegment
	if i := strings.LastIndexByte(p.text[at-near:at], ' '); i >= 0 {
		at += i + 1 - near
	}
	for back := 0; back < utf8.UTFMax && !utf8.RuneStart(p.text[at]); back++ {
		at--
	}
	p.next, p.blank = at, false
	p.cut(at, false)
}

// cut ends the open segment where the next line begins that was not looked at,
// or a part of it.
func (p *passage) cut(at int, apart bool) {
	p.open.end = at
	p.final = append(p.final, p.open)
	p.open = segment{start: at, fence: p.inside, code: p.code, apart: apart}
}

// fenceAfter is the mark of the code block that the text is in after a line, if
// it was in that of the mark inside before it (CommonMark 0.31, section 4.5).
func fenceAfter(line, inside string) string {
	mark := strings.TrimLeft(line, " \t>")
	if mark == "" || mark[0] != '`' && mark[0] != '~' {
		return inside
	}
	rest := strings.TrimLeft(mark, mark[:1])
	mark = mark[:len(mark)-len(rest)]
	switch {
	case len(mark) < 3:
		return inside
	case inside == "" && mark[0] == '`' && strings.Contains(rest, "`"):
		return ""
	case inside == "":
		return mark
	case strings.HasPrefix(mark, inside) && strings.TrimSpace(rest) == "":
		return ""
	}
	return inside
}

// count is the number of segments.
func (p *passage) count() int { return len(p.final) + 1 }

func (p *passage) segment(i int) *segment {
	if i < len(p.final) {
		return &p.final[i]
	}
	return &p.open
}

// source is the text of a segment; inside says that it is the inside of a code
// block that began in an earlier one.
func (p *passage) source(s *segment) (source string, inside bool) {
	source = p.text[s.start:s.end]
	if s.fence == "" {
		return source, false
	}
	body := strings.TrimSuffix(source, "\n")
	if i := strings.LastIndexByte(body, '\n') + 1; fenceAfter(body[i:], s.fence) == "" {
		source = body[:i]
	}
	return source, true
}

// lines draws a segment in a look, unless that was done.
func (p *passage) lines(i, width int, look string, draw func(source string, inside *code, apart bool) []string) []string {
	s := p.segment(i)
	if s.until != s.end || s.width != width || s.look != look {
		source, inside := p.source(s)
		var from *code
		if inside {
			from = &s.code
		}
		s.drawn = draw(source, from, s.apart)
		s.width, s.look, s.until = width, look, s.end
	}
	return s.drawn
}
