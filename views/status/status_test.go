package status_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/status"
	"ahptui/views/viewtest"
)

func inputs() []status.Input {
	common := status.Input{
		Host: safetext.Const("vscode-agent-host"), Version: safetext.Const("0.9.0"), Latency: safetext.Const("12 ms"),
		Help: safetext.Const("?"), Next: safetext.Const("a"),
	}
	with := func(change func(*status.Input)) status.Input {
		in := common
		change(&in)
		return in
	}
	return []status.Input{
		with(func(in *status.Input) { in.Phase, in.Blocked = status.Connected, 2 }),
		with(func(in *status.Input) {
			in.Phase = status.Connected
			in.Notice, in.Severity, in.More = safetext.Const("notes: the host refused: this server cannot be stopped"), status.Warning, 3
		}),
		with(func(in *status.Input) { in.Phase, in.Latency = status.Connecting, safetext.Text{} }),
		with(func(in *status.Input) {
			in.Phase, in.Blocked, in.Retry, in.Reason = status.Reconnecting, 12, safetext.Const("in 3 s"), safetext.Const("connection reset by peer")
			in.Notice = safetext.Const("the connection was lost")
		}),
		with(func(in *status.Input) {
			in.Phase, in.Reason = status.Failed, safetext.Const("the host refused the token")
			in.Notice, in.Severity = safetext.Const("cannot connect"), status.Problem
		}),
		with(func(in *status.Input) { in.Phase, in.Host = status.Offline, safetext.Text{} }),
		with(func(in *status.Input) {
			in.Phase, in.Notice, in.Severity = status.Connected, safetext.Const("connected again"), status.Success
		}),
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			m := status.New(viewtest.Plain(t))
			m.SetSize(width, 2)
			var b strings.Builder
			for _, in := range inputs() {
				b.WriteString(viewtest.Text(m.View(in)))
			}
			golden.RequireEqual(t, b.String())
		})
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			m := status.New(theme)
			m.SetSize(size.Width, size.Height)
			for _, in := range inputs() {
				viewtest.Check(t, m.View(in), size.Width, size.Height)
			}
		}
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		text := safetext.Clean(s, 200)
		for phase := status.Offline; phase <= status.Failed; phase++ {
			for _, width := range []int{40, 80} {
				m := status.New(viewtest.Colour(t))
				m.SetSize(width, 2)
				viewtest.Check(t, m.View(status.Input{Phase: phase, Host: text, Version: text, Reason: text, Retry: text, Latency: text, Help: text, Next: text, Notice: text, Blocked: 1}), width, 2)
			}
		}
	}
}

// The count of what is blocked stays, whatever else has to go.
func TestBlockedStays(t *testing.T) {
	t.Parallel()
	for width := 6; width <= 200; width++ {
		m := status.New(viewtest.Plain(t))
		m.SetSize(width, 1)
		for _, in := range inputs() {
			if in.Blocked == 0 {
				continue
			}
			if got := viewtest.Text(m.View(in)); !strings.Contains(got, fmt.Sprintf("⚠ %d", in.Blocked)) {
				t.Fatalf("at %d columns: %q", width, got)
			}
		}
	}
}
