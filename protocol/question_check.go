package protocol

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Check says in words for a person what is wrong with an answer that is to be
// submitted; nil if nothing is, as far as can be told here. A question of a kind
// that is not known here takes any answer.
func (q *ChatInputQuestion) Check(a *ChatInputAnswer) error {
	if a == nil || a.State == AnswerSkipped {
		if isTrue(q.Required) {
			return errors.New("an answer is needed")
		}
		return nil
	}
	v := a.Given()
	if v == nil {
		return errors.New("there is no answer that can be read")
	}
	switch q.Kind {
	case QuestionText:
		return q.checkText(v)
	case QuestionNumber, QuestionInteger:
		return q.checkNumber(v)
	case QuestionBoolean:
		if _, ok := v.Bool(); !ok || v.Kind != AnswerBoolean {
			return errors.New("yes or no is wanted")
		}
	case QuestionSingleSelect, QuestionMultiSelect:
		return q.checkSelection(v)
	}
	return nil
}

func (q *ChatInputQuestion) checkText(v *ChatInputAnswerValue) error {
	s, ok := v.Text()
	if !ok || v.Kind != AnswerText {
		return errors.New("a text is wanted")
	}
	if isTrue(q.Required) && s == "" {
		return errors.New("an answer is needed")
	}
	if err := q.checkBounds(float64(utf16Len(s)), " characters"); err != nil || s == "" {
		return err
	}
	return checkFormat(q.Format, s)
}

func (q *ChatInputQuestion) checkNumber(v *ChatInputAnswerValue) error {
	n, ok := v.Number()
	switch {
	case !ok || v.Kind != AnswerNumber:
		return errors.New("a number is wanted")
	case q.Kind == QuestionInteger && n != math.Trunc(n):
		return errors.New("a whole number is wanted")
	}
	return q.checkBounds(n, "")
}

func (q *ChatInputQuestion) checkSelection(v *ChatInputAnswerValue) error {
	want := AnswerSelected
	if q.Kind == QuestionMultiSelect {
		want = AnswerSelectedMany
	}
	ids, ok := v.Selected()
	switch {
	case !ok || v.Kind != want:
		return errors.New("a choice is wanted")
	case len(v.FreeformValues) > 0 && !isTrue(q.AllowFreeformInput):
		return errors.New("only what is listed can be chosen")
	case want == AnswerSelected && len(v.FreeformValues) > 0:
		return nil // which stands in the place of an option
	}
	for _, id := range ids {
		if !slices.ContainsFunc(q.Options, func(o *ChatInputOption) bool { return o != nil && o.ID == id }) {
			return fmt.Errorf("%.60q is no choice", id)
		}
	}
	if want == AnswerSelectedMany {
		return q.checkBounds(float64(len(ids)+len(v.FreeformValues)), " choices")
	}
	return nil
}

func (q *ChatInputQuestion) checkBounds(n float64, of string) error {
	switch {
	case q.Min != nil && n < *q.Min:
		return fmt.Errorf("at least %v%s", *q.Min, of)
	case q.Max != nil && n > *q.Max:
		return fmt.Errorf("at most %v%s", *q.Max, of)
	}
	return nil
}

// utf16Len is the length as JavaScript counts it.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// Check says what is wrong with answers that are to be accepted, by question id.
func (r *ChatInputRequest) Check(answers map[string]*ChatInputAnswer) map[string]error {
	wrong := map[string]error{}
	for _, q := range r.Questions {
		if q == nil {
			continue
		}
		a := answers[q.ID]
		if a == nil {
			a = r.Answers[q.ID]
		}
		if a != nil && a.State == AnswerDraft {
			a = nil // which is not submitted
		}
		if err := q.Check(a); err != nil {
			wrong[q.ID] = err
		}
	}
	return wrong
}
