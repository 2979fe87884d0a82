package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ahptui/protocol"
	"ahptui/views/doctor"
	"ahptui/views/viewtest"
)

// step is the step that a report has come to, with its state and words.
func stepOf(r doctor.Report) string {
	for _, s := range r.Steps {
		if s.State != doctor.Done && s.State != doctor.Skipped {
			return s.Name.String() + " " + s.State.Word() + ": " + s.Words.String()
		}
	}
	last := r.Steps[len(r.Steps)-1]
	return last.Name.String() + " " + last.State.Word() + ": " + last.Words.String()
}

// TestDiagnosis names the step, what comes next by itself and what a person can do.
func TestDiagnosis(t *testing.T) {
	t.Parallel()
	set := func(s *protocol.McpServerState) func(d *driver) {
		return func(d *driver) { d.host.act(sessionA, says("notes", s)) }
	}
	for _, tt := range []struct {
		name string
		play func(d *driver)
		step string
		next string
		can  string // among what the person can do
	}{
		{"all is well", func(*driver) {}, "ready done: ", "nothing: it waits for calls", "S stop"},
		{"not connected", func(d *driver) { d.host.drop(errors.New("reset by peer")) }, "connection to the host stuck: reset by peer", "another attempt to connect", "R in a panel tries at once"},
		{"switched off", func(d *driver) {
			d.host.act(sessionA, says("notes", &protocol.McpServerState{Kind: protocol.McpStopped}), protocol.Toggle(protocol.V0_9_0, server("notes", nil), false))
		}, "switched on stuck: it is off by decision: off in this session", "nothing, as long as it is off", "e on/off"},
		{"switched off and runs", func(d *driver) {
			d.host.act(sessionA, protocol.Toggle(protocol.V0_9_0, server("notes", nil), false))
		}, "switched on now: it is off by decision: off in this session; the host has not stopped it yet", "the host stops it", "e on/off"},
		{
			"stopped by another", func(d *driver) {
				d.host.actAs(byAnna, sessionA, &protocol.SessionMcpServerStopRequested{ID: "id-notes"})
			},
			"start stuck: stopped: Anna asked for it", "unless the host starts it", "s start",
		},
		{"asked for", func(d *driver) { d.key("r") }, "start now: you asked for: start; the host has not confirmed it", "its state is asked for anew", "S stop"},
		{"asked for long ago", func(d *driver) {
			d.key("S")
			d.pass(time.Minute)
		}, "start stuck: you asked for: stop; the host has not confirmed it", "its state is asked for anew", "s start"},
		{"starting", set(&protocol.McpServerState{Kind: protocol.McpStarting, Blocking: ptr(true)}), "start now: the host starts it; messages wait for it", "says how the start went", "S stop"},
		{"starting for long", func(d *driver) {
			set(&protocol.McpServerState{Kind: protocol.McpStarting})(d)
			d.look()
			d.pass(time.Minute)
		}, "start stuck: the host starts it; it has not said how that went, and need not", "says how the start went", "r restart"},
		{
			"failed", set(&protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: "lookup: no such host"}}),
			"start failed: its host name has no address", "unless the host tries", "Look at the host name in its declaration",
		},
		{
			"failed in a way that is not known", set(&protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: "hm"}}),
			"start failed: the host says that it has failed", "unless the host tries", "Look into the host's log",
		},
		{"in a state that is not known", set(&protocol.McpServerState{Kind: "hibernating"}), "start now: the host says “hibernating”, which is not known here", "", "S stop"},
		{
			"no sign-in here", set(&protocol.McpServerState{Kind: protocol.McpAuthRequired, Reason: "required"}),
			"sign-in stuck: it needs a sign-in, which is not possible on this connection", "", "S stop",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), large, busyHost)
			d.key("shift+tab")
			tt.play(d)
			d.look()
			d.key("D")
			srv, ok := d.m.selectedServer()
			if !ok {
				t.Fatal("nothing is selected")
			}
			r := d.m.report(srv)
			if got := stepOf(r); got != tt.step {
				t.Errorf("got  %s\nwant %s", got, tt.step)
			}
			if !strings.Contains(r.Next.String(), tt.next) {
				t.Errorf("next: %s, want %s", r.Next, tt.next)
			}
			can := ""
			for _, c := range r.Can {
				can += c.String() + "\n"
			}
			if !strings.Contains(can, tt.can) {
				t.Errorf("can:\n%swant %s", can, tt.can)
			}
			d.sees("Diagnosis", r.Verdict.String())
			d.checkSizes()
			d.key("down", "up", "G", "home", "esc")
			d.lacks("Diagnosis")
		})
	}
}

// TestDiagnosisOfSignIn follows a sign-in from the need of it to a server that is ready.
func TestDiagnosisOfSignIn(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.resolve("c1")
	d.state(protocol.McpAuthRequired)
	tracker, ok := protocol.ServerByID(d.m.session(), "id-tracker")
	if !ok {
		t.Fatal("no tracker")
	}
	check := func(step string, facts ...string) {
		t.Helper()
		now, _ := protocol.ServerByID(d.m.session(), tracker.ID)
		r := d.m.report(now)
		if got := stepOf(r); !strings.HasPrefix(got, step) {
			t.Errorf("got  %s\nwant %s", got, step)
		}
		all := ""
		for _, f := range r.Facts {
			all += f.Name.String() + ": " + f.Words.String() + "\n"
		}
		for _, fact := range facts {
			if !strings.Contains(all, fact) {
				t.Errorf("lacks %q:\n%s", fact, all)
			}
		}
	}
	check("sign-in stuck: needs a sign-in; nobody has signed in from here", "resource: "+trackerResource, "asks for: tracker:read", "token: none is held")
	d.key("a", "g")
	d.shows("Grant access?")
	check("sign-in stuck: it waits for your yes")
	d.says(errors.New("the token store is full"))
	d.consent()
	d.shows("No access")
	check("token handed to the host failed: ", "the host's answer: 0 s ago: ", "token: for tracker:read")
	d.says(nil)
	d.key("enter")
	d.handed()
	d.shows("the host has the token")
	check("token handed to the host now: the host has the token; waiting for it to go on")
	d.state(protocol.McpStarting)
	check("start now: the host starts it")
	d.state(protocol.McpReady)
	d.closed()
	check("ready done: ", "asked for last: tracker:read")
	d.state(protocol.McpAuthRequired)
	check("token", "token: for tracker:read")
}
