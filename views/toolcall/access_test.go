package toolcall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/toolcall"
	"ahptui/views/viewtest"
)

// stepUp is a call that needs more access than was granted.
func stepUp() toolcall.Access {
	return toolcall.Access{
		Needed: true, Server: safetext.Const("tracker"), Reason: safetext.Const("the server needs more access"),
		Description: safetext.Const("Creating issues needs write access"), Required: safetext.Const("tracker:read tracker:write"),
		Held: safetext.Const("tracker:read"), Issuer: safetext.URL("https://login.example/tenants/acme"),
	}
}

// waiting are calls that wait for access in one way or another, and calls that
// have waited, by what is to be seen of them.
func waiting(t testing.TB) map[string]toolcall.Input {
	inputs := map[string]toolcall.Input{}
	add := func(name, json string, change func(*toolcall.Note)) {
		in := toolcall.Input{Call: call(t, json), Server: safetext.Const("tracker"), Keys: keys, Selected: true, Focused: true}
		in.Note.Since, in.Note.Took, in.Note.Access = safetext.Const("2 min"), safetext.Const("420 ms"), stepUp()
		change(&in.Note)
		inputs[name] = in
	}
	own, runs := calls()["access"], calls()["running"]
	add("own", own, func(*toolcall.Note) {})
	add("server", runs, func(n *toolcall.Note) { n.Access.Held = safetext.Text{} })
	add("signing-in", own, func(n *toolcall.Note) { n.Access.Progress = safetext.Const("waiting for the browser, 12 s") })
	add("failed", own, func(n *toolcall.Note) {
		n.Access.Failure = safetext.Const("the sign-in failed: the authorization server denied it (access_denied)")
	})
	add("not-from-here", own, func(n *toolcall.Note) {
		n.Access.Obstacle = safetext.Const("its resource names no authorization server")
	})
	add("stale", own, func(n *toolcall.Note) { n.Stale = true })
	add("cancelling", own, func(n *toolcall.Note) { n.Pending = true })
	granted := func(n *toolcall.Note) {
		n.Access, n.Granted = toolcall.Access{}, safetext.Const("granted tracker:write 12 s ago")
	}
	add("granted-running", runs, granted)
	add("granted-completed", calls()["completed"], granted)
	return inputs
}

func TestAccess(t *testing.T) {
	t.Parallel()
	for name, in := range waiting(t) {
		for _, width := range []int{30, 40, 80, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				t.Parallel()
				golden.RequireEqual(t, viewtest.Text(draw(viewtest.Plain(t), in, width)))
			})
		}
	}
}

func TestAccessSizes(t *testing.T) {
	t.Parallel()
	for _, in := range waiting(t) {
		for _, size := range viewtest.Sizes() {
			for _, unfolded := range []bool{false, true} {
				in.Unfolded = unfolded
				drawn := draw(viewtest.ASCII(t), in, size.Width)
				viewtest.Check(t, drawn, size.Width, strings.Count(drawn, "\n")+1)
			}
		}
	}
}

// Which keys are offered, and when.
func TestAccessKeys(t *testing.T) {
	t.Parallel()
	inputs := waiting(t)
	for name, want := range map[string]string{
		"own": "[g] grant access  [x] cancel call", "server": "[g] grant access  [x] cancel call", "signing-in": "[g] show sign-in  [x] cancel call",
		"failed": "[g] try again  [x] cancel call", "not-from-here": "[x] cancel call", "stale": "", "cancelling": "", "granted-running": "", "granted-completed": "",
	} {
		lines := strings.Split(strings.TrimRight(viewtest.Text(draw(viewtest.Plain(t), inputs[name], 80)), "\n"), "\n")
		got := ""
		for _, line := range lines {
			if strings.Contains(line, "[") && strings.Contains(line, "cancel call") {
				got = strings.TrimSpace(strings.Trim(line, " │"))
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Access that a server needs stops only what runs: a call that waits for a yes,
// or has ended, looks as it did.
func TestAccessOfTheServer(t *testing.T) {
	t.Parallel()
	for name := range calls() {
		if name == "running" || name == "access" {
			continue
		}
		in := input(t, name)
		before := draw(viewtest.Plain(t), in, 60)
		in.Note.Access = stepUp()
		if got := draw(viewtest.Plain(t), in, 60); got != before {
			t.Errorf("%s looks like\n%s\nnot like\n%s", name, got, before)
		}
	}
}

func TestAccessHostile(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		text, link := safetext.Clean(s, 200), safetext.URL("https://"+s)
		for _, status := range []protocol.ToolCallStatus{protocol.ToolAuthRequired, protocol.ToolRunning, protocol.ToolCompleted} {
			access := toolcall.Access{Needed: true, Server: text, Reason: text, Description: text, Required: text, Held: text, Issuer: link, Obstacle: text, Progress: text, Failure: text}
			in := toolcall.Input{Call: &protocol.ToolCall{Status: status, ToolName: s}, Note: toolcall.Note{Access: access, Granted: text}, Keys: keys}
			for _, width := range []int{20, 60} {
				drawn := draw(viewtest.Colour(t), in, width)
				viewtest.Check(t, drawn, width, strings.Count(drawn, "\n")+1)
			}
		}
	}
}
