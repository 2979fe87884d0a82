package protocol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestConfigProperties(t *testing.T) {
	t.Parallel()
	c := &Config{Schema: Raw(`{"type":"object","required":["z","none"],"properties":{
		"z":{"type":"string","title":"Z","enum":["a",null,1,true],"enumLabels":["The A"],"default":"a","sessionMutable":true},
		"a":{"type":"array","title":"A","items":{"type":"number","title":"N"},"minItems":1,"maxItems":2,"readOnly":true},
		"m":{"type":"object","title":"M","properties":{"y":{"type":"boolean","title":"Y"},"x":{"type":"string","title":"X"}},"required":["x"]},
		"odd":7,
		"d":{"type":"string","title":"D","enumDynamic":true,"enum":["x"]},
		"later":{"type":"colour","title":"L"}}}`)}
	list := c.Properties()
	var names []string
	for _, p := range list {
		names = append(names, fmt.Sprintf("%s %s %v", p.Name, p.Type, p.Required))
	}
	want := []string{"z string true", "a array false", "m object false", "d string false", "later colour false"}
	if !slices.Equal(names, want) {
		t.Fatalf("properties are %q, want %q", names, want)
	}
	if z := list[0]; z.Label(0) != "The A" || z.Label(1) != "null" || z.Label(2) != "1" || !z.SessionMutable || string(z.Default) != `"a"` {
		t.Errorf("z is %+v", z)
	}
	if m := list[2]; len(m.Properties) != 2 || m.Properties[0].Name != "y" || !m.Properties[1].Required {
		t.Errorf("m is %+v", m)
	}
	for _, tt := range []struct {
		at    int
		value string
		want  string // in the error; "": none
	}{
		{0, ``, "needed"},
		{0, `"a"`, ""},
		{0, `null`, ""},
		{0, `1.0`, ""},
		{0, `"b"`, "none of"},
		{1, ``, ""},
		{1, `[]`, "at least 1"},
		{1, `[1]`, ""},
		{1, `[1,2,3]`, "at most 2"},
		{1, `["x"]`, "entry 1"},
		{1, `"x"`, "type array"},
		{2, `{}`, ""},
		{2, `[]`, "type object"},
		{3, `"anything"`, ""},
		{4, `17`, ""},
	} {
		err := list[tt.at].Check(Raw(tt.value))
		if tt.value == "" {
			err = list[tt.at].Check(nil)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %s: %v, want %q", tt.value, list[tt.at].Name, err, tt.want)
		}
	}
	for _, raw := range []string{``, `7`, `{}`, `{"properties":[]}`, `{"properties":{"a"`} {
		if got := ConfigProperties(Raw(raw)); len(got) != 0 {
			t.Errorf("%s has %d properties", raw, len(got))
		}
	}
	if (*Config)(nil).Properties() != nil {
		t.Error("nothing can be configured in nothing")
	}
}

// TestConfigIsBounded: neither depth nor width of a schema costs more than it may.
func TestConfigIsBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 2000) + `{}` + strings.Repeat(`}}`, 2000)
	levels := 0
	for list := ConfigProperties(Raw(deep)); len(list) > 0; list = list[0].Properties {
		levels++
	}
	if levels != maxConfigDepth {
		t.Errorf("looked %d levels deep", levels)
	}
	var wide strings.Builder
	wide.WriteString(`{"properties":{`)
	for i := range 5000 {
		fmt.Fprintf(&wide, `"p%d":{"type":"string"},`, i)
	}
	wide.WriteString(`"last":{}}}`)
	if n := len(ConfigProperties(Raw(wide.String()))); n != maxConfigProperties {
		t.Errorf("read %d properties", n)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	one, two, ten := 1.0, 2.0, 10.0
	options := []*ChatInputOption{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}
	text := &ChatInputQuestion{Kind: QuestionText, ID: "t", Required: boolean(true), Max: &two}
	number := &ChatInputQuestion{Kind: QuestionNumber, Min: &one, Max: &ten}
	whole := &ChatInputQuestion{Kind: QuestionInteger}
	yesNo := &ChatInputQuestion{Kind: QuestionBoolean}
	single := &ChatInputQuestion{Kind: QuestionSingleSelect, Options: options}
	free := &ChatInputQuestion{Kind: QuestionSingleSelect, Options: options, AllowFreeformInput: boolean(true)}
	multi := &ChatInputQuestion{Kind: QuestionMultiSelect, Options: options, Min: &one, Max: &two, AllowFreeformInput: boolean(true)}
	const s = AnswerSubmitted
	for _, tt := range []struct {
		q    *ChatInputQuestion
		a    *ChatInputAnswer
		want string // in the error; "": none
	}{
		{text, nil, "needed"},
		{text, SkippedAnswer(), "needed"},
		{text, TextAnswer(s, ""), "needed"},
		{text, TextAnswer(s, "ab"), ""},
		{text, TextAnswer(s, "😀"), ""}, // two as JavaScript counts
		{text, TextAnswer(s, "😀a"), "at most 2 characters"},
		{text, NumberAnswer(s, 1), "text"},
		{text, &ChatInputAnswer{State: s}, "no answer"},
		{number, nil, ""},
		{number, NumberAnswer(s, 1.5), ""},
		{number, NumberAnswer(s, 0.5), "at least 1"},
		{number, NumberAnswer(s, 11), "at most 10"},
		{number, TextAnswer(s, "1"), "number"},
		{whole, NumberAnswer(s, 1.5), "whole"},
		{whole, NumberAnswer(s, -3), ""},
		{yesNo, BooleanAnswer(s, false), ""},
		{yesNo, TextAnswer(s, "yes"), "yes or no"},
		{single, SelectedAnswer(s, "b"), ""},
		{single, SelectedAnswer(s, "c"), "no choice"},
		{single, SelectedAnswer(s, "", "typed"), "listed"},
		{single, SelectedManyAnswer(s, []string{"a"}), "choice is wanted"},
		{free, SelectedAnswer(s, "", "typed"), ""},
		{multi, SelectedManyAnswer(s, nil), "at least 1"},
		{multi, SelectedManyAnswer(s, []string{"a", "b"}, "c"), "at most 2"},
		{multi, SelectedManyAnswer(s, []string{"a"}, "c"), ""},
		{multi, SelectedAnswer(s, "a"), "choice is wanted"},
		{&ChatInputQuestion{Kind: "rating"}, TextAnswer(s, "five"), ""},
	} {
		err := tt.q.Check(tt.a)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %s: %v, want %q", tt.q.Kind, mustMarshal(t, tt.a), err, tt.want)
		}
	}
	for _, tt := range []struct {
		a    *ChatInputAnswer
		want string
	}{
		{TextAnswer(AnswerDraft, "x"), `{"state":"draft","value":{"kind":"text","value":"x"}}`},
		{NumberAnswer(s, 1.5), `{"state":"submitted","value":{"kind":"number","value":1.5}}`},
		{BooleanAnswer(s, true), `{"state":"submitted","value":{"kind":"boolean","value":true}}`},
		{SelectedAnswer(s, "a", "b"), `{"state":"submitted","value":{"kind":"selected","value":"a","freeformValues":["b"]}}`},
		{SelectedManyAnswer(s, nil), `{"state":"submitted","value":{"kind":"selected-many","value":[]}}`},
		{SkippedAnswer("z"), `{"state":"skipped","freeformValues":["z"]}`},
	} {
		if got := string(mustMarshal(t, tt.a)); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	r := &ChatInputRequest{Questions: []*ChatInputQuestion{text}, Answers: map[string]*ChatInputAnswer{"t": TextAnswer(AnswerDraft, "x")}}
	if len(r.Check(nil)) != 1 {
		t.Error("a draft is no answer")
	}
	if wrong := r.Check(map[string]*ChatInputAnswer{"t": TextAnswer(s, "y")}); len(wrong) != 0 {
		t.Errorf("wrong is %v", wrong)
	}
}
