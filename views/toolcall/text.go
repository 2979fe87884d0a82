package toolcall

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/frame"
)

// maxPretty bounds the JSON that is laid out anew, in bytes, and maxSubject that of
// which the first line is made.
const (
	maxPretty  = 1 << 20
	maxSubject = 16 << 10
)

// subject is what the call is about, for its first line: its input in short,
// else what the host says it does.
func (p *painter) subject() safetext.Text {
	if p.call.Status == protocol.ToolStreaming {
		return clean(p.call.PartialInput.String())
	}
	if short := shortInput(p.call.ToolInput); !short.Empty() {
		return short
	}
	if p.call.Status.Ended() && !p.call.PastTenseMessage.IsZero() {
		return clean(p.call.PastTenseMessage.String())
	}
	return clean(p.call.InvocationMessage.String())
}

// shortInput is an input in a line: where it is an object with one member, that
// member's value.
func shortInput(input protocol.ToolInput) safetext.Text {
	if input.Ref != nil {
		return clean(string(input.Ref.URI))
	}
	text := input.Text.String()
	if len(text) > maxSubject {
		return clean(text)
	}
	var members map[string]protocol.Raw
	if protocol.Unmarshal([]byte(text), &members) == nil {
		if len(members) == 0 {
			return safetext.Text{}
		}
		if len(members) == 1 {
			for _, value := range members {
				return clean(string(value))
			}
		}
	}
	return clean(compact(text))
}

// compact is JSON without line ends; what is no JSON stays as it is.
func compact(text string) string {
	value := protocol.Raw(text)
	if value.Compact() != nil {
		return text
	}
	return string(value)
}

// Summary is the input of a call in a line.
func Summary(call *protocol.ToolCall) safetext.Text { return shortInput(call.ToolInput) }

// Pretty is JSON laid out for reading; what is no JSON, or too much of it, stays as
// it is.
func Pretty(text string) string {
	if len(text) > maxPretty {
		return text
	}
	value := protocol.Raw(text)
	if value.Indent(jsontext.WithIndent("  ")) != nil {
		return text
	}
	return string(value)
}

// pretty is JSON of a name laid out for reading. It is not done again.
func (p *painter) pretty(name, text string) string {
	if len(text) > maxPretty {
		return text
	}
	return p.drawing.remember(name+" pretty", text, Pretty)
}

// text adds a text of a name: as many lines of it as most, or, where that is
// everything, all of it.
func (p *painter) text(name string, style lipgloss.Style, text string, most int) {
	if most == unfolded && len(text) > short {
		p.add(&long{name: name, text: text, style: style})
		return
	}
	p.block(style, text, most)
}

// block adds text of several lines, as many as most.
func (p *painter) block(style lipgloss.Style, text string, most int) {
	room := p.room()
	if room < 2 || text == "" {
		return
	}
	// A line takes a column at least, so what is cut here has more lines.
	lines := safetext.CleanBlock(text, min((most+1)*(room+1), 8*len(text)+8)).Wrap(room)
	for i, t := range lines {
		if i == most {
			p.put(frame.Line{}.Add(p.theme.Dim, p.rest(len(text))))
			return
		}
		p.put(frame.Line{}.Add(style, t))
	}
}

// rest says that there is more of a text, and how to see it.
func (p *painter) rest(n int) safetext.Text {
	words := "… " + Bytes(n) + " in all"
	if key := p.in.Keys.Unfold; !key.Empty() {
		words += "; " + key.String() + " shows them"
	}
	return frame.Own(words)
}

// input adds the input of the call.
func (p *painter) input(most int) {
	if ref := p.call.ToolInput.Ref; ref != nil {
		p.reference("input", ref, most)
		return
	}
	text := p.call.ToolInput.Text.String()
	if p.call.Status == protocol.ToolStreaming {
		text = p.call.PartialInput.String()
	}
	if text == "{}" && p.call.Status.Ended() { // there is nothing to say of it
		return
	}
	p.text("input", p.theme.Code, p.pretty("input", text), most)
}

// details are what is shown of a call on demand.
func (p *painter) details() {
	if tool := clean(p.call.ToolName); !strings.HasSuffix(p.name().String(), tool.String()) {
		p.field("tool", p.theme.Text, tool)
	}
	p.contributor()
	p.field("purpose", p.theme.Text, clean(p.call.Intention))
	p.field("time", p.theme.Text, p.time())
	p.field("allowed", p.theme.Text, allowed(p.call))
	p.history()
	if auth := p.call.Auth; auth != nil && auth.Resource != nil {
		p.field("resource", p.theme.Text, safetext.URL(auth.Resource.Resource).Text())
	}
	if p.call.Status != protocol.ToolPendingConfirmation {
		p.part("input", func() { p.input(unfolded) })
	}
	if p.call.Status != protocol.ToolPendingResultConfirmation {
		p.part("output", func() { p.output(unfolded) })
	}
	if e := p.call.Error; e != nil {
		p.part("error", func() { p.text("error", p.theme.Error, e.Message, unfolded) })
		p.field("code", p.theme.Dim, clean(e.Code))
	}
	if p.hasView() {
		p.put(frame.Line{}.Own(p.theme.Dim, "has an interactive view, which is not shown here"))
	}
}

// contributor says who runs the call.
func (p *painter) contributor() {
	c := p.call.Contributor
	switch {
	case !p.in.Server.Empty():
		p.field("server", p.theme.Text, p.in.Server)
	case c == nil && p.call.ToolName != "":
		p.field("run by", p.theme.Text, safetext.Const("the host"))
	case c == nil:
	case c.Kind == protocol.ContributorClient && !p.in.Client.Empty():
		p.field("client", p.theme.Text, p.in.Client)
	case c.Kind == protocol.ContributorClient:
		p.field("client", p.theme.Text, clean(c.ClientID))
	case c.Kind == protocol.ContributorMcp:
		p.field("server", p.theme.Text, clean(c.CustomizationID))
	default:
		p.field("run by", p.theme.Text, clean(c.Kind))
	}
}

// time is how long the call has been as it is, or ran.
func (p *painter) time() safetext.Text {
	switch {
	case p.call.Status.Ended() && !p.in.Note.Took.Empty():
		return safetext.Concat(safetext.Const("ran for "), p.in.Note.Took)
	case p.call.Status.Ended() || p.in.Note.Since.Empty():
		return safetext.Text{}
	}
	return safetext.Concat(frame.Own(p.badge().Word), safetext.Const(" for "), p.in.Note.Since)
}

// history is who confirmed what, and when, as far as that was seen.
func (p *painter) history() {
	for i, line := range p.in.Note.History.Lines() {
		switch {
		case i == 0:
			p.field("history", p.theme.Text, line)
		case p.room() < narrow:
			p.paragraph(p.theme.Text, line, 3)
		default:
			p.field(" ", p.theme.Text, line)
		}
	}
}

// part adds a heading with what add adds below it, if that is anything.
func (p *painter) part(heading string, add func()) {
	lines, parts := len(p.lines), len(p.parts)
	p.put(frame.Line{}.Own(p.theme.Dim, heading))
	add()
	if len(p.parts) == parts && len(p.lines) == lines+1 {
		p.lines = p.lines[:lines]
	}
}

// allowed says by whose word the call ran.
func allowed(call *protocol.ToolCall) safetext.Text {
	var word safetext.Text
	switch call.Confirmed {
	case "user-action":
		word = safetext.Const("by a person")
	case "setting":
		word = safetext.Const("by a setting")
	case "not-needed":
		word = safetext.Const("without asking")
	default:
		word = clean(call.Confirmed)
	}
	if o := call.SelectedOption; o != nil {
		word = safetext.Concat(word, safetext.Const(": "), clean(o.Label))
	}
	return word
}

// hasView reports whether the call comes with a view of an MCP App.
func (p *painter) hasView() bool {
	var meta struct {
		UI struct {
			ResourceURI string `json:"resourceUri"`
		} `json:"ui"`
	}
	return p.call.Meta != nil && protocol.Unmarshal(p.call.Meta, &meta) == nil && meta.UI.ResourceURI != ""
}
