package linear

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"ahptui/protocol"
)

// command is what a word does.
type command struct {
	word, args, does string
	do               func(f *front, args string)
}

// commands are all words, in the order of the help.
func commands() []command {
	return []command{
		{"help", "", "tell the commands", func(f *front, _ string) { f.help() }},
		{"sessions", "", "tell the sessions by number", func(f *front, _ string) { f.tellSessions() }},
		{"open", "N", "follow the session of that number", (*front).open},
		{"blocks", "", "tell what waits for you by number", func(f *front, _ string) { f.listBlocks() }},
		{"answer", "N", "be asked about what waits under that number", (*front).goTo},
		{"again", "", "tell the open question again", func(f *front, _ string) { f.again() }},
		{"servers", "", "tell the MCP servers by number", func(f *front, _ string) { f.listServers() }},
		{"start", "N", "start the server of that number or name, or start it anew", (*front).start},
		{"restart", "N", "the same", (*front).start},
		{"stop", "N", "stop a server", (*front).stop},
		{"on", "N", "switch a server on", func(f *front, arg string) { f.toggle(arg, true) }},
		{"off", "N", "switch a server off", func(f *front, arg string) { f.toggle(arg, false) }},
		{"say", "TEXT", "send a message; without TEXT, the lines that follow are one, up to a line that is a dot: “.” sends it, “!” throws it away", (*front).say},
		{"cancel", "", "cancel the turn that is running", func(f *front, _ string) { f.cancel() }},
		{"last", "", "tell the last message of the agent again, whole", func(f *front, _ string) { f.last() }},
		{"result", "", "tell what the last tool call returned, whole", func(f *front, _ string) { f.result() }},
		{"giveup", "", "give up the sign-in that is under way", func(f *front, _ string) { f.giveUp() }},
		{"quit", "", "leave; what runs on the host goes on", func(f *front, _ string) { f.leaving = true }},
	}
}

// isWord reports whether a text is the word of a command.
func isWord(text string) bool {
	return slices.ContainsFunc(commands(), func(c command) bool { return c.word == text })
}

// take does what a line says.
func (f *front) take(line typed) {
	text := strings.TrimSpace(line.text)
	switch {
	case line.err != nil:
		f.out.say(line.err.Error())
	case f.message != nil:
		f.write(line.text)
	case f.form != nil && text != "quit":
		f.fill(line)
	case f.signInLine(line):
	case text == "":
	default:
		if n, err := strconv.Atoi(text); err == nil {
			f.answer(n, line.at)
			return
		}
		word, args, _ := strings.Cut(text, " ")
		for _, c := range commands() {
			if c.word == strings.ToLower(word) {
				c.do(f, strings.TrimSpace(args))
				return
			}
		}
		f.out.say("there is no command “" + word + "”, and nothing was sent: “say TEXT” sends a message, “help” tells the commands")
	}
}

func (f *front) help() {
	for _, c := range commands() {
		f.out.say(strings.TrimSpace(c.word+" "+c.args) + ": " + c.does)
	}
	f.out.sayf("a number chooses an answer of the open question; one that is typed within %s after it was asked is not taken", reading)
}

func (f *front) again() {
	if f.question == nil {
		f.out.say("nothing is asked: “blocks” tells what waits")
		return
	}
	f.ask(f.question)
}

func (f *front) open(arg string) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 || n > len(f.listedSessions) {
		f.out.say("“sessions” tells which there are, by number")
		return
	}
	f.openSession(f.listedSessions[n-1])
}

// say sends a message, or begins one of several lines.
func (f *front) say(text string) {
	if text == "" {
		f.message = &[]string{}
		f.out.say("type the message; a line that is “.” sends it, “!” throws it away")
		return
	}
	f.send(text)
}

// write takes a line of a message. None of it is an answer or a command.
func (f *front) write(text string) {
	switch strings.TrimSpace(text) {
	case ".":
		message := strings.Join(*f.message, "\n")
		f.message = nil
		f.send(message)
	case "!":
		f.message = nil
		f.out.say("thrown away")
	default:
		*f.message = append(*f.message, text)
	}
}

// send sends a message: as a turn, or into the queue while one is running.
func (f *front) send(text string) {
	chat := f.view.Chat(f.chat.uri)
	switch {
	case strings.TrimSpace(text) == "":
		f.out.say("there is nothing to send")
		return
	case !f.connected():
		return
	case chat == nil:
		f.out.say("no chat is open: nothing was sent")
		return
	case f.readOnly():
		f.out.say("this chat is read-only: nothing was sent")
		return
	}
	id := uuid.NewString()
	unsent := func() { f.out.block("not sent: ", text) }
	if chat.ActiveTurn != nil {
		if f.dispatch(f.chat.uri, protocol.QueueMessage(f.version(), id, protocol.UserMessage(text)), "queue the message", unsent) {
			f.out.say("a turn is running: the message is queued")
		}
		return
	}
	f.dispatch(f.chat.uri, protocol.StartTurn(f.version(), id, text, f.now()), "send the message", unsent)
}

// readOnly reports whether nothing can be said in the chat.
func (f *front) readOnly() bool {
	s := f.view.Session(f.current)
	return s != nil && slices.ContainsFunc(s.Chats, func(c *protocol.ChatSummary) bool {
		return c.Resource == f.chat.uri && c.Interactivity == protocol.InteractivityReadOnly
	})
}

// cancel cancels the turn that is running.
func (f *front) cancel() {
	chat := f.view.Chat(f.chat.uri)
	switch {
	case chat == nil || chat.ActiveTurn == nil:
		f.out.say("no turn is running")
	case f.connected():
		took := f.now().Sub(f.chat.turn.began)
		f.dispatch(f.chat.uri, protocol.CancelTurn(f.version(), chat.ActiveTurn.ID, took), "cancel the turn", nil)
	}
}
