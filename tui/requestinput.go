package tui

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
)

// Bounds of what is shown of a request.
const (
	maxQuestions = 200
	maxOptions   = 2000
	maxMessage   = 4000 // columns of a message
)

// The ids of the two options of a question of kind boolean.
const (
	yes = "true"
	no  = "false"
)

// requestInput maps a request and what was written for its form.
func (m *Model) requestInput(f *requestForm) prompt.RequestInput {
	in := f.questions()
	in.Questions = slices.Clone(in.Questions)
	in.Title = safetext.Const("Questions of the agent")
	if len(in.Questions) == 0 {
		in.Title = safetext.Const("The agent asks you to look at something")
	}
	in.Message = safetext.CleanBlock(f.asked.Message, maxMessage)
	in.Notice, in.Alarming, in.Closed = f.notice, f.alarm, !f.over.Empty()
	if in.Closed {
		in.Notice, in.Alarming = f.over, true
	} else if why := m.offline(); in.Notice.Empty() && !why.Empty() {
		in.Notice = safetext.Const("not connected: what you write stays, and can be sent later")
	}
	in.CanOpen = m.conn != nil && m.conn.Opener != nil
	for i := range in.Questions {
		q := &in.Questions[i]
		q.Wrong = f.wrong[q.ID]
		if w := f.written[q.ID]; w != nil {
			q.Note = m.answerNote(*q, w)
			in.CanSwap = in.CanSwap || w.aside != nil && q.ID == f.view.At()
		}
	}
	return in
}

// answerNote says who wrote what stands at a question, if that is not the person.
func (m *Model) answerNote(q prompt.Question, w *fieldState) safetext.Text {
	key := m.keyName(keymap.AnswerSwap)
	switch {
	case w.aside != nil && w.theirs:
		return safetext.Concat(safetext.Const("another client wrote: "), answerWords(q, *w.aside), safetext.Const(" ("), key, safetext.Const(" takes it)"))
	case w.aside != nil:
		return safetext.Concat(safetext.Const("another client wrote this; yours was: "), answerWords(q, *w.aside), safetext.Const(" ("), key, safetext.Const(" brings it back)"))
	case !w.mine && w.remote != nil:
		return safetext.Const("from a draft that the host has")
	}
	return safetext.Text{}
}

// answerWords is an answer in a line.
func answerWords(q prompt.Question, a prompt.Answer) safetext.Text {
	const most = 60
	var words []string
	for _, id := range a.Chosen {
		word := id
		if i := slices.IndexFunc(q.Options, func(o prompt.Option) bool { return o.ID == id }); i >= 0 {
			word = q.Options[i].Label.String()
		}
		words = append(words, word)
	}
	if a.Typed != "" {
		words = append(words, a.Typed)
	}
	if len(words) == 0 {
		return safetext.Const("nothing")
	}
	return safetext.Clean(strings.Join(words, ", "), most)
}

// questionsOf maps the questions of a request. Of those with the same id only the
// first can be answered.
func questionsOf(r *protocol.ChatInputRequest) []prompt.Question {
	list := make([]prompt.Question, 0, min(len(r.Questions), maxQuestions))
	seen := map[string]bool{}
	for _, q := range r.Questions {
		if q == nil || seen[q.ID] || len(list) == maxQuestions {
			continue
		}
		seen[q.ID] = true
		list = append(list, prompt.Question{
			ID: q.ID, Asked: askedBy(q), Title: titleOf(q), Message: safetext.CleanBlock(q.Message, maxMessage), Hint: hintOf(q),
			Required: isTrue(q.Required), Options: optionsOf(q), Freeform: freeform(q),
		})
	}
	return list
}

// titleOf is the title of a question, if it says something that the message does not.
func titleOf(q *protocol.ChatInputQuestion) safetext.Text {
	if q.Title == q.Message {
		return safetext.Text{}
	}
	return clean(q.Title)
}

func askedBy(q *protocol.ChatInputQuestion) prompt.Asked {
	switch q.Kind {
	case protocol.QuestionText, protocol.QuestionNumber, protocol.QuestionInteger:
		return prompt.AskedTyped
	case protocol.QuestionBoolean, protocol.QuestionSingleSelect:
		return prompt.AskedOne
	case protocol.QuestionMultiSelect:
		return prompt.AskedMany
	}
	return prompt.AskedUnknown
}

func freeform(q *protocol.ChatInputQuestion) bool {
	return isTrue(q.AllowFreeformInput) && (q.Kind == protocol.QuestionSingleSelect || q.Kind == protocol.QuestionMultiSelect)
}

func optionsOf(q *protocol.ChatInputQuestion) []prompt.Option {
	switch q.Kind {
	case protocol.QuestionBoolean:
		return []prompt.Option{{ID: yes, Label: safetext.Const("yes"), Letter: "y"}, {ID: no, Label: safetext.Const("no"), Letter: "n"}}
	case protocol.QuestionSingleSelect, protocol.QuestionMultiSelect:
	default:
		return nil
	}
	list := make([]prompt.Option, 0, min(len(q.Options), maxOptions))
	for _, o := range q.Options {
		if o != nil && len(list) < maxOptions {
			list = append(list, prompt.Option{ID: o.ID, Label: clean(o.Label), Description: clean(o.Description), Recommended: isTrue(o.Recommended)})
		}
	}
	return list
}

// offers reports whether an id is that of an option.
func offers(q *protocol.ChatInputQuestion, id string) bool {
	if q.Kind == protocol.QuestionBoolean {
		return id == yes || id == no
	}
	return slices.ContainsFunc(q.Options, func(o *protocol.ChatInputOption) bool { return o != nil && o.ID == id })
}

func isTrue(b *bool) bool { return b != nil && *b }

// hintOf says what an answer has to be.
func hintOf(q *protocol.ChatInputQuestion) safetext.Text {
	switch q.Kind {
	case protocol.QuestionText:
		format := map[string]string{
			"": "", protocol.FormatEmail: "an e-mail address", protocol.FormatURI: "a whole URI, such as https://example.com/",
			protocol.FormatDate: "a date, such as 2026-12-31", protocol.FormatDateTime: "a date and a time, such as 2026-12-31T18:00:00Z",
		}
		words, known := format[q.Format]
		if !known {
			words = "in the format " + q.Format
		}
		return own(strings.TrimPrefix(words+rangeWords(q, ", ", " characters"), ", "))
	case protocol.QuestionNumber:
		return own("a number" + rangeWords(q, " ", ""))
	case protocol.QuestionInteger:
		return own("a whole number" + rangeWords(q, " ", ""))
	case protocol.QuestionMultiSelect:
		return own(strings.TrimPrefix(rangeWords(q, ", ", " of these"), ", "))
	}
	return safetext.Text{}
}

// rangeWords words the bounds of a question.
func rangeWords(q *protocol.ChatInputQuestion, before, of string) string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch {
	case q.Min != nil && q.Max != nil:
		return before + "from " + number(*q.Min) + " to " + number(*q.Max) + of
	case q.Min != nil:
		return ", at least " + number(*q.Min) + of
	case q.Max != nil:
		return ", at most " + number(*q.Max) + of
	}
	return ""
}

// defaultOf is what stands at a question before anybody has written there.
func defaultOf(q *protocol.ChatInputQuestion) prompt.Answer {
	var value any
	if q.DefaultValue == nil || protocol.Unmarshal(q.DefaultValue, &value) != nil {
		return prompt.Answer{}
	}
	switch value := value.(type) {
	case string:
		if q.Kind == protocol.QuestionText {
			return prompt.Answer{Typed: value}
		}
		if q.Kind == protocol.QuestionSingleSelect && offers(q, value) {
			return prompt.Answer{Chosen: []string{value}}
		}
	case float64:
		if q.Kind == protocol.QuestionNumber || q.Kind == protocol.QuestionInteger {
			return prompt.Answer{Typed: strconv.FormatFloat(value, 'f', -1, 64)}
		}
	case bool:
		if q.Kind == protocol.QuestionBoolean {
			return prompt.Answer{Chosen: []string{strconv.FormatBool(value)}}
		}
	}
	return prompt.Answer{}
}

// readAnswer is an answer of the protocol as the form has it.
func readAnswer(q *protocol.ChatInputQuestion, a *protocol.ChatInputAnswer) prompt.Answer {
	if a == nil {
		return prompt.Answer{}
	}
	v := a.Given()
	if v == nil {
		return prompt.Answer{}
	}
	typed := strings.Join(v.FreeformValues, ", ")
	switch v.Kind {
	case protocol.AnswerText:
		s, _ := v.Text()
		return prompt.Answer{Typed: s}
	case protocol.AnswerNumber:
		if n, ok := v.Number(); ok {
			return prompt.Answer{Typed: strconv.FormatFloat(n, 'f', -1, 64)}
		}
	case protocol.AnswerBoolean:
		if b, ok := v.Bool(); ok {
			return prompt.Answer{Chosen: []string{strconv.FormatBool(b)}}
		}
	case protocol.AnswerSelected, protocol.AnswerSelectedMany:
		ids, _ := v.Selected()
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
		return prompt.Answer{Chosen: ids, Typed: typed, Other: q.Kind == protocol.QuestionSingleSelect && typed != ""}
	}
	return prompt.Answer{}
}

// answerOf makes an answer of the protocol of what was written; nil where nothing
// was. It fails where that makes no answer.
func answerOf(q *protocol.ChatInputQuestion, a prompt.Answer, state string) (*protocol.ChatInputAnswer, error) {
	chosen := slices.DeleteFunc(slices.Clone(a.Chosen), func(id string) bool { return !offers(q, id) })
	var typed []string
	if text := strings.TrimSpace(a.Typed); text != "" && freeform(q) {
		typed = []string{text}
	}
	switch q.Kind {
	case protocol.QuestionText:
		if a.Typed != "" {
			return protocol.TextAnswer(state, a.Typed), nil
		}
	case protocol.QuestionNumber, protocol.QuestionInteger:
		return numberAnswer(strings.TrimSpace(a.Typed), state)
	case protocol.QuestionBoolean:
		if len(chosen) > 0 {
			return protocol.BooleanAnswer(state, chosen[0] == yes), nil
		}
	case protocol.QuestionSingleSelect:
		switch {
		case a.Other && len(typed) > 0:
			return protocol.SelectedAnswer(state, "", typed...), nil
		case len(chosen) > 0:
			return protocol.SelectedAnswer(state, chosen[0]), nil
		}
	case protocol.QuestionMultiSelect:
		if len(chosen)+len(typed) > 0 {
			return protocol.SelectedManyAnswer(state, chosen, typed...), nil
		}
	}
	return nil, nil //nolint:nilnil // no answer is an answer
}

func numberAnswer(text, state string) (*protocol.ChatInputAnswer, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no answer is an answer
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil, fmt.Errorf("%.40q is no number", text)
	}
	return protocol.NumberAnswer(state, n), nil
}

// check makes the answers to be sent, and notes what is wrong with them; first is
// the first question with which something is, "" if all is well.
func (f *requestForm) check() (answers map[string]*protocol.ChatInputAnswer, first string) {
	answers, f.wrong = map[string]*protocol.ChatInputAnswer{}, map[string]safetext.Text{}
	for _, q := range f.asked.Questions {
		if q == nil {
			continue
		}
		answer, err := f.answer(q)
		if err == nil && answer == nil && f.asked.Answers[q.ID] != nil {
			answer = protocol.SkippedAnswer() // there is a draft of what was taken back
		}
		if err == nil {
			err = q.Check(answer)
		}
		if err == nil && askedBy(q) == prompt.AskedUnknown && isTrue(q.Required) {
			err = errors.New("decline, or answer in another client")
		}
		if err != nil {
			f.wrong[q.ID] = own(err.Error())
			if first == "" {
				first = q.ID
			}
			continue
		}
		if answer != nil {
			answers[q.ID] = answer
		}
	}
	return answers, first
}

// answer is the answer to a question as it is to be sent. What another client has
// drafted is taken as it is.
func (f *requestForm) answer(q *protocol.ChatInputQuestion) (*protocol.ChatInputAnswer, error) {
	if w := f.at(q.ID); !w.mine && w.remote != nil && w.remote.Given() != nil {
		submitted := *w.remote
		submitted.State = protocol.AnswerSubmitted
		return &submitted, nil
	}
	return answerOf(q, f.view.Answer(q.ID), protocol.AnswerSubmitted)
}
