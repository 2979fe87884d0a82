package protocol

import "testing"

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format, text string
		ok           bool
	}{
		{FormatEmail, "ann@example.com", true},
		{FormatEmail, "Ann <ann@example.com>", false},
		{FormatEmail, "ann", false},
		{FormatEmail, " ann@example.com", false},
		{FormatURI, "https://example.com/a?b#c", true},
		{FormatURI, "mailto:ann@example.com", true},
		{FormatURI, "example.com", false},
		{FormatURI, "https:", false},
		{FormatURI, "a b://c", false},
		{FormatDate, "2026-12-31", true},
		{FormatDate, "2026-02-30", false},
		{FormatDate, "31.12.2026", false},
		{FormatDateTime, "2026-12-31T18:00:00Z", true},
		{FormatDateTime, "2026-12-31T18:00:00.5+02:00", true},
		{FormatDateTime, "2026-12-31 18:00", false},
		{"zip-code", "anything", true},
		{"", "anything", true},
		{FormatDate, "", true}, // whether there must be one is another question
	} {
		err := (&ChatInputQuestion{Kind: QuestionText, Format: tt.format}).Check(TextAnswer(AnswerSubmitted, tt.text))
		if (err == nil) != tt.ok {
			t.Errorf("%s %q: %v", tt.format, tt.text, err)
		}
	}
}
