package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHolders(t *testing.T) {
	t.Parallel()
	var h Holders
	read, write := Ref{anyKey("read"), 1}, Ref{anyKey("read", "write"), 7}
	other := Ref{read.Key, 1}
	other.Key.Resource = "https://mcp.example/other"
	foreign := Ref{read.Key, 1}
	foreign.Key.Host = "wss://foreign.example:443/"
	first, second := Holder{read.Key.Host, "1"}, Holder{read.Key.Host, "2"}
	far := Holder{foreign.Key.Host, "3"}

	if got := h.Behind(read); got != nil {
		t.Errorf("nobody holds anything, but %v", got)
	}
	for holder, refs := range map[Holder][]Ref{first: {read, other}, second: {read}, far: {foreign}} {
		for _, r := range refs {
			if !h.Pushed(holder, r) {
				t.Errorf("%v could not be pushed to %v", r, holder)
			}
		}
	}
	if h.Pushed(far, read) {
		t.Error("a host's token went to another host")
	}
	if got, ok := h.Holds(first, read.Key.Resource); !ok || got != read {
		t.Errorf("the first holds %v %v", got, ok)
	}

	refreshed := Ref{read.Key, 2}
	for name, tt := range map[string]struct {
		present Ref
		want    []Holder
	}{
		"the present one":        {read, nil},
		"a refreshed one":        {refreshed, []Holder{first, second}},
		"one that does for more": {write, []Holder{first, second}},
		"one that does for less": {Ref{anyKey(), 9}, nil},
		"another client's":       {Ref{NewKey(read.Key.Host, read.Key.Resource, read.Key.Issuer, "c2", []string{"read"}), 9}, nil},
		"another host's":         {Ref{foreign.Key, 2}, []Holder{far}},
	} {
		if diff := cmp.Diff(tt.want, h.Behind(tt.present)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	h.Pushed(first, refreshed)
	if diff := cmp.Diff([]Holder{second}, h.Behind(refreshed)); diff != "" {
		t.Errorf("after the first has it (-want +got):\n%s", diff)
	}

	for name, tt := range map[string]struct {
		which Which
		want  []Holder
	}{
		"everything":          {Which{}, []Holder{far, first, second}},
		"a host":              {Which{Host: read.Key.Host}, []Holder{first, second}},
		"a resource":          {Which(other.Key.Subject()), []Holder{first}},
		"nothing that is had": {Which{Host: "wss://none.example:443/"}, nil},
	} {
		if diff := cmp.Diff(tt.want, h.Of(tt.which)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	h.Emptied(first, other.Key.Resource)
	h.Gone(second)
	h.Emptied(second, "nothing")
	if diff := cmp.Diff([]Holder{far, first}, h.Of(Which{})); diff != "" {
		t.Errorf("at last (-want +got):\n%s", diff)
	}
	if _, ok := h.Holds(first, other.Key.Resource); ok {
		t.Error("what was emptied is still held")
	}
}
