package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// whole reports whether text is one value and nothing else.
func whole(text string) bool {
	s := Scanner{Text: []byte(text)}
	_, ok := s.Value()
	return ok && s.End()
}

func TestValue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-0`, `-12.50e+3`, `1E9`, `""`, `"a\"b\\c\/\b\f\n\r\t\u00e9\uD83d"`, "\"é\U0001f600\xff\"",
		`[]`, `{}`, ` [ 1 , [ ] , { "a" : { } } ] `, `{"a":1,"a":2,"":[null]}`, strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	} {
		if !whole(text) {
			t.Errorf("%.80s is refused", text)
		}
	}
	for _, text := range []string{
		``, ` `, `nul`, `nullx`, `True`, `01`, `-`, `+1`, `.5`, `1.`, `1e`, `1e+`, `0x1`, `"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\x1f\"",
		`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{1:2}`, `{"a" 1}`, `[}`, `{]`, `1 2`, `{}{}`,
		"\u00a0[]", "\v1", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		if whole(text) {
			t.Errorf("%.80q is taken", text)
		}
	}
}

func TestQuotedEndsWhereTheStringEnds(t *testing.T) {
	t.Parallel()
	for n := range 40 { // around the eight bytes that are looked at together
		for _, end := range []string{`"`, `\"x"`, `\\"`, "é\u20ac\""} {
			inner := strings.Repeat("a", n) + strings.TrimSuffix(end, `"`)
			s := Scanner{Text: []byte(`"` + inner + `"` + ` "\` + "\x00")}
			got, escaped, ok := s.Quoted()
			if !ok || string(got) != inner || escaped != strings.Contains(inner, `\`) || s.At != len(inner)+2 {
				t.Errorf("%q: %q, %v, %v, stands at %d", inner, got, escaped, ok, s.At)
			}
		}
		for _, c := range []byte{0, 1, 0x1f, '\n'} {
			s := Scanner{Text: []byte(`"` + strings.Repeat("a", n) + string(c) + `aaaaaaaaaa"`)}
			if _, _, ok := s.Quoted(); ok {
				t.Errorf("the byte %#x in a string is taken", c)
			}
		}
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	s := Scanner{Text: []byte(` [ "a" , 1 ] `)}
	var got [][]byte
	ok := s.Elements(func() bool {
		value, ok := s.Value()
		got = append(got, value)
		return ok
	})
	if !ok || !s.End() || string(bytes.Join(got, []byte("|"))) != `"a"|1` {
		t.Errorf("%q, %v", got, ok)
	}
	refuse := Scanner{Text: []byte(`[1,2]`)}
	if refuse.Elements(func() bool { return false }) {
		t.Error("a refused element is taken")
	}
}

// FuzzValue takes as JSON what the standard library takes as JSON.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"\u00e9",null]}`, `-0.5e-3`, `"\ud83d"`, `[{"":true}, false]`, "\"\xff\"", ` {"a" :1 , "b":"\\"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return // the two have different bounds of nesting
		}
		if got, want := whole(string(text)), json.Valid(text); got != want {
			t.Fatalf("%q is JSON: %v, said %v", text, want, got)
		}
	})
}
