package toolcall_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ahptui/protocol"
	"ahptui/views/toolcall"
	"ahptui/views/viewtest"
)

// withOutput is a call that has given texts.
func withOutput(t testing.TB, texts ...string) toolcall.Input {
	t.Helper()
	in := input(t, "completed")
	c := *in.Call
	c.Content = nil
	for _, text := range texts {
		c.Content = append(c.Content, protocol.TextContent(text))
	}
	in.Call, in.Unfolded = &c, true
	return in
}

// However much a call got and gave, only what is looked at is laid out.
func TestBounded(t *testing.T) {
	t.Parallel()
	texts := []string{strings.Repeat("line\n", 1_000_000)}
	for range 1000 {
		texts = append(texts, "x")
	}
	in := withOutput(t, texts...)
	c := *in.Call
	c.ToolInput = protocol.InputText(strings.Repeat("line\n", 1_000_000))
	c.Error = &protocol.ToolError{Message: strings.Repeat("long ", 100_000)}
	in.Call = &c
	d := toolcall.New(viewtest.Plain(t))
	d.Update(in, 80)
	if n := d.Segments(); n < 2000 || n > 4000 {
		t.Errorf("%d segments", n)
	}
	var got strings.Builder
	for i := 0; i < d.Segments(); i += 50 {
		lines, _ := d.Lines(i)
		if len(lines) > 2000 {
			t.Fatalf("segment %d has %d lines", i, len(lines))
		}
	}
	for i := d.Segments() - 200; i < d.Segments(); i++ {
		lines, _ := d.Lines(i)
		got.WriteString(strings.Join(lines, "\n"))
	}
	if !strings.Contains(got.String(), "961 more pieces") {
		t.Error("it does not say that there is more")
	}
	in.Unfolded = false
	if n := len(lines(viewtest.Plain(t), in, 80)); n > 10 {
		t.Errorf("folded, it has %d lines", n)
	}
}

// Whatever the text, and wherever it is cut, all of it is there, and in its order.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	theme := viewtest.Plain(t)
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(1, 60).Draw(rt, "lines") {
			fmt.Fprintf(&b, "%d%s", i, strings.Repeat(rapid.SampledFrom([]string{"x", "ä", "日", "👩", " "}).Draw(rt, "what"), rapid.IntRange(0, 300).Draw(rt, "long")))
			if rapid.IntRange(0, 9).Draw(rt, "end") > 0 {
				b.WriteByte('\n')
			}
		}
		text := b.String()
		in := withOutput(t, text)
		in.Call.ToolInput = protocol.ToolInput{}
		d := toolcall.New(theme)
		d.Update(in, 400)
		var all strings.Builder
		for i := range d.Segments() {
			all.WriteString(d.Source(i))
			lines, _ := d.Lines(i)
			if len(lines) > 0 {
				viewtest.Check(t, strings.Join(lines, "\n"), 400, len(lines))
			}
		}
		if len(text) > 1000 && all.String() != text {
			rt.Fatalf("%d bytes of %d", all.Len(), len(text))
		}
	})
}

// What has not changed is not drawn again: not for a selection, nor for more output
// behind it.
func TestDrawnOnce(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a line of output\n", 2000)
	in := withOutput(t, text)
	d := toolcall.New(viewtest.Plain(t))
	d.Update(in, 80)
	count := func() (n int) {
		for i := range min(d.Segments(), 8) {
			if _, drawn := d.Lines(i); drawn {
				n++
			}
		}
		return n
	}
	if count() == 0 || count() != 0 {
		t.Error("it is drawn twice, or never")
	}
	if d.Update(in, 80) {
		t.Error("nothing has changed")
	}
	in.Selected = true
	if !d.Update(in, 80) || count() != 0 {
		t.Error("a selection draws the output again")
	}
	c := *in.Call
	c.Content = []*protocol.ToolResultContent{protocol.TextContent(text + "one more")}
	in.Call = &c
	if d.Update(in, 80); count() != 0 {
		t.Error("more output draws again what was before it")
	}
	if d.Update(in, 81); count() == 0 {
		t.Error("another width draws nothing")
	}
}

// A call that runs shows the end of what it has given so far.
func TestTail(t *testing.T) {
	t.Parallel()
	in := withOutput(t, strings.Repeat("a line of output\n", 100_000)+"the last but one\nthe last\n")
	c := *in.Call
	c.Status = protocol.ToolRunning
	in.Call, in.Unfolded = &c, false
	drawn := lines(viewtest.Plain(t), in, 80)
	got := viewtest.Text(strings.Join(drawn, "\n"))
	if len(drawn) != 4 || !strings.Contains(got, "the last but one\n  │ the last\n") {
		t.Errorf("%d lines:\n%s", len(drawn), got)
	}
}

func BenchmarkRunning(b *testing.B) {
	in := input(b, "running")
	d := toolcall.New(viewtest.Colour(b))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.Update(in, 100+i%2)
		d.Lines(0)
	}
}

// BenchmarkOutput is what it costs to look at a call that has given so many lines:
// at first, further down, with another selection, and with one more line.
func BenchmarkOutput(b *testing.B) {
	for _, lines := range []int{1000, 1_000_000} {
		text := strings.Repeat("a line of output, as tools write them\n", lines)
		in := withOutput(b, text)
		page := func(d *toolcall.Drawing, from int) {
			for i := range 4 {
				d.Lines((from + i) % d.Segments())
			}
		}
		b.Run(fmt.Sprintf("lines=%d/first", lines), func(b *testing.B) {
			for b.Loop() {
				d := toolcall.New(viewtest.Colour(b))
				d.Update(in, 100)
				page(d, 0)
			}
		})
		b.Run(fmt.Sprintf("lines=%d/scroll", lines), func(b *testing.B) {
			d := toolcall.New(viewtest.Colour(b))
			for i := 0; b.Loop(); i++ {
				d.Update(in, 100)
				page(d, i)
			}
		})
		b.Run(fmt.Sprintf("lines=%d/select", lines), func(b *testing.B) {
			d := toolcall.New(viewtest.Colour(b))
			for i := 0; b.Loop(); i++ {
				in.Selected = i%2 == 0
				d.Update(in, 100)
				page(d, 3)
			}
		})
		b.Run(fmt.Sprintf("lines=%d/grow", lines), func(b *testing.B) {
			calls := [2]*protocol.ToolCall{in.Call, withOutput(b, text+"more\n").Call}
			d := toolcall.New(viewtest.Colour(b))
			for i := 0; b.Loop(); i++ {
				in.Call = calls[i%2]
				d.Update(in, 100)
				page(d, d.Segments()-5)
			}
		})
	}
}
