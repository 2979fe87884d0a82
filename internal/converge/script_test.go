package converge

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ahptui/host"
	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

// A script is everything that happens in a run, all of which follows from its seed: who takes part, how good the
// network is, and what is done when.
type script struct {
	seed    uint64
	temper  temper
	members []memberSpec
	rounds  [][]step // after each there is quiet
}

// temper is how bad the network and the host's fate are.
type temper string

const (
	calm   temper = "calm"    // latency, and nothing worse
	rough  temper = "rough"   // connections break now and then
	stormy temper = "stormy"  // all the time
	real   temper = "sockets" // as rough as real sockets can be made in a moment
)

// memberSpec describes a client.
type memberSpec struct {
	version  protocol.Version // the only one it offers; zero: it offers all
	silence  time.Duration
	patience time.Duration
	turns    int // how many of the newest turns of a chat it wants; 0: the client's own wish
	up, down testwire.Line
}

// step is one deed. What its numbers mean is the deed's business.
type step struct {
	after  time.Duration // the step before
	do     deed
	member int
	place  place
	n      int
	d      time.Duration
}

// place is a channel, or where nothing is.
type place struct {
	session int // of the world's two
	kind    protocol.ChannelKind
}

// deed is the kind of a step.
type deed string

const (
	act     deed = "act"     // a client dispatches an action, valid or not
	rude    deed = "rude"    // a peer that is no client of ours sends what it must not
	open    deed = "open"    // a client subscribes
	closing deed = "close"   // and unsubscribes
	refresh deed = "refresh" // or wants a fresh snapshot
	create  deed = "create"  // a client creates a session
	dispose deed = "dispose" // or disposes of one
	add     deed = "add"     // the host has that session again
	chat    deed = "chat"    // a client makes a chat, from nothing or from another
	unchat  deed = "unchat"  // or disposes of one
	fetch   deed = "fetch"   // or loads older turns of one
	begin   deed = "begin"   // the host starts a turn

	hold    deed = "hold"    // the host's answers are late, what it tells is not
	stall   deed = "stall"   // the network stops for a while, one way
	cut     deed = "cut"     // the connection breaks
	cutIn   deed = "cutIn"   // the connection breaks some bytes later
	away    deed = "away"    // a client cannot dial for a while
	restart deed = "restart" // the host dies; another comes up in its place
)

// chances are how often a deed is drawn, by temper.
func chances() map[temper][]chance {
	return map[temper][]chance{
		calm: {{act, 70}, {rude, 2}, {open, 2}, {closing, 1}, {refresh, 4}, {create, 1}, {begin, 3}, {chat, 2}, {fetch, 3}},
		rough: {
			{act, 60},
			{rude, 2},
			{open, 4},
			{closing, 2},
			{refresh, 4},
			{create, 1},
			{dispose, 2},
			{add, 1},
			{begin, 3},
			{hold, 4},
			{stall, 4},
			{cut, 4},
			{cutIn, 5},
			{away, 1},
			{restart, 1},
		},
		stormy: {
			{act, 50},
			{rude, 1},
			{open, 4},
			{closing, 2},
			{refresh, 4},
			{create, 1},
			{dispose, 2},
			{add, 1},
			{begin, 3},
			{hold, 6},
			{stall, 8},
			{cut, 8},
			{cutIn, 12},
			{away, 2},
			{restart, 2},
		},
		real: {
			{act, 60}, {rude, 2}, {open, 4}, {refresh, 4}, {create, 1}, {begin, 3}, {chat, 1}, {fetch, 1}, {cut, 3}, {cutIn, 6}, {restart, 1},
		},
	}
}

type chance struct {
	do     deed
	weight int
}

// newScript draws a script, and its temper if it is to have none in particular.
func newScript(seed uint64, how temper) *script {
	rnd := rand.New(rand.NewPCG(seed, 0xc0))
	s := &script{seed: seed, temper: cmp.Or(how, pick(rnd, calm, calm, rough, rough, stormy, stormy, stormy))}
	for range 2 + rnd.IntN(3) {
		s.members = append(s.members, drawMember(rnd, s.temper))
	}
	for range 1 + rnd.IntN(2) {
		var round []step
		for range 20 + rnd.IntN(40) {
			round = append(round, drawStep(rnd, s))
		}
		s.rounds = append(s.rounds, round)
	}
	return s
}

func drawMember(rnd *rand.Rand, how temper) memberSpec {
	m := memberSpec{
		silence:  pick(rnd, 2*time.Second, 5*time.Second, 10*time.Second),
		patience: pick(rnd, 3*time.Second, 10*time.Second),
		turns:    pick(rnd, 0, 0, 1, 3),
		up:       drawLine(rnd, how),
		down:     drawLine(rnd, how),
	}
	if how == real { // nothing is waited for that comes as it should
		m.silence, m.patience = 10*time.Second, 10*time.Second
	}
	if rnd.IntN(4) > 0 {
		m.version = pick(rnd, host.Versions()...)
	}
	return m
}

// drawLine draws a line whose messages, thanks to the jitter, arrive at times of their own, so that a seed plays the
// same way each time.
func drawLine(rnd *rand.Rand, how temper) testwire.Line {
	line := testwire.Line{
		Latency: pick(rnd, 0, time.Millisecond, 30*time.Millisecond, 250*time.Millisecond),
		Jitter:  pick(rnd, time.Millisecond, 20*time.Millisecond),
	}
	if how == rough || how == stormy {
		line.Rate = pick(rnd, 0, 0, 2_000_000, 100_000)
		line.Window = pick(rnd, 0, 0, 4<<10)
	}
	return line
}

func drawStep(rnd *rand.Rand, s *script) step {
	st := step{
		after:  pick(rnd, 0, 0, time.Millisecond, 10*time.Millisecond, 100*time.Millisecond, time.Second),
		do:     drawDeed(rnd, s.temper),
		member: rnd.IntN(len(s.members)),
		n:      rnd.IntN(1 << 16),
	}
	if rnd.IntN(30) == 0 {
		st.after = pick(rnd, 10*time.Second, 40*time.Second) // long enough to give up a connection
	}
	st.after += time.Duration(rnd.IntN(1 << 20)) // a millisecond, in nanoseconds
	st.place = place{
		session: min(1, rnd.IntN(4)),
		kind:    pick(rnd, protocol.ChatKind, protocol.ChatKind, protocol.ChatKind, protocol.ChatKind, protocol.SessionKind, protocol.SessionKind, protocol.AnnotationsKind),
	}
	switch st.do {
	case closing, dispose:
		st.d = time.Duration(rnd.Int64N(int64(20 * time.Second))) // what is gone may be back after that
	case hold:
		st.d = time.Duration(rnd.Int64N(int64(pick(rnd, 100*time.Millisecond, 2*time.Second, 25*time.Second)))) // clients wait for 30 s
	case stall:
		st.d = time.Duration(rnd.Int64N(int64(pick(rnd, 100*time.Millisecond, 2*time.Second, 15*time.Second, time.Minute))))
	case away, restart:
		if s.temper == real {
			st.d = time.Duration(rnd.Int64N(int64(50 * time.Millisecond)))
			break
		}
		st.d = time.Duration(rnd.Int64N(int64(pick(rnd, 100*time.Millisecond, 5*time.Second, 45*time.Second, 7*time.Minute))))
	case cutIn:
		st.n = rnd.IntN(pick(rnd, 100, 1000, 20_000)) // bytes
		st.d = time.Duration(rnd.IntN(8))             // a bit for the direction, and one for each end: does it notice?
	}
	return st
}

func drawDeed(rnd *rand.Rand, how temper) deed {
	var deeds []deed
	for _, c := range chances()[how] {
		deeds = append(deeds, slices.Repeat([]deed{c.do}, c.weight)...)
	}
	return pick(rnd, deeds...)
}

func pick[T any](rnd *rand.Rand, from ...T) T { return from[rnd.IntN(len(from))] }

// String is the script for a person who looks for the mistake.
func (s *script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %s\n", s.seed, s.temper)
	for i, m := range s.members {
		version := "all versions"
		if m.version != (protocol.Version{}) {
			version = m.version.String()
		}
		fmt.Fprintf(&b, "client %d: %s, silence %v, patience %v, turns %d, up %+v, down %+v\n", i, version, m.silence, m.patience, m.turns, m.up, m.down)
	}
	for _, round := range s.rounds {
		for _, st := range round {
			fmt.Fprintf(&b, "  +%v %s client %d, %s %d, n %d, d %v\n", st.after, st.do, st.member, st.place.kind, st.place.session, st.n, st.d)
		}
		b.WriteString("  quiet\n")
	}
	return b.String()
}
