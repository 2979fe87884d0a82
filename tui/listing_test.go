package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// variedHost is a host with sessions of every kind.
func variedHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	add := func(id, title, provider string, status protocol.Status, age time.Duration, created time.Duration) {
		s := summary(protocol.URI("x:/"+id), title, status, age)
		s.Provider, s.CreatedAt = provider, ago(created)
		s.WorkingDirectories = []protocol.URI{protocol.URI("file:///home/u/" + id + "-dir")}
		h.sessions = append(h.sessions, s)
	}
	add("d", "Login page of the shop", "other", protocol.StatusIdle|protocol.StatusRead, 40*time.Hour, 50*time.Hour)
	add("e", "Ask me something", "other", protocol.StatusInputNeeded, 50*time.Hour, 60*time.Hour)
	add("f", "Put away", "copilot", protocol.StatusIdle|protocol.StatusRead|protocol.StatusArchived, 60*time.Hour, time.Hour)
	add("g", "zebra stripes", "copilot", protocol.StatusIdle|protocol.StatusRead, 70*time.Hour, 2*time.Hour)
	return h
}

// list is the titles as they stand in the list.
func (d *driver) list() string {
	var titles []string
	in := d.m.scene.sessions
	for i, row := range in.Rows {
		for _, g := range in.Groups {
			if g.From == i {
				titles = append(titles, fmt.Sprintf("[%s %d]", g.Title.String(), g.Count))
			}
		}
		titles = append(titles, strings.Fields(row.Title.String())[0])
	}
	return strings.Join(titles, " ")
}

// lists fails the test unless the list is so.
func (d *driver) lists(want string) {
	d.t.Helper()
	if got := d.list(); got != want {
		d.t.Fatalf("the list is\n     %s\nwant %s", got, want)
	}
}

// TestSort: what needs the person first, then the other orders, and back.
func TestSort(t *testing.T) {
	t.Parallel()
	d := drive(t, variedHost)
	d.lists("Ask Nightly Fix Update Login zebra")
	for _, want := range []string{
		"Fix Update Nightly Login Ask zebra", "Ask Fix Login Nightly Update zebra", "zebra Login Ask Fix Update Nightly", "Ask Nightly Fix Update Login zebra",
	} {
		d.key("s")
		d.lists(want)
	}
	d.key("s", "s")
	d.sees("by title", "Sessions", "title")
	// One that changes its name goes where it belongs.
	d.host.change(func() {
		d.host.sessions = slices.Clone(d.host.sessions)
		d.host.sessions[3] = summary(d.host.sessions[3].Resource, "almost first", protocol.StatusIdle, time.Second)
	})
	d.look()
	d.lists("almost Ask Fix Nightly Update zebra")
	d.host.remove("x:/g")
	d.look()
	d.lists("almost Ask Fix Nightly Update")
}

// TestGroup: headings with counts, which are never selected.
func TestGroup(t *testing.T) {
	t.Parallel()
	d := drive(t, variedHost)
	d.key("b")
	d.lists("[Copilot 4] Nightly Fix Update zebra [Other 2] Ask Login")
	d.sees("Copilot", "Other")
	d.key("b")
	d.lists("[needs you 1] Ask [error 1] Nightly [working 1] Fix [idle 3] Update Login zebra")
	d.key("home")
	seen := []protocol.URI{}
	for range 6 {
		seen = append(seen, d.m.sessions.Selected())
		d.key("j")
	}
	if slices.Contains(seen, "") || len(slices.Compact(seen)) != 6 {
		t.Errorf("went over %v", seen)
	}
	// A session whose status changes goes to another heading.
	d.host.change(func() {
		d.host.sessions = slices.Clone(d.host.sessions)
		d.host.sessions[6] = summary("x:/g", "zebra stripes", protocol.StatusInputNeeded, 0)
	})
	d.look()
	d.lists("[needs you 2] Ask zebra [error 1] Nightly [working 1] Fix [idle 2] Update Login")
	d.key("b")
	d.lists("Ask zebra Nightly Fix Update Login")
}

// TestArchivedShown: what is archived is out of sight, but not what is on the screen.
func TestArchivedShown(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, variedHost)
	d.key("v")
	d.lists("Ask Nightly Fix Update Login Put zebra")
	d.sees("+archived")
	d.m.show("x:/f")
	d.look()
	d.key("v")
	d.lists("Ask Nightly Fix Update Login Put zebra")
	d.m.show(sessionB)
	d.look()
	d.lists("Ask Nightly Fix Update Login zebra")
}

// TestFilter: letters, words, what must not be there, the count, and the keys of the line.
func TestFilter(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"":              "Ask Nightly Fix Update Login zebra",
		"login":         "Fix Login",
		"LOGIN bug":     "Fix",
		"login !bug":    "Login",
		"!login":        "Ask Nightly Update zebra",
		"!login !":      "Ask Nightly Update zebra",
		"ftlb":          "Fix", // its letters, from the beginning of a word
		"tlb":           "Fix",
		"ixlb":          "",
		"!ftlb":         "Ask Nightly Fix Update Login zebra",
		"other":         "Ask Login",
		"needs":         "Ask",
		"error unread":  "Nightly",
		"d-dir":         "Login",
		"zs !x":         "zebra",
		"nothing alike": "",
	} {
		d := drive(t, variedHost)
		d.key("/")
		d.focused(keymap.Form)
		d.write(filter)
		d.lists(want)
		d.sees(fmt.Sprintf("%d/6", len(strings.Fields(want))))
	}
}

// TestFilterKeys: Enter keeps the filter and opens the session, Esc ends it; what is pasted is text.
func TestFilterKeys(t *testing.T) {
	t.Parallel()
	d := drive(t, variedHost)
	d.key("/")
	d.paste("login")
	d.lists("Fix Login")
	d.key("down")
	if got := d.m.sessions.Selected(); got != "x:/d" {
		t.Errorf("after down %s is selected", got)
	}
	d.key("q", "backspace", "enter")
	d.focused(keymap.Sessions)
	d.sees("/login", "2/6")
	if got := d.m.current.session; got != sessionA {
		t.Errorf("on the screen is %s", got) // the first one that matches what is typed now
	}
	d.key("/", "space", "s", "h", "o", "p", "enter")
	d.sees("/login shop", "1/6")
	if got := d.m.current.session; got != "x:/d" {
		t.Errorf("on the screen is %s", got)
	}
	// What is gone to is in the list whatever the filter.
	d.m.show(sessionB)
	d.look()
	d.lists("Update Login")
	d.key("esc")
	d.lists("Ask Nightly Fix Update Login zebra")
	d.lacks("1/6")
	d.key("/")
	d.write("zzz")
	d.sees("no session matches", "0/6")
	d.key("esc")
	d.focused(keymap.Sessions)
	d.lists("Ask Nightly Fix Update Login zebra")
	if d.m.sessions.Selected() == "" {
		t.Error("nothing is selected")
	}
}

// TestFilterFollows: the filter holds for what comes later, and asks nobody to look at all again.
func TestFilterFollows(t *testing.T) {
	t.Parallel()
	d := drive(t, variedHost)
	d.key("/")
	d.write("login")
	d.key("enter")
	d.host.list(summary("x:/new", "a third login", protocol.StatusIdle|protocol.StatusRead, 90*time.Hour))
	d.look()
	d.lists("Fix Login a")
	d.sees("3/7")
}

// TestFilterSizes: the line is there in every size, with its cursor.
func TestFilterSizes(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 40, Height: 12}, variedHost)
	d.key("/")
	d.write("login")
	d.sees("/login", "2/6")
	d.checkSizes()
}

// TestListingOfAConfiguration: words that nobody knows are as good as none.
func TestListingOfAConfiguration(t *testing.T) {
	t.Parallel()
	d := drive(t, variedHost)
	d.m.listing = listing{Filter: "login", Sort: "by magic", Group: "by magic", Archived: true}
	d.look()
	d.send(nil)
	d.lists("Ask Fix Login") // the one on the screen, too
	d.key("s", "b")
	if d.m.listing.Sort != byChange || d.m.listing.Group != byProvider {
		t.Errorf("then %v", d.m.listing)
	}
}
