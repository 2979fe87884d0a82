package linear

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
)

// maxArguments bounds what can be judged here, in bytes: nobody listens to more.
const maxArguments = 64 << 10

// askCall asks whether a tool call may run, with all that it is called with.
func (f *front) askCall(q *question, b protocol.Block) {
	call := b.ToolCall
	q.tell = func() {
		f.out.say("question: " + f.blockWords(b))
		f.tellCallFully(b)
	}
	if why := unjudgeable(call); why != "" {
		tell := q.tell
		q.tell = func() { tell(); f.out.say("it cannot be approved here: " + why) }
	}
	may := unjudgeable(call) == ""
	if len(call.Options) > 0 {
		for _, o := range call.Options {
			if o == nil || o.Approves() && !may {
				continue
			}
			effect := "denies"
			if o.Approves() {
				effect = "approves"
			}
			q.choices = append(q.choices, choice{
				words: fmt.Sprintf("%s (this %s)", o.Label, effect), theirs: true,
				do: func() {
					f.reply(b, protocol.Choose(b.TurnID, call, o), "answer “"+o.Label+"” to "+f.callNameIn(b.Session, call))
				},
			})
		}
		return
	}
	if may {
		q.choices = append(q.choices, choice{words: "approve", do: func() {
			f.reply(b, protocol.Approve(b.TurnID, call), "approve "+f.callNameIn(b.Session, call))
		}})
	}
	q.choices = append(q.choices, choice{words: "deny", do: func() {
		f.reply(b, protocol.Deny(b.TurnID, call), "deny "+f.callNameIn(b.Session, call))
	}})
}

// unjudgeable says why a person cannot know here what a call would do, or "".
func unjudgeable(call *protocol.ToolCall) string {
	switch {
	case call.ToolInput.Ref != nil:
		return "what it is called with is kept elsewhere and was not fetched"
	case call.ToolInput.Text.Len() > maxArguments:
		return fmt.Sprintf("what it is called with is longer than %d bytes", maxArguments)
	}
	return ""
}

// tellCallFully tells all that a call is to be judged by.
func (f *front) tellCallFully(b protocol.Block) {
	call := b.ToolCall
	if title := call.ConfirmationTitle.String(); title != "" {
		f.out.block("| ", title)
	} else if words := call.InvocationMessage.String(); words != "" {
		f.out.block("| ", words)
	}
	f.field("tool", call.ToolName)
	if c := call.Contributor; c != nil && c.Kind == protocol.ContributorMcp {
		name := c.CustomizationID
		if s := f.view.Session(b.Session); s != nil {
			if srv, ok := protocol.ServerByID(s, c.CustomizationID); ok {
				name = srv.Name
			}
		}
		f.field("server", name)
	}
	f.field("purpose", call.Intention)
	if call.Edits != nil {
		for _, e := range call.Edits.Items {
			f.field("file", editWords(e))
		}
	}
	if risk := call.Risk(); risk != nil {
		words := risk.Reason.String()
		if risk.Safety != nil {
			words = join(fmt.Sprintf("safety %.0f %%", 100*max(0, min(*risk.Safety, 1))), words)
		}
		f.field("risk", words)
	}
	switch text := call.ToolInput.Text.String(); {
	case call.ToolInput.Ref != nil:
		f.field("arguments at", string(call.ToolInput.Ref.URI))
	case text == "":
		f.out.say("without arguments")
	default:
		text = pretty(text[:min(len(text), maxArguments)])
		f.out.sayf("arguments, %s:", count(strings.Count(text, "\n")+1, "line", "lines"))
		f.out.block("| ", text)
	}
}

// field tells a value of a peer's behind its name.
func (f *front) field(name, value string) {
	if value != "" {
		f.out.say(name + ": " + value)
	}
}

// editWords says what a call would do with a file.
func editWords(e *protocol.FileEdit) string {
	switch {
	case e == nil || e.Before == nil && e.After == nil:
		return "changes something"
	case e.Before == nil:
		return "creates " + string(e.After.URI)
	case e.After == nil:
		return "deletes " + string(e.Before.URI)
	case e.Before.URI != e.After.URI:
		return "moves " + string(e.Before.URI) + " to " + string(e.After.URI)
	}
	return "edits " + string(e.After.URI)
}

// pretty is JSON laid out for reading; what is no JSON stays as it is.
func pretty(text string) string {
	value := protocol.Raw(bytes.Clone([]byte(text)))
	if value.Indent(jsontext.WithIndent("  ")) != nil {
		return text
	}
	return string(value)
}

// askResult asks whether the agent may have a result.
func (f *front) askResult(q *question, b protocol.Block) {
	call := b.ToolCall
	q.tell = func() {
		f.out.say("question: " + f.blockWords(b))
		lines := outputLines(call, maxResult+1)
		for _, line := range lines[:min(len(lines), maxResult)] {
			f.out.block("| ", line)
		}
		if len(lines) > maxResult {
			f.out.sayf("only the first %d lines are told", maxResult)
		}
	}
	say := func(approved bool, verb string) choice {
		return choice{words: verb, do: func() {
			a := &protocol.ChatToolCallResultConfirmed{TurnID: b.TurnID, ToolCallID: call.ToolCallID, Approved: approved}
			f.reply(b, a, verb+" of "+f.callNameIn(b.Session, call))
		}}
	}
	q.choices = []choice{say(true, "use the result"), say(false, "refuse the result")}
}
