package linear

import (
	"strings"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
)

// maxWatched bounds the sessions that are subscribed because something goes on in
// them.
const maxWatched = 32

// maxListed is how many sessions are told at once.
const maxListed = 50

// tellSessions tells the sessions by number.
func (f *front) tellSessions() {
	f.listedSessions = f.listedSessions[:0]
	if err := f.view.ListErr; err != nil {
		f.out.sayf("the host's list of sessions is not whole: %v", err)
	}
	f.out.say(count(len(f.view.Sessions), "session", "sessions"))
	for i, s := range f.view.Sessions {
		if i == maxListed {
			f.out.sayf("%d more are not told", len(f.view.Sessions)-i)
			return
		}
		f.listedSessions = append(f.listedSessions, s.Resource)
		words := []string{statusWord(s.Status)}
		if s.Status.Archived() {
			words = append(words, "archived")
		}
		if s.Resource == f.current {
			words = append(words, "followed")
		}
		f.out.sayf("session %d: %s, %s", i+1, sessionTitle(s.Title), strings.Join(words, ", "))
	}
}

// statusWord is what a session is doing.
func statusWord(s protocol.Status) string {
	switch {
	case s.NeedsInput():
		return "waits for you"
	case s.Failed():
		return "failed"
	case s.Busy():
		return "working"
	}
	return "idle"
}

func sessionTitle(title string) string {
	if title == "" {
		return "untitled"
	}
	return title
}

// title is what a session is called.
func (f *front) title(uri protocol.URI) string {
	if s := f.view.Session(uri); s != nil && s.Title != "" {
		return s.Title
	}
	if s := f.view.Summary(uri); s != nil {
		return sessionTitle(s.Title)
	}
	return "untitled"
}

// firstSession is what to follow at first: something that waits, else something
// that works, else the newest.
func (f *front) firstSession() protocol.URI {
	best, rank := protocol.URI(""), 0
	for _, s := range f.view.Sessions {
		r := 1
		switch {
		case s.Status.Archived():
			continue
		case s.Status.NeedsInput():
			r = 3
		case s.Status.Busy():
			r = 2
		}
		if r > rank {
			best, rank = s.Resource, r
		}
	}
	return best
}

// openPatience is how long a session and its chat may take to come before lines are
// taken that may be about them.
const openPatience = 5 * time.Second

// opened reports whether the followed session and its chat are there, or are not to
// be waited for.
func (f *front) opened() bool {
	if f.current == "" || f.view.Connection.Phase != ahpclient.Connected || !f.now().Before(f.opening) {
		return true
	}
	f.wake(f.opening)
	there := func(uri protocol.URI) bool {
		c := f.view.Channels[uri]
		return c != nil && (c.State != nil || c.Err != nil)
	}
	s := f.view.Session(f.current)
	return there(f.current) && (s == nil || s.MainChat() == "" || there(s.MainChat()))
}

// openSession follows a session from here on.
func (f *front) openSession(uri protocol.URI) {
	if uri == "" {
		f.out.say("no session is open")
		return
	}
	f.current, f.chat, f.servers = uri, chatLog{}, serverLog{}
	f.listedServers, f.lastCall = nil, nil
	f.opening = f.now().Add(openPatience)
	f.opts.Host.Open(uri, protocol.SessionKind)
	f.out.sayf("following session: %s", f.title(uri))
}

// follow subscribes to what is followed, and to what goes on elsewhere.
func (f *front) follow() {
	watched := 0
	for _, s := range f.view.Sessions {
		if s.Status.Busy() && watched < maxWatched {
			watched++
			if f.view.Channels[s.Resource] == nil {
				f.opts.Host.Open(s.Resource, protocol.SessionKind)
			}
		}
	}
	c := f.view.Channels[f.current]
	if f.current == "" && len(f.view.Sessions) > 0 {
		f.openSession(f.firstSession())
		return
	}
	if c != nil && c.Err != nil && f.chat.failed != c.Err.Error() {
		f.chat.failed = c.Err.Error()
		f.out.sayf("the host does not open this session: %v", c.Err)
	}
	state := f.view.Session(f.current)
	if state == nil {
		return
	}
	if uri := state.MainChat(); f.chat.uri == "" && uri != "" {
		f.chat.uri = uri
		f.opts.Host.Open(uri, protocol.ChatKind)
	}
}
