package transcript

import (
	"slices"
	"unicode/utf8"

	"ahptui/protocol"
)

// The bounds of a search.
const (
	maxWords    = 256       // bytes that are looked for
	maxHits     = 10_000    // matches that are kept
	searchSlice = 256 << 10 // bytes that are looked through at a time
	perPart     = 64        // what looking at a part costs besides, in bytes
	maxOutputs  = 10_000    // pieces of output of a call
)

// search is what is looked for in the chat. It begins with the turn at the top of the screen and goes down from there, then
// from there up, a slice at a time.
type search struct {
	words string
	find  *words // nil while there are no words

	from   place // what was at the top when it began
	follow bool
	anchor string

	start point
	below []hit // from the turn where it began on
	above []hit // before that, the nearest first
	block []hit // of the turn above that is looked through
	down  point // the next place to look at, downwards
	up    point // and upwards

	fields []string // of the part that is looked at; one array for all

	redo int // the section from which on what was found is out of date; 0 for none
	at   hit // that was gone to
	on   bool
	seek bool // the first match that is found is to be gone to
}

// point is how far a section was looked through: the part, the string of it, the byte in that, and how many matches the
// part has had before.
type point struct{ section, part, field, offset, count int }

// hit is a match: the byte of a text where it is, or which one it is of a part that is no text.
type hit struct{ section, part, offset int }

func (h hit) before(other hit) bool {
	switch {
	case h.section != other.section:
		return h.section < other.section
	case h.part != other.part:
		return h.part < other.part
	}
	return h.offset < other.offset
}

// Search looks for words, from what is on the screen on. What was found of others before is forgotten. Capitals count
// where there is one. The first match is gone to as soon as it is found; without words, nothing is.
func (m *Model) Search(words string) {
	for len(words) > maxWords || !utf8.ValidString(words) && len(words) > 0 {
		_, n := utf8.DecodeLastRuneInString(words)
		words = words[:len(words)-n]
	}
	if m.search == nil {
		m.settle()
		m.search = &search{from: m.top, follow: m.follow, anchor: m.anchor}
	} else if m.search.words == words {
		return
	}
	s := m.search
	*s = search{words: words, from: s.from, follow: s.follow, anchor: s.anchor, seek: true}
	m.peek(item{})
	m.layOut()
	if words == "" || m.in.Chat == nil {
		return
	}
	s.find = newWords(words)
	s.begin(min(max(1, s.from.section), m.lastTurn()), s.from.part)
	m.SearchOn()
}

// begin begins anew at a part.
func (s *search) begin(section, part int) {
	s.below, s.above, s.block, s.redo = nil, nil, nil, 0
	s.start, s.down, s.up = point{section: section, part: part}, point{section: section}, point{section: section - 1}
}

// EndSearch ends the search; back goes to where it began.
func (m *Model) EndSearch(back bool) {
	s := m.search
	if s == nil {
		return
	}
	m.search = nil
	m.layOut()
	if !back {
		m.folds.peeked = fold{} // it stays as it is seen
		return
	}
	m.peek(item{})
	if s.on {
		m.Deselect()
		m.top, m.follow, m.anchor = s.from, s.follow, s.anchor
		m.resume()
		m.settle()
	}
}

// Searching reports whether a search is open, and whether there is more to look through.
func (m *Model) Searching() (open, more bool) {
	s := m.search
	if s == nil {
		return false, false
	}
	return true, s.find != nil && !s.full() && (s.redo > 0 || s.down.section <= m.lastTurn() || s.up.section > 0)
}

// SearchingAgain reports whether all was looked through once, and what there is to look through has come since.
func (m *Model) SearchingAgain() bool {
	s := m.search
	return s != nil && s.redo > 0 && s.down.section > m.lastTurn() && s.up.section <= 0
}

// SearchWords are the words of the search, "" if there is none.
func (m *Model) SearchWords() string {
	if m.search == nil {
		return ""
	}
	return m.search.words
}

// Matches are how many matches were found, and which of them was gone to, counted from 1; 0 for none.
func (m *Model) Matches() (at, n int) {
	s := m.search
	if s == nil {
		return 0, 0
	}
	if s.on {
		at = s.index() + 1
	}
	return at, len(s.above) + len(s.below)
}

func (s *search) full() bool { return len(s.above)+len(s.below)+len(s.block) >= maxHits }

// lastTurn is the last section that has a turn, or could.
func (m *Model) lastTurn() int { return len(m.in.Chat.Turns) + 1 }

// SearchOn looks through one more slice of the chat.
func (m *Model) SearchOn() {
	if _, more := m.Searching(); !more {
		return
	}
	s := m.search
	s.again()
	for budget := searchSlice; budget > 0 && !s.full(); {
		switch {
		case s.down.section <= m.lastTurn():
			budget -= m.lookThrough(&s.down, budget, &s.below)
			if m.through(s.down) {
				s.down = point{section: s.down.section + 1}
			}
		case s.up.section > 0:
			budget -= m.lookThrough(&s.up, budget, &s.block)
			if m.through(s.up) {
				slices.Reverse(s.block)
				s.above, s.block, s.up = append(s.above, s.block...), nil, point{section: s.up.section - 1}
			}
		default:
			budget = 0
		}
	}
	if s.seek {
		m.goToNearest()
	}
	if _, more := m.Searching(); !more {
		s.seek = false
	}
}

// again forgets what is out of date, to look for it again.
func (s *search) again() {
	switch {
	case s.redo == 0:
		return
	case s.redo < s.start.section:
		s.begin(s.start.section, s.start.part)
	default:
		i, _ := slices.BinarySearchFunc(s.below, hit{section: s.redo}, compareHits)
		s.below = s.below[:i]
		if s.down.section >= s.redo {
			s.down = point{section: s.redo}
		}
	}
	s.redo = 0
}

func compareHits(a, b hit) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

// through reports whether a section was looked through.
func (m *Model) through(p point) bool {
	turn, _ := m.turn(p.section)
	return turn == nil || p.part >= len(turn.ResponseParts)+2
}

// lookThrough looks through a section from a point on, for about so many bytes, and tells how many it was.
func (m *Model) lookThrough(p *point, budget int, hits *[]hit) (spent int) {
	for !m.through(*p) && spent < budget && !m.search.full() {
		spent += perPart
		fields, counted := m.searched(p.section, p.part)
		for p.field < len(fields) && spent < budget && len(*hits) < maxHits {
			n := min(len(fields[p.field]), p.offset+budget-spent)
			spent += m.lookAt(p, fields[p.field], n, counted, hits)
		}
		if p.field == len(fields) {
			*p = point{section: p.section, part: p.part + 1}
		}
	}
	return spent
}

// lookAt looks for matches that begin before end.
func (m *Model) lookAt(p *point, text string, end int, counted bool, hits *[]hit) (spent int) {
	s, begin := m.search, p.offset
	// In another case a character may take up to three times as many bytes.
	rest := text[:min(len(text), end+3*len(s.words))]
	for p.offset < end && len(*hits) < maxHits {
		from, to := s.find.next(rest[p.offset:])
		if from < 0 || p.offset+from >= end {
			p.offset = end
			break
		}
		h := hit{p.section, p.part, p.offset + from}
		if counted {
			h.offset = p.count
		}
		*hits = append(*hits, h)
		p.count++
		p.offset += to
	}
	spent = p.offset - begin
	if p.offset >= len(text) {
		p.field, p.offset = p.field+1, 0
	}
	return spent
}

// searched are the strings of a part that can be searched. Where they are counted, the part is no text, and its matches are
// known by their number.
func (m *Model) searched(section, part int) (fields []string, counted bool) {
	turn, _ := m.turn(section)
	fields = m.search.fields[:0]
	switch {
	case turn == nil:
	case part == 0:
		if turn.Message != nil {
			fields = append(fields, turn.Message.Text.String())
		}
	case part > len(turn.ResponseParts):
		fields, counted = failureWords(fields, turn.Error), true
	default:
		fields, counted = partWords(fields, turn.ResponseParts[part-1])
	}
	m.search.fields = fields
	return fields, counted
}

func partWords(fields []string, p *protocol.ResponsePart) (words []string, counted bool) {
	if p == nil || p.Raw != nil {
		return fields, false
	}
	switch p.Kind {
	case protocol.PartMarkdown, protocol.PartReasoning, protocol.PartSystemNotification:
		return append(fields, p.Content.Text.String()), false
	case protocol.PartToolCall:
		return callWords(fields, p.ToolCall), true
	case protocol.PartInputRequest:
		return requestWords(fields, p.Request), true
	case protocol.PartError:
		return failureWords(fields, p.Error), true
	case protocol.PartContentRef:
	}
	return fields, false
}

func failureWords(words []string, err *protocol.ErrorInfo) []string {
	if err == nil {
		return words
	}
	return append(words, err.Message, err.ErrorType, err.Stack)
}

// callWords are the strings of a call in the order in which they are drawn.
func callWords(words []string, call *protocol.ToolCall) []string {
	if call == nil {
		return words
	}
	words = append(words, call.ToolName)
	if call.DisplayName != call.ToolName {
		words = append(words, call.DisplayName)
	}
	words = append(words, call.Intention, inputOf(call))
	for i, c := range call.Content {
		if i == maxOutputs {
			break
		}
		if c != nil {
			words = append(words, c.Text.String(), c.Title, string(c.Resource))
		}
	}
	words = append(words, string(call.StructuredContent))
	if call.Error != nil {
		words = append(words, call.Error.Message)
	}
	return words
}

// inputOf is the input of a call, as much of it as there is.
func inputOf(call *protocol.ToolCall) string {
	switch {
	case call.ToolInput.Ref != nil:
		return string(call.ToolInput.Ref.URI)
	case call.ToolInput.Text.Len() == 0:
		return call.PartialInput.String()
	}
	return call.ToolInput.Text.String()
}

func requestWords(words []string, r *protocol.ChatInputRequest) []string {
	if r == nil {
		return words
	}
	words = append(words, r.Message, string(r.URL))
	for _, q := range r.Questions {
		if q == nil {
			continue
		}
		words = append(words, q.Title, q.Message)
		for _, o := range q.Options {
			if o != nil {
				words = append(words, o.Label, o.Description)
			}
		}
	}
	return words
}

// moved takes note of how the chat has changed: it grew at its end, or earlier turns have come; else all is looked through
// again.
func (s *search) moved(before, now *protocol.ChatState) {
	if s.find == nil {
		return
	}
	n, grown := len(before.Turns), len(now.Turns)-len(before.Turns)
	same := func(shift int) bool {
		return n == 0 || now.Turns[shift] == before.Turns[0] && now.Turns[shift+n-1] == before.Turns[n-1]
	}
	switch {
	case grown < 0:
		s.begin(min(s.start.section, len(now.Turns)+1), 0)
	case same(0):
		if grown > 0 || now.ActiveTurn != before.ActiveTurn {
			s.outdate(n + 1)
		}
	case same(grown):
		s.shift(grown)
		if now.ActiveTurn != before.ActiveTurn {
			s.outdate(len(now.Turns) + 1)
		}
	default:
		s.begin(min(s.start.section, len(now.Turns)+1), 0)
	}
}

// outdate notes that what was found from a section on may not be there any more.
func (s *search) outdate(section int) {
	if s.redo == 0 || section < s.redo {
		s.redo = section
	}
}

// shift makes room for so many sections before all that is known.
func (s *search) shift(by int) {
	for _, list := range [][]hit{s.below, s.above, s.block} {
		for i := range list {
			list[i].section += by
		}
	}
	s.at.section += by
	for _, section := range []*int{&s.start.section, &s.down.section, &s.up.section, &s.redo, &s.from.section} {
		if *section > 0 || section == &s.up.section {
			*section += by
		}
	}
}
