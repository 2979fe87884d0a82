package linear

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"ahptui/auth"
	"ahptui/protocol"
)

// question is what a line that is a number answers: one at a time.
type question struct {
	block   string // the id of the block that it is about; empty: a sign-in's own
	about   string // what that is, in words
	content []byte // what is asked, to tell when that changes
	tell    func() // tells it, without the choices
	choices []choice
	shown   time.Time
}

// choice is one answer.
type choice struct {
	words  string
	theirs bool // the words are a peer's
	do     func()
}

// ask tells a question with its choices. From here on it can be answered, but not
// at once.
func (f *front) ask(q *question) {
	f.question = q
	q.tell()
	var own []string
	for i, c := range q.choices {
		words := strconv.Itoa(i+1) + " " + c.words
		if c.theirs {
			f.out.say(words)
		} else {
			own = append(own, words)
		}
	}
	f.out.say("choose: " + strings.Join(own, "  "))
	q.shown = f.now() // when all of it is out
}

// answer takes a number. One that was on its way when the question came is none,
// and neither is one that comes right after that.
func (f *front) answer(n int, at time.Time) {
	q := f.question
	switch {
	case q == nil:
		f.out.say("nothing is asked: “blocks” tells what waits")
	case at.Before(q.shown.Add(reading)):
		q.shown = f.now()
		f.out.say("not taken as an answer: the question had only just come. Choose again")
	case n < 1 || n > len(q.choices):
		f.out.sayf("there is no choice %d", n)
	default:
		q.choices[n-1].do()
	}
}

// blockLog is what is known of what waits.
type blockLog struct {
	told  map[string]bool // by id: it was told that it waits
	later map[string]bool // the person does not want to decide it now
}

// waiting is everything that waits, what is in the followed session first and
// else what has waited longest.
func (f *front) waiting() []protocol.Block {
	list := f.view.Blocked()
	for _, r := range f.view.Auth {
		if !r.Asked.IsZero() && r.Resource != nil {
			list = append(list, hostBlock(r))
		}
	}
	slices.SortStableFunc(list, func(a, b protocol.Block) int {
		if here := a.Session == f.current; here != (b.Session == f.current) {
			if here {
				return -1
			}
			return 1
		}
		x, known := f.view.Ages.Since(a.ID)
		y, both := f.view.Ages.Since(b.ID)
		if !known || !both {
			return 0
		}
		return x.Compare(y)
	})
	return list
}

// review keeps the question in step with what waits, and asks the next one.
func (f *front) review() {
	list := f.waiting()
	f.tellGone(list)
	f.checkQuestion(list)
	for _, b := range list {
		if f.question == nil && f.signIn == nil && f.form == nil && f.message == nil && !f.blocks.later[b.ID] && f.askable(b) {
			f.blocks.note(b.ID)
			f.askBlock(b)
			continue
		}
		if !f.blocks.told[b.ID] && f.question != nil && f.question.block != b.ID && f.askable(b) {
			f.blocks.note(b.ID)
			f.out.sayf("also waiting: %s", f.blockWords(b))
		}
	}
}

func (l *blockLog) note(id string) {
	if l.told == nil {
		l.told = map[string]bool{}
	}
	l.told[id] = true
}

// tellGone forgets what does not wait any more.
func (f *front) tellGone(list []protocol.Block) {
	there := func(id string) bool {
		return slices.ContainsFunc(list, func(b protocol.Block) bool { return b.ID == id })
	}
	for id := range f.blocks.told {
		if !there(id) {
			delete(f.blocks.told, id)
			delete(f.blocks.later, id)
		}
	}
	if f.form != nil && !there(f.form.block.ID) {
		f.form = nil
		f.out.say("the agent does not wait for the answers any more")
	}
	// The same may be asked for by a server first, and then by a call of it.
	if s := f.signIn; s != nil && s.grant == nil && f.wants()[s.challenge.Key()] == nil {
		f.out.say("it does not wait for access any more")
		f.endSignIn()
	}
}

// checkQuestion takes back a question that is none any more, and asks anew what has
// changed: an answer is to what was told.
func (f *front) checkQuestion(list []protocol.Block) {
	q := f.question
	if q == nil || q.block == "" {
		return
	}
	i := slices.IndexFunc(list, func(b protocol.Block) bool { return b.ID == q.block })
	switch {
	case i < 0:
		f.question = nil
		f.out.say("does not wait any more: " + q.about)
	case !bytes.Equal(q.content, contentOf(list[i])):
		f.out.say("the question has changed:")
		f.askBlock(list[i])
	}
}

// contentOf is all that a block asks.
func contentOf(b protocol.Block) []byte {
	var all []byte
	for _, v := range []any{b.ToolCall, b.Input, b.Auth} {
		data, err := protocol.Marshal(v)
		if err != nil {
			data = []byte(err.Error())
		}
		all = append(append(all, data...), '\n')
	}
	return all
}

// askable reports whether a block can be asked about now: its chat is there, and
// nobody but the person can do anything about it.
func (f *front) askable(b protocol.Block) bool {
	if b.Chat != "" && f.view.Channels[b.Chat] == nil {
		f.opts.Host.Open(b.Chat, protocol.ChatKind)
		return false
	}
	if c := f.view.Channels[b.Chat]; b.Chat != "" && c.State == nil && c.Err == nil {
		return false // it is being opened
	}
	return b.Auth == nil || f.needsPerson(b)
}

// blockWords is what waits, in a line.
func (f *front) blockWords(b protocol.Block) string {
	words := "something that this program does not know"
	switch {
	case b.Kind == protocol.BlockConfirmation:
		words = f.callNameIn(b.Session, b.ToolCall) + " asks to run"
	case b.Kind == protocol.BlockResult:
		words = "the result of " + f.callNameIn(b.Session, b.ToolCall) + " wants a yes"
	case b.Kind == protocol.BlockToolAuth:
		words = f.callNameIn(b.Session, b.ToolCall) + " needs access"
	case b.Kind == protocol.BlockInput && len(b.Input.Questions) == 0 && b.Input.URL != "":
		words = "the agent asks you to open an address"
	case b.Kind == protocol.BlockInput && len(b.Input.Questions) == 0:
		words = "the agent asks for your word"
	case b.Kind == protocol.BlockInput:
		words = "the agent has " + count(len(b.Input.Questions), "question", "questions")
	case b.Server != nil:
		words = "server " + b.Server.Name + " needs access"
	case b.Kind == protocol.BlockServerAuth:
		words = "the host needs access"
	}
	if b.Session != "" && b.Session != f.current {
		words += ", in session " + f.title(b.Session)
	}
	return words
}

// listBlocks tells what waits by number.
func (f *front) listBlocks() {
	list := f.waiting()
	f.listedBlocks = f.listedBlocks[:0]
	if len(list) == 0 {
		f.out.say("nothing waits for you")
	}
	for i, b := range list {
		f.listedBlocks = append(f.listedBlocks, b.ID)
		mark := ""
		if f.question != nil && f.question.block == b.ID {
			mark = " (asked now)"
		}
		f.out.sayf("waiting %d: %s%s", i+1, f.blockWords(b), mark)
	}
	for _, s := range f.view.Sessions {
		if s.Status.NeedsInput() && f.view.Session(s.Resource) == nil {
			f.out.sayf("something waits in session %s: open it", sessionTitle(s.Title))
		}
	}
}

// goTo asks about what waits under a number.
func (f *front) goTo(arg string) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 || n > len(f.listedBlocks) {
		f.out.say("“blocks” tells what waits, by number")
		return
	}
	if f.signIn != nil || f.form != nil {
		f.out.say("finish what you are at, or give it up, first")
		return
	}
	for _, b := range f.waiting() {
		if b.ID == f.listedBlocks[n-1] {
			delete(f.blocks.later, b.ID)
			if f.askable(b) {
				f.askBlock(b)
			} else {
				f.question = nil // it comes as soon as it can be asked
			}
			return
		}
	}
	f.out.sayf("%d does not wait any more", n)
}

// askBlock asks about a block.
func (f *front) askBlock(b protocol.Block) {
	q := &question{block: b.ID, about: f.blockWords(b), content: contentOf(b)}
	later := choice{words: "later", do: func() { f.putOff(b.ID) }}
	switch b.Kind {
	case protocol.BlockConfirmation:
		f.askCall(q, b)
	case protocol.BlockResult:
		f.askResult(q, b)
	case protocol.BlockToolAuth, protocol.BlockServerAuth:
		f.askAccess(q, b)
	case protocol.BlockInput:
		f.askInput(q, b)
	default:
		q.tell = func() { f.out.say("question: " + f.blockWords(b)) }
	}
	q.choices = append(q.choices, later)
	f.ask(q)
}

// putOff leaves something waiting.
func (f *front) putOff(id string) {
	if f.blocks.later == nil {
		f.blocks.later = map[string]bool{}
	}
	f.blocks.later[id] = true
	f.question = nil
	f.out.say("left waiting: “blocks” and “answer” come back to it")
	f.review()
}

// reply answers what is asked by an action.
func (f *front) reply(b protocol.Block, a protocol.Action, what string) {
	if !f.connected() {
		return
	}
	if f.dispatch(b.Chat, a, what, nil) {
		f.question = nil
		f.out.say("asked to " + what)
	}
}

// key is what a token for a block would be for.
func (f *front) key(b protocol.Block) auth.Key {
	if b.Auth == nil || b.Auth.Resource == nil {
		return auth.Key{Host: f.opts.Identity.ID}
	}
	return auth.Key{Host: f.opts.Identity.ID, Resource: b.Auth.Resource.Resource}
}
