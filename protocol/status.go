package protocol

import (
	"math"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Status is the bit set that sessions and chats carry: activity bits that
// exclude one another, and flags. Unknown bits survive.
type Status uint64

// The status bits. InputNeeded includes the bit of InProgress.
const (
	StatusIdle        Status = 1
	StatusError       Status = 2
	StatusInProgress  Status = 8
	StatusInputNeeded Status = 24
	StatusRead        Status = 32
	StatusArchived    Status = 64

	activityMask   Status = 31
	inputNeededBit Status = 16
)

// UnmarshalJSONFrom reads the number.
func (s *Status) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var number float64
	if err := json.UnmarshalDecode(dec, &number); err != nil {
		return err
	}
	*s = statusOf(number)
	return nil
}

// statusOf is the status that a number stands for. A host in JavaScript, whose bit
// operators work on 32 bits with a sign, sends a negative one when the highest
// bit is set.
func statusOf(number float64) Status {
	if number < 0 {
		return Status(uint32(int64(max(number, math.MinInt32))))
	}
	return Status(min(number, 1<<53))
}

// NeedsInput reports whether somebody has to act.
func (s Status) NeedsInput() bool { return s&StatusInputNeeded == StatusInputNeeded }

// Busy reports whether a turn is running, also one that waits for input.
func (s Status) Busy() bool { return s&StatusInProgress != 0 }

// Failed reports whether the last turn ended in an error.
func (s Status) Failed() bool { return s&StatusError != 0 }

// Read reports the IsRead flag.
func (s Status) Read() bool { return s&StatusRead != 0 }

// Archived reports the IsArchived flag.
func (s Status) Archived() bool { return s&StatusArchived != 0 }

// WithActivity replaces the activity bits and leaves the flags.
func (s Status) WithActivity(a Status) Status { return s&^activityMask | a }

// Activity is the status without its flags.
func (s Status) Activity() Status { return s & activityMask }

// With sets or clears a flag.
func (s Status) With(flag Status, on bool) Status {
	if on {
		return s | flag
	}
	return s &^ flag
}

// Words names the set bits, activity first.
func (s Status) Words() []string {
	words := []string{s.Word()}
	if s.Read() {
		words = append(words, "read")
	}
	if s.Archived() {
		words = append(words, "archived")
	}
	return words
}

// Word names the activity.
func (s Status) Word() string {
	switch {
	case s.NeedsInput():
		return "inputNeeded"
	case s.Failed():
		return "error"
	case s.Busy():
		return "inProgress"
	case s&StatusIdle != 0:
		return "idle"
	}
	return "unknown"
}

// String joins the words of the set bits.
func (s Status) String() string { return strings.Join(s.Words(), " ") }
