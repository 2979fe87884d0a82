package transcript

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ahptui/protocol"
)

// segments are the sources of a passage.
func segments(p *passage) []segment {
	list := append([]segment(nil), p.final...)
	return append(list, p.open)
}

// However a text comes in, the cuts are those of the whole, nothing is left
// out, and what is final stays as it is.
func TestPassageIsTheWhole(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"word ", "\n", "\n\n", "```", "```go\n", "~~~\n", "  ", "- item\n", strings.Repeat("x", 3000), strings.Repeat("日本語 ", 900), "\r\n", "> ```\n", "/* ", "*/", strings.Repeat("x := 1\n", 200),
	})
	rapid.Check(t, func(t *rapid.T) {
		markdown := rapid.Bool().Draw(t, "markdown")
		pieces := rapid.SliceOf(piece).Draw(t, "pieces")
		text := protocol.NewText("")
		growing := &passage{markdown: markdown}
		for _, s := range pieces {
			text = text.AppendString(s)
			before := append([]segment(nil), growing.final...)
			growing.update(text)
			for i, s := range before {
				if now := growing.final[i]; now.start != s.start || now.end != s.end || now.fence != s.fence || now.apart != s.apart || now.code.state != s.code.state {
					t.Fatalf("segment %d changed from %+v to %+v", i, s, growing.final[i])
				}
			}
		}
		whole := &passage{markdown: markdown}
		whole.update(protocol.NewText(strings.Join(pieces, "")))
		end := 0
		for i, s := range segments(whole) {
			if got := growing.segment(i); got.start != s.start || got.end != s.end || got.fence != s.fence || got.code.state != s.code.state {
				t.Fatalf("segment %d of %d: %+v in pieces, %+v as a whole", i, whole.count(), *got, s)
			}
			if s.start != end || s.end-s.start > maxSegment+1 {
				t.Fatalf("segment %d goes from %d to %d, the one before it ended at %d", i, s.start, s.end, end)
			}
			end = s.end
		}
		if end != len(strings.Join(pieces, "")) || whole.count() != growing.count() {
			t.Fatalf("%d of %d bytes, %d and %d segments", end, len(strings.Join(pieces, "")), whole.count(), growing.count())
		}
	})
}

func TestPassageCuts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"paragraphs", "one\n\ntwo\nmore\n\n\nthree", []string{"one\n\n", "two\nmore\n\n\n", "three"}},
		{"a list goes on", "- a\n\n  more of a\n\nend", []string{"- a\n\n  more of a\n\n", "end"}},
		{"a code block is whole", "```\na\n\nb\n```\n\nend", []string{"```\na\n\nb\n```\n\n", "end"}},
		{"one in another", "````\n```\n\nb\n````\n\nend", []string{"````\n```\n\nb\n````\n\n", "end"}},
		{"inline code begins no block", "```a``` b\n\nend", []string{"```a``` b\n\n", "end"}},
	} {
		p := &passage{markdown: true}
		p.update(protocol.NewText(tt.text))
		var got []string
		for _, s := range segments(p) {
			got = append(got, tt.text[s.start:s.end])
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A code block that is longer than a segment goes on as code, and its end is
// none of it.
func TestPassageLongCodeBlock(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("# no heading\n", 1000)
	p := &passage{markdown: true}
	p.update(protocol.NewText("```sh\n" + code + "```\n\n# a heading"))
	if p.count() < 4 {
		t.Fatalf("%d segments", p.count())
	}
	got := ""
	for i := 1; i < p.count()-2; i++ {
		source, isCode := p.source(p.segment(i))
		if !isCode {
			t.Errorf("segment %d is no code: %q", i, source)
		}
		got += source
	}
	if strings.Contains(got, "```") || !strings.HasSuffix(code, got) {
		t.Errorf("the code is %q", got)
	}
	if source, isCode := p.source(p.segment(p.count() - 1)); isCode || strings.TrimSpace(source) != "# a heading" {
		t.Errorf("behind it: %q, code %v", source, isCode)
	}
}

// Half of a surrogate pair at the end is not text yet, and a text that is not
// the old one with more behind it begins anew.
func TestPassageOfAnotherText(t *testing.T) {
	t.Parallel()
	p := &passage{}
	p.update(protocol.NewText("a\xed\xa0\xbd"))
	if p.text != "a" {
		t.Errorf("%q", p.text)
	}
	p.update(protocol.NewText("a\U0001f600"))
	if p.text != "a\U0001f600" {
		t.Errorf("%q", p.text)
	}
	p.update(protocol.NewText(strings.Repeat("b\n", 5000)))
	if p.count() < 2 || p.text[0] != 'b' {
		t.Errorf("%d segments of %q", p.count(), p.text[:10])
	}
	p.update(protocol.NewText("c"))
	if p.count() != 1 || p.text != "c" {
		t.Errorf("%d segments of %q", p.count(), p.text)
	}
}
