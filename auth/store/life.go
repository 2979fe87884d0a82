package store

import "time"

// Skew is how much a server's clock is ahead of this machine's. It is measured to the second, since that is what the Date
// header of HTTP tells.
type Skew struct {
	Seconds int64 `json:"seconds"`
	Known   bool  `json:"known"`
}

// MeasureSkew compares the Date of an answer with the time at which its request was sent and the answer received. What
// may as well come from the way there and back, or from the header's missing fractions, counts as none. A zero date is
// not known.
func MeasureSkew(date, sent, received time.Time) Skew {
	if date.IsZero() {
		return Skew{}
	}
	const half = time.Second / 2 // of what the header leaves out
	way := received.Sub(sent) / 2
	skew := date.Add(half).Sub(sent.Add(way))
	if skew.Abs() <= way+half {
		skew = 0
	}
	return Skew{Seconds: int64(skew.Round(time.Second) / time.Second), Known: true}
}

// Clock is the time at which something is judged.
type Clock struct {
	Now  time.Time
	Skew Skew // of the authorization server's clock as it is now
}

// At is the clock when no skew was measured.
func At(now time.Time) Clock { return Clock{Now: now} }

// End returns when the access token ends, by this machine's clock as it goes now. It reports false when nobody knows.
//
// A server says how long a token lives, not until when, so a clock that is merely wrong does no harm. One that was set
// since then does, and shows in the skew.
func (t Token) End(c Clock) (time.Time, bool) {
	if t.Expires.IsZero() {
		return time.Time{}, false
	}
	if t.Skew.Known && c.Skew.Known {
		return t.Expires.Add(time.Duration(t.Skew.Seconds-c.Skew.Seconds) * time.Second), true
	}
	return t.Expires, true
}

// Ended reports whether the access token has ended. One of which nobody knows the end has not: its host will say so.
func (t Token) Ended(c Clock) bool {
	end, known := t.End(c)
	return known && !c.Now.Before(end)
}

// ExpiresIn is what a host is told of the token's life when it is sent at this time, in whole seconds. It is at least 1,
// the least that the protocol can say. It reports false when nobody knows.
func (t Token) ExpiresIn(c Clock) (seconds int64, known bool) {
	end, known := t.End(c)
	if !known {
		return 0, false
	}
	return max(1, int64(end.Sub(c.Now)/time.Second)), true
}

// minEarly is the least time before its end at which a token is refreshed, where its life allows that.
const minEarly = 30 * time.Second

// Due returns when the token is to be refreshed ahead of its end: after 80 % of its life, but at least 30 seconds before
// the end, and never in the first part of its life. The jitter, from 0 to 1, is for the caller to choose at random, so
// that several processes do not all come at once; it takes up to a tenth of the time to spare off, never adds to it.
//
// It reports false for a token that cannot be refreshed or whose end nobody knows. One whose refresh was interrupted is
// due at its end: see [ErrInterrupted].
func (t Token) Due(c Clock, jitter float64) (time.Time, bool) {
	end, known := t.End(c)
	switch {
	case !known || t.Refresh.IsZero():
		return time.Time{}, false
	case t.Attempted:
		return end, true
	}
	life := max(0, t.Expires.Sub(t.Obtained))
	early := min(max(life/5, minEarly), life/2)
	return end.Add(-early - time.Duration(jitter*float64(early/10))), true
}

// The delays between attempts to refresh a token that still works.
const (
	firstRetry = 30 * time.Second
	lastRetry  = 5 * time.Minute
	leastRetry = 5 * time.Second
)

// Retry returns when to try again after refreshing has failed so many times in a row: ever later, and sooner the closer
// the end is. It reports false when the token has ended: then a host will ask, and a person is to decide.
func (t Token) Retry(c Clock, failures int) (time.Time, bool) {
	if t.Ended(c) {
		return time.Time{}, false
	}
	delay := lastRetry
	if n := max(0, failures-1); n < 4 {
		delay = min(firstRetry<<n, lastRetry)
	}
	if end, known := t.End(c); known {
		delay = max(min(delay, end.Sub(c.Now)/2), leastRetry)
	}
	return c.Now.Add(delay), true
}
