package tui

import (
	"ahptui/internal/safetext"
	"ahptui/keymap"
)

// listing is what the person chose of the session list. The zero listing shows all that is not archived, what needs the
// person first.
type listing struct {
	Filter   string   // as it was typed; see [query]
	Sort     sorting  // a word that is not known here stands for the first one
	Group    grouping // likewise
	Archived bool     // what is archived is shown, too
}

// sorting is an order of the session list.
type sorting string

// The orders.
const (
	byNeed    sorting = "needs-you" // what waits for the person first
	byChange  sorting = "changed"   // what changed last first
	byTitle   sorting = "title"
	byCreated sorting = "created" // the newest first
)

func sortings() []sorting { return []sorting{byNeed, byChange, byTitle, byCreated} }

// words name an order.
func (s sorting) words() safetext.Text {
	switch s {
	case byChange:
		return safetext.Const("last change first")
	case byTitle:
		return safetext.Const("by title")
	case byCreated:
		return safetext.Const("newest first")
	case byNeed:
	}
	return safetext.Const("what needs you first")
}

// grouping is what the session list has headings by.
type grouping string

// The kinds of headings.
const (
	ungrouped  grouping = "none"
	byProvider grouping = "provider"
	byStatus   grouping = "status"
)

// words name the headings.
func (g grouping) words() string {
	switch g {
	case byProvider:
		return "groups by provider"
	case byStatus:
		return "groups by status"
	case ungrouped:
	}
	return "no groups"
}

func groupings() []grouping { return []grouping{ungrouped, byProvider, byStatus} }

// after is the one behind another in a list, the first one behind the last and behind one that is not in it.
func after[T comparable](list []T, one T) T {
	for i, x := range list {
		if x == one {
			return list[(i+1)%len(list)]
		}
	}
	return list[min(1, len(list)-1)]
}

// note names what is not as it is by itself, for the border of the panel.
func (l listing) note() safetext.Text {
	var words safetext.Text
	switch l.Sort {
	case byChange:
		words = safetext.Const("changed")
	case byTitle:
		words = safetext.Const("title")
	case byCreated:
		words = safetext.Const("created")
	case byNeed:
	}
	if l.Archived {
		words = safetext.Concat(words, safetext.Const("+archived"))
	}
	return words
}

func listingCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.SessionFilter:    does((*Model).typeFilter, nil),
		keymap.SessionFilterEnd: begins((*Model).endFilter, nil),
		keymap.SessionSort: does(func(m *Model) {
			m.listing.Sort = after(sortings(), m.listing.Sort)
			m.notices.brief(m.clock.now, own("sessions: "+m.listing.Sort.words().String()))
		}, nil),
		keymap.SessionGroup: does(func(m *Model) {
			m.listing.Group = after(groupings(), m.listing.Group)
			m.notices.brief(m.clock.now, own("sessions: "+m.listing.Group.words()))
		}, nil),
		keymap.SessionArchived: does((*Model).turnArchived, nil),
	}
}
