package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// checkScopes refuses what cannot be sent as scopes (RFC 6749, section 3.3) and what is too much.
func checkScopes(scopes []string) error {
	if len(scopes) > maxScopes {
		return fmt.Errorf("%d of them, more than %d", len(scopes), maxScopes)
	}
	for _, scope := range scopes {
		switch {
		case scope == "":
			return errors.New("one is empty")
		case len(scope) > maxScopeBytes:
			return fmt.Errorf("one is longer than %d bytes", maxScopeBytes)
		case strings.ContainsFunc(scope, notInScope):
			return errors.New("one holds characters that no scope may hold")
		}
	}
	return nil
}

func notInScope(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r > '~' }

// wanted says which scopes to ask for. What a challenge requires is authoritative, whatever the resource says that it
// supports; without either, none are asked for and the parameter is left out. For more access it is what was asked for
// and held before, and what is required now: a new token replaces the old one.
func wanted(c Challenge, before holding) []string {
	more := c.Reason == InsufficientScope || before.granted != nil && len(missing(c.RequiredScopes, before.granted)) > 0
	switch {
	case more:
		return union(before.requested, before.granted, c.RequiredScopes)
	case len(c.RequiredScopes) > 0:
		return union(c.RequiredScopes)
	}
	return union(c.SupportedScopes)
}

// union joins lists, each scope once, in the order in which they come.
func union(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		for _, scope := range list {
			if !slices.Contains(all, scope) {
				all = append(all, scope)
			}
		}
	}
	return all
}

// missing is what of wanted is not in held.
func missing(wanted, held []string) []string {
	var out []string
	for _, scope := range wanted {
		if !slices.Contains(held, scope) {
			out = append(out, scope)
		}
	}
	return out
}
