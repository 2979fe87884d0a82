package terminal

import "time"

// What a program writes goes over connections, some of them slow. A program that
// writes without end is slowed down to bytesPerSecond; what comes in bursts is not.
const (
	bytesPerSecond = 2 << 20
	burstBytes     = 128 << 10
)

// A pace says how long to wait so that a rate is kept to.
type pace struct {
	paid time.Time // when all that was sent so far is paid for
}

// wait takes note of n bytes and returns how long to wait before more are sent.
func (p *pace) wait(n int, now time.Time) time.Duration {
	const perBurst = time.Duration(burstBytes) * time.Second / bytesPerSecond
	if p.paid.Before(now) {
		p.paid = now
	}
	p.paid = p.paid.Add(time.Duration(n) * time.Second / bytesPerSecond)
	return max(0, p.paid.Sub(now)-perBurst)
}
