package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"ahptui/protocol"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

// What has not changed is not drawn again, however often the panel is.
func TestUnchangedIsNotDrawnAgain(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 40)
	in := input(chat(t, chatJSON))
	first := m.View(in, true)
	drawn := m.Rendered()
	for range 10 {
		copied := *in.Chat // another state, of the same turns
		in.Chat = &copied
		if m.View(in, true) != first {
			t.Fatal("it looks different")
		}
	}
	if n := m.Rendered() - drawn; n != 0 {
		t.Errorf("%d pieces were drawn again", n)
	}
	m.Up()
	m.View(in, true)
	drawn = m.Rendered()
	m.Down()
	m.View(in, true)
	if n := m.Rendered() - drawn; n > 2 {
		t.Errorf("another selection draws %d pieces", n)
	}
}

// A delta costs its last segment, however long the text is.
func TestDeltaDrawsTheTailAlone(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 40)
	c := words("1", strings.Repeat("A paragraph of *some* words, as they are streamed.\n\n", 20_000))
	m.View(input(c), true)
	if n := m.Rendered(); n > 60 {
		t.Errorf("the first screen of 1 MB draws %d pieces", n)
	}
	for range 50 {
		drawn := m.Rendered()
		c = grown(c, "word ")
		m.View(input(c), true)
		if n := m.Rendered() - drawn; n > 1 {
			t.Fatalf("a delta draws %d pieces", n)
		}
	}
}

// A delta of code draws a kilobyte of it at most, and what is final of a block is read and drawn once.
func TestDeltaOfCodeDrawsTheTailAlone(t *testing.T) {
	t.Parallel()
	m := transcript.New(viewtest.Colour(t))
	m.SetSize(80, 40)
	c := words("1", "```go\n"+strings.Repeat("func f() string { return \"text\" } // as it is streamed\n", 20_000))
	m.View(input(c), true)
	if n := m.Rendered(); n > 20 {
		t.Errorf("the first screen of 1 MB of code draws %d pieces", n)
	}
	for i := range 200 {
		drawn := m.Rendered()
		c = grown(c, []string{"x := 1", "2 /* a", " b */\n"}[i%3])
		m.View(input(c), true)
		if n := m.Rendered() - drawn; n > 2 {
			t.Fatalf("a delta draws %d pieces", n)
		}
	}
}

// A comment that began long before is one in the piece that is drawn.
func TestCodeGoesOnAsItBegan(t *testing.T) {
	t.Parallel()
	m := transcript.New(viewtest.Colour(t))
	m.SetSize(80, 10)
	c := words("1", "```go\n/*\n"+strings.Repeat("func f() {}\n", 5000))
	if drawn := m.View(input(c), true); !strings.Contains(drawn, "\x1b[3;38;2;154;165;184mfunc f() {}") {
		t.Errorf("the end of a comment is drawn as code: %q", drawn)
	}
	c = grown(c, "*/\nfunc f() {}\n")
	if drawn := m.View(input(c), true); !strings.Contains(drawn, "mfunc\x1b[m") {
		t.Errorf("the code after a comment is drawn as a comment: %q", drawn)
	}
}

// A search draws nothing but what it goes to.
func TestSearchDrawsWhatItGoesTo(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 40)
	in := input(long(10_000))
	m.View(in, true)
	drawn := m.Rendered()
	m.Search("question 5000.")
	through(t, m)
	m.View(in, true)
	if n := m.Rendered() - drawn; n > 120 {
		t.Errorf("a search draws %d pieces", n)
	}
	drawn = m.Rendered()
	for range 10 {
		m.View(in, true)
	}
	if n := m.Rendered() - drawn; n > 0 {
		t.Errorf("%d pieces are drawn again while nothing changes", n)
	}
	m.EndSearch(false)
	m.View(in, true)
	if n := m.Rendered() - drawn; n > 3 {
		t.Errorf("the end of a search draws %d pieces", n)
	}
}

// Jumps and folds draw what is on the screen.
func TestJumpsDrawWhatIsSeen(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 40)
	in := input(long(10_000))
	m.View(in, true)
	for i, step := range []func(){
		func() { m.Jump(transcript.ToTurn, false) }, func() { m.Jump(transcript.ToError, false) }, func() { m.ToggleAll() },
		m.Home, func() { m.Jump(transcript.ToCall, true) }, func() { m.ToggleAll() },
	} {
		drawn := m.Rendered()
		step()
		m.View(in, true)
		if n := m.Rendered() - drawn; n > 120 {
			t.Errorf("step %d draws %d pieces", i, n)
		}
	}
}

// Only what is seen is drawn, of the first screen, after a resize, and of a
// jump to the other end.
func TestOnlyWhatIsSeenIsDrawn(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 40)
	in := input(long(10_000))
	for i, step := range []func(){
		func() {}, func() { m.SetSize(100, 40) }, m.Home, func() { m.SelectCall("t5000", "c") }, m.End,
	} {
		drawn := m.Rendered()
		step()
		m.View(in, true)
		if n := m.Rendered() - drawn; n > 120 {
			t.Errorf("step %d draws %d pieces", i, n)
		}
	}
}

// What was drawn of parts that are out of sight is forgotten.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 40)
	in := input(long(2000))
	m.View(in, true)
	m.Home()
	for !m.Following() {
		m.PageDown()
		m.View(in, true)
	}
	if n := m.Remembered(); n > 800 {
		t.Errorf("%d parts are remembered", n)
	}
}

func BenchmarkDelta1MB(b *testing.B) {
	for name, unit := range map[string]string{
		"paragraphs": "A paragraph of *some* words, as they are streamed by `an agent`.\n\n",
		"lines":      "One line after the other, with no paragraph between them at all.\n",
		"one line":   "all of it in one single line ",
		"code":       "    code()\n",
		"fenced":     "func f() string { return \"text\" } // as it is streamed\n",
	} {
		b.Run(name, func(b *testing.B) {
			m := transcript.New(viewtest.Colour(b))
			m.SetSize(100, 50)
			begin := ""
			if name == "fenced" {
				begin = "```go\n"
			}
			c := words("1", begin+strings.Repeat(unit, (1<<20)/len(unit)))
			in := input(c)
			m.View(in, true)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c = grown(c, unit[i%len(unit):i%len(unit)+1])
				in.Chat = c
				m.View(in, true)
			}
		})
	}
}

func BenchmarkFirstScreen1MB(b *testing.B) {
	text := strings.Repeat("A paragraph of *some* words, as they are streamed by `an agent`.\n\n", 16_000)
	in := input(words("1", text))
	for b.Loop() {
		m := transcript.New(viewtest.Colour(b))
		m.SetSize(100, 50)
		m.View(in, true)
	}
}

func BenchmarkTurns(b *testing.B) {
	for _, turns := range []int{100, 10_000} {
		in := input(long(turns))
		m := transcript.New(viewtest.Colour(b))
		m.SetSize(100, 50)
		m.View(in, true)
		b.Run(fmt.Sprint("unchanged/", turns), func(b *testing.B) {
			for b.Loop() {
				m.View(in, true)
			}
		})
		b.Run(fmt.Sprint("scroll/", turns), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				m.Scroll(1 - i%2*2)
				m.View(in, true)
			}
		})
		b.Run(fmt.Sprint("resize/", turns), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				m.SetSize(100+i%2, 50)
				m.View(in, true)
			}
		})
	}
}

func BenchmarkNewTurn10000(b *testing.B) {
	c := long(10_000)
	m := transcript.New(viewtest.Colour(b))
	m.SetSize(100, 50)
	in := input(c)
	for i := 0; b.Loop(); i++ {
		next := *c
		next.ActiveTurn = &protocol.Turn{ID: fmt.Sprint("new", i), Message: protocol.UserMessage("go on")}
		in.Chat = &next
		m.View(in, true)
	}
}
