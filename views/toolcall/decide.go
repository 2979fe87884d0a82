package toolcall

import (
	"fmt"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// confirmation is what a person judges a call by before it runs.
func (p *painter) confirmation() {
	title := clean(p.call.ConfirmationTitle.String())
	if title.Empty() {
		title = clean(p.call.InvocationMessage.String())
	}
	p.paragraph(p.theme.Prompt, title, 3)
	if !p.in.Unfolded {
		p.field("server", p.theme.Text, p.in.Server)
		p.field("purpose", p.theme.Text, clean(p.call.Intention))
	}
	p.input(p.most())
	p.edits()
	p.risk()
	p.paragraph(p.theme.Warning, p.in.Note.Ends, 2)
}

// most is how many lines of a text are shown.
func (p *painter) most() int {
	if p.in.Unfolded {
		return unfolded
	}
	return foldedLines
}

// result is what a person judges before the agent gets to see it.
func (p *painter) result() {
	p.paragraph(p.theme.Prompt, safetext.Const("the agent waits for the result; may it be used?"), 3)
	p.output(p.most())
	p.paragraph(p.theme.Warning, p.in.Note.Ends, 2)
}

// edits are the files that a call would change.
func (p *painter) edits() {
	if p.call.Edits == nil {
		return
	}
	for i, edit := range p.call.Edits.Items {
		if i == maxPieces {
			p.put(frame.Line{}.Own(p.theme.Dim, fmt.Sprintf("… %d more files", len(p.call.Edits.Items)-i)))
			return
		}
		p.edit(fmt.Sprintf("edit %d", i), edit)
	}
}

// verb says what happens to a file.
func verb(e *protocol.FileEdit) string {
	switch {
	case e == nil || e.Before == nil && e.After == nil:
		return "changes"
	case e.Before == nil:
		return "creates"
	case e.After == nil:
		return "deletes"
	case e.Before.URI != e.After.URI:
		return "moves"
	}
	return "edits"
}

// file names the file of an edit and counts the lines.
func file(e *protocol.FileEdit) safetext.Text {
	if e == nil {
		return safetext.Const("(unknown)")
	}
	text := safetext.Text{}
	if e.Before != nil {
		text = clean(string(e.Before.URI))
	}
	if e.After != nil && (e.Before == nil || e.Before.URI != e.After.URI) {
		if !text.Empty() {
			text = safetext.Concat(text, safetext.Const(" to "))
		}
		text = safetext.Concat(text, clean(string(e.After.URI)))
	}
	if e.Diff != nil {
		text = safetext.Concat(text, frame.Own(counts(e.Diff)))
	}
	return text
}

func counts(d *protocol.DiffCount) string {
	s := ""
	if d.Added != nil {
		s += fmt.Sprintf(" +%.0f", *d.Added)
	}
	if d.Removed != nil {
		s += fmt.Sprintf(" -%.0f", *d.Removed)
	}
	return s
}

// risk is what a judge says about the call. Safety goes from 0, unsafe, to 1.
func (p *painter) risk() {
	if p.call.RiskAssessment == nil {
		return
	}
	risk := p.call.Risk()
	if risk == nil {
		p.field("risk", p.theme.Warning, clean(string(p.call.RiskAssessment)))
		return
	}
	text := clean(risk.Reason.String())
	switch {
	case risk.Safety != nil:
		text = safetext.Concat(frame.Own(fmt.Sprintf("safety %.0f %%  ", 100*max(0, min(*risk.Safety, 1)))), text)
	case text.Empty() && risk.Status == "loading":
		text = safetext.Const("being assessed")
	case text.Empty():
		text = clean(risk.Status)
	}
	p.field("risk", p.theme.Warning, text)
}

// answers are what a person can do about a call that waits, and what became of
// an answer.
func (p *painter) answers() {
	note := p.in.Note
	if !note.Refused.Empty() {
		mark := p.theme.Badge(themes.MarkRejected)
		p.paragraph(p.theme.Error, safetext.Concat(frame.Own(mark.Glyph+" "), note.Refused), 3)
	}
	if note.Pending {
		mark := p.theme.Badge(themes.MarkPending)
		p.put(frame.Line{}.Own(p.theme.Pending, mark.Glyph+" sent, not confirmed yet"))
		return
	}
	if !p.waits() {
		return
	}
	if note.Stale {
		p.paragraph(p.theme.Stale, safetext.Const("not connected: it cannot be answered now"), 2)
		return
	}
	p.choices()
}

// choices are the answers with their keys: the host's own where it gives some.
func (p *painter) choices() {
	var groups [][]choice
	switch {
	case p.needsAccess():
		groups = [][]choice{p.grants()}
	case p.call.Status == protocol.ToolPendingConfirmation && len(p.call.Options) > 0:
		groups = p.options()
	default:
		groups = [][]choice{{
			p.choice(p.in.Keys.Approve, safetext.Const("approve")),
			p.choice(p.in.Keys.Deny, safetext.Const("deny")),
		}}
	}
	if edit := p.choice(p.in.Keys.Edit, safetext.Const("edit input")); p.call.MayEdit() && !edit.key.Empty() {
		groups[len(groups)-1] = append(groups[len(groups)-1], edit)
	}
	for _, group := range groups {
		p.row(group)
	}
}

// choice is a key and what is drawn of it.
type choice struct {
	key  safetext.Text
	line frame.Line
}

// choice is a key in brackets and what it does.
func (p *painter) choice(key, does safetext.Text) choice {
	if key.Empty() {
		return choice{}
	}
	return choice{key, frame.Line{}.Add(p.theme.Key, safetext.Concat(safetext.Const("["), key, safetext.Const("]"))).Gap(1).Add(p.theme.Text, does)}
}

// maxOptions is how many of the host's answers have a key.
const maxOptions = 9

// options are the host's own answers, exactly as it words them, by their groups.
func (p *painter) options() [][]choice {
	var groups [][]choice
	var last *float64
	for i, o := range p.call.Options {
		key := safetext.Const("-")
		if i < maxOptions {
			key = frame.Number(i + 1)
		}
		if i == maxPieces {
			break
		}
		if o == nil {
			continue
		}
		if len(groups) == 0 || !sameGroup(last, o.Group) {
			groups = append(groups, nil)
		}
		last = o.Group
		c := p.choice(key, clean(o.Label))
		if i >= maxOptions {
			c.key = safetext.Text{}
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], c)
	}
	return groups
}

func sameGroup(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// row adds choices beside each other, as far as they fit.
func (p *painter) row(choices []choice) {
	var line frame.Line
	for _, c := range choices {
		if len(line) > 0 && line.Width()+2+c.line.Width() > p.room() {
			p.put(line)
			line = nil
		}
		if len(line) > 0 {
			line = line.Gap(2)
		}
		if from := p.guide().Width() + line.Width(); !c.key.Empty() {
			p.keys = append(p.keys, frame.Spot{Row: len(p.lines), From: from, To: min(from+c.line.Width(), p.width), Key: c.key})
		}
		line = append(line, c.line...)
	}
	if len(line) > 0 {
		p.put(line)
	}
}
