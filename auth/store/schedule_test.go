package store

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// calls are what a schedule called, with the time since the test began.
type calls struct {
	mu    sync.Mutex
	began time.Time
	all   []string
}

func (c *calls) due(key Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, key.Resource+" "+time.Since(c.began).String())
}

func (c *calls) want(t *testing.T, want ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.all, want) {
		t.Errorf("called %q, want %q", c.all, want)
	}
}

// pass lets virtual time pass.
func pass(d time.Duration) { <-time.After(d) }

func named(name string) Key { return NewKey("h", name, "i", "c", nil) }

func TestSchedule(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &calls{began: time.Now()}
		s := NewSchedule(c.due)
		defer s.Close()
		in := func(d time.Duration) time.Time { return time.Now().Add(d) }
		s.Set(named("b"), in(2*time.Hour))
		s.Set(named("a"), in(90*time.Second))
		s.Set(named("dropped"), in(10*time.Second))
		s.Set(named("moved"), in(10*time.Second))
		s.Set(named("past"), in(-time.Hour))
		synctest.Wait()
		c.want(t, "past 0s")
		s.Drop(named("dropped"))
		s.Set(named("moved"), in(100*time.Second))
		pass(95 * time.Second)
		synctest.Wait()
		c.want(t, "past 0s", "a 1m30s")
		pass(3 * time.Hour)
		c.want(t, "past 0s", "a 1m30s", "moved 1m40s", "b 2h0m0s")
		// Once called it is not called again, unless it is set again.
		s.Set(named("a"), in(time.Minute))
		pass(24 * time.Hour)
		c.want(t, "past 0s", "a 1m30s", "moved 1m40s", "b 2h0m0s", "a 3h2m35s")
	})
}

// The machine slept, or its clock was set: the first clock to get there counts.
func TestScheduleWhenTheClockIsSet(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set  time.Duration
		want string
	}{
		"forward, or it slept": {8 * time.Hour, "a 11m0s"},
		"back":                 {-time.Hour, "a 48m0s"},
		"not at all":           {0, "a 48m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := &calls{began: time.Now()}
				var mu sync.Mutex
				var offset time.Duration
				s := newSchedule(c.due, func() time.Time {
					mu.Lock()
					defer mu.Unlock()
					return time.Now().Round(0).Add(offset)
				})
				defer s.Close()
				s.Set(named("a"), time.Now().Add(48*time.Minute))
				pass(10*time.Minute + time.Second)
				mu.Lock()
				offset = tt.set
				mu.Unlock()
				pass(3 * time.Hour)
				synctest.Wait()
				c.want(t, tt.want)
			})
		})
	}
}

func TestScheduleCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &calls{began: time.Now()}
		s := NewSchedule(c.due)
		s.Set(named("a"), time.Now().Add(time.Second))
		s.Close()
		pass(time.Minute)
		c.want(t)
		s.Set(named("a"), time.Now()) // does nothing, and does not block
		s.Drop(named("a"))
	})
}
