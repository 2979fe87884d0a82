package store

import (
	"sync"
	"time"
)

// look is how often a schedule looks at the wall clock while something is on it. A timer does not run while the machine
// sleeps, and does not see that the clock was set.
const look = time.Minute

// Schedule says when tokens are due. One goroutine of its own waits for the next one.
type Schedule struct {
	due  func(Key)
	wall func() time.Time
	wake chan struct{}
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	times map[Key]moment
}

// moment is a time by both clocks: the one that runs evenly and the one on the wall. The first to get there counts.
type moment struct{ even, wall time.Time }

// NewSchedule starts a schedule, which runs until it is closed. It calls due in its own goroutine, once for each time
// that a key was set; due must return at once, and start elsewhere what takes time.
func NewSchedule(due func(Key)) *Schedule {
	return newSchedule(due, func() time.Time { return time.Now().Round(0) })
}

func newSchedule(due func(Key), wall func() time.Time) *Schedule {
	s := &Schedule{
		due: due, wall: wall, times: map[Key]moment{},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go s.run()
	return s
}

// Set has a key called at a time, by the clock as it goes now. It takes the place of an earlier time for the same key.
func (s *Schedule) Set(key Key, at time.Time) {
	at = at.Round(0)
	s.mu.Lock()
	s.times[key] = moment{even: time.Now().Add(at.Sub(s.wall())), wall: at}
	s.mu.Unlock()
	s.again()
}

// Drop has a key not called any more.
func (s *Schedule) Drop(key Key) {
	s.mu.Lock()
	delete(s.times, key)
	s.mu.Unlock()
	s.again()
}

// Close ends the schedule and waits for a call that is under way. It must be called once.
func (s *Schedule) Close() {
	close(s.stop)
	<-s.done
}

// again has the goroutine look again.
func (s *Schedule) again() {
	select {
	case s.wake <- struct{}{}:
	default: // it will
	}
}

func (s *Schedule) run() {
	defer close(s.done)
	for {
		keys, wait, more := s.next()
		for _, key := range keys {
			s.due(key)
		}
		var timer <-chan time.Time // never, when there is nothing to wait for
		if more {
			timer = time.After(wait)
		}
		select {
		case <-timer:
		case <-s.wake:
		case <-s.stop:
			return
		}
	}
}

// next takes out the keys that are due, and says how long to wait if any are left.
func (s *Schedule) next() (due []Key, wait time.Duration, more bool) {
	even, wall := time.Now(), s.wall()
	s.mu.Lock()
	defer s.mu.Unlock()
	wait = look
	for key, at := range s.times {
		left := min(at.even.Sub(even), at.wall.Sub(wall))
		if left <= 0 {
			due = append(due, key)
			delete(s.times, key)
			continue
		}
		wait, more = min(wait, left), true
	}
	return due, wait, more
}
