package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
	"ahptui/views/markdown"
	"ahptui/views/transcript"
)

// The bounds of what is taken out of a chat.
const (
	maxPieces     = 99       // things to choose from
	maxCodeSource = 4 << 20  // bytes of a text in which code blocks are looked for
	maxDocument   = 32 << 20 // bytes of a document
)

// piece is something that can be copied.
type piece struct {
	name string
	text string
}

// pieces are what can be copied of what is selected, and of the turn that it is in.
func pieces(r *markdown.Renderer, sel transcript.Selection) []piece {
	var list []piece
	add := func(name, text string) {
		if strings.TrimSpace(text) != "" && len(list) < maxPieces {
			list = append(list, piece{name, text})
		}
	}
	if sel.Message != nil {
		add("message", sel.Message.Text.String())
	}
	if sel.Pending != nil && sel.Pending.Message != nil {
		add("message", sel.Pending.Message.Text.String())
	}
	switch sel.Kind {
	case transcript.Answer:
		text := sel.Part.Content.Text.String()
		add("text", text)
		addCode(r, text, add)
	case transcript.Reasoning:
		add("reasoning", sel.Part.Content.Text.String())
	case transcript.ToolCall:
		addCall(sel.Call, add)
	case transcript.Failure:
		add("error", sel.Error.Message)
		add("stack", sel.Error.Stack)
	case transcript.Request:
		add("question", requestText(sel.Request))
		add("address", string(sel.Request.URL))
	case transcript.None, transcript.Message, transcript.Pending:
	}
	if sel.Turn != nil && (sel.Kind != transcript.Answer || textsIn(sel.Turn) > 1) {
		text := answerText(sel.Turn)
		add("whole answer of the turn", text)
		if sel.Kind == transcript.Message || sel.Kind == transcript.None {
			addCode(r, text, add)
		}
	}
	return list
}

// addCode adds the code blocks of a text by number.
func addCode(r *markdown.Renderer, text string, add func(name, text string)) {
	if len(text) > maxCodeSource {
		return
	}
	for i, block := range r.CodeBlocks(text, maxPieces) {
		name := "code block " + strconv.Itoa(i+1)
		if block.Language != "" {
			name += " (" + block.Language + ")"
		}
		add(name, block.Code)
	}
}

// addCall adds what a call sent and got.
func addCall(call *protocol.ToolCall, add func(name, text string)) {
	add("input", callInput(call))
	add("output", callOutput(call))
	add("structured output", string(call.StructuredContent))
	if call.Error != nil {
		add("error", call.Error.Message)
	}
	add("name of the tool", call.ToolName)
}

// callInput is the input of a call, as much of it as there is.
func callInput(call *protocol.ToolCall) string {
	switch {
	case call.ToolInput.Ref != nil:
		return string(call.ToolInput.Ref.URI)
	case call.ToolInput.Text.Len() == 0:
		return call.PartialInput.String()
	}
	return call.ToolInput.Text.String()
}

// callOutput is the text that a call has returned, and the addresses of what is no text.
func callOutput(call *protocol.ToolCall) string {
	var texts []string
	for _, c := range call.Content {
		switch {
		case c == nil:
		case c.Text.Len() > 0:
			texts = append(texts, c.Text.String())
		case c.Result != nil && c.Result.Preview.Len() > 0:
			texts = append(texts, c.Result.Preview.String())
		case c.Resource != "":
			texts = append(texts, string(c.Resource))
		case c.URI != "":
			texts = append(texts, string(c.URI))
		}
	}
	return strings.Join(texts, "\n")
}

func requestText(r *protocol.ChatInputRequest) string {
	texts := []string{r.Message}
	for _, q := range r.Questions {
		if q != nil {
			texts = append(texts, q.Message)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// textsIn counts the texts of the agent in a turn.
func textsIn(turn *protocol.Turn) int {
	n := 0
	for _, p := range turn.ResponseParts {
		if p != nil && p.Kind == protocol.PartMarkdown && p.Content.Text.Len() > 0 {
			n++
		}
	}
	return n
}

// answerText is what the agent said in a turn, without what it did.
func answerText(turn *protocol.Turn) string {
	var texts []string
	for _, p := range turn.ResponseParts {
		if p != nil && p.Kind == protocol.PartMarkdown && p.Content.Text.Len() > 0 {
			texts = append(texts, strings.TrimSpace(p.Content.Text.String()))
		}
	}
	return strings.Join(texts, "\n\n")
}

// document is what is selected as a text to be read elsewhere; without a selection, the turn.
func document(sel transcript.Selection) string {
	var b strings.Builder
	part := func(heading, text string) {
		if strings.TrimSpace(text) == "" || b.Len() > maxDocument {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		if heading != "" {
			b.WriteString("## " + heading + "\n\n")
		}
		b.WriteString(text[:min(len(text), maxDocument)])
	}
	switch sel.Kind {
	case transcript.None:
		turnDocument(sel.Turn, part)
	case transcript.Message:
		part("", sel.Message.Text.String())
	case transcript.Answer, transcript.Reasoning:
		part("", sel.Part.Content.Text.String())
	case transcript.ToolCall:
		callDocument(sel.Call, part)
	case transcript.Failure:
		part("", sel.Error.Message)
		part("Stack", sel.Error.Stack)
	case transcript.Request:
		part("", requestText(sel.Request))
	case transcript.Pending:
		if sel.Pending.Message != nil {
			part("", sel.Pending.Message.Text.String())
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func callDocument(call *protocol.ToolCall, part func(heading, text string)) {
	part("", fmt.Sprintf("# %s (%s)", call.ToolName, call.Status))
	part("Input", pretty(callInput(call)))
	part("Output", callOutput(call))
	part("Structured output", pretty(string(call.StructuredContent)))
	if call.Error != nil {
		part("Error", call.Error.Message)
	}
}

func turnDocument(turn *protocol.Turn, part func(heading, text string)) {
	if turn == nil {
		return
	}
	if turn.Message != nil {
		part("Message", turn.Message.Text.String())
	}
	for _, p := range turn.ResponseParts {
		switch {
		case p == nil || p.Raw != nil:
		case p.ToolCall != nil:
			part("Tool call", fmt.Sprintf("%s (%s)", p.ToolCall.ToolName, p.ToolCall.Status))
			part("Input", pretty(callInput(p.ToolCall)))
			part("Output", callOutput(p.ToolCall))
		case p.Kind == protocol.PartMarkdown:
			part("Answer", p.Content.Text.String())
		case p.Error != nil:
			part("Error", p.Error.Message)
		}
	}
}

// pretty is JSON laid out for reading; what is no JSON stays as it is.
func pretty(text string) string {
	value := jsontext.Value(text)
	if value.Indent(jsontext.WithIndent("  ")) != nil {
		return text
	}
	return string(value)
}
