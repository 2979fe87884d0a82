package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
)

// clock is the time that the screen shows. While a screen is put together it
// collects when that screen will next look different by time alone.
type clock struct {
	now  time.Time
	next time.Time // zero: it will not
}

// begin starts a new screen at a time.
func (c *clock) begin(now time.Time) { c.now, c.next = now, time.Time{} }

// at notes that the screen looks different from t on.
func (c *clock) at(t time.Time) {
	if t.After(c.now) && (c.next.IsZero() || t.Before(c.next)) {
		c.next = t
	}
}

// age words how long something has lasted, and notes when the words change.
func (c *clock) age(since time.Time) safetext.Text {
	words, until := age(c.now.Sub(since))
	c.at(since.Add(until))
	return words
}

// age words how long something has lasted, coarser the longer it is, and says
// how long it will have lasted when the words change.
func age(d time.Duration) (words safetext.Text, until time.Duration) {
	const day = 24 * time.Hour
	in := func(unit time.Duration, name string) (safetext.Text, time.Duration) {
		return own(fmt.Sprintf("%d %s", d/unit, name)), d.Truncate(unit) + unit
	}
	switch d = max(0, d); {
	case d < time.Minute:
		return in(time.Second, "s")
	case d < time.Hour:
		return in(time.Minute, "min")
	case d < 2*day:
		return in(time.Hour, "h")
	}
	return in(day, "d")
}

// tickMsg comes when the screen looks different by time alone.
type tickMsg struct{}

// alarm is the one timer that is waiting to send a tickMsg.
type alarm struct {
	at     time.Time
	cancel chan struct{} // nil: none is waiting
	rang   time.Time     // when the last one was set off
}

// ring takes note of a tickMsg.
func (a *alarm) ring(now time.Time) { a.cancel, a.rang = nil, now }

// set asks for a tickMsg at a time, but not sooner than a second after the
// last; the zero time asks for none. What was asked for before is forgotten.
func (a *alarm) set(at, now time.Time, link *bridge) tea.Cmd {
	if earliest := a.rang.Add(time.Second); !at.IsZero() && at.Before(earliest) {
		at = earliest
	}
	if a.cancel != nil {
		if at.Equal(a.at) {
			return nil
		}
		close(a.cancel)
		a.cancel = nil
	}
	if at.IsZero() {
		return nil
	}
	a.at, a.cancel = at, make(chan struct{})
	return link.after(at.Sub(now), a.cancel, tickMsg{})
}

// own makes a text of words put together here. It is cleaned like any other:
// parts of it may be a peer's.
func own(s string) safetext.Text { return safetext.Clean(s, maxField) }

// clean makes a text of a peer's string.
func clean(s string) safetext.Text { return safetext.Clean(s, maxField) }

// maxField bounds a field on the screen, in columns.
const maxField = 400
