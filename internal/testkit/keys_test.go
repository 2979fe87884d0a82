package testkit

import "testing"

func TestEncodeKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		application bool
		want        string // empty: there is no such key
	}{
		{"a", false, "a"},
		{"?", false, "?"},
		{"世", false, "世"},
		{"+", false, "+"},
		{"alt++", false, "\x1b+"},
		{"enter", false, "\r"},
		{"alt+enter", false, "\x1b\r"},
		{"esc", false, "\x1b"},
		{"tab", false, "\t"},
		{"shift+tab", false, "\x1b[Z"},
		{"space", false, " "},
		{"ctrl+space", false, "\x00"},
		{"backspace", false, "\x7f"},
		{"ctrl+c", false, "\x03"},
		{"ctrl+alt+x", false, "\x1b\x18"},
		{"ctrl+_", false, "\x1f"},
		{"up", false, "\x1b[A"},
		{"up", true, "\x1bOA"},
		{"home", false, "\x1b[H"},
		{"ctrl+shift+left", true, "\x1b[1;6D"},
		{"alt+down", false, "\x1b[1;3B"},
		{"delete", false, "\x1b[3~"},
		{"shift+pgup", false, "\x1b[5;2~"},
		{"f1", false, "\x1bOP"},
		{"ctrl+f1", false, "\x1b[1;5P"},
		{"f12", false, "\x1b[24~"},

		{"", false, ""},
		{"return", false, ""},
		{"hyper+q", false, ""},
		{"shift+a", false, ""},
		{"shift+enter", false, ""},
		{"ctrl+1", false, ""},
		{"ctrl+世", false, ""},
		{"ctrl+enter", false, ""},
	} {
		got, err := encodeKey(tt.name, tt.application)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("encodeKey(%q, %v) = %q, %v, want %q", tt.name, tt.application, got, err, tt.want)
		}
	}
}
