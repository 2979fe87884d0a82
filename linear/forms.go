package linear

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ahptui/protocol"
)

// form is questions of the agent that are being answered, one after the other.
type form struct {
	block   protocol.Block
	at      int // the question that is open
	answers map[string]*protocol.ChatInputAnswer
	shown   time.Time // when that was told
}

// askInput asks whether questions of the agent are to be answered.
func (f *front) askInput(q *question, b protocol.Block) {
	in := b.Input
	q.tell = func() {
		f.out.say("question: " + f.blockWords(b))
		if in.Message != "" {
			f.out.block("| ", in.Message)
		}
		if in.URL != "" {
			f.out.say("it asks you to open this address, whose host nobody vouches for:")
			f.out.url(string(in.URL))
		}
	}
	respond := func(words, response string) choice {
		return choice{words: words, do: func() {
			f.reply(b, protocol.Answer(in, response, nil), words)
		}}
	}
	if len(in.Questions) > 0 {
		q.choices = append(q.choices, choice{words: "answer", do: func() { f.beginForm(b) }})
	} else {
		q.choices = append(q.choices, respond("say that it is done", protocol.ResponseAccept))
	}
	q.choices = append(q.choices, respond("decline", protocol.ResponseDecline), respond("cancel", protocol.ResponseCancel))
}

// beginForm asks the first question.
func (f *front) beginForm(b protocol.Block) {
	f.question = nil
	f.form = &form{block: b, answers: map[string]*protocol.ChatInputAnswer{}}
	f.out.say("type each answer in a line; /skip leaves one out, /back goes back, /stop gives up")
	f.askField()
}

// askField tells the question that is open.
func (f *front) askField() {
	form := f.form
	in := form.block.Input
	if form.at >= len(in.Questions) {
		f.confirmForm()
		return
	}
	q := in.Questions[form.at]
	f.out.say(join(fmt.Sprintf("%d of %d", form.at+1, len(in.Questions)), q.Title))
	f.out.block("| ", q.Message)
	for i, o := range q.Options {
		words := fmt.Sprintf("%d %s", i+1, o.Label)
		if o.Description != "" {
			words += ", " + o.Description
		}
		if o.Recommended != nil && *o.Recommended {
			words += " (recommended)"
		}
		f.out.say(words)
	}
	f.out.say(wanted(q))
	form.shown = f.now()
}

// wanted says what is to be typed.
func wanted(q *protocol.ChatInputQuestion) string {
	words := "a text"
	switch q.Kind {
	case protocol.QuestionNumber:
		words = "a number"
	case protocol.QuestionInteger:
		words = "a whole number"
	case protocol.QuestionBoolean:
		words = "yes or no"
	case protocol.QuestionSingleSelect:
		words = "the number of one choice"
	case protocol.QuestionMultiSelect:
		words = "the numbers of choices, with spaces between them"
	}
	if q.AllowFreeformInput != nil && *q.AllowFreeformInput {
		words += ", or words of your own"
	}
	if q.Format != "" {
		words += ", of the form " + q.Format
	}
	if q.Min != nil {
		words += fmt.Sprintf(", at least %v", *q.Min)
	}
	if q.Max != nil {
		words += fmt.Sprintf(", at most %v", *q.Max)
	}
	if q.Required != nil && *q.Required {
		words += ", needed"
	}
	return "wanted: " + words
}

// fill takes a line of a form.
func (f *front) fill(line typed) {
	form := f.form
	if line.at.Before(form.shown.Add(reading)) {
		form.shown = f.now()
		f.out.say("not taken as an answer: the question had only just come. Type it again")
		return
	}
	q := form.block.Input.Questions[form.at]
	var answer *protocol.ChatInputAnswer
	switch strings.TrimSpace(line.text) {
	case "/stop":
		f.form = nil
		f.out.say("given up; nothing was sent")
		f.putOff(form.block.ID)
		return
	case "/back":
		form.at = max(0, form.at-1)
		f.askField()
		return
	case "/skip":
		answer = protocol.SkippedAnswer()
	default:
		var why string
		if answer, why = parse(q, line.text); why != "" {
			f.out.say("not taken: " + why)
			return
		}
	}
	if err := q.Check(answer); err != nil {
		f.out.say("not taken: " + err.Error())
		return
	}
	form.answers[q.ID] = answer
	form.at++
	f.askField()
}

// parse reads an answer as a question wants it; why says what is wrong with it.
func parse(q *protocol.ChatInputQuestion, text string) (answer *protocol.ChatInputAnswer, why string) {
	const given = protocol.AnswerSubmitted
	word := strings.TrimSpace(text)
	switch q.Kind {
	case protocol.QuestionNumber, protocol.QuestionInteger:
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, "a number is wanted"
		}
		return protocol.NumberAnswer(given, n), ""
	case protocol.QuestionBoolean:
		switch strings.ToLower(word) {
		case "yes", "y", "true":
			return protocol.BooleanAnswer(given, true), ""
		case "no", "n", "false":
			return protocol.BooleanAnswer(given, false), ""
		}
		return nil, "yes or no is wanted"
	case protocol.QuestionSingleSelect, protocol.QuestionMultiSelect:
		return parseChoice(q, word)
	}
	return protocol.TextAnswer(given, text), ""
}

func parseChoice(q *protocol.ChatInputQuestion, word string) (answer *protocol.ChatInputAnswer, why string) {
	const given = protocol.AnswerSubmitted
	var ids []string
	for _, field := range strings.Fields(strings.ReplaceAll(word, ",", " ")) {
		n, err := strconv.Atoi(field)
		if err != nil {
			if q.AllowFreeformInput == nil || !*q.AllowFreeformInput {
				return nil, "the number of a choice is wanted"
			}
			if q.Kind == protocol.QuestionSingleSelect {
				return protocol.SelectedAnswer(given, "", word), ""
			}
			return protocol.SelectedManyAnswer(given, nil, word), ""
		}
		if n < 1 || n > len(q.Options) {
			return nil, fmt.Sprintf("there is no choice %d", n)
		}
		if id := q.Options[n-1].ID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	switch {
	case q.Kind == protocol.QuestionMultiSelect:
		return protocol.SelectedManyAnswer(given, ids), ""
	case len(ids) != 1:
		return nil, "one choice is wanted"
	}
	return protocol.SelectedAnswer(given, ids[0]), ""
}

// confirmForm asks whether the answers are to be sent.
func (f *front) confirmForm() {
	form := f.form
	b := form.block
	f.form = nil
	f.ask(&question{
		block: b.ID, about: f.blockWords(b), content: contentOf(b),
		tell: func() { f.out.sayf("all %d are answered", len(b.Input.Questions)) },
		choices: []choice{
			{words: "send the answers", do: func() {
				f.reply(b, protocol.Answer(b.Input, protocol.ResponseAccept, form.answers), "send the answers")
			}},
			{words: "begin again", do: func() { f.beginForm(b) }},
			{words: "decline", do: func() { f.reply(b, protocol.Answer(b.Input, protocol.ResponseDecline, nil), "decline") }},
			{words: "later", do: func() { f.putOff(b.ID) }},
		},
	})
}
