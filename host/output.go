package host

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"ahptui/protocol"
)

// newestOutput is the end of a terminal's content: about so many bytes, in so many
// parts. The first part that stays loses its beginning, in whole lines if it can.
func newestOutput(parts []*protocol.TerminalPart, bytes, count int) (kept []*protocol.TerminalPart, size int) {
	for _, p := range slices.Backward(parts) {
		if len(kept) == count || size >= bytes {
			break
		}
		if room := bytes - size; p.Text().Len() > room {
			p = shortened(p, room)
		}
		size += p.Text().Len() + p.CommandLine.Len()
		kept = append(kept, p)
	}
	slices.Reverse(kept)
	return kept, size
}

func shortened(p *protocol.TerminalPart, limit int) *protocol.TerminalPart {
	short := *p
	text := protocol.NewText(lastLines(p.Text().String(), limit))
	if short.Type == protocol.TerminalCommand {
		short.Output = text
	} else {
		short.Value = text
	}
	return &short
}

// lastLines is the end of a text, at most limit bytes, from the beginning of a line
// on if there is one.
func lastLines(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = text[len(text)-limit:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	if _, lines, ok := strings.Cut(text, "\n"); ok && lines != "" {
		return lines
	}
	return text
}

// maxPreview bounds the text of a terminal that stands in a tool call's result.
const maxPreview = 4 << 10

// preview is the end of what a terminal shows, as plain text, and whether there is more.
func preview(parts []*protocol.TerminalPart) (text string, truncated bool) {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text().String())
	}
	plain := strings.ReplaceAll(ansi.Strip(b.String()), "\r\n", "\n")
	plain = strings.Trim(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, plain), "\n")
	end := lastLines(plain, maxPreview)
	return end, len(end) < len(plain)
}
