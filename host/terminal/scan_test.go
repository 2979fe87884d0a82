package terminal

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// merged joins data that stands side by side, so that only what matters is left of
// how the output came.
func merged(events []Event) []Event {
	var out []Event
	for _, e := range events {
		if n := len(out); n > 0 && e.Kind == Data && out[n-1].Kind == Data {
			out[n-1].Text += e.Text
			continue
		}
		out = append(out, e)
	}
	return out
}

func whole(output string) []Event {
	var s scanner
	return merged(append(s.scan([]byte(output)), s.rest()...))
}

func data(text string) Event { return Event{Kind: Data, Text: text} }

func TestScan(t *testing.T) {
	t.Parallel()
	seven := 7
	for name, tt := range map[string]struct {
		output string
		want   []Event
	}{
		"nothing":                  {"", nil},
		"text":                     {"hällo\r\n", []Event{data("hällo\r\n")}},
		"a title":                  {"a\x1b]0;the title\ab", []Event{data("a\x1b]0;the title\a"), {Kind: Title, Text: "the title"}, data("b")}},
		"a title, ended by ST":     {"\x1b]2;t\x1b\\", []Event{data("\x1b]2;t\x1b\\"), {Kind: Title, Text: "t"}}},
		"a title with controls":    {"\x1b]2;a\r\nb\x07", []Event{data("\x1b]2;a\r\nb\a"), {Kind: Title, Text: "ab"}}},
		"an icon's name":           {"\x1b]1;t\a", []Event{data("\x1b]1;t\a")}},
		"a title that is given up": {"\x1b]2;t\x18\a", []Event{data("\x1b]2;t\x18\a")}},
		"a title over another":     {"\x1b]2;t\x1b]2;u\a", []Event{data("\x1b]2;t\x1b]2;u\a"), {Kind: Title, Text: "u"}}},
		"other escapes":            {"\x1b[31mred\x1b(B\x1b\x1b[m", []Event{data("\x1b[31mred\x1b(B\x1b\x1b[m")}},
		"a directory":              {"\x1b]7;file:///tmp/a%20b\a", []Event{data("\x1b]7;file:///tmp/a%20b\a"), {Kind: Dir, Text: "/tmp/a b"}}},
		"a directory elsewhere":    {"\x1b]7;file://far.example/tmp\a", []Event{data("\x1b]7;file://far.example/tmp\a")}},
		"no directory":             {"\x1b]7;/tmp\a\x1b]7;file:tmp\a", []Event{data("\x1b]7;/tmp\a\x1b]7;file:tmp\a")}},
		"commands of FinalTerm": {"\x1b]133;A\a$ \x1b]133;B\als\r\n\x1b]133;C\aout\r\n\x1b]133;D;7\a", []Event{
			data("\x1b]133;A\a"), {Kind: Detection}, data("$ \x1b]133;B\als\r\n\x1b]133;C\a"), {Kind: CommandRun}, data("out\r\n\x1b]133;D;7\a"), {Kind: CommandEnd, Code: &seven},
		}},
		"commands of VS Code": {"\x1b]633;E;echo a\\x3b b\\\\;nonce\a\x1b]633;C\aa; b\\\x1b]633;D\a\x1b]633;P;Cwd=/tmp\a", []Event{
			data("\x1b]633;E;echo a\\x3b b\\\\;nonce\a"),
			{Kind: Detection},
			data("\x1b]633;C\a"),
			{Kind: CommandRun, Text: `echo a; b\`},
			data("a; b\\\x1b]633;D\a"),
			{Kind: CommandEnd},
			data("\x1b]633;P;Cwd=/tmp\a"),
			{Kind: Dir, Text: "/tmp"},
		}},
		"an end without a begin":   {"\x1b]133;D;1\a", []Event{data("\x1b]133;D;1\a"), {Kind: Detection}}},
		"a begin within a command": {"\x1b]133;C\a\x1b]133;C\a", []Event{data("\x1b]133;C\a"), {Kind: Detection}, {Kind: CommandRun}, data("\x1b]133;C\a"), {Kind: CommandEnd}, {Kind: CommandRun}}},
		"no UTF-8":                 {"a\xffb\xc3", []Event{data("a\uFFFDb\uFFFD")}},
		"too long a command":       {"\x1b]2;" + strings.Repeat("x", 2*maxSequence) + "\a", []Event{data("\x1b]2;" + strings.Repeat("x", 2*maxSequence) + "\a")}},
	} {
		if diff := cmp.Diff(tt.want, whole(tt.output)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTitlesAreBounded(t *testing.T) {
	t.Parallel()
	for _, e := range whole("\x1b]2;" + strings.Repeat("ä", 1000) + "\a") {
		if e.Kind == Title && (len(e.Text) > maxTitleBytes || !utf8.ValidString(e.Text)) {
			t.Errorf("a title of %d bytes", len(e.Text))
		}
	}
}

// However the output is cut, the same happens.
func TestScanInPieces(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"text ", "ä", "\x1b", "]", "0;", "title", "\a", "\x1b\\", "7;file:///tmp", "133;", "633;", "A", "C", "D;3", "E;ls;n", "P;Cwd=/x", "\x18", "\xff", "\xe2\x82", "\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		output := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "output"), "")
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(output)), 0, 10).Draw(t, "cuts")
		slices.Sort(cuts)
		var s scanner
		var events []Event
		from := 0
		for _, to := range append(cuts, len(output)) {
			events = append(events, s.scan([]byte(output[from:to]))...)
			from = to
		}
		if diff := cmp.Diff(whole(output), merged(append(events, s.rest()...))); diff != "" {
			t.Fatalf("%q, cut at %v (-whole +pieces):\n%s", output, cuts, diff)
		}
	})
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("\x1b]633;E;\\x;\a\x1b]133;C\a\x1b]7;file://\xff\a\xc3"), 3)
	f.Fuzz(func(t *testing.T, output []byte, cut int) {
		var s scanner
		cut = min(max(cut, 0), len(output))
		events := append(s.scan(output[:cut]), s.scan(output[cut:])...)
		events = append(events, s.rest()...)
		var text strings.Builder
		for _, e := range events {
			if !utf8.ValidString(e.Text) {
				t.Errorf("an event with the text %q", e.Text)
			}
			if e.Kind == Data {
				text.WriteString(e.Text)
			}
		}
		if utf8.Valid(output) && text.String() != string(output) {
			t.Errorf("%q has become %q", output, text.String())
		}
	})
}
