package tui

import (
	"errors"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// TestServerKeys: each key asks for what it says, shows the effect at once and
// that it is not confirmed, and drops the mark when it is.
func TestServerKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		at    []string
		keys  []string
		check func(t *testing.T, a protocol.Action)
		after string // on the screen at once
	}{
		{"stop", nil, []string{"S"}, func(t *testing.T, a protocol.Action) {
			if a.(*protocol.SessionMcpServerStopRequested).ID != "id-notes" {
				t.Error(a)
			}
		}, "stopped"},
		{"restart", nil, []string{"r"}, func(t *testing.T, a protocol.Action) {
			if a.(*protocol.SessionMcpServerStartRequested).ID != "id-notes" {
				t.Error(a)
			}
		}, "starting"},
		{"start", []string{"down", "down", "down"}, []string{"s"}, func(t *testing.T, a protocol.Action) {
			if a.(*protocol.SessionMcpServerStartRequested).ID != "id-archive" {
				t.Error(a)
			}
		}, "starting"},
		{"disable", nil, []string{"e", "1"}, func(t *testing.T, a protocol.Action) {
			e := a.(*protocol.SessionCustomizationToggled)
			if e.ID != "id-notes" || len(e.Enablement) != 1 || e.Enablement[0].Enabled {
				t.Error(a)
			}
		}, "stopping"},
		{"enable", []string{"end"}, []string{"e", "1"}, func(t *testing.T, a protocol.Action) {
			e := a.(*protocol.SessionCustomizationToggled)
			if e.ID != "id-postgres" || len(e.Enablement) != 1 || !e.Enablement[0].Enabled {
				t.Error(a)
			}
		}, "not confirmed yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := drive(t, busyHost)
			d.key("shift+tab")
			d.key(tt.at...)
			d.key(tt.keys...)
			if d.host.count() != 1 || d.host.last().Channel != sessionA {
				t.Fatalf("%d requests, on %v", d.host.count(), d.host.last())
			}
			tt.check(t, d.host.last().Action)
			d.sees("not confirmed yet", tt.after)
			d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
			d.look()
			d.lacks("not confirmed yet")
		})
	}
}

// TestToggleAtOldVersion is sent in the form of the version.
func TestToggleAtOldVersion(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.host.change(func() { d.host.conn.Version = protocol.V0_7_0 })
	d.look()
	d.key("shift+tab", "e")
	if a := asks[*protocol.SessionCustomizationToggled](d, 0); a.Enabled == nil || *a.Enabled {
		t.Errorf("dispatched %+v", a)
	}
}

// TestServerOutcomes: what became of a request is told, at the server and in a
// notice, until it is history.
func TestServerOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		outcome ahpclient.Outcome
		want    []string
	}{
		{ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "managed by your administrator"}, []string{"the host refused to stop notes: managed by your administrator", "the host refused:"}},
		{ahpclient.Outcome{Kind: ahpclient.Rejected}, []string{"the host refused to stop notes: it gives no reason"}},
		{ahpclient.Outcome{Kind: ahpclient.Expired}, []string{"stop notes: the host did not answer; this is what it shows now"}},
		{ahpclient.Outcome{Kind: ahpclient.Unknown}, []string{"stop notes: the connection was lost first; it may or may not have happened"}},
	} {
		t.Run(string(tt.outcome.Kind)+tt.outcome.Reason, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 160, Height: 40}, busyHost)
			d.key("shift+tab", "S")
			d.host.settle(d.host.last(), tt.outcome)
			d.look()
			d.sees(append(tt.want, "notes")...)
			d.lacks("not confirmed")
			d.pass(time.Minute)
			if tt.outcome.Reason != "" {
				d.sees("the host refused:") // the notice is gone, the mark is not
			}
			d.lacks("the host refused to", "did not answer", "connection was lost")
			d.host.act(sessionA, &protocol.SessionMcpServerStateChanged{ID: "id-notes", State: &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: "died"}}})
			d.look()
			d.lacks("the host refused")
		})
	}
}

// TestNothingSent: what cannot be sent is told.
func TestNothingSent(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.host.refuse = errors.New("not connected to the host: nothing was sent")
	d.key("shift+tab", "S")
	d.sees("stop notes: not connected to the host: nothing was sent")
	d.lacks("not confirmed")
}

// TestServerGoes: the window with its details says so.
func TestServerGoes(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.key("shift+tab", "enter")
	d.sees("file:///mcp/notes")
	d.host.act(sessionA, &protocol.SessionMcpServerStateChanged{ID: "id-notes", State: &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: "it died just now"}}})
	d.look()
	d.sees("it died just now")
	d.host.act(sessionA, &protocol.SessionCustomizationsChanged{})
	d.look()
	d.sees("the server is not there any more")
	d.key("down", "up", "pgdown", "pgup", "ctrl+d", "ctrl+u", "end", "home", "enter")
	d.lacks("the server is not there")
}
