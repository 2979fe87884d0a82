package linear

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/protocol"
)

// Host is what is read from and spoken to. The live client is one.
type Host interface {
	// Watch returns what is known now, and a channel that is closed when there
	// is something newer.
	Watch() (*ahpclient.View, <-chan struct{})
	// Dispatch asks for a change and shows its effect at once.
	Dispatch(channel protocol.URI, a protocol.Action) (*ahpclient.Ticket, error)
	// Open subscribes to a channel.
	Open(uri protocol.URI, kind protocol.ChannelKind)
	// Authenticate hands a token to the host. It may take as long as ctx allows.
	Authenticate(ctx context.Context, params *protocol.AuthenticateParams) error
}

// Options say what is shown, and where.
type Options struct {
	Host Host
	Name string // what to call the host until it says its own name
	// Auth signs in for what waits; nil if that is not possible. Identity is the
	// host's for it. Renewed brings tokens that Auth has refreshed ahead of their
	// end; nil if it does not do that.
	Auth     *auth.Broker
	Identity auth.Host
	Renewed  <-chan auth.Grant
	// Hint says what the person can do about an error of a connection, "" if
	// nothing is known; it may be nil.
	Hint func(error) string

	In  io.Reader // lines of a person or of a program
	Out io.Writer
}

const (
	// reading is how long a question has to be there before a line answers it:
	// what was on its way then was meant for something else.
	reading = 400 * time.Millisecond
	// parting is how long what was asked for is waited for when nothing more can
	// be typed.
	parting = 3 * time.Second
	// arriving is how long the host is waited for then, if it was not reached yet.
	arriving = 20 * time.Second
)

// front is the front end.
type front struct {
	opts Options
	out  printer
	now  func() time.Time

	ctx     context.Context
	running sync.WaitGroup
	results chan func() // what the goroutines bring
	alarm   time.Time   // when to look again although nothing came; zero: never
	leaving bool
	ended   bool // there are no more lines

	view     *ahpclient.View
	started  bool // what there is was told once
	link     link
	current  protocol.URI // the session that is followed
	opening  time.Time    // until when it may take to open
	chat     chatLog
	servers  serverLog
	blocks   blockLog
	question *question
	held     heldTokens
	signIn   *signIn
	asked    []asked
	message  *[]string // that is being written, of several lines; nil: none
	form     *form

	listedSessions []protocol.URI // by the numbers that they were told by
	listedServers  []string
	listedBlocks   []string
	lastCall       *protocol.ToolCall // that ended last
}

// Run follows a host until the person leaves, the lines end or ctx does. The error
// is that of ctx or of the output, else nil. It closes nothing.
func Run(ctx context.Context, opts Options) error { return run(ctx, opts, time.Now) }

// run is Run by a clock.
func run(ctx context.Context, opts Options, now func() time.Time) error {
	inner, stop := context.WithCancel(ctx)
	f := &front{
		opts: opts, out: printer{to: opts.Out}, now: now, ctx: inner, results: make(chan func()),
		view: &ahpclient.View{}, held: heldTokens{looked: map[auth.Key]*heldToken{}},
	}
	lines, ended := readLines(inner, opts.In, now)
	err := f.loop(lines, ended)
	f.keep()
	stop()
	f.running.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// keep tells what was typed and not sent, so that it is not lost.
func (f *front) keep() {
	if f.message != nil && len(*f.message) > 0 {
		f.out.block("not sent: ", strings.Join(*f.message, "\n"))
	}
}

func (f *front) loop(lines <-chan typed, over <-chan struct{}) error {
	until := time.Time{} // when to leave at the latest; zero: not yet
	for {
		next := f.look()
		switch {
		case f.out.err != nil:
			return f.out.err
		case f.leaving:
			return nil
		case f.ended && (len(f.asked) == 0 || !f.now().Before(until)):
			return f.unreached()
		case !f.started && !until.IsZero() && !f.now().Before(until):
			return cmp.Or(f.view.Connection.Err, errUnreached)
		}
		ready := lines
		if !f.started || f.ended || !f.opened() {
			ready = nil
		}
		if f.started {
			over = nil
		}
		bell, stop := f.bell(until)
		select {
		case <-f.ctx.Done():
		case <-next:
		case <-bell:
		case <-over:
			over, until = nil, f.now().Add(arriving)
		case do := <-f.results:
			do()
		case grant := <-f.opts.Renewed:
			f.renewed(grant)
		case line, ok := <-ready:
			if !ok {
				f.ended, until = true, f.now().Add(parting)
				break
			}
			f.look() // a line is about what is so now
			f.take(line)
		}
		stop()
		if f.ctx.Err() != nil {
			return f.ctx.Err()
		}
	}
}

// bell rings when it is time to look again.
func (f *front) bell(until time.Time) (<-chan time.Time, func()) {
	at := f.alarm
	if !until.IsZero() && (at.IsZero() || until.Before(at)) {
		at = until
	}
	if at.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(at.Sub(f.now()))
	return timer.C, func() { timer.Stop() }
}

// wake asks to be woken at a time.
func (f *front) wake(at time.Time) {
	if f.alarm.IsZero() || at.Before(f.alarm) {
		f.alarm = at
	}
}

// do runs what takes time; done is run with the state in hand once it is over.
func (f *front) do(work func(ctx context.Context) (done func())) {
	f.running.Go(func() {
		if done := work(f.ctx); done != nil {
			select {
			case f.results <- done:
			case <-f.ctx.Done():
			}
		}
	})
}

// look takes the newest view, tells what is new in it, and returns what is closed
// when there is a newer one.
func (f *front) look() <-chan struct{} {
	view, next := f.opts.Host.Watch()
	f.alarm = time.Time{}
	f.view = view
	f.tellConnection()
	if !f.started {
		f.begin()
	}
	f.settleAsked()
	if f.started {
		f.follow()
		f.tellServers()
		f.tellChat()
		f.attend()
		f.review()
	}
	return next
}

// begin tells what there is, once it is known.
func (f *front) begin() {
	c := f.view.Connection
	switch {
	case c.Phase == ahpclient.Failed || c.Phase == ahpclient.Closed:
		f.started = true // and nothing is to come
	case f.view.Listed || f.view.ListErr != nil:
		f.started = true
		f.tellSessions()
		f.out.say("type help for the commands")
		f.openSession(f.firstSession())
	}
}

// connected reports whether something can be asked of the host; if not, it says so.
func (f *front) connected() bool {
	if f.view.Connection.Phase != ahpclient.Connected {
		f.out.say("not connected to the host: nothing can be asked of it")
		return false
	}
	return true
}

// version is the one whose forms are sent.
func (f *front) version() protocol.Version { return f.view.Connection.Version.Sent() }

// asked is something that was asked of the host and has no outcome yet.
type asked struct {
	ticket *ahpclient.Ticket
	what   string
	again  func() // says it again to the person if it did not come about; may be nil
}

// dispatch asks for a change. What does not become of it is told later.
func (f *front) dispatch(channel protocol.URI, a protocol.Action, what string, again func()) bool {
	ticket, err := f.opts.Host.Dispatch(channel, a)
	if err != nil {
		f.out.sayf("could not %s: %v", what, err)
		return false
	}
	f.asked = append(f.asked, asked{ticket, what, again})
	return true
}

// settleAsked tells what did not come about.
func (f *front) settleAsked() {
	open := f.asked[:0]
	for _, a := range f.asked {
		outcome, ok := a.ticket.Outcome()
		if !ok {
			open = append(open, a)
			continue
		}
		switch outcome.Kind {
		case ahpclient.Accepted:
			continue
		case ahpclient.Rejected:
			f.out.sayf("the host refused to %s: %s", a.what, outcome.Reason)
		case ahpclient.Expired:
			f.out.sayf("the host has not answered whether to %s; what is so now counts", a.what)
		case ahpclient.Unknown:
			f.out.sayf("the connection was lost before the host answered whether to %s", a.what)
		}
		if a.again != nil {
			a.again()
		}
	}
	clear(f.asked[len(open):])
	f.asked = open
}

// link is what was last told of the connection.
type link struct {
	phase ahpclient.Phase
	why   string
}

// tellConnection tells what has become of the connection.
func (f *front) tellConnection() {
	c := f.view.Connection
	now := link{phase: c.Phase}
	if c.Err != nil && c.Phase != ahpclient.Connected {
		now.why = c.Err.Error()
	}
	if now == f.link {
		return
	}
	f.link = now
	switch c.Phase {
	case ahpclient.Connected:
		name := f.opts.Name
		if c.Host != nil && c.Host.Name != "" {
			name = c.Host.Name
		}
		f.out.sayf("connected to %s, protocol %s", name, c.Version)
	case ahpclient.Connecting:
		f.out.say(join("connecting", now.why, f.hint(c.Err)))
	case ahpclient.Reconnecting:
		f.out.say(join("the connection is lost, what follows may be old; trying again", now.why))
	case ahpclient.Failed:
		f.out.say(join("not connected", now.why, f.hint(c.Err)))
	case ahpclient.Closed:
		f.out.say("the connection was closed")
	}
}

func (f *front) hint(err error) string {
	if err == nil || f.opts.Hint == nil {
		return ""
	}
	return f.opts.Hint(err)
}

// unreached is why there never was a host, for who has only piped lines in.
func (f *front) unreached() error {
	if c := f.view.Connection; c.Phase == ahpclient.Failed {
		return c.Err
	}
	return nil
}

// errUnreached says that nobody waits for the host any more.
var errUnreached = errors.New("the host was not reached before the input ended")

// errTooLong says that a line was not taken.
var errTooLong = errors.New("that line is too long and was not taken")
