package doctor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/views/doctor"
	"ahptui/views/viewtest"
)

func report() doctor.Report {
	return doctor.Report{
		Server: safetext.Const("tracker"), Verdict: safetext.Const("failed at: token handed to the host"),
		Steps: []doctor.Step{
			{Name: safetext.Const("connection to the host"), State: doctor.Done},
			{Name: safetext.Const("switched on"), State: doctor.Done},
			{Name: safetext.Const("start"), State: doctor.Current, Words: safetext.Const("the host starts it; messages wait for it"), Since: safetext.Const("12 s")},
			{Name: safetext.Const("sign-in"), State: doctor.Skipped},
			{Name: safetext.Const("token"), State: doctor.Stuck, Words: safetext.Const("the token that is held lacks tracker:write"), Since: safetext.Const("2 min")},
			{Name: safetext.Const("token handed to the host"), State: doctor.Failed, Words: safetext.Const("the host did not take it")},
			{Name: safetext.Const("ready")},
		},
		Raw: safetext.CleanBlock("-32602: no\nsecond line", 400),
		Facts: []doctor.Fact{
			{safetext.Const("resource"), safetext.Const("https://tracker.example/mcp")},
			{safetext.Const("the host's answer"), safetext.Const("2 min ago: no")},
		},
		Next: safetext.Const("nothing: it waits for you"),
		Can:  []safetext.Text{safetext.Const("g signs in"), safetext.Const("s start")},
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, width := range []int{30, 70} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, viewtest.Text(strings.Join(doctor.Lines(viewtest.Plain(t), report(), width), "\n")))
		})
	}
}

// TestWidths: every line is as wide as it must be, whatever is in it.
func TestWidths(t *testing.T) {
	t.Parallel()
	for width := 1; width < 90; width++ {
		lines := doctor.Lines(viewtest.ASCII(t), report(), width)
		viewtest.Check(t, strings.Join(lines, "\n"), width, len(lines))
	}
	for _, s := range viewtest.Hostile() {
		text := safetext.Clean(s, 200)
		r := report()
		r.Server, r.Verdict, r.Next, r.Can, r.Raw = text, text, text, []safetext.Text{text}, safetext.CleanBlock(s, 500)
		r.Facts = []doctor.Fact{{text, text}}
		for i := range r.Steps {
			r.Steps[i].Words, r.Steps[i].Since = text, text
		}
		lines := doctor.Lines(viewtest.Colour(t), r, 40)
		viewtest.Check(t, strings.Join(lines, "\n"), 40, len(lines))
	}
}
