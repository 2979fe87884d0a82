package ahpclient

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ahptui/protocol"
)

func summary(uri protocol.URI, modified, title string) *protocol.SessionSummary {
	return &protocol.SessionSummary{Resource: uri, ModifiedAt: modified, Title: title}
}

func newList() *sessionList {
	return &sessionList{limits: limits, byURI: map[protocol.URI]*protocol.SessionSummary{}}
}

// TestSessionListOrder changes a list at random, with looks at it in between,
// and compares it with a plain map that is sorted at every look.
func TestSessionListOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, model := newList(), map[protocol.URI]*protocol.SessionSummary{}
		var looked [][]*protocol.SessionSummary
		var copies [][]*protocol.SessionSummary
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			uri := protocol.URI(fmt.Sprint("s:/", rapid.IntRange(0, 100).Draw(t, "session")))
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				list.note(sessionChange{session: uri})
				delete(model, uri)
			case 1:
				got, want := list.inOrder(), slices.SortedFunc(maps.Values(model), newestFirst)
				if !slices.Equal(want, got) {
					t.Fatalf("the list (-want +got):\n%s", cmp.Diff(want, got))
				}
				looked, copies = append(looked, got), append(copies, slices.Clone(got))
			default:
				s := summary(uri, fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "modified")), "")
				list.note(sessionChange{session: uri, added: s})
				model[uri] = s
			}
		}
		for i := range looked {
			if !slices.Equal(looked[i], copies[i]) {
				t.Fatal("a list that was handed out has changed")
			}
		}
	})
}

func TestSessionListReread(t *testing.T) {
	t.Parallel()
	list := newList()
	titles := func() (got []string) {
		for _, s := range list.inOrder() {
			got = append(got, s.Title)
		}
		return got
	}
	check := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, titles()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	boom := errors.New("boom")

	list.begin()
	list.finish([]*protocol.SessionSummary{summary("s:/1", "1", "one")}, 0, boom)
	check("part of a first list", "one")
	if list.listed || !errors.Is(list.err, boom) {
		t.Errorf("listed %t, %v", list.listed, list.err)
	}

	list.begin()
	list.note(sessionChange{session: "s:/2", added: summary("s:/2", "2", "two")})
	list.finish([]*protocol.SessionSummary{summary("s:/1", "1", "uno"), nil, summary("", "9", "nobody")}, 0, nil)
	check("the whole list", "two", "uno")
	if !list.listed || list.err != nil {
		t.Errorf("listed %t, %v", list.listed, list.err)
	}

	list.begin()
	list.note(sessionChange{session: "s:/1"})
	list.finish([]*protocol.SessionSummary{summary("s:/9", "9", "nine")}, 0, boom)
	check("part of a later list", "two")
	if !list.listed || !errors.Is(list.err, boom) {
		t.Errorf("listed %t, %v", list.listed, list.err)
	}
}

func TestSessionListLimit(t *testing.T) {
	t.Parallel()
	list := newList()
	items := make([]*protocol.SessionSummary, limits.Sessions+1)
	for i := range items {
		items[i] = summary(protocol.URI(fmt.Sprint("s:/", i)), "", "")
	}
	list.begin()
	list.finish(items, 0, nil)
	list.note(sessionChange{session: "s:/new", added: summary("s:/new", "", "")})
	list.note(sessionChange{session: "s:/1", added: summary("s:/1", "", "fresh")})
	if n := len(list.inOrder()); n != limits.Sessions || list.err == nil || list.byURI["s:/1"].Title != "fresh" {
		t.Errorf("%d sessions, %v", n, list.err)
	}
	list.begin()
	for range limits.Sessions + 1 {
		list.note(sessionChange{session: "s:/1"})
	}
	if len(list.since) != limits.Sessions {
		t.Errorf("%d changes are kept", len(list.since))
	}
	list.finish(nil, 0, nil)
	if !errors.Is(list.err, errListRaced) {
		t.Errorf("%v", list.err)
	}
}
