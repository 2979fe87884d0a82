package protocol

import "github.com/go-json-experiment/json"

// ChatInputRequest asks the user questions, or to open a URL.
type ChatInputRequest struct {
	ID        string                      `json:"id"`
	Message   string                      `json:"message,omitzero"`
	URL       URI                         `json:"url,omitzero"`
	Questions []*ChatInputQuestion        `json:"questions,omitzero"`
	Answers   map[string]*ChatInputAnswer `json:"answers,omitzero"`
	Extra     Raw                         `json:",embed"`
}

// The kinds of [ChatInputQuestion].
const (
	QuestionText         = "text"
	QuestionNumber       = "number"
	QuestionInteger      = "integer"
	QuestionBoolean      = "boolean"
	QuestionSingleSelect = "single-select"
	QuestionMultiSelect  = "multi-select"
)

// ChatInputQuestion is one question. Min and Max bound the length of a text in
// UTF-16 units, a number, or how many options are chosen.
type ChatInputQuestion struct {
	Kind               string             `json:"kind"`
	ID                 string             `json:"id"`
	Title              string             `json:"title,omitzero"`
	Message            string             `json:"message"`
	Required           *bool              `json:"required,omitzero"`
	Format             string             `json:"format,omitzero"` // text: email, uri, date, date-time, or anything
	Min                *float64           `json:"min,omitzero"`
	Max                *float64           `json:"max,omitzero"`
	DefaultValue       Raw                `json:"defaultValue,omitzero"` // a string, a number or a boolean
	Options            []*ChatInputOption `json:"options,omitzero"`
	AllowFreeformInput *bool              `json:"allowFreeformInput,omitzero"`
	Extra              Raw                `json:",embed"`
}

// ChatInputOption is one choice of a select question.
type ChatInputOption struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
	Recommended *bool  `json:"recommended,omitzero"`
	Extra       Raw    `json:",embed"`
}

// The states of a [ChatInputAnswer].
const (
	AnswerDraft     = "draft"
	AnswerSubmitted = "submitted"
	AnswerSkipped   = "skipped"
)

// The kinds of the value of an answer. They are not those of questions.
const (
	AnswerText         = "text"
	AnswerNumber       = "number"
	AnswerBoolean      = "boolean"
	AnswerSelected     = "selected"
	AnswerSelectedMany = "selected-many"
)

// ChatInputAnswer is an answer. The value is kept raw; [ChatInputAnswer.Given]
// reads it. FreeformValues are what was typed beside a question that was skipped.
type ChatInputAnswer struct {
	State          string   `json:"state"`
	Value          Raw      `json:"value,omitzero"`
	FreeformValues []string `json:"freeformValues,omitzero"`
	Extra          Raw      `json:",embed"`
}

// ChatInputAnswerValue is the value of an answer: Value is a string, a number, a
// boolean, the id of an option, or a list of ids, by the kind.
type ChatInputAnswerValue struct {
	Kind           string   `json:"kind"`
	Value          Raw      `json:"value,omitzero"`
	FreeformValues []string `json:"freeformValues,omitzero"`
	Extra          Raw      `json:",embed"`
}

// Given is the value of the answer, or nil where there is none that can be read.
func (a *ChatInputAnswer) Given() *ChatInputAnswerValue {
	var v ChatInputAnswerValue
	if a.Value == nil || Unmarshal(a.Value, &v) != nil {
		return nil
	}
	return &v
}

// Text is the value of kind text, and the id of the option of kind selected.
func (v *ChatInputAnswerValue) Text() (s string, ok bool) { return readAs[string](v.Value) }

// Number is the value of kind number.
func (v *ChatInputAnswerValue) Number() (n float64, ok bool) { return readAs[float64](v.Value) }

// Bool is the value of kind boolean.
func (v *ChatInputAnswerValue) Bool() (b, ok bool) { return readAs[bool](v.Value) }

// Selected are the ids of the options of either select kind.
func (v *ChatInputAnswerValue) Selected() (ids []string, ok bool) {
	if v.Kind == AnswerSelected {
		id, ok := v.Text()
		return []string{id}, ok
	}
	return readAs[[]string](v.Value)
}

// readAs reads a value as a type, and null as none.
func readAs[T any](raw Raw) (v T, ok bool) {
	ok = raw != nil && raw.Kind() != 'n' && json.Unmarshal(raw, &v, lastWins) == nil
	return v, ok
}

// TextAnswer answers a question of kind text.
func TextAnswer(state, text string) *ChatInputAnswer { return answerOf(state, AnswerText, text, nil) }

// NumberAnswer answers a question of kind number or integer.
func NumberAnswer(state string, n float64) *ChatInputAnswer {
	return answerOf(state, AnswerNumber, n, nil)
}

// BooleanAnswer answers a question of kind boolean.
func BooleanAnswer(state string, b bool) *ChatInputAnswer {
	return answerOf(state, AnswerBoolean, b, nil)
}

// SelectedAnswer answers a question of kind single-select with an option's id,
// or with what was typed instead.
func SelectedAnswer(state, id string, typed ...string) *ChatInputAnswer {
	return answerOf(state, AnswerSelected, id, typed)
}

// SelectedManyAnswer answers a question of kind multi-select with the ids of
// options and what was typed beside them.
func SelectedManyAnswer(state string, ids []string, typed ...string) *ChatInputAnswer {
	return answerOf(state, AnswerSelectedMany, present(ids), typed)
}

// SkippedAnswer leaves a question without an answer.
func SkippedAnswer(typed ...string) *ChatInputAnswer {
	return &ChatInputAnswer{State: AnswerSkipped, FreeformValues: typed}
}

// answerOf makes a skipped answer of a number that JSON does not have.
func answerOf(state, kind string, value any, typed []string) *ChatInputAnswer {
	inner, err := Marshal(value)
	if err != nil {
		return SkippedAnswer()
	}
	raw, err := Marshal(&ChatInputAnswerValue{Kind: kind, Value: inner, FreeformValues: typed})
	if err != nil {
		return SkippedAnswer()
	}
	return &ChatInputAnswer{State: state, Value: raw}
}

// The responses that complete an input request.
const (
	ResponseAccept  = "accept"
	ResponseDecline = "decline"
	ResponseCancel  = "cancel"
)
