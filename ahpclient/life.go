package ahpclient

import "time"

// stage is where a connection is in its life.
type stage string

// The stages. Each is what [Client.Run] is at; what that comes to is an event.
const (
	resting  stage = "resting"  // Run has not begun, or has ended
	dialling stage = "dialling" // there is no transport yet
	greeting stage = "greeting" // the handshake is under way
	up       stage = "up"       // in step with the host
	waiting  stage = "waiting"  // until the next attempt
)

// event is what moves a connection from one stage to another.
type event string

// The events.
const (
	began   event = "began"   // Run was called
	reached event = "reached" // there is a transport
	agreed  event = "agreed"  // the handshake is over
	reoffer event = "reoffer" // the host wants a version that was not offered
	broke   event = "broke"   // the attempt failed, or what came of it did not last
	lost    event = "lost"    // a connection that had lasted broke
	due     event = "due"     // the next attempt is to be made
	woke    event = "woke"    // the same, because the machine has slept
	gaveUp  event = "gaveUp"  // trying again is not wanted, or cannot help
	stopped event = "stopped" // it was ended from this side
)

// life is the state of a connection's state machine.
type life struct {
	stage    stage
	phase    Phase // what is shown of it
	failures int   // attempts in a row that failed or did not last
	been     bool  // it was up before
}

// after is the machine: the state that an event leads to. An event that cannot
// happen in a stage leaves the state as it is.
func (l life) after(e event) life {
	switch l.stage {
	case resting:
		if e == began {
			return life{stage: dialling, been: l.been}.shown()
		}
	case dialling:
		switch e {
		case reached:
			return l.at(greeting)
		case broke:
			return l.failed()
		case gaveUp, stopped:
			return l.ended(e)
		}
	case greeting:
		switch e {
		case agreed:
			l.been = true
			return l.at(up)
		case reoffer:
			return l.at(dialling)
		case broke:
			return l.failed()
		case gaveUp, stopped:
			return l.ended(e)
		}
	case up:
		switch e {
		case broke:
			return l.failed()
		case lost:
			l.failures = 0
			return l.at(waiting)
		case gaveUp, stopped:
			return l.ended(e)
		}
	case waiting:
		switch e {
		case woke: // what failed before says nothing about now
			l.failures = 0
			return l.at(dialling)
		case due:
			return l.at(dialling)
		case stopped:
			return l.ended(e)
		}
	}
	return l
}

func (l life) at(s stage) life {
	l.stage = s
	return l.shown()
}

func (l life) failed() life {
	l.failures++
	return l.at(waiting)
}

func (l life) ended(e event) life {
	l.stage, l.phase = resting, Closed
	if e == gaveUp {
		l.phase = Failed
	}
	return l
}

// shown works out the phase of a connection that is not resting.
func (l life) shown() life {
	switch {
	case l.stage == up:
		l.phase = Connected
	case l.been:
		l.phase = Reconnecting
	default:
		l.phase = Connecting
	}
	return l
}

// step moves the connection on and does what that means for the store: what is
// shown of it, what is stale, what the person is told. err is why, if it is bad.
func (s *store) step(e event, now time.Time, err error) {
	before, after := s.life, s.life.after(e)
	if after == before {
		return
	}
	s.life = after
	if e == began {
		s.conn.Err = nil
	}
	if before.stage == up {
		s.disconnected()
		s.forgetAuth()
		s.forgetProbes()
		if after.phase != Closed {
			s.notice(Notice{At: now, Kind: NoticeLost, Text: err.Error()})
		}
	}
	switch after.stage {
	case up:
		s.reoffered = false
		s.abandon(now)
		if before.phase == Reconnecting {
			s.notice(Notice{At: now, Kind: NoticeReconnected})
		}
	case resting:
		s.disconnected()
		s.abandon(now)
	case dialling, greeting, waiting:
	}
	s.showLife(now, err)
}

// showLife brings up to date what is shown of the connection.
func (s *store) showLife(now time.Time, err error) {
	c := &s.conn
	if c.Phase != s.life.phase {
		c.Phase, c.Since = s.life.phase, now
	}
	c.Attempt, c.Retry = s.life.failures, time.Time{}
	switch s.life.stage {
	case up:
		c.Attempt, c.Err = 0, nil
	case waiting:
		c.Err, c.Retry = brief(err), now.Add(backoff(s.life.failures))
	case resting:
		c.Err = brief(err)
	case dialling, greeting: // what went wrong last still says why it is not up
	}
	s.touch()
}
