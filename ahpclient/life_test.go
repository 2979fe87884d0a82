package ahpclient

import (
	"errors"
	"testing"
	"time"
)

// TestLife tries every event in every stage: what leads where, and what leads
// nowhere.
func TestLife(t *testing.T) {
	t.Parallel()
	stages := []stage{resting, dialling, greeting, up, waiting}
	events := []event{began, reached, agreed, reoffer, broke, lost, due, woke, gaveUp, stopped}
	// For each stage, where its events lead, in the order of events; "" is nowhere.
	table := map[stage][]stage{
		//         began     reached   agreed reoffer   broke    lost     due       woke      gaveUp   stopped
		resting:  {dialling, "", "", "", "", "", "", "", "", ""},
		dialling: {"", greeting, "", "", waiting, "", "", "", resting, resting},
		greeting: {"", "", up, dialling, waiting, "", "", "", resting, resting},
		up:       {"", "", "", "", waiting, waiting, "", "", resting, resting},
		waiting:  {"", "", "", "", "", "", dialling, dialling, "", resting},
	}
	for _, from := range stages {
		for i, e := range events {
			for _, been := range []bool{false, true} {
				if from == up && !been {
					continue
				}
				before := life{stage: from, failures: 3, been: been}.shown()
				if from == resting {
					before.phase, before.failures = Failed, 0
				}
				after := before.after(e)
				to := table[from][i]
				if to == "" {
					if after != before {
						t.Errorf("%s in %s leads to %+v", e, from, after)
					}
					continue
				}
				if want := (life{to, phaseAfter(e, to, been), failuresAfter(e, before.failures), been || to == up}); after != want {
					t.Errorf("%s in %s, up before: %t: %+v, want %+v", e, from, been, after, want)
				}
			}
		}
	}
}

func phaseAfter(e event, to stage, been bool) Phase {
	switch {
	case e == gaveUp:
		return Failed
	case e == stopped:
		return Closed
	case to == up:
		return Connected
	case been:
		return Reconnecting
	}
	return Connecting
}

func failuresAfter(e event, before int) int {
	switch e {
	case broke:
		return before + 1
	case lost, woke, began:
		return 0
	}
	return before
}

// TestLifeShown: what a step does to what is shown, wherever it leads.
func TestLifeShown(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	at := func(seconds int) time.Time { return testTime.Add(time.Duration(seconds) * time.Second) }
	s := newStore("me", limits, at(0))
	for i, step := range []struct {
		event   event
		err     error
		phase   Phase
		since   int
		attempt int
		failed  bool // Err is there
		waits   bool // Retry is
		notices int
	}{
		{due, nil, Connecting, 0, 0, false, false, 0}, // means nothing yet
		{began, nil, Connecting, 0, 0, false, false, 0},
		{broke, boom, Connecting, 0, 1, true, true, 0},
		{due, nil, Connecting, 0, 1, true, false, 0}, // the error stands until it is better
		{reached, nil, Connecting, 0, 1, true, false, 0},
		{reoffer, boom, Connecting, 0, 1, true, false, 0},
		{reached, nil, Connecting, 0, 1, true, false, 0},
		{agreed, nil, Connected, 7, 0, false, false, 0},
		{agreed, boom, Connected, 7, 0, false, false, 0}, // means nothing here
		{broke, boom, Reconnecting, 9, 2, true, true, 1},
		{woke, nil, Reconnecting, 9, 0, true, false, 1},
		{reached, nil, Reconnecting, 9, 0, true, false, 1},
		{agreed, nil, Connected, 12, 0, false, false, 2},
		{lost, boom, Reconnecting, 13, 0, true, true, 3},
		{stopped, nil, Closed, 14, 0, false, false, 3},
		{stopped, nil, Closed, 14, 0, false, false, 3},
		{began, nil, Reconnecting, 16, 0, false, false, 3},
		{gaveUp, boom, Failed, 17, 0, true, false, 3},
		{began, nil, Reconnecting, 18, 0, false, false, 3},
	} {
		s.step(step.event, at(i), step.err)
		c := s.conn
		if c.Phase != step.phase || !c.Since.Equal(at(step.since)) || c.Attempt != step.attempt || (c.Err != nil) != step.failed || c.Retry.After(at(i)) != step.waits {
			t.Errorf("%d, %s: %+v", i, step.event, c)
		}
		if len(s.notices) != step.notices {
			t.Errorf("%d, %s: %v", i, step.event, kinds(s.notices))
		}
	}
}
