package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/viewtest"
)

const (
	ours      = protocol.URI("ahp-terminal:/ours")
	agentsOwn = protocol.URI("ahp-terminal:/agentsOwn")
	another   = protocol.URI("ahp-terminal:/another")
	ended     = protocol.URI("ahp-terminal:/ended")
)

func console(title, output string, claim *protocol.TerminalClaim) *protocol.TerminalState {
	return &protocol.TerminalState{
		Title: title, Cwd: "file:///home/u/app", Cols: ptr(80), Rows: ptr(24), Claim: claim,
		Lifecycle: &protocol.TerminalLifecycle{Status: protocol.TerminalRunning},
		Content:   []*protocol.TerminalPart{{Type: protocol.TerminalUnclassified, Value: protocol.NewText("").AppendString(output)}},
	}
}

// terminalsHost is a busy host with a terminal of every owner.
func terminalsHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	h.addTerminal(another, console("their shell", "$ top\r\n", &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: "somebody"}))
	h.addTerminal(ours, console("bash", "\x1b]0;evil\x07\x1b[32muser@host\x1b[m:\x1b[34m~/app\x1b[m$ ", &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: fakeClient}))
	h.addTerminal(agentsOwn, console("go test ./...", "ok   app/login  0.4s\r\nFAIL app/redirect\r\n", &protocol.TerminalClaim{Kind: protocol.ClaimSession, Session: sessionA, Chat: chatA}))
	done := console("make", "done\r\n", &protocol.TerminalClaim{Kind: protocol.ClaimSession, Session: sessionB})
	done.Lifecycle = &protocol.TerminalLifecycle{Status: protocol.TerminalEnded, ExitCode: ptr(2)}
	h.addTerminal(ended, done)
	return h
}

// openTerminal opens the terminals and selects one.
func openTerminal(d *driver, uri protocol.URI) {
	d.t.Helper()
	d.key("T")
	d.m.middle.terminals.view.Select(uri)
	d.look()
	d.focused(keymap.Terminals)
}

var panelSizes = []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 200, Height: 60}}

// checkScenes compares whole screens of scenes with those that were looked at once.
func checkScenes(t *testing.T, host func(now func() time.Time) *fakeHost, scenes map[string]func(d *driver)) {
	t.Helper()
	for name, play := range scenes {
		for _, size := range panelSizes {
			for _, look := range []struct {
				name  string
				theme func(testing.TB) themes.Theme
				text  func(string) string
			}{{"plain", viewtest.Plain, viewtest.Text}, {"colour", viewtest.Colour, func(s string) string { return s + "\n" }}} {
				t.Run(fmt.Sprintf("%s/%dx%d-%s", name, size.Width, size.Height, look.name), func(t *testing.T) {
					t.Parallel()
					d := newDriver(t, look.theme(t), size, host)
					play(d)
					viewtest.Check(t, d.frame.Content, size.Width, size.Height)
					golden.RequireEqual(t, look.text(d.frame.Content))
				})
			}
		}
		t.Run(name+"/sizes", func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), classic, host)
			play(d)
			d.checkSizes()
		})
	}
}

func TestTerminalScreens(t *testing.T) {
	t.Parallel()
	checkScenes(t, terminalsHost, map[string]func(d *driver){
		"terminals": func(d *driver) { openTerminal(d, agentsOwn) },
		"typing": func(d *driver) {
			openTerminal(d, ours)
			d.key("i")
		},
		"claim": func(d *driver) {
			openTerminal(d, agentsOwn)
			d.key("i")
		},
		"ended": func(d *driver) {
			openTerminal(d, ended)
			d.key("i")
		},
		"end": func(d *driver) {
			openTerminal(d, ours)
			d.key("D")
		},
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		d := newDriver(t, viewtest.Plain(t), classic, busyHost)
		d.key("T")
		d.sees("the host has no terminals; n opens")
		d.key("i")
		d.sees("no terminal is selected")
	})
}

// TestTerminalShown: the terminals take the place of the chat and give it back, and
// only that which is seen is subscribed to.
func TestTerminalShown(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, terminalsHost)
	d.key("T")
	d.look()
	d.sees("go test ./…", "this session", "their sh…", "another client", "FAIL app/redirect")
	d.lacks("Let me write that down")
	if d.host.open[agentsOwn] == nil || d.host.open[ours] != nil {
		t.Error("not what is seen is open")
	}
	d.key("down")
	d.look()
	if d.host.open[agentsOwn] != nil {
		t.Error("what is not seen any more is still open")
	}
	d.key("tab")
	d.focused(keymap.Servers)
	d.sees("their sh…")
	d.key("shift+tab")
	d.focused(keymap.Terminals)
	for _, back := range []string{"T", "esc"} {
		d.key(back)
		d.focused(keymap.Transcript)
		d.sees("Let me write that down")
		d.lacks("their sh…")
		d.look()
		if len(d.m.middle.open) != 0 {
			t.Error("a terminal is open that nobody sees")
		}
		d.key("T")
	}
	d.key("a") // there is nothing; and what there is comes to the chat
	d.host.ask("c1", "{}")
	d.look()
	d.key("a")
	d.focused(keymap.Transcript)
	d.sees("Run notes.add?")
}

// TestTyping: all keys go to the terminal, but the one that leaves it.
func TestTyping(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, terminalsHost)
	openTerminal(d, ours)
	d.key("i")
	d.focused(keymap.TerminalInput)
	d.sees("ctrl+] leaves it")
	var sent strings.Builder
	for _, key := range []string{"q", "?", "D", "space", "enter", "esc", "ctrl+c", "ctrl+g", "tab", "up", "alt+x", "pgup", "f1", "y"} {
		before := d.host.count()
		d.key(key)
		sent.WriteString(asks[*protocol.TerminalInput](d, before).Data.String())
		d.focused(keymap.TerminalInput)
		d.sees("ctrl+] leave")
	}
	if got, want := sent.String(), "q?D \r\x1b\x03\x07\t\x1b[A\x1bx\x1b[5~\x1bOPy"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	if d.quit {
		t.Error("the program has ended")
	}
	d.key("ctrl+]")
	d.focused(keymap.Terminals)
	before := d.host.count()
	d.key("y")
	if d.host.count() != before {
		t.Error("a key of the panel went to the terminal")
	}
}

// TestTypingEnds: keys that were meant for a terminal are no commands when it has
// ended or the connection is lost.
func TestTypingEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *driver){
		"exit": func(d *driver) { d.host.act(ours, &protocol.TerminalExited{ExitCode: ptr(0)}) },
		"lost": func(d *driver) { d.host.drop(errors.New("reset")) },
		"gone": func(d *driver) {
			d.host.change(func() { d.host.root = &protocol.RootState{}; delete(d.host.states, ours) })
		},
		"claimed": func(d *driver) {
			d.host.act(ours, &protocol.TerminalClaimed{Claim: &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: "somebody"}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), classic, terminalsHost)
			openTerminal(d, ours)
			d.key("i")
			end(d)
			d.look()
			before := d.host.count()
			d.key("D", "q", "enter", "ctrl+c")
			d.paste("rm\n")
			if d.host.count() != before || d.quit || len(d.m.overlays) > 0 {
				t.Errorf("a key did something:\n%s", d.screen())
			}
			d.focused(keymap.TerminalInput)
			d.sees("ctrl+] leaves it")
			d.key("ctrl+]")
			d.focused(keymap.Terminals)
		})
	}
}

// TestClaim: what somebody else has is taken only when the person says so.
func TestClaim(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, terminalsHost)
	openTerminal(d, agentsOwn)
	d.key("enter")
	d.sees("this session has this terminal")
	d.key("enter") // is no answer
	before := d.host.count()
	d.key("2")
	d.focused(keymap.TerminalInput)
	if d.host.count() != before {
		t.Error("it was claimed")
	}
	d.key("x")
	asks[*protocol.TerminalInput](d, before)
	d.key("ctrl+]", "i")
	before = d.host.count()
	d.key("1")
	if c := asks[*protocol.TerminalClaimed](d, before).Claim; c.Kind != protocol.ClaimClient || c.ClientID != fakeClient {
		t.Errorf("claimed for %+v", c)
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.key("ctrl+]")
	before = d.host.count()
	d.key("u")
	if c := asks[*protocol.TerminalClaimed](d, before).Claim; c.Kind != protocol.ClaimSession || c.Session != sessionA || c.Chat != chatA {
		t.Errorf("handed to %+v", c)
	}
}

// TestClaimRefused: what another client does not give up is not typed into.
func TestClaimRefused(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, terminalsHost)
	openTerminal(d, another)
	d.key("i", "1")
	claim := d.host.last()
	d.host.settle(claim, ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "another client has the terminal"})
	d.look()
	d.sees("the host refused to take", "another client has the terminal")
	before := d.host.count()
	d.key("x")
	if d.host.count() != before {
		t.Error("it was typed into")
	}
	d.sees("another client has this terminal; ctrl+] leaves it")
}

// TestPasteToTerminal: pasted text is what it is, and lines that would be carried
// out are asked about first.
func TestPasteToTerminal(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, terminalsHost)
	openTerminal(d, ours)
	d.paste("ls\n")
	d.focused(keymap.Terminals)
	d.key("i")
	before := d.host.count()
	d.paste("ls -l\x1b[201~")
	if got := asks[*protocol.TerminalInput](d, before).Data.String(); got != "ls -l[201~" {
		t.Errorf("sent %q", got)
	}
	d.paste("one\ntwo\n")
	d.sees("Paste 2 lines?")
	d.key("enter", "y")
	d.paste("1")
	if d.host.count() != before+1 {
		t.Error("it was pasted without a yes")
	}
	d.key("1")
	if got := asks[*protocol.TerminalInput](d, before+1).Data.String(); got != "one\rtwo\r" {
		t.Errorf("sent %q", got)
	}
	d.host.act(ours, &protocol.TerminalData{Data: protocol.NewText("\x1b[?2004h")})
	d.look()
	d.paste("one\ntwo")
	if got := asks[*protocol.TerminalInput](d, before+2).Data.String(); got != "\x1b[200~one\rtwo\x1b[201~" {
		t.Errorf("sent %q", got)
	}
	d.paste(strings.Repeat("x", 40_000))
	if n := d.host.count() - before - 3; n != 3 {
		t.Errorf("sent in %d pieces", n)
	}
}

// TestTerminalFits: a terminal that is ours gets the size of the panel, once that
// has stayed the same for a moment, and one that is not stays as it is.
func TestTerminalFits(t *testing.T) {
	inBubble(t, classic, terminalsHost, func(t *testing.T, d *driver) {
		d.look()
		openTerminal(d, agentsOwn)
		d.pass(time.Second)
		if d.host.count() != 0 {
			t.Errorf("asked for %T", d.host.last().Action)
		}
		d.m.middle.terminals.view.Select(ours)
		d.look()
		d.look() // which was not open before
		for width := 100; width < 110; width++ {
			d.send(tea.WindowSizeMsg{Width: width, Height: 30})
			d.pass(20 * time.Millisecond)
		}
		d.pass(time.Second)
		size := asks[*protocol.TerminalResized](d, 0)
		if cols, rows := d.m.middle.terminals.view.Screen(); size.Cols != cols || size.Rows != rows || cols < 40 {
			t.Errorf("%+v for %dx%d", size, cols, rows)
		}
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "no"})
		d.look()
		d.pass(time.Minute)
		if d.host.count() != 1 {
			t.Error("what was refused is asked for again")
		}
	})
}

// TestTerminalMadeAndEnded: n makes a terminal in the session's directory, and D
// ends one after a yes.
func TestTerminalMadeAndEnded(t *testing.T) {
	inBubble(t, classic, terminalsHost, func(t *testing.T, d *driver) {
		d.look()
		openTerminal(d, agentsOwn)
		d.key("n")
		d.look()
		d.sees("a terminal was opened", "made")
		if p := d.host.panels.made; len(p) != 1 || p[0].Cols == nil || *p[0].Rows < 5 {
			t.Fatalf("made %+v", p)
		}
		if uri, _ := d.m.selectedTerminal(); uri != "ahp-terminal:/made-0" {
			t.Errorf("selected %s", uri)
		}
		d.key("D", "enter", "y")
		if len(d.host.panels.disposed) != 0 {
			t.Error("it was ended without a yes")
		}
		d.key("1")
		if got := d.host.panels.disposed; len(got) != 1 || got[0] != "ahp-terminal:/made-0" {
			t.Errorf("ended %v", got)
		}
		d.host.panels.failure = errors.New("this host gives nobody a terminal")
		d.key("n")
		d.sees("no terminal was opened: this host gives nobody a terminal")
	})
}

// TestHostileTerminal: what a terminal's program writes changes nothing but cells of
// the panel.
func TestHostileTerminal(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Colour(t), classic, terminalsHost)
	openTerminal(d, ours)
	title := d.frame.WindowTitle
	for _, out := range append(viewtest.Hostile(), "\x1b]0;evil\x07", "\x1b]52;c;ZXZpbA==\x07", "\x1b]4;1;red\x07", "\x1b[?1003h\x1b[?2026h\x1b[>1u", "\x1b[6n\x1b[c\x1b[18t", "\x1bP+q\x1b\\", "\x1b[9999;9999H\x1b[2J") {
		d.host.act(ours, &protocol.TerminalData{Data: protocol.NewText(out)}, &protocol.TerminalTitleChanged{Title: out})
		d.look()
		viewtest.Check(t, d.frame.Content, classic.Width, classic.Height)
	}
	if d.frame.WindowTitle != title || d.frame.MouseMode != 0 || d.host.count() != 0 {
		t.Errorf("the title is %q, the mouse %v, %d requests", d.frame.WindowTitle, d.frame.MouseMode, d.host.count())
	}
}
