package protocol

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Version is a protocol version, MAJOR.MINOR.PATCH.
type Version struct{ Major, Minor, Patch int }

// The versions that change what this package sends or how it reduces.
var (
	V0_5_1  = Version{0, 5, 1}
	V0_5_2  = Version{0, 5, 2}
	V0_6_0  = Version{0, 6, 0}
	V0_7_0  = Version{0, 7, 0}
	V0_8_0  = Version{0, 8, 0}
	V0_9_0  = Version{0, 9, 0}
	V0_10_0 = Version{0, 10, 0}
	V1_0_0  = Version{1, 0, 0}
)

// Offered lists the versions a client offers, most preferred first. Every minor
// is there because caret ranges below 1.0 do not cross it. 0.10.0 was never
// published as a specification, but hosts exist that accept nothing else; it
// is sent as 0.9.0 and decoded as 1.0.0.
func Offered() []Version {
	return []Version{V1_0_0, V0_10_0, V0_9_0, V0_8_0, V0_7_0, V0_6_0, V0_5_2, V0_5_1}
}

// ParseVersion reads "MAJOR.MINOR.PATCH" exactly.
func ParseVersion(s string) (Version, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return Version{}, fmt.Errorf("version %q is not MAJOR.MINOR.PATCH", s)
	}
	var n [3]int
	for i, p := range parts {
		u, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return Version{}, fmt.Errorf("version %q is not MAJOR.MINOR.PATCH", s)
		}
		n[i] = int(u)
	}
	v := Version{n[0], n[1], n[2]}
	if v.String() != s { // leading zeros
		return Version{}, fmt.Errorf("version %q is not MAJOR.MINOR.PATCH", s)
	}
	return v, nil
}

// String is the form that goes on the wire.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Compare orders versions by number: -1, 0 or +1.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch))
}

// AtLeast reports whether v is w or later.
func (v Version) AtLeast(w Version) bool { return v.Compare(w) >= 0 }

// Sent is the version whose forms are used when sending at v.
func (v Version) Sent() Version {
	if v == V0_10_0 {
		return V0_9_0
	}
	return v
}

// Profile says how reducers behave: by the negotiated version and, where a
// version's reducers stamp a time, by the time to stamp. The zero Profile
// behaves as the newest version.
type Profile struct {
	version Version
	now     time.Time
}

// ProfileOf is the profile of a negotiated version.
func ProfileOf(v Version) Profile { return Profile{version: v} }

// At is the profile with the time that reducers up to 0.8 stamp as modifiedAt.
// A pending action that is replayed keeps the time of its dispatch.
func (p Profile) At(t time.Time) Profile {
	p.now = t
	return p
}

// Version is the version the profile stands for.
func (p Profile) Version() Version {
	if p.version == (Version{}) {
		return V1_0_0
	}
	return p.version
}

func (p Profile) atLeast(v Version) bool { return p.Version().AtLeast(v) }

// ReadsClock reports whether reducers set modifiedAt from their own clock, so that
// they need the time ([Profile.At]): those up to 0.8 do.
func (p Profile) ReadsClock() bool { return !p.atLeast(V0_9_0) }

// stamps: there is a time to set it to.
func (p Profile) stamps() bool { return p.ReadsClock() && !p.now.IsZero() }

// errorsArePart: from 0.9 a turn's error is its last response part.
func (p Profile) errorsArePart() bool { return p.atLeast(V0_9_0) }

// inputsArePart: from 0.6 open input requests live in the active turn.
func (p Profile) inputsArePart() bool { return p.atLeast(V0_6_0) }

// executionNeedsInput: up to 0.7 a pending client execution raised InputNeeded.
func (p Profile) executionNeedsInput() bool { return !p.atLeast(V0_8_0) }

// readyRefinesPending: from 0.6 a toolCallReady may update a pending confirmation.
func (p Profile) readyRefinesPending() bool { return p.atLeast(V0_6_0) }

// togglesChildren: from 0.5.2 a toggle reaches any entry, before only top-level containers.
func (p Profile) togglesChildren() bool { return p.atLeast(V0_5_2) }

// failedLifecycle is the word for a session that could not be created.
func (p Profile) failedLifecycle() Lifecycle {
	if p.atLeast(V0_9_0) {
		return LifecycleFailed
	}
	return LifecycleCreationFailed
}

// hasTerminalLifecycle: from 0.9 a terminal's end is in its lifecycle.
func (p Profile) hasTerminalLifecycle() bool { return p.atLeast(V0_9_0) }

// hasAnnotationOrigin: from 0.9 an annotation tells its origin, before only the turn.
func (p Profile) hasAnnotationOrigin() bool { return p.atLeast(V0_9_0) }

// contentSetsError: up to 0.8 the new content of a changeset came with its error or cleared it.
func (p Profile) contentSetsError() bool { return !p.atLeast(V0_9_0) }

// stamp is modifiedAt after an action for which old reducers read their clock;
// from 0.9 on it is what the action's own data give, or the old value.
func (p Profile) stamp(old, derived string) string {
	if !p.ReadsClock() {
		return derived
	}
	if !p.stamps() {
		return old
	}
	return FormatTime(p.now)
}

// FormatTime writes t as AHP times are written: ISO 8601 in UTC with milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// ParseTime reads an ISO 8601 time; ok is false for "" and for anything else.
func ParseTime(s string) (t time.Time, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}
