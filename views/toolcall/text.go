package toolcall

import (
	"bytes"
	"fmt"

	"charm.land/lipgloss/v2"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/frame"
)

// maxPretty bounds the JSON that is laid out anew, in bytes.
const maxPretty = 64 << 10

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
	if len(text) > maxPretty {
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
func Pretty(text string) string { return pretty([]byte(text)) }

// pretty is JSON laid out for reading; what is no JSON, or too much of it,
// stays as it is.
func pretty(text []byte) string {
	if len(text) > maxPretty {
		return string(text)
	}
	value := protocol.Raw(bytes.Clone(text))
	if value.Indent(jsontext.WithIndent("  ")) != nil {
		return string(text)
	}
	return string(value)
}

// block adds text of several lines, as many as most.
func (p *painter) block(style lipgloss.Style, text string, most int) {
	room := p.room()
	if room < 2 || text == "" {
		return
	}
	// A line takes a column at least, so what is cut here has more lines.
	lines := safetext.CleanBlock(text, (most+1)*(room+1)).Wrap(room)
	for i, t := range lines {
		if i == most {
			p.put(frame.Line{}.Add(p.theme.Dim, size(len(text))))
			return
		}
		p.put(frame.Line{}.Add(style, t))
	}
}

// size says that there is more of a text.
func size(n int) safetext.Text {
	if n < 10_000 {
		return frame.Own(fmt.Sprintf("… %d bytes in all", n))
	}
	return frame.Own(fmt.Sprintf("… %d kB in all", n/1000))
}

// input adds the input of the call.
func (p *painter) input(most int) {
	if ref := p.call.ToolInput.Ref; ref != nil {
		p.field("input", p.theme.Code, clean(string(ref.URI)))
		return
	}
	text := p.call.ToolInput.Text.String()
	if p.call.Status == protocol.ToolStreaming {
		text = p.call.PartialInput.String()
	}
	p.block(p.theme.Code, pretty([]byte(text)), most)
}

// output adds what the call returned.
func (p *painter) output(most int) {
	pieces := p.call.Content
	for i, c := range pieces {
		if i == maxPieces {
			p.put(frame.Line{}.Own(p.theme.Dim, fmt.Sprintf("… %d more pieces of output", len(pieces)-i)))
			break
		}
		if c == nil {
			continue
		}
		if c.Type == "text" {
			p.block(p.theme.Code, c.Text.String(), most)
			continue
		}
		p.put(frame.Line{}.Add(p.theme.Dim, piece(c)))
	}
	if len(pieces) == 0 && p.call.StructuredContent != nil {
		p.block(p.theme.Code, pretty(p.call.StructuredContent), most)
	}
}

// piece names a piece of output that is not text.
func piece(c *protocol.ToolResultContent) safetext.Text {
	text := safetext.Concat(safetext.Const("["), clean(c.Type), safetext.Const("]"))
	for _, more := range []string{c.Title, string(c.Resource)} {
		if more != "" {
			text = safetext.Concat(text, safetext.Const(" "), clean(more))
		}
	}
	return text
}

// details are what is shown of a call on demand.
func (p *painter) details() {
	p.field("tool", p.theme.Text, clean(p.call.ToolName))
	p.field("server", p.theme.Text, p.in.Server)
	p.field("purpose", p.theme.Text, clean(p.call.Intention))
	p.field("allowed", p.theme.Text, allowed(p.call))
	if auth := p.call.Auth; auth != nil && auth.Resource != nil {
		p.field("resource", p.theme.Text, safetext.URL(auth.Resource.Resource).Text())
	}
	if p.call.Status != protocol.ToolPendingConfirmation {
		p.part("input", func() { p.input(unfoldedLines) })
	}
	if p.call.Status != protocol.ToolPendingResultConfirmation {
		p.part("output", func() { p.output(unfoldedLines) })
	}
	if e := p.call.Error; e != nil {
		p.part("error", func() { p.block(p.theme.Error, e.Message, unfoldedLines) })
		p.field("code", p.theme.Dim, clean(e.Code))
	}
	if p.hasView() {
		p.put(frame.Line{}.Own(p.theme.Dim, "has an interactive view, which is not shown here"))
	}
}

// part adds a heading with what add adds below it, if that is anything.
func (p *painter) part(heading string, add func()) {
	at := len(p.lines)
	p.put(frame.Line{}.Own(p.theme.Dim, heading))
	add()
	if len(p.lines) == at+1 {
		p.lines = p.lines[:at]
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
