package protocol

import (
	"fmt"
	"strconv"
	"strings"
)

// What a range may hold. Hosts write one or two comparisons.
const (
	maxRangeBytes       = 256
	maxRangeComparisons = 16
)

// VersionRange is a set of versions as hosts write it: a version, a caret range such as
// ^0.9.0, a tilde range, comparisons such as >=0.8, an x in place of a number, and
// several of them, which all have to hold, or parts of "||", one of which has to.
// The zero VersionRange contains nothing.
type VersionRange struct{ any [][]interval }

// interval are the versions from low up to and without high; a zero high is no bound.
type interval struct{ low, high Version }

func (i interval) contains(v Version) bool {
	return v.AtLeast(i.low) && (i.high == Version{} || !v.AtLeast(i.high))
}

// Contains reports whether the version is in the range.
func (r VersionRange) Contains(v Version) bool {
	for _, all := range r.any {
		held := true
		for _, i := range all {
			held = held && i.contains(v)
		}
		if held {
			return true
		}
	}
	return false
}

// ParseVersionRange reads a range. Pre-releases and build numbers are none of AHP's.
func ParseVersionRange(s string) (VersionRange, error) {
	bad := func(why string) (VersionRange, error) {
		return VersionRange{}, fmt.Errorf("version range %.100q: %s", s, why)
	}
	if len(s) > maxRangeBytes {
		return bad("too long")
	}
	var r VersionRange
	comparisons := 0
	for part := range strings.SplitSeq(s, "||") {
		var all []interval
		for _, word := range comparisonsOf(part) {
			i, ok := parseComparison(word)
			if comparisons++; !ok || comparisons > maxRangeComparisons {
				return bad("not a version, and no comparison such as ^0.9.0 or >=0.8")
			}
			all = append(all, i)
		}
		if len(all) == 0 {
			return bad("empty")
		}
		r.any = append(r.any, all)
	}
	return r, nil
}

// comparisonsOf splits at spaces, except behind an operator.
func comparisonsOf(s string) []string {
	var words []string
	operator := ""
	for _, word := range strings.Fields(s) {
		word = operator + word
		operator = ""
		if strings.Trim(word, "^~<>=") == "" {
			operator = word
			continue
		}
		words = append(words, word)
	}
	if operator != "" {
		words = append(words, operator)
	}
	return words
}

func parseComparison(s string) (interval, bool) {
	number := strings.TrimLeft(s, "^~<>=")
	operator := s[:len(s)-len(number)]
	low, given, ok := parsePartial(number)
	if !ok {
		return interval{}, false
	}
	next := bumped(low, given) // the first version behind all that are written so
	switch operator {
	case "", "=", "==":
		return interval{low, next}, true
	case "^":
		return interval{low, caretEnd(low, given)}, true
	case "~", "~>":
		return interval{low, bumped(low, min(given, 2))}, true
	case ">=":
		return interval{low: low}, true
	case ">":
		if given == 0 {
			return nothing(), true
		}
		return interval{low: next}, true
	case "<":
		if low == (Version{}) {
			return nothing(), true
		}
		return interval{high: low}, true
	case "<=":
		return interval{high: next}, true
	}
	return interval{}, false
}

// nothing is an interval with no version in it.
func nothing() interval { return interval{low: Version{Patch: 1}, high: Version{Patch: 1}} }

// parsePartial reads a version of which the end may be left out or be an x; given
// is how many numbers there are.
func parsePartial(s string) (v Version, given int, ok bool) {
	parts := strings.Split(strings.TrimPrefix(s, "v"), ".")
	if len(parts) > 3 {
		return v, 0, false
	}
	for i, place := range []*int{&v.Major, &v.Minor, &v.Patch}[:len(parts)] {
		if p := parts[i]; p == "x" || p == "X" || p == "*" {
			continue
		}
		u, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || given < i {
			return Version{}, 0, false
		}
		*place, given = int(u), i+1
	}
	return v, given, true
}

// bumped is the version behind all that begin with the first numbers of v; the
// zero Version where there is no such end.
func bumped(v Version, numbers int) Version {
	switch numbers {
	case 0:
		return Version{}
	case 1:
		return Version{Major: v.Major + 1}
	case 2:
		return Version{Major: v.Major, Minor: v.Minor + 1}
	}
	return Version{v.Major, v.Minor, v.Patch + 1}
}

// caretEnd lets change what stands behind the first number that is not zero.
func caretEnd(v Version, given int) Version {
	switch {
	case v.Major > 0 || given < 2:
		return bumped(v, min(given, 1))
	case v.Minor > 0 || given < 3:
		return bumped(v, 2)
	}
	return bumped(v, 3)
}
