package tui

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
)

// framesPerSecond is how often the screen is drawn at most. Bubble Tea wakes up that often to look for something to draw even
// where there is nothing: at 60 that takes more of a processor than all else that an idle program does.
const framesPerSecond = 30

// frameTime is the shortest time between two views that reach the program.
const frameTime = time.Second / framesPerSecond

// snapshot is a view of the host and its number: the higher one is the newer.
type snapshot struct {
	n    uint64
	view *ahpclient.View
}

// feed numbers the views of a host, whoever asks for them.
type feed struct {
	host Host
	mu   sync.Mutex
	n    uint64
}

// latest is what is known now, and a channel that is closed when there is
// something newer.
func (f *feed) latest() (snapshot, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	view, newer := f.host.Watch()
	f.n++
	return snapshot{f.n, view}, newer
}

// bridge is between the program, which never waits, and what has to be waited
// for. It owns the goroutines that do, and the connections.
type bridge struct {
	ctx  context.Context         //nolint:containedctx // the life of its goroutines
	stop context.CancelCauseFunc // ends the program
	send func(tea.Msg)

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
	closes []func() // what is done at the end
}

func newBridge(ctx context.Context, stop context.CancelCauseFunc) *bridge {
	return &bridge{ctx: ctx, stop: stop}
}

// begin announces a goroutine that is waited for; ok is false if it is too late
// for any.
func (b *bridge) begin() (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.work.Add(1)
	}
	return !b.closed
}

// do makes a command of something that may take as long as the bridge's context
// allows. A panic in it ends the program, after the terminal was restored.
func (b *bridge) do(f func(context.Context) tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		if !b.begin() {
			return nil
		}
		defer b.work.Done()
		defer b.catch()
		return f(b.ctx)
	}
}

// after makes a command that brings a message after a time, unless it is
// cancelled before.
func (b *bridge) after(d time.Duration, cancel <-chan struct{}, msg tea.Msg) tea.Cmd {
	return b.do(func(ctx context.Context) tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-cancel:
		case <-ctx.Done():
		}
		return nil
	})
}

// panicError is a panic in a goroutine of the program's own.
type panicError struct {
	value any
	where string // the innermost functions first
}

// Error tells where it happened.
func (e *panicError) Error() string {
	return fmt.Sprintf("the program failed, which is a bug: %s (%s)", safetext.Clean(fmt.Sprint(e.value), maxField), e.where)
}

// catch ends the program if the goroutine that calls it deferred has panicked.
func (b *bridge) catch() {
	if r := recover(); r != nil {
		b.stop(&panicError{r, panicked()})
	}
}

// panicked names the functions that have panicked, from a deferred function.
func panicked() string {
	const depth, names = 64, 8
	pc := make([]uintptr, depth)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	var list []string
	for inside := false; len(list) < names; {
		frame, more := frames.Next()
		if inside && !strings.HasPrefix(frame.Function, "runtime.") {
			list = append(list, fmt.Sprintf("%s:%d", frame.Function, frame.Line))
		}
		inside = inside || frame.Function == "runtime.gopanic"
		if !more {
			break
		}
	}
	return strings.Join(list, " < ")
}

// own takes over a connection: it is closed when the program ends, or before.
func (b *bridge) own(c *Connection) {
	if c.Close == nil {
		c.Close = func() {}
	}
	c.Close = sync.OnceFunc(c.Close)
	b.atEnd(c.Close)
}

// atEnd has something done when the program ends.
func (b *bridge) atEnd(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closes = append(b.closes, do)
}

// watch begins to hand over the views of a host.
func (b *bridge) watch(host Host) *feed {
	f := &feed{host: host}
	if b.begin() {
		go func() {
			defer b.work.Done()
			defer b.catch()
			b.pump(f)
		}()
	}
	return f
}

// pump waits for something newer, hands it over, and lets a frame's time pass:
// however much a host sends, the program sees as many views a second as can be drawn.
func (b *bridge) pump(f *feed) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	var sent *ahpclient.View
	for {
		shot, newer := f.latest()
		if shot.view != sent {
			b.send(viewMsg{shot})
			sent = shot.view
		}
		select {
		case <-newer:
		case <-b.ctx.Done():
			return
		}
		pause.Reset(frameTime)
		select {
		case <-pause.C:
		case <-b.ctx.Done():
			return
		}
	}
}

// close waits for the goroutines and ends the connections. The context is over.
func (b *bridge) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.work.Wait()
	for _, end := range b.closes {
		end()
	}
}
