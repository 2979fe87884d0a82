package protocol

import (
	"strings"
	"testing"
)

func TestEditedInput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, text, want, err string }{
		{`{"a":1}`, "{\n  \"a\": 1\n}", "", ""},
		{`{"a":1}`, "{\n  \"a\": 2\n}", `{"a":2}`, ""},
		{`{"a":1}`, "{\n  \"a\": 2,\n}", "", "line 3, column 1: "},
		{`{"a":1}`, "{\n  \"ä\": x}", "", "line 2, column 8: "},
		{`{"a":1}`, "", "", "line 1, column 1: "},
		{`{"a":1}`, "[1]", "", "has to be an object"},
		{`{"a":1}`, `{"a":1,"a":2}`, "", "a name stands twice"},
		{`[1]`, "[1, 2]", "[1,2]", ""},
		{"make all", "make all", "", ""},
		{"make all", "make test", "make test", ""},
	} {
		c := &ToolCall{ToolInput: InputText(tt.before)}
		got, err := c.EditedInput(tt.text)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s edited to %q: %q, %v", tt.before, tt.text, got, err)
		}
	}
}

func TestMayEdit(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, tt := range []struct {
		call ToolCall
		want bool
	}{
		{ToolCall{Status: ToolPendingConfirmation, Editable: &yes}, true},
		{ToolCall{Status: ToolPendingConfirmation, Editable: &no}, false},
		{ToolCall{Status: ToolPendingConfirmation}, false},
		{ToolCall{Status: ToolRunning, Editable: &yes}, false},
		{ToolCall{Status: ToolPendingConfirmation, Editable: &yes, ToolInput: ToolInput{Ref: &ContentRef{URI: "file:///x"}}}, false},
	} {
		if got := tt.call.MayEdit(); got != tt.want {
			t.Errorf("%+v: %v", tt.call, got)
		}
	}
	option := &ConfirmationOption{ID: "always", Kind: "approve"}
	if a := ApproveEdited("t", &ToolCall{ToolCallID: "c"}, "{}", option); !a.Approved || *a.EditedToolInput != "{}" || a.SelectedOptionID != "always" || a.Confirmed == "" {
		t.Errorf("%+v", a)
	}
}
