package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/oauthserver"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/viewtest"
)

// offered are the names of the keys that a window says do something now.
func offered(d *signInDriver) []string {
	s := d.m.signIn
	keys := []string{"esc"}
	if s == nil {
		return keys
	}
	in := d.m.signInInput(s)
	if s.failure != nil {
		keys = append(keys, "enter")
		for _, way := range in.Ways {
			keys = append(keys, way.Key.String())
		}
		return keys
	}
	add := func(name string, label safetext.Text) {
		if !label.Empty() {
			keys = append(keys, name)
		}
	}
	if s.asks() {
		keys = append(keys, "enter")
	}
	if s.handed.IsZero() && !in.URL.Text().Empty() {
		keys = append(keys, "c")
		add("o", in.Keys.Open)
		add("Q", in.Keys.Scan)
		add("enter", in.Keys.Paste)
		add("C", in.Keys.Tunnel)
	}
	for _, way := range in.Ways {
		if !way.Chosen {
			keys = append(keys, way.Key.String())
		}
	}
	add("s", in.Keys.Scopes)
	add("i", in.Keys.Issuer)
	add("r", in.Keys.Register)
	add("N", in.Keys.Never)
	add("x", in.Keys.Decline)
	return keys
}

// anyConfig is that of a desktop or of a session over SSH, which keeps what it got or
// not.
func anyConfig(t *testing.T, random *rand.Rand) (c auth.Config) {
	if random.IntN(2) == 0 {
		c.Store = store.Open(t.Context(), store.Options{})
	}
	if random.IntN(2) == 0 {
		c.Place = auth.Place{OS: "linux", SSHConnection: "192.0.2.7 50000 192.0.2.1 22", User: "ann"}
	}
	return c
}

// fuss presses keys in the window of a sign-in and judges what comes of them.
type fuss struct {
	*signInDriver
	random *rand.Rand
	asked  int       // the number of the question that is drawn; -1: there is none
	since  time.Time // and since when it is
}

// question is the number of the open question, or -1.
func (f *fuss) question() int {
	switch s := f.m.signIn; {
	case s == nil || s.failure != nil:
	case s.consent != nil:
		return s.consent.Question
	case s.reach != nil:
		return s.reach.Question
	}
	return -1
}

// look notes since when a question is seen.
func (f *fuss) note() {
	asked := f.question()
	if _, top := f.m.top().(*signInOverlay); !top {
		asked = -1
	}
	if asked != f.asked {
		f.asked, f.since = asked, f.clock
	}
}

// press presses a key; one that is offered has to show that it did something.
func (f *fuss) press(key string) {
	f.t.Helper()
	window, isWindow := f.m.top().(*signInOverlay)
	offers := isWindow && slices.Contains(offered(f.signInDriver), key)
	before, overlays, question := f.screen(), len(f.m.overlays), f.question()
	f.key(key)
	viewtest.Check(f.t, f.frame.Content, f.m.width, f.m.height)
	f.checkSecrets()
	if isWindow && question >= 0 && f.question() != question && f.m.signIn == window.signIn {
		switch key {
		case "enter":
			if f.asked != question || f.clock.Sub(f.since) < drawing {
				f.t.Errorf("question %d was answered after %v on the screen", question, f.clock.Sub(f.since))
			}
		case "i", "N", "esc", "x":
		default:
			f.t.Errorf("%q answered a question", key)
		}
	}
	if offers && len(f.m.overlays) == overlays && f.screen() == before && !f.told() {
		f.t.Errorf("%q is offered and does nothing:\n%s", key, f.screen())
	}
	f.note()
}

// told reports whether something that was said before, and is said again, is on the
// screen.
func (f *fuss) told() bool {
	said := f.m.signInInput(f.m.signIn).Notice.String()
	return said != "" && strings.Contains(strings.Join(strings.Fields(f.screen()), " "), said[:min(len(said), 20)])
}

// anyEvent lets what has come by now, and perhaps what comes soon, arrive.
func (f *fuss) anyEvent() {
	soon := time.NewTimer(time.Duration(f.random.IntN(10)) * time.Millisecond)
	defer soon.Stop()
	for {
		select {
		case msg := <-f.answer:
			f.take(msg)
			f.checkSecrets()
			f.note()
		case <-soon.C:
			return
		}
	}
}

// TestSignInAnyKey: whatever is typed into the window and whenever: what is offered
// does something that shows, a question is answered only after it could be read, no
// secret is on the screen, and who leaves leaves nothing behind.
func TestSignInAnyKey(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 5))
			sizes := []viewtest.Size{{Width: 80, Height: 24}, {Width: 40, Height: 12}, {Width: 200, Height: 60}, {Width: 24, Height: 7}}
			f := &fuss{signInDriver: startSignInDriver(t, sizes[seed%4], anyConfig(t, random), oauthserver.Options{}), random: random, asked: -1}
			f.person.decide([]string{"", "", "approve", "deny"}[random.IntN(4)])
			f.key("g")
			f.note()
			keys := []string{"enter", "enter", "esc", "c", "o", "b", "d", "p", "t", "s", "i", "r", "N", "x", "Q", "C", "K", "?", "j", "G", "home", "space", "tab", "q"}
			for range 40 {
				switch random.IntN(6) {
				case 0:
					f.anyEvent()
				case 1:
					f.clock = f.clock.Add(time.Duration(random.IntN(1500)) * time.Millisecond)
					f.send(tickMsg{})
				case 2:
					f.send(tea.PasteMsg{Content: []string{"http://127.0.0.1:1/callback?code=1&state=2", "x\ny", "\x1b[31m", ""}[random.IntN(4)]})
					f.note()
				case 3:
					f.key("esc")
					if f.m.signIn == nil {
						f.key("g")
					}
					f.note()
				default:
					f.press(keys[random.IntN(len(keys))])
				}
			}
			f.leave()
		})
	}
}

// leave leaves whatever is open.
func (f *fuss) leave() {
	var flow interface{ Wait() }
	if f.m.signIn != nil {
		flow = f.m.signIn.flow
	}
	for i := 0; len(f.m.overlays) > 0; i++ {
		if i == 5 {
			f.t.Fatalf("nothing closes the window:\n%s", f.screen())
		}
		f.key("esc")
	}
	if flow != nil {
		flow.Wait()
	}
	if f.m.place()&keymap.Panels == 0 && f.m.place() != keymap.Composer {
		f.t.Errorf("the keyboard is in %d", f.m.place())
	}
}
