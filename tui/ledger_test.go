package tui

import (
	"strings"
	"testing"

	"ahptui/internal/testkit"
)

// TestComplaintsHaveTests: what people complain of in other programs of this kind has a test here that holds it off. A test is
// named by its directory below the module.
func TestComplaintsHaveTests(t *testing.T) {
	t.Parallel()
	tests := testkit.Tests(t, "..")
	for complaint, names := range map[string]string{
		// The state of servers.
		"a badge says connected when it is not, or the reverse": "tui.TestBadgesHaveAges ahpclient.TestHistoryFollowsState views/servers.TestStale",
		"connected, but there are no tools":                     "tui.TestTools tui.TestToolsLater",
		"a failure does not say of what kind it is":             "protocol.TestFaults protocol.TestFaultWords",
		"trouble is not seen at a glance":                       "tui.TestHealthBadge tui.TestBlockedBadge",
		"it runs on after it was stopped":                       "tui.TestStopTakesLong",
		"switching one off in a turn breaks the turn":           "tui.TestToggleMidTurn",
		"one that is slow holds up everything":                  "tui.TestSlowStart tui.TestBackground",
		// Reconnecting, and what is shown before the host has confirmed it.
		"what is pending never ends and wipes what has streamed": "ahpclient.TestExpiry ahpclient.TestNoEchoButDone internal/converge.TestConvergence",
		"a turn that ended meanwhile stays in progress":          "ahpclient.TestReconnectAnswers internal/converge.TestConvergence",
		"hours of silence after the machine has slept":           "ahpclient.TestSleep ahpclient.TestSleepWhileUp",
		"what is snapshotted anew is not shown":                  "ahpclient.TestNewWorld ahpclient.TestReconnectAnswers",
		"connected, it says, and waits for the next attempt":     "tui.TestConnectionStates",
		// The terminal.
		"a key takes the longer the more a tool has written": "tui.TestFrameCostIsFlat tui.TestLongOutput",
		"a long history freezes it":                          "tui.TestFrameCostIsFlat tui.TestMemoryOfALongChat",
		"what has not changed is measured again":             "views/transcript.TestUnchangedIsNotDrawnAgain tui.TestNothingIsWrittenForNothing tui.TestIdle",
		"wide characters break the columns":                  "views/transcript.TestColumnsOnATerminal tui.TestAmbiguousWide",
		"it flickers":                                        "tui.TestNothingIsWrittenForNothing tui.TestStream",
		"the terminal is left in a mode of the program's":    "tui.TestEnds tui.TestSuspend",
		"a peer's text drives the terminal":                  "tui.TestHostile tui.TestHostileTerminal linear.TestHostile",
		"a prompt takes keys that were meant for something else, a paste, or the click that brought the window to the front": "tui.TestChaos tui.TestPasteNeverApproves tui.TestClickToTheFront tui.TestRequestNeverTakesKeys",
		"it cannot be read to somebody who does not see it":                                                                  "linear.TestHostile cli.TestLinear",
		"there is no help": "tui.TestHelp tui.TestPaletteIsComplete",
	} {
		for name := range strings.FieldsSeq(names) {
			if !tests[name] {
				t.Errorf("%s: there is no test %s", complaint, name)
			}
		}
	}
}
