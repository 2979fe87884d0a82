package linear

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ahptui/protocol"
)

// chatLog is how much of the chat was told.
type chatLog struct {
	uri   protocol.URI
	state *protocol.ChatState // that was looked at last; nil: none yet
	done  string              // the id of the last turn that is over
	turn  turnLog             // the one after it

	failed string // why the session does not open, as it was told
}

// turnLog is how much of a turn was told.
type turnLog struct {
	id    string
	began time.Time
	parts []partLog
}

// partLog is how much of a part was told.
type partLog struct {
	printed int // bytes of its text
	told    bool
	status  protocol.ToolCallStatus
	since   time.Time // when the call began to run
}

// tellChat tells what is new in the chat that is followed.
func (f *front) tellChat() {
	chat := f.view.Chat(f.chat.uri)
	if chat == nil || chat == f.chat.state {
		return
	}
	first := f.chat.state == nil
	f.chat.state = chat
	f.out.muted = first // what was there before is not told as if it were new
	for _, t := range f.overSince(chat.Turns, first) {
		f.narrate(t, true)
		f.chat.done = t.ID
	}
	if chat.ActiveTurn != nil {
		f.narrate(chat.ActiveTurn, false)
	}
	if f.out.muted = false; first {
		f.tellPlace(chat)
	}
}

// tellPlace tells where a chat is that is followed from here on.
func (f *front) tellPlace(chat *protocol.ChatState) {
	turns := count(len(chat.Turns), "turn", "turns")
	if chat.TurnsNextCursor != "" {
		turns = "the last " + turns
	}
	if t := chat.ActiveTurn; t != nil {
		f.out.sayf("after %s, one is running: %s", turns, speaker(t.Message))
		return
	}
	f.out.sayf("after %s, nothing is running", turns)
}

// overSince are the turns that are over and were not when the chat was looked at
// before.
func (f *front) overSince(turns []*protocol.Turn, first bool) []*protocol.Turn {
	if first {
		if n := len(turns); n > 0 {
			f.chat.done = turns[n-1].ID
		}
		return nil
	}
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].ID == f.chat.done {
			return turns[i+1:]
		}
	}
	return turns[max(0, len(turns)-1):] // it was cut off: the last one is what is new
}

// narrate tells what is new in a turn.
func (f *front) narrate(t *protocol.Turn, over bool) {
	log := &f.chat.turn
	if log.id != t.ID {
		*log = turnLog{id: t.ID, began: f.now()}
		f.out.sayf("turn began: %s", speaker(t.Message))
	}
	for i, part := range t.ResponseParts {
		if i == len(log.parts) {
			log.parts = append(log.parts, partLog{})
		}
		if part != nil && (part.Kind != protocol.PartError || t.State != protocol.TurnError) { // else it is told as the end
			f.tellPart(&log.parts[i], part, over || i < len(t.ResponseParts)-1)
		}
	}
	if over {
		f.tellEnd(t)
		f.chat.turn = turnLog{}
	}
}

func speaker(m *protocol.Message) string {
	if m == nil {
		return "(no message)"
	}
	who := "you"
	if kind := m.Origin.Kind; kind != "" && kind != protocol.OriginUser {
		who = kind
	}
	text := m.Text.String()
	if n := len(m.Attachments); n > 0 {
		text += " (" + count(n, "attachment", "attachments") + ")"
	}
	return who + ": " + text
}

// tellEnd tells how a turn ended.
func (f *front) tellEnd(t *protocol.Turn) {
	after := f.now().Sub(f.chat.turn.began)
	if t.Duration != nil {
		after = time.Duration(*t.Duration * float64(time.Millisecond))
	}
	switch t.State {
	case protocol.TurnCancelled:
		f.out.say("turn cancelled")
	case protocol.TurnError:
		err, resumable := t.Failure()
		words := "turn failed"
		if err != nil {
			words = join(words, err.Message)
		}
		if resumable {
			words += " (it can be resumed)"
		}
		f.out.say(words)
	default:
		f.out.sayf("turn ended after %s", took(after))
	}
}

// tellPart tells what is new in a part. whole says that nothing more comes of its
// text.
func (f *front) tellPart(log *partLog, part *protocol.ResponsePart, whole bool) {
	once := func(words string) {
		if !log.told {
			log.told = true
			f.out.say(words)
		}
	}
	switch part.Kind {
	case protocol.PartMarkdown:
		f.tellText(log, part.Content.String(), whole)
	case protocol.PartReasoning:
		once("agent is thinking")
	case protocol.PartSystemNotification:
		if whole || part.Content.Text.Len() > 0 {
			once("note: " + part.Content.String())
		}
	case protocol.PartToolCall:
		if part.ToolCall != nil {
			f.tellCall(log, part.ToolCall)
		}
	case protocol.PartInputRequest:
		if !part.Open() && part.Request != nil {
			once(join("question of the agent answered", part.Response))
		}
	case protocol.PartError:
		if part.Error != nil {
			once("error: " + part.Error.Message)
		}
	case protocol.PartContentRef:
		once("agent refers to a content that is kept elsewhere")
	}
}

// tellText tells the whole sentences of a text that were not told yet.
func (f *front) tellText(log *partLog, text string, whole bool) {
	if log.printed > len(text) { // it was replaced
		log.printed = 0
	}
	end := len(text)
	if !whole {
		end = log.printed + sentences(text[log.printed:])
	}
	fresh := text[log.printed:end]
	log.printed = end
	if strings.TrimSpace(fresh) == "" {
		return
	}
	for _, line := range strings.Split(strings.Trim(fresh, "\n"), "\n") {
		if strings.TrimSpace(line) != "" {
			f.out.block("agent: ", strings.TrimRight(line, " "))
		}
	}
}

// maxSentence is how much of a text without an end is waited for, in bytes.
const maxSentence = 2000

// sentences is how much of a text that goes on is whole: up to the last end of a
// line or of a sentence.
func sentences(s string) int {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	end := 0
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		switch r {
		case '.', '!', '?':
			if next < len(s) && s[next] == ' ' {
				end = next + 1
			}
		case '。', '！', '？':
			end = next
		}
	}
	if end == 0 && len(s) > maxSentence {
		end = strings.LastIndexByte(s[:maxSentence], ' ') + 1
		for end == 0 || !utf8.RuneStart(s[min(end, len(s)-1)]) {
			end = max(end, maxSentence) + 1
		}
	}
	return min(end, len(s))
}

// tellCall tells that a tool call began, ended, or was decided about. That it waits
// is told by the question.
func (f *front) tellCall(log *partLog, call *protocol.ToolCall) {
	if log.status == call.Status {
		return
	}
	before := log.status
	log.status = call.Status
	name := f.callName(call)
	if call.Status.Ended() {
		f.tellCallEnd(log, call, name)
		return
	}
	switch call.Status {
	case protocol.ToolRunning:
		if log.since.IsZero() {
			log.since = f.now()
		}
		if before == protocol.ToolAuthRequired {
			f.out.sayf("tool %s goes on", name)
			return
		}
		f.out.say(join("tool "+name+" started", inputLine(call)))
	case protocol.ToolAuthRequired:
		f.out.sayf("tool %s needs access", name)
	case protocol.ToolPendingConfirmation:
		f.out.say(join("tool "+name+" asks to run", inputLine(call)))
	case protocol.ToolPendingResultConfirmation:
		f.out.sayf("tool %s has a result that waits for a yes", name)
	case protocol.ToolStreaming, protocol.ToolCompleted, protocol.ToolCancelled:
	}
}

// tellCallEnd tells how a call ended, with the beginning of what it returned.
func (f *front) tellCallEnd(log *partLog, call *protocol.ToolCall, name string) {
	f.lastCall = call
	after := ""
	if !log.since.IsZero() {
		after = " after " + took(f.now().Sub(log.since))
	}
	switch {
	case call.Status == protocol.ToolCancelled:
		f.out.say(join("tool "+name+" did not run", call.Reason, call.ReasonMessage.String()))
	case call.Error != nil:
		f.out.say(join("tool "+name+" failed"+after, call.Error.Message))
	case call.Success != nil && !*call.Success:
		f.out.say(join("tool "+name+" failed"+after, beginning(call)))
	default:
		f.out.say(join("tool "+name+" done"+after, beginning(call)))
	}
}

// callName is the tool of the followed session behind its server, or as the host
// displays it.
func (f *front) callName(call *protocol.ToolCall) string { return f.callNameIn(f.current, call) }

// callNameIn is callName for another session.
func (f *front) callNameIn(session protocol.URI, call *protocol.ToolCall) string {
	if c := call.Contributor; c != nil && c.Kind == protocol.ContributorMcp {
		if s := f.view.Session(session); s != nil {
			if srv, ok := protocol.ServerByID(s, c.CustomizationID); ok && !strings.HasPrefix(call.ToolName, srv.Name+".") {
				return srv.Name + "." + call.ToolName
			}
		}
	}
	if call.DisplayName != "" {
		return call.DisplayName
	}
	return call.ToolName
}

// inputLine is what a call is called with, for a line.
func inputLine(call *protocol.ToolCall) string {
	if ref := call.ToolInput.Ref; ref != nil {
		return string(ref.URI)
	}
	const enough = 4 * maxEvent
	text := call.ToolInput.Text.String()
	return strings.Join(strings.Fields(text[:min(len(text), enough)]), " ")
}

// fewLines is how many lines of a result are told without being asked for.
const fewLines = 3

// beginning is the first lines of what a call returned.
func beginning(call *protocol.ToolCall) string {
	lines := outputLines(call, fewLines+1)
	words := strings.Join(lines[:min(len(lines), fewLines)], " / ")
	switch {
	case len(lines) > fewLines:
		return words + " / and more: “result” tells all"
	case len(lines) == 0:
		return call.PastTenseMessage.String()
	}
	return words
}

// outputLines are the lines of what a call returned that hold something, up to a
// number.
func outputLines(call *protocol.ToolCall, most int) []string {
	var lines []string
	for _, c := range call.Content {
		if c == nil {
			continue
		}
		text := c.Text.String()
		if c.Type != protocol.ContentText {
			text = join(fmt.Sprintf("[%s]", c.Type), c.Title, string(c.Resource), string(c.URI))
		}
		for line := range strings.SplitSeq(text, "\n") {
			if len(lines) == most {
				return lines
			}
			if strings.TrimSpace(line) != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// last tells the last message of the agent.
func (f *front) last() {
	chat := f.view.Chat(f.chat.uri)
	if chat == nil {
		f.out.say("no chat is open")
		return
	}
	turns := chat.Turns
	if chat.ActiveTurn != nil {
		turns = append(turns[:len(turns):len(turns)], chat.ActiveTurn)
	}
	for i := len(turns) - 1; i >= 0; i-- {
		said := false
		for _, part := range turns[i].ResponseParts {
			if part != nil && part.Kind == protocol.PartMarkdown && part.Content.Text.Len() > 0 {
				f.out.block("agent: ", part.Content.String())
				said = true
			}
		}
		if said {
			return
		}
	}
	f.out.say("the agent has said nothing yet")
}

// maxResult is how many lines of a result are told when they are asked for.
const maxResult = 500

// result tells what the tool call returned that ended last.
func (f *front) result() {
	call := f.lastCall
	if call == nil {
		f.out.say("no tool call has ended yet")
		return
	}
	f.out.sayf("result of %s", f.callName(call))
	if call.Error != nil {
		f.out.block("| ", call.Error.Message)
	}
	lines := outputLines(call, maxResult+1)
	for _, line := range lines[:min(len(lines), maxResult)] {
		f.out.block("| ", line)
	}
	switch {
	case len(lines) > maxResult:
		f.out.sayf("only the first %d lines are told", maxResult)
	case len(lines) == 0 && call.StructuredContent != nil:
		f.out.block("| ", string(call.StructuredContent))
	case len(lines) == 0 && call.Error == nil:
		f.out.say("it returned nothing")
	}
}
