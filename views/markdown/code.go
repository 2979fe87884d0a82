package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/syntax"
)

// codeIndent is how far a code block stands in.
const codeIndent = 2

// code draws source as it stands, in the colours of its language if there are any.
func (p *painter) code(source string, in *syntax.Language, s syntax.State) {
	indent := frame.Line{}.Gap(codeIndent)
	p.within(indent, indent, func() {
		if in == nil || p.theme.Syntax == nil {
			p.verbatim(p.theme.Code, source)
			return
		}
		var spans frame.Line // one array for all lines: put copies them
		for _, line := range safetext.CleanBlock(source, 4*len(source)+1).Lines() {
			spans = spans[:0]
			s = in.Line(s, line.String(), func(class syntax.Class, piece string) {
				spans = addPiece(spans, styleOf(p.theme.Syntax, class), piece)
			})
			if fits(line, p.room()) {
				p.put(spans)
				continue
			}
			for _, wrapped := range wrapLine(spans, p.room()) {
				p.put(wrapped)
			}
		}
	})
}

// fits reports whether a line stays as it is when it is wrapped. Most do.
func fits(line safetext.Text, room int) bool {
	s := line.String()
	return line.Width() <= room && len(s)-len(strings.TrimLeft(s, " ")) <= room/2
}

// addPiece adds a piece of a clean line. A mark that belongs to the glyph before it stays with that.
func addPiece(line frame.Line, style lipgloss.Style, piece string) frame.Line {
	for piece != "" && len(line) > 0 {
		r, size := utf8.DecodeRuneInString(piece)
		if r < utf8.RuneSelf || !unicode.In(r, unicode.M, unicode.Cf) {
			break
		}
		last := &line[len(line)-1]
		whole := last.Text.String() + piece[:size]
		last.Text = safetext.Clean(whole, 4*len(whole))
		piece = piece[size:]
	}
	if piece == "" {
		return line
	}
	return line.Add(style, safetext.Clean(piece, 4*len(piece)))
}

func styleOf(s *themes.Syntax, class syntax.Class) lipgloss.Style {
	switch class {
	case syntax.Comment:
		return s.Comment
	case syntax.String:
		return s.String
	case syntax.Number:
		return s.Number
	case syntax.Keyword:
		return s.Keyword
	case syntax.Name:
		return s.Name
	case syntax.Call:
		return s.Call
	case syntax.Key:
		return s.Key
	case syntax.Added:
		return s.Added
	case syntax.Removed:
		return s.Removed
	case syntax.Heading:
		return s.Heading
	case syntax.Plain:
	}
	return s.Plain
}
