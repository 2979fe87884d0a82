package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

// through looks through the whole chat and counts the slices that it takes.
func through(t testing.TB, m *transcript.Model) (slices int) {
	t.Helper()
	for {
		if _, more := m.Searching(); !more {
			return slices
		}
		if slices++; slices > 10_000 {
			t.Fatal("the search does not end")
		}
		m.SearchOn()
	}
}

func matches(t testing.TB, m *transcript.Model, wantAt, want int) {
	t.Helper()
	through(t, m)
	if at, n := m.Matches(); at != wantAt || n != want {
		t.Errorf("match %d of %d, want %d of %d", at, n, wantAt, want)
	}
}

// Everything that a chat says is searched, whatever it is part of, and what is folded unfolds.
func TestSearchFindsEverything(t *testing.T) {
	t.Parallel()
	c := chat(t, chatJSON)
	in := input(c)
	for words, sees := range map[string]string{
		"login redirect":       "login redirect",
		"wants the redirect":   "The user wants the redirect fixed.",
		"the issue":            "I'll look at the issue first.",
		"search":               "notes.search",
		`"query":"login`:       "login redirect",
		"3 ISSUES":             "",
		"3 issues":             "3 issues",
		"model was changed":    "the model was changed",
		"which branch":         "Which branch?",
		"did not answer":       "the model did not answer",
		"at line 2":            "at line 2",
		"an old version":       "an error of an old version",
		"日本語":                  "日本語でお願いします",
		"the other one":        "the other one",
		"Shopping":             "Shopping",
		"shopping":             "Shopping",
		"no such words at all": "",
	} {
		m := panel(t, 80, 9)
		m.View(in, true)
		m.Search(words)
		through(t, m)
		drawn := m.View(in, true)
		viewtest.Check(t, drawn, 80, 9)
		at, n := m.Matches()
		if sees == "" {
			if n != 0 || !strings.Contains(viewtest.Text(drawn), "no match") {
				t.Errorf("%q: %d of %d", words, at, n)
			}
			continue
		}
		if at == 0 || n == 0 || !strings.Contains(viewtest.Text(drawn), sees) {
			t.Errorf("%q: match %d of %d:\n%s", words, at, n, viewtest.Text(drawn))
		}
	}
}

// The nearest match below is gone to while words are typed, else the nearest above; further ones come in the order of the
// chat, from the last to the first and back.
func TestSearchOrder(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 8)
	in := input(long(30))
	m.View(in, true)
	m.SelectCall("t10", "c")
	m.View(in, true)
	m.Search("question 2") // 2, 20 to 29
	matches(t, m, 2, 11)
	turn := func(want string) {
		t.Helper()
		if got := m.Selected().TurnID; got != want {
			t.Errorf("at %s, want %s", got, want)
		}
		if drawn := viewtest.Text(m.View(in, true)); !strings.Contains(drawn, "question "+want[1:]+".") {
			t.Errorf("%s is not on the screen:\n%s", want, drawn)
		}
	}
	turn("t20")
	m.NextMatch(false)
	turn("t2")
	m.NextMatch(false)
	turn("t29")
	m.NextMatch(true)
	turn("t2")
	m.NextMatch(true)
	turn("t20")
	m.Search("question 3.")
	matches(t, m, 1, 1)
	turn("t3")
	m.EndSearch(true)
	if drawn := viewtest.Text(m.View(in, true)); !strings.Contains(drawn, "tool10") || m.Selected().Kind != transcript.None {
		t.Errorf("it does not go back to where it began:\n%s", drawn)
	}
}

// What a search has unfolded folds again when it goes on, but for where it ends.
func TestSearchFoldsAgain(t *testing.T) {
	t.Parallel()
	in := input(chat(t, chatJSON))
	sees := func(m *transcript.Model, unfolded bool, want string) {
		t.Helper()
		if got := viewtest.Text(m.View(in, true)); strings.Contains(got, want) != unfolded {
			t.Errorf("%q, unfolded: want %v:\n%s", want, unfolded, got)
		}
	}
	for _, back := range []bool{true, false} {
		m := panel(t, 80, 200)
		m.View(in, true)
		m.Search("3 issues")
		through(t, m)
		sees(m, true, "3 issues")
		m.Search("at line 2")
		through(t, m)
		sees(m, false, "3 issues")
		sees(m, true, "at line 2")
		m.EndSearch(back)
		sees(m, !back, "at line 2")
	}
}

// Matches in one long text are gone to one by one, to the line that each is in.
func TestSearchInALongText(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "Paragraph %d has a **needle%d** in it.\n\n", i, i)
	}
	m := panel(t, 60, 10)
	in := input(words("1", text.String()))
	m.View(in, true)
	m.Home()
	m.Search("needle")
	matches(t, m, 1, 3000)
	for i := range 40 {
		if drawn := viewtest.Text(m.View(in, true)); !strings.Contains(drawn, fmt.Sprintf("needle%d ", i)) {
			t.Fatalf("match %d is not on the screen:\n%s", i, drawn)
		}
		m.NextMatch(true)
	}
}

// A search goes on where the chat grows, at its end and at its beginning, and keeps its place.
func TestSearchWhileTheChatGrows(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 8)
	c := long(20)
	c.ActiveTurn = &protocol.Turn{ID: "now", Message: protocol.UserMessage("go on"), ResponseParts: words("x", "").ActiveTurn.ResponseParts}
	m.View(input(c), true)
	m.Home()
	m.Search("answer 1")
	matches(t, m, 1, 11)
	for range 3 {
		c = grown(c, "One more answer 1 here. ")
		m.View(input(c), true)
	}
	matches(t, m, 1, 14)
	older := *c
	older.Turns = slices.Concat(long(7).Turns, c.Turns)
	c = &older
	m.View(input(c), true)
	matches(t, m, 2, 15)
	ended := *c
	ended.Turns, ended.ActiveTurn = append(slices.Clip(c.Turns), c.ActiveTurn), nil
	c = &ended
	m.View(input(c), true)
	matches(t, m, 2, 15)
	m.NextMatch(false)
	if got := m.Selected(); got.TurnID != "t1" {
		t.Errorf("at %+v", got)
	}
	matches(t, m, 1, 15)
	short := *c
	short.Turns = c.Turns[:3]
	m.View(input(&short), true)
	matches(t, m, 1, 1)
}

// However a chat is cut into parts, and whatever comes in between the slices, what is found is what is there.
func TestSearchFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"needle", "Needle ", "nee", "dle", " hay ", "\n\n", "日本", strings.Repeat("hay ", 25_000)})
	rapid.Check(t, func(rt *rapid.T) {
		c := &protocol.ChatState{Resource: "ahp-chat:/r"}
		for i := range rapid.IntRange(1, 5).Draw(rt, "turns") {
			text := strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(rt, "text"), "")
			c.Turns = append(c.Turns, &protocol.Turn{ID: fmt.Sprint("t", i), Message: protocol.UserMessage(text), State: protocol.TurnComplete})
		}
		c.ActiveTurn = words("x", "").ActiveTurn
		m := panel(t, 60, 8)
		m.View(input(c), true)
		if rapid.Bool().Draw(rt, "from the top") {
			m.Home()
		}
		m.Search("needle")
		for range rapid.IntRange(0, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				c = grown(c, piece.Draw(rt, "delta"))
			case 1:
				next := *c
				next.Turns = slices.Concat([]*protocol.Turn{{ID: fmt.Sprint("o", len(c.Turns)), Message: protocol.UserMessage(piece.Draw(rt, "older"))}}, c.Turns)
				c = &next
			case 2:
				next := *c
				next.Turns = append(slices.Clip(c.Turns), &protocol.Turn{ID: fmt.Sprint("n", len(c.Turns)), Message: protocol.UserMessage(piece.Draw(rt, "newer"))})
				c = &next
			case 3:
				m.SearchOn()
			}
			m.View(input(c), true)
		}
		through(t, m)
		want := 0
		for _, turn := range append(slices.Clip(c.Turns), c.ActiveTurn) {
			want += strings.Count(strings.ToLower(turn.Message.Text.String()), "needle")
			for _, p := range turn.ResponseParts {
				want += strings.Count(strings.ToLower(p.Content.Text.String()), "needle")
			}
		}
		if _, n := m.Matches(); n != want {
			rt.Fatalf("%d matches, want %d", n, want)
		}
		for i := range want {
			m.NextMatch(true)
			if !strings.Contains(viewtest.Text(m.View(input(c), true)), fmt.Sprintf(" of %d", want)) {
				rt.Fatalf("match %d:\n%s", i, viewtest.Text(m.View(input(c), true)))
			}
		}
	})
}

// The line of the search, and the matches on the screen, at the sizes that people have. Nothing moves by them.
func TestSearchScreens(t *testing.T) {
	t.Parallel()
	in := input(chat(t, chatJSON))
	in.Search = transcript.SearchInput{Next: safetext.Const("."), Previous: safetext.Const(","), End: safetext.Const("esc")}
	for _, size := range viewtest.Sizes() {
		m := transcript.New(viewtest.Colour(t))
		m.SetSize(size.Width, size.Height)
		m.View(in, true)
		for _, words := range []string{"the", "語", "e\u0301", "", strings.Repeat("long ", 90), "\x1b[31m"} {
			m.Search(words)
			through(t, m)
			for range 12 {
				viewtest.Check(t, m.View(in, true), size.Width, size.Height)
				m.NextMatch(true)
			}
		}
		m.EndSearch(false)
		viewtest.Check(t, m.View(in, true), size.Width, size.Height)
	}
}

// What a peer wrote is searched and marked as it is shown: nothing of it gets to the terminal, and no column moves.
func TestSearchInHostileText(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		in := input(hostileChat(s))
		for _, words := range []string{s, s[:min(len(s), 5)], "e", "[", "o\u0301"} {
			m := transcript.New(viewtest.Colour(t))
			m.SetSize(40, 12)
			m.View(in, true)
			m.Search(words)
			through(t, m)
			for range 4 {
				viewtest.Check(t, m.View(in, true), 40, 12)
				m.NextMatch(false)
			}
		}
	}
}

// A hundred thousand items do not hold up a key: a slice is short, and what is found meanwhile is shown.
func TestSearchComesInSlices(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 40)
	in := input(long(50_000))
	m.View(in, true)
	m.Home()
	m.Search("question 49999.")
	if _, more := m.Searching(); !more {
		t.Error("all was looked through at once")
	}
	if n := through(t, m); n < 10 {
		t.Errorf("it took %d slices", n)
	}
	matches(t, m, 1, 1)
	m.Search("question")
	matches(t, m, 1, 10_000) // no more are kept
	if drawn := viewtest.Text(m.View(in, true)); !strings.Contains(drawn, "of 10000+") {
		t.Errorf("it does not say that there are more:\n%s", drawn)
	}
}

func BenchmarkSearchSlice(b *testing.B) {
	m := transcript.New(viewtest.Colour(b))
	m.SetSize(100, 50)
	in := input(long(50_000))
	m.View(in, true)
	for i := 0; b.Loop(); i++ {
		if _, more := m.Searching(); !more {
			m.Search(fmt.Sprint("nowhere", i))
		}
		m.SearchOn()
	}
}

func BenchmarkJump100000(b *testing.B) {
	m := transcript.New(viewtest.Colour(b))
	m.SetSize(100, 50)
	in := input(long(50_000))
	m.View(in, true)
	m.Home()
	for b.Loop() {
		m.Jump(transcript.ToError, true) // there is none
	}
}
