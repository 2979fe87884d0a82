package terminal

import (
	"slices"
	"strings"

	"ahptui/protocol"
)

// maxFeed bounds the output that a screen is made of, or that is added to it at
// once, in bytes. What is older is left out.
const maxFeed = 192 << 10

// maxLines is the same in lines: as many as a screen of that size takes in one feed.
func maxLines(cols, rows int) int {
	return max(100, maxWork/2/(min(max(cols, 1), maxCols)*min(max(rows, 1), maxRows)))
}

// follower keeps a screen in step with a terminal's content. It feeds what is new,
// and begins anew where the content is not what it was with something added.
type follower struct {
	painter cellPainter
	screen  *screen
	id      protocol.URI
	cols    int
	rows    int

	parts int                    // that were fed, the last of them as far as it went
	last  *protocol.TerminalPart // of them
	text  protocol.Text          // and its text as it was fed
}

// follow brings the screen in step.
func (f *follower) follow(c Content) {
	same := f.screen != nil && f.id == c.ID && f.cols == c.Cols && f.rows == c.Rows
	if !same || !f.continues(c.Parts) {
		f.begin(c, same)
		return
	}
	if f.parts == len(c.Parts) && (f.parts == 0 || c.Parts[f.parts-1].Text().Len() == f.text.Len()) {
		return
	}
	var fresh []string
	size, lines := 0, 0
	for i := max(0, f.parts-1); i < len(c.Parts); i++ {
		out := c.Parts[i].Text().String()
		if i == f.parts-1 {
			out = out[min(f.text.Len(), len(out)):]
		}
		fresh = append(fresh, out)
		size += len(out)
		lines += strings.Count(out[:min(len(out), maxFeed)], "\n")
	}
	if size > maxFeed || lines > maxLines(c.Cols, c.Rows) {
		f.begin(c, true)
		return
	}
	for _, out := range fresh {
		f.screen.feed(out)
	}
	f.note(c.Parts)
}

// continues reports whether parts are those that were fed with something added.
func (f *follower) continues(parts []*protocol.TerminalPart) bool {
	if f.parts == 0 {
		return true
	}
	if len(parts) < f.parts {
		return false
	}
	now := parts[f.parts-1]
	if f.text.Len() == 0 {
		return now == f.last || now.Type == f.last.Type && now.CommandID == f.last.CommandID
	}
	// A text moves in memory each time that it has become twice as long.
	return now.Text().Extends(f.text) || strings.HasPrefix(now.Text().String(), f.text.String())
}

func (f *follower) note(parts []*protocol.TerminalPart) {
	f.parts, f.last, f.text = len(parts), nil, protocol.Text{}
	if f.parts > 0 {
		f.last = parts[f.parts-1]
		f.text = f.last.Text()
	}
}

// begin makes the screen anew from the end of the content. Where some is left out
// of a terminal that was on the screen before, what its program has set stays.
func (f *follower) begin(c Content, same bool) {
	before := f.screen
	f.id, f.cols, f.rows = c.ID, c.Cols, c.Rows
	f.screen = newScreen(c.Cols, c.Rows, f.painter)
	tail, whole := newest(c.Parts, maxFeed, maxLines(c.Cols, c.Rows))
	f.screen.dropped = !whole
	if same && before != nil {
		f.screen.version = before.version
		if !whole {
			f.screen.adopt(before.modes)
		}
	}
	for _, out := range tail {
		f.screen.feed(out)
	}
	f.screen.version++
	f.note(c.Parts)
}

// adopt sets what another screen's program has set.
func (s *screen) adopt(m modes) {
	s.modes.cursorKeys, s.modes.paste = m.cursorKeys, m.paste
	s.switchTo(m.alt)
}

// newest is the end of a terminal's output, at most so many bytes and lines of it,
// from the beginning of a line on where there is one.
func newest(parts []*protocol.TerminalPart, bytes, lines int) (tail []string, whole bool) {
	for i := len(parts) - 1; i >= 0; i-- {
		out := parts[i].Text().String()
		cut := max(0, len(out)-bytes)
		for at := len(out); at > cut && lines > 0; lines-- {
			at = cut + max(0, strings.LastIndexByte(out[cut:at], '\n'))
			if lines == 1 {
				cut = at
			}
		}
		if cut > 0 {
			out = out[cut:]
			if _, rest, ok := strings.Cut(out, "\n"); ok {
				out = rest
			}
			tail = append(tail, out)
			slices.Reverse(tail)
			return tail, false
		}
		bytes -= len(out)
		tail = append(tail, out)
		if bytes <= 0 || lines <= 0 {
			slices.Reverse(tail)
			return tail, i == 0
		}
	}
	slices.Reverse(tail)
	return tail, true
}
