package tui

import (
	"time"

	"ahptui/internal/safetext"
	"ahptui/views/status"
)

// noticeLife is how long a notice stays on the screen.
const noticeLife = 6 * time.Second

// notice is something that is told once.
type notice struct {
	at       time.Time
	severity status.Severity
	text     safetext.Text
}

// notices are what was told lately, oldest first.
type notices struct{ list []notice }

const maxNotices = 20

func (n *notices) add(now time.Time, severity status.Severity, text safetext.Text) {
	n.list = append(n.list, notice{now, severity, text})
	if over := len(n.list) - maxNotices; over > 0 {
		n.list = n.list[over:]
	}
}

// newest is what to show now, nil if nothing is.
func (n *notices) newest(now time.Time) *notice {
	if len(n.list) == 0 {
		return nil
	}
	last := &n.list[len(n.list)-1]
	if now.Sub(last.at) > noticeLife {
		return nil
	}
	return last
}

// more counts the others that are still fresh.
func (n *notices) more(now time.Time) int {
	count := 0
	for _, x := range n.list {
		if now.Sub(x.at) <= noticeLife {
			count++
		}
	}
	return max(0, count-1)
}
