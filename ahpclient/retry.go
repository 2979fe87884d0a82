package ahpclient

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
	// lasting is how long a connection must have been up to count as a success.
	// One that breaks sooner is a failed attempt, or a host that accepts and
	// drops connections would be called many times a second.
	lasting = 10 * time.Second
	// clockJump is how much further than a timer the wall clock must have gone
	// to tell that the machine slept.
	clockJump = 5 * time.Second
)

// backoff doubles from firstRetry to lastRetry; the jitter keeps many clients
// of a restarted host apart.
func backoff(failures int) time.Duration {
	d := lastRetry
	if failures < 8 {
		d = min(firstRetry<<failures, lastRetry)
	}
	return d/2 + rand.N(d/2)
}

// Reconnect makes a client that waits for its next attempt try at once.
func (c *Client) Reconnect() { nudge(c.again) }

// pause waits for the time of the next attempt. It ends early when one is wanted
// at once, and when the machine has slept: timers stand still then, the wall
// clock does not.
func (c *Client) pause(ctx context.Context) event {
	c.mu.Lock()
	until := c.store.conn.Retry
	c.mu.Unlock()
	select {
	case <-c.again: // asked for before there was anything to wait for
	default:
	}
	for {
		step := min(time.Second, time.Until(until))
		if step <= 0 {
			return due
		}
		began := c.wall()
		timer := time.NewTimer(step)
		select {
		case <-timer.C:
		case <-c.again:
			timer.Stop()
			return due
		case <-ctx.Done():
			timer.Stop()
			return stopped
		}
		if c.wall().Sub(began) > step+clockJump {
			return woke
		}
	}
}
