package toolcall

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/diff"
	"ahptui/views/frame"
)

// Fetched is what was read for calls from elsewhere: inputs, outputs and files that
// are named by an address. It is not changed once it was made.
type Fetched struct {
	Texts map[string]Fetch // by the key of the [protocol.ContentRef]
	Edits map[string]Fetch // by the key of the [protocol.FileEdit], see [EditKey]
}

// Fetch is what became of reading something.
type Fetch struct {
	Text    string
	Diff    *diff.Diff // of an edit
	Loading bool
	Note    safetext.Text // what it is where it is no text, why it could not be read
	Failed  bool          // the note says why
}

// EditKey tells an edit of a file from others.
func EditKey(e *protocol.FileEdit) string {
	key := ""
	if e.Before != nil {
		key = e.Before.Content.Key()
	}
	if e.After != nil {
		key += "\n\n" + e.After.Content.Key()
	}
	return key
}

// maxStripped bounds the output of a terminal that is freed of its control
// sequences, in bytes.
const maxStripped = 1 << 20

// output adds what the call returned, each piece in as many lines as most where it
// is not unfolded.
func (p *painter) output(most int) {
	for i, c := range p.call.Content {
		if i == maxPieces {
			p.put(frame.Line{}.Own(p.theme.Dim, fmt.Sprintf("… %d more pieces of output", len(p.call.Content)-i)))
			break
		}
		if c != nil {
			p.piece(fmt.Sprintf("output %d", i), c, most)
		}
	}
	p.structured(most)
}

// structured adds the structured output, unless the text says the same.
func (p *painter) structured(most int) {
	raw := string(p.call.StructuredContent)
	if raw == "" {
		return
	}
	only := len(p.call.Content) == 0
	if len(p.call.Content) == 1 && p.call.Content[0] != nil && len(raw) <= maxPretty {
		if text := p.call.Content[0].Text.String(); len(text) <= maxPretty && compact(text) == compact(raw) {
			return
		}
	}
	if !only && !p.in.Unfolded {
		return
	}
	if !only {
		p.put(frame.Line{}.Own(p.theme.Dim, "structured output"))
	}
	p.text("structured", p.theme.Code, p.pretty("structured", raw), most)
}

// piece adds a piece of output.
func (p *painter) piece(name string, c *protocol.ToolResultContent, most int) {
	switch c.Type {
	case protocol.ContentText:
		p.text(name, p.theme.Code, p.pretty(name, c.Text.String()), most)
	case protocol.ContentEmbedded:
		p.embedded(name, c, most)
	case protocol.ContentResource:
		if ref := ContentRef(c); ref.URI != "" {
			p.reference(name, ref, most)
			return
		}
		p.put(frame.Line{}.Add(p.theme.Dim, unknown(c)))
	case protocol.ContentFileEdit:
		p.edit(name, c.Edit())
	case protocol.ContentTerminal, protocol.ContentTerminalComplete:
		p.terminal(name, c.Terminal(), most)
	case protocol.ContentSubagent:
		p.put(frame.Line{}.Own(p.theme.Dim, "sub-agent ").Add(p.theme.Text, subagent(c)))
	default:
		p.put(frame.Line{}.Add(p.theme.Dim, unknown(c)))
	}
}

// ContentRef is what a piece of type resource refers to.
func ContentRef(c *protocol.ToolResultContent) *protocol.ContentRef {
	var more struct {
		SizeHint *float64 `json:"sizeHint"`
		Nonce    string   `json:"nonce"`
	}
	if c.Extra != nil {
		_ = protocol.Unmarshal(c.Extra, &more) // what cannot be read is not known
	}
	return &protocol.ContentRef{URI: c.URI, ContentType: c.ContentType, SizeHint: more.SizeHint, Nonce: more.Nonce}
}

// unknown names a piece of a type that is not known here.
func unknown(c *protocol.ToolResultContent) safetext.Text {
	text := safetext.Concat(safetext.Const("["), clean(c.Type), safetext.Const("]"))
	for _, more := range []string{c.Title, string(c.Resource), string(c.URI), c.ContentType} {
		if more != "" {
			text = safetext.Concat(text, safetext.Const(" "), clean(more))
		}
	}
	return text
}

func subagent(c *protocol.ToolResultContent) safetext.Text {
	var more struct {
		AgentName   string `json:"agentName"`
		Description string `json:"description"`
	}
	if c.Extra != nil {
		_ = protocol.Unmarshal(c.Extra, &more) // there may be nothing to read
	}
	text := clean(c.Title)
	if text.Empty() {
		text = clean(string(c.Resource))
	}
	if more.AgentName != "" {
		text = safetext.Concat(text, safetext.Const(" ("), clean(more.AgentName), safetext.Const(")"))
	}
	if more.Description != "" {
		text = safetext.Concat(text, safetext.Const(": "), clean(more.Description))
	}
	return text
}

// embedded adds what is in the message itself: a text as it is, of all else what it
// is and how large.
func (p *painter) embedded(name string, c *protocol.ToolResultContent, most int) {
	if textual(c.ContentType) {
		text := p.drawing.remember(name+" decoded", c.Data, func(data string) string {
			raw, err := base64.StdEncoding.DecodeString(data)
			if err != nil || !utf8.Valid(raw) {
				return ""
			}
			return string(raw)
		})
		if text != "" {
			p.put(frame.Line{}.Add(p.theme.Dim, clean(c.ContentType)))
			p.text(name, p.theme.Code, p.pretty(name, text), most)
			return
		}
	}
	size := base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(c.Data, "=")))
	p.paragraph(p.theme.Dim, Media(c.ContentType, size), 3)
}

// textual reports whether a media type is that of a text.
func textual(mediaType string) bool {
	kind, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	for _, suffix := range []string{"json", "xml", "yaml", "toml", "javascript", "+text", "markdown", "csv"} {
		if strings.HasSuffix(kind, suffix) {
			return true
		}
	}
	return strings.HasPrefix(kind, "text/")
}

// Media says what a content is that is no text, how large, and what to do about it.
func Media(mediaType string, bytes int) safetext.Text {
	kind, hint := "something that is no text", ""
	switch group, _, _ := strings.Cut(mediaType, "/"); group {
	case "image":
		kind, hint = "an image", ", not shown in a terminal: other clients show it"
	case "audio":
		kind, hint = "a sound", ", not played in a terminal: other clients play it"
	case "video":
		kind, hint = "a film", ", not shown in a terminal: other clients show it"
	}
	if mediaType != "" {
		kind += " (" + mediaType + ")"
	}
	return frame.Own(kind + ", " + Bytes(bytes) + hint)
}

// Bytes words a size.
func Bytes(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

// reference adds what is kept elsewhere: its address, and what is there, if that was
// read.
func (p *painter) reference(name string, ref *protocol.ContentRef, most int) {
	line := frame.Line{}.Add(p.theme.Code, clean(string(ref.URI)))
	if ref.ContentType != "" {
		line = line.Gap(1).Add(p.theme.Dim, clean(ref.ContentType))
	}
	if ref.SizeHint != nil && *ref.SizeHint >= 0 && *ref.SizeHint < 1<<50 {
		line = line.Gap(1).Own(p.theme.Dim, Bytes(int(*ref.SizeHint)))
	}
	p.put(line)
	have, ok := p.fetched(ref)
	switch {
	case !ok:
	case have.Loading:
		p.put(frame.Line{}.Own(p.theme.Pending, "reading it from the host…"))
	case have.Failed:
		p.paragraph(p.theme.Error, have.Note, 3)
	case !have.Note.Empty():
		p.paragraph(p.theme.Dim, have.Note, 3)
	default:
		p.text(name, p.theme.Code, p.pretty(name, have.Text), most)
	}
}

func (p *painter) fetched(ref *protocol.ContentRef) (Fetch, bool) {
	if p.in.Fetched == nil || ref == nil {
		return Fetch{}, false
	}
	have, ok := p.in.Fetched.Texts[ref.Key()]
	return have, ok
}

// edit adds a change of a file, and what changes in it, if that was read.
func (p *painter) edit(name string, e *protocol.FileEdit) {
	p.field(verb(e), p.theme.Text, file(e))
	if e == nil || p.in.Fetched == nil || !p.in.Unfolded {
		return
	}
	switch have, ok := p.in.Fetched.Edits[EditKey(e)]; {
	case !ok:
	case have.Loading:
		p.put(frame.Line{}.Own(p.theme.Pending, "reading it from the host…"))
	case have.Failed:
		p.paragraph(p.theme.Error, have.Note, 3)
	case have.Diff == nil || len(have.Diff.Changes) == 0:
		p.put(frame.Line{}.Own(p.theme.Dim, "nothing in it changes"))
	default:
		p.add(&long{name: name, diff: have.Diff})
	}
}

// terminal adds what is told of a command that was run in a terminal.
func (p *painter) terminal(name string, use *protocol.TerminalUse, most int) {
	line := frame.Line{}.Own(p.theme.Dim, "terminal ").Add(p.theme.Text, clean(use.Title))
	if use.Title == "" {
		line = line.Add(p.theme.Text, clean(string(use.Resource)))
	}
	r := use.Result
	switch {
	case r == nil:
		line = line.Own(p.theme.Dim, ", runs")
	case r.ExitCode == nil:
		line = line.Own(p.theme.Dim, ", ended")
	case *r.ExitCode == 0:
		line = line.Own(p.theme.OK, ", ended well")
	default:
		line = line.Own(p.theme.Error, fmt.Sprintf(", ended with code %d", *r.ExitCode))
	}
	p.put(line)
	if r == nil || r.Preview.Len() == 0 {
		return
	}
	if r.Truncated != nil && *r.Truncated {
		p.put(frame.Line{}.Own(p.theme.Dim, "the end of its output:"))
	}
	text := r.Preview.String()
	if len(text) <= maxStripped {
		text = p.drawing.remember(name, text, func(s string) string { return strings.ReplaceAll(ansi.Strip(s), "\r\n", "\n") })
	}
	p.text(name, p.theme.Code, text, most)
}

// running adds the end of what a call has given so far.
func (p *painter) running() {
	const lines = 3
	for i := len(p.call.Content) - 1; i >= 0; i-- {
		c := p.call.Content[i]
		if c == nil {
			continue
		}
		text := c.Text.String()
		if use := c.Terminal(); use != nil && use.Result != nil {
			text = ansi.Strip(tail(use.Result.Preview.String(), 4*perSegment))
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		room := p.room()
		if room < 2 {
			return
		}
		last := safetext.CleanBlock(tail(strings.TrimRight(text, "\n"), lines*room), (lines+1)*(room+1)).Wrap(room)
		for _, t := range last[max(0, len(last)-lines):] {
			p.put(frame.Line{}.Add(p.theme.Dim, t))
		}
		return
	}
}
