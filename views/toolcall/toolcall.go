package toolcall

import (
	"strings"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Bounds of what is drawn of one call.
const (
	foldedLines = 8       // of an input that is shown because it must be judged
	unfolded    = 1 << 30 // all of them
	maxPieces   = 40      // of output, of files that are edited
	maxField    = 400     // columns of a single field
	short       = 512     // bytes of a text that is drawn as a whole
)

// painter collects the parts of one call.
type painter struct {
	theme   themes.Theme
	in      Input
	call    *protocol.ToolCall
	width   int
	drawing *Drawing
	before  map[string]*long // as they were drawn last

	parts []part
	lines []string // of the part that is not finished
	keys  []frame.Spot
}

func (p *painter) draw() {
	p.head()
	p.granted()
	p.state()
	if p.in.Unfolded {
		p.details()
		p.finish() // what can be done stands in a part of its own
	}
	p.answers()
	p.finish()
}

// finish makes a part of the lines that were collected.
func (p *painter) finish() {
	if len(p.lines) > 0 || len(p.parts) == 0 {
		p.parts = append(p.parts, part{lines: p.lines})
		p.lines = nil
	}
}

// add adds something long.
func (p *painter) add(l *long) {
	p.finish()
	l.theme, l.room = p.theme, max(2, p.room())
	l.guide = p.guide().Fit(p.guide().Width(), p.theme.Text)
	l.take(p.before[l.name])
	p.parts = append(p.parts, part{long: l})
}

// head is the first line: the status as a sign, the name, what it is called
// with, and, at the right, the status in a word and a time.
func (p *painter) head() {
	badge := p.badge()
	left := frame.Line{}.Gap(1).Own(badge.Style, badge.Glyph).Gap(1).Add(p.theme.Strong, p.name())
	if subject := p.subject(); !subject.Empty() {
		left = left.Gap(2).Add(p.theme.Dim, subject)
	}
	right := p.right(badge).Gap(1)
	fill := lipgloss.NewStyle()
	if p.in.Selected {
		fill = p.theme.SelectionDim
		if p.in.Focused {
			fill = p.theme.Selection
		}
		left, right = left.In(fill), right.In(fill)
	}
	p.lines = append(p.lines, frame.Ends(left, right, p.width, fill))
}

func (p *painter) right(badge themes.Badge) frame.Line {
	var line frame.Line
	if p.in.Note.Pending {
		mark := p.theme.Badge(themes.MarkPending)
		line = line.Own(mark.Style, mark.Glyph).Gap(1)
	}
	time := p.in.Note.Since
	if p.call.Status.Ended() {
		time = p.in.Note.Took
	}
	if p.status() != themes.ToolCompleted || time.Empty() {
		line = line.Own(badge.Style, badge.Word)
		if !time.Empty() {
			line = line.Gap(1)
		}
	}
	return line.Add(p.theme.Dim, time)
}

// status picks the badge of a call.
func (p *painter) status() themes.Status {
	if p.needsAccess() {
		return themes.ToolAuthRequired
	}
	switch p.call.Status {
	case protocol.ToolStreaming:
		return themes.ToolStreaming
	case protocol.ToolPendingConfirmation:
		return themes.ToolConfirmation
	case protocol.ToolRunning:
		return themes.ToolRunning
	case protocol.ToolAuthRequired:
		return themes.ToolAuthRequired
	case protocol.ToolPendingResultConfirmation:
		return themes.ToolResultConfirmation
	case protocol.ToolCancelled:
		return themes.ToolCancelled
	case protocol.ToolCompleted:
		if p.failed() {
			return themes.ToolFailed
		}
		return themes.ToolCompleted
	}
	return themes.ToolUnknown
}

func (p *painter) failed() bool {
	return p.call.Error != nil || p.call.Success != nil && !*p.call.Success
}

func (p *painter) badge() themes.Badge {
	badge := p.theme.Badge(p.status())
	switch {
	case p.call.Status == protocol.ToolCancelled && p.call.Reason != "":
		badge.Word = cancellation(p.call.Reason)
	case p.status() == themes.ToolUnknown && p.call.Status != "":
		badge.Word = safetext.Clean(string(p.call.Status), 30).String()
	}
	return badge
}

// cancellation words why a call did not run.
func cancellation(reason string) string {
	switch reason {
	case "denied":
		return "denied"
	case "skipped":
		return "skipped"
	case "result-denied":
		return "result denied"
	}
	return "cancelled: " + safetext.Clean(reason, 30).String()
}

// name is the tool behind its server, as it is called in a configuration, or as
// the host displays it.
func (p *painter) name() safetext.Text {
	tool := clean(p.call.ToolName)
	switch {
	case !p.in.Server.Empty() && !tool.Empty() && !strings.HasPrefix(tool.String(), p.in.Server.String()+"."):
		return safetext.Concat(p.in.Server, safetext.Const("."), tool)
	case p.in.Server.Empty() && p.call.DisplayName != "":
		return clean(p.call.DisplayName)
	case tool.Empty():
		return safetext.Const("(no name)")
	}
	return tool
}

func clean(s string) safetext.Text { return safetext.Clean(s, maxField) }

// state is what belongs to the status of the call.
func (p *painter) state() {
	if p.needsAccess() {
		p.access()
		return
	}
	switch p.call.Status {
	case protocol.ToolPendingConfirmation:
		p.confirmation()
	case protocol.ToolPendingResultConfirmation:
		p.result()
	case protocol.ToolCompleted:
		if p.failed() && !p.in.Unfolded {
			p.paragraph(p.theme.Error, p.failure(), 2)
		}
	case protocol.ToolCancelled:
		p.paragraph(p.theme.Dim, clean(p.call.ReasonMessage.String()), 2)
		if s := p.call.UserSuggestion; s != nil {
			p.paragraph(p.theme.Dim, safetext.Concat(safetext.Const("suggested: "), clean(s.Text.String())), 2)
		}
	case protocol.ToolRunning:
		if !p.in.Unfolded {
			p.running()
		}
	case protocol.ToolStreaming, protocol.ToolAuthRequired:
	}
}

// failure is why the call failed, in a line.
func (p *painter) failure() safetext.Text {
	if p.call.Error != nil && p.call.Error.Message != "" {
		line, _, _ := strings.Cut(strings.TrimSpace(p.call.Error.Message), "\n")
		return clean(line)
	}
	return clean(p.call.PastTenseMessage.String())
}

// The place of what belongs to a call: behind a guide below its name.
const guided = 24

func (p *painter) guide() frame.Line {
	line := frame.Line{}
	if p.width >= guided {
		line = line.Gap(2)
	}
	return line.Own(p.guideStyle(), p.theme.Signs.Guide).Gap(1)
}

func (p *painter) guideStyle() lipgloss.Style {
	if p.waits() {
		return p.theme.PromptFrame
	}
	return p.theme.Dim
}

// waits reports whether the call waits for a person.
func (p *painter) waits() bool { return p.needsAccess() || p.call.Status.WaitsForUser() }

// room is the width behind the guide.
func (p *painter) room() int {
	return max(0, p.width-p.guide().Width())
}

// put adds a line behind the guide.
func (p *painter) put(line frame.Line) {
	p.lines = append(p.lines, append(p.guide(), line...).Fit(p.width, p.theme.Text))
}

// paragraph adds text in at most so many lines.
func (p *painter) paragraph(style lipgloss.Style, text safetext.Text, most int) {
	if text.Empty() {
		return
	}
	wrapped := text.Wrap(p.room())
	for i, t := range wrapped {
		if i+1 == most && len(wrapped) > most {
			p.put(frame.Line{}.Add(style, safetext.Concat(t, safetext.Const(" "), wrapped[most])))
			return
		}
		p.put(frame.Line{}.Add(style, t))
	}
}

// The column of the labels of fields, and below how many columns there is none.
const (
	fieldLabels = 11
	narrow      = 33
)

// field adds a label with text beside it, wrapped.
func (p *painter) field(label string, style lipgloss.Style, text safetext.Text) {
	p.labelled(fieldLabels, label, style, text)
}

// labelled is field with a column of so many for the label.
func (p *painter) labelled(column int, label string, style lipgloss.Style, text safetext.Text) {
	if text.Empty() {
		return
	}
	if p.room() < narrow {
		p.paragraph(style, safetext.Concat(frame.Own(label+": "), text), 4)
		return
	}
	head := frame.Line{}.Add(p.theme.Dim, frame.Own(label).Fit(column))
	for _, t := range text.Wrap(p.room() - column) {
		p.put(append(head, frame.Span{Style: style, Text: t}))
		head = frame.Line{}.Gap(column)
	}
}
