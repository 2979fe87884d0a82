package protocol

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MayEdit reports whether a client may change the input of the call when it
// approves it: the host says so, and the input is here and not elsewhere.
func (c *ToolCall) MayEdit() bool {
	return c.Status == ToolPendingConfirmation && isTrue(c.Editable) && c.ToolInput.Ref == nil
}

// EditedInput makes the input to be sent of a text that a person has changed; it
// is empty where that is the input which the call has. Where the input is JSON the
// text has to be, and an object where it is one: the error says in words for a
// person where it is not.
func (c *ToolCall) EditedInput(text string) (edited string, err error) {
	before := jsontext.Value(c.ToolInput.Text.String())
	if before.Compact() != nil { // it is no JSON, so anything may be
		if text == c.ToolInput.Text.String() {
			return "", nil
		}
		return text, nil
	}
	after := jsontext.Value(text)
	if err := after.Compact(); err != nil {
		return "", syntaxError(text, err)
	}
	if !after.IsValid() {
		return "", errors.New("a name stands twice in one object, or half of a character somewhere")
	}
	if before.Kind() == '{' && after.Kind() != '{' {
		return "", errors.New("it has to be an object, { … }, as it was")
	}
	if string(before) == string(after) {
		return "", nil
	}
	return string(after), nil
}

// syntaxError says where a text is no JSON.
func syntaxError(text string, err error) error {
	var syntax *jsontext.SyntacticError
	if err == nil || !errors.As(err, &syntax) {
		return errors.New("it is no JSON")
	}
	at := max(0, min(int(syntax.ByteOffset), len(text)))
	line := strings.Count(text[:at], "\n") + 1
	column := utf8.RuneCountInString(text[strings.LastIndexByte(text[:at], '\n')+1:at]) + 1
	return fmt.Errorf("line %d, column %d: %w", line, column, syntax.Err)
}

// ApproveEdited is the action that lets a pending call run with another input, as
// [ToolCall.EditedInput] has made it, and with one of the host's own options where
// it gives some.
func ApproveEdited(turnID string, call *ToolCall, input string, option *ConfirmationOption) *ChatToolCallConfirmed {
	a := Approve(turnID, call)
	if option != nil {
		a = Choose(turnID, call, option)
	}
	if input != "" {
		a.EditedToolInput = &input
	}
	return a
}
