package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/protocol"
)

// Notify is how a person who looks elsewhere is told that something waits for them. The zero Notify tells nothing.
type Notify struct {
	Bell    bool
	Desktop Desktop
}

// Desktop is the sequence by which a terminal is asked to show a notification of the desktop.
type Desktop string

// The sequences. Which one a terminal knows, it does not tell: the person has to.
const (
	NoDesktop Desktop = ""
	OSC9      Desktop = "osc9"   // iTerm2, Windows Terminal, WezTerm, Ghostty, kitty
	OSC777    Desktop = "osc777" // urxvt, foot, Ghostty
)

// quiet is the shortest time between two notifications: a host that asks without end is not to ring without end.
const quiet = 5 * time.Second

// caller tells a person who looks elsewhere of what begins to wait.
type caller struct {
	known map[string]bool // the blocks by their ids
	last  time.Time
}

// call tells of blocks that were not there before. What waits when the program opens is on its first screen. What comes too
// soon after the last time is told later: again is when to ask once more, zero for no need.
func (c *caller) call(n Notify, now time.Time, blocks []protocol.Block) (tell tea.Cmd, again time.Time) {
	if n == (Notify{}) {
		return nil, time.Time{}
	}
	first, fresh := c.known == nil, 0
	known := make(map[string]bool, len(blocks))
	for _, b := range blocks {
		if !c.known[b.ID] {
			fresh++
		}
		if again = c.last.Add(quiet); first || c.known[b.ID] || !now.Before(again) {
			known[b.ID] = true
		}
	}
	c.known = known
	switch {
	case first, fresh == 0:
		return nil, time.Time{}
	case now.Before(again):
		return nil, again
	}
	c.last = now
	return tea.Raw(n.sequence(len(blocks))), time.Time{}
}

// callOut tells of what has begun to wait since the last screen.
func (m *Model) callOut() tea.Cmd {
	if m.conn == nil || !m.view.Listed {
		return nil
	}
	tell, again := m.caller.call(m.opts.Notify, m.clock.now, m.scene.blocks)
	m.clock.at(again)
	return tell
}

// sequence is what is written to the terminal. No peer's text is in it.
func (n Notify) sequence(blocked int) string {
	words := fmt.Sprintf("%d things wait for you", blocked)
	if blocked == 1 {
		words = "something waits for you"
	}
	seq := ""
	switch n.Desktop {
	case OSC9:
		seq = ansi.Notify("ahptui: " + words)
	case OSC777:
		seq = "\x1b]777;notify;ahptui;" + words + "\x07"
	case NoDesktop:
	}
	if n.Bell {
		seq += "\a"
	}
	return seq
}
