package ahpclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// VersionError says that client and host have no protocol version in common.
// What the host says is cut to a bearable length and made printable.
type VersionError struct {
	Offered   []string
	Supported []string // versions or ranges; empty if the host does not say
}

// Error names both lists.
func (e *VersionError) Error() string {
	offered := strings.Join(e.Offered, ", ")
	if len(e.Supported) == 0 {
		return fmt.Sprintf("no common protocol version: offered %s; the host does not say what it supports", offered)
	}
	return fmt.Sprintf("no common protocol version: offered %s; the host supports %s", offered, strings.Join(e.Supported, ", "))
}

func newVersionError(offered, supported []string) *VersionError {
	e := &VersionError{Offered: offered}
	for _, v := range supported[:min(len(supported), maxVersions)] {
		v = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return unicode.ReplacementChar
		}, v)
		e.Supported = append(e.Supported, cut(v, 40))
	}
	return e
}

// versionRefused makes a [VersionError] of a refusal that is one.
func versionRefused(err error, offered []string) error {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != protocol.CodeUnsupportedProtocolVersion {
		return err
	}
	var data protocol.UnsupportedVersionData
	_ = protocol.Unmarshal(refused.Data, &data) // without it the list is empty, and the error says so
	return newVersionError(offered, data.SupportedVersions)
}

func versionNames(list []protocol.Version) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.String()
	}
	return names
}

// reoffer takes up what a host says that it supports, if it is something that
// this package speaks and that was not offered. It is offered next time, once:
// a host that refuses that too has nothing to be offered.
func (c *Client) reoffer(e *VersionError) (worthwhile bool) {
	c.update(func(s *store) {
		wanted := wantedVersions(e.Supported, s.offer)
		if s.reoffered || len(wanted) == 0 {
			return
		}
		s.offer, s.reoffered = wanted, true
		worthwhile = true
	})
	return worthwhile
}

// wantedVersions are the versions to offer to a host that supports these and has
// refused others, highest first. What is supported is a version or a range. A
// range that holds something which was refused is not believed.
func wantedVersions(supported []string, refused []protocol.Version) []protocol.Version {
	var list []protocol.Version
	for _, text := range supported {
		r, err := protocol.ParseVersionRange(text)
		if err != nil || slices.ContainsFunc(refused, r.Contains) {
			continue
		}
		for _, v := range append(versionsIn(text), protocol.Offered()...) {
			if r.Contains(v) && speaks(v) && !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	slices.SortFunc(list, func(a, b protocol.Version) int { return b.Compare(a) })
	return list
}

// versionsIn are the versions that a range is made of.
func versionsIn(text string) []protocol.Version {
	var list []protocol.Version
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		if v, err := protocol.ParseVersion(word); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// speaks reports whether a version is one of those that this package speaks, or
// differs from one of them only in what may not break it: a later patch and, from
// 1.0 on, a later minor version.
func speaks(v protocol.Version) bool {
	return slices.ContainsFunc(protocol.Offered(), func(known protocol.Version) bool {
		return v.AtLeast(known) && v.Major == known.Major && (v.Major > 0 || v.Minor == known.Minor)
	})
}
