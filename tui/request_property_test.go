package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/viewtest"
)

// storm drives a model whose agent asks questions, while somebody types at random,
// another client writes and answers, and the questions change.
type storm struct {
	*driver
	rt *rapid.T

	asked map[string]time.Time // since when each request is open as it is, by id
	n     int
	words []string // what was typed into fields
	seen  int      // requests that were judged
}

// TestRequestStorm: whatever is typed while requests come, change and go, none is
// answered but by a key for it, on questions that were there for long enough, and
// what was typed is in the form, at the host, or in the composer.
func TestRequestStorm(t *testing.T) {
	t.Parallel()
	theme := viewtest.Plain(t)
	rapid.Check(t, func(rt *rapid.T) { stormOnce(t, rt, theme) })
}

func stormOnce(t *testing.T, rt *rapid.T, theme themes.Theme) {
	size := rapid.SampledFrom([]viewtest.Size{{Width: 80, Height: 24}, {Width: 40, Height: 12}, {Width: 120, Height: 40}}).Draw(rt, "size")
	s := &storm{driver: newDriver(t, theme, size, busyHost), rt: rt, asked: map[string]time.Time{}}
	steps := map[string]func(){
		"ask": s.anyRequest, "type": s.anyWord, "key": s.anyKey, "open": s.anyOpen, "paste": func() { s.paste("\r\ny\x13") },
		"change": s.anyChange, "other": s.anyOther, "time": func() { s.pass(time.Duration(rapid.IntRange(1, 900).Draw(rt, "ms")) * time.Millisecond) },
		"settle": s.anySettle, "connection": s.anyConnection, "share": func() {
			for _, f := range s.m.forms {
				s.send(draftMsg{f})
			}
		},
	}
	names := make([]string, 0, len(steps))
	for name := range steps {
		names = append(names, name)
	}
	slices.Sort(names)
	for range rapid.IntRange(5, 40).Draw(rt, "steps") {
		steps[rapid.SampledFrom(names).Draw(rt, "step")]()
		if s.m.leaving {
			return
		}
		s.check(keymap.ID(""))
	}
}

func (s *storm) open() []*protocol.ChatInputRequest {
	return s.host.states[chatA].(*protocol.ChatState).OpenInputs()
}

// press presses a key and judges what it led to.
func (s *storm) press(name string) {
	place := s.m.place()
	id, _ := s.m.keys.Match(keyPress(s.t, name), place)
	s.key(name)
	s.check(id)
}

// check judges what was asked of the host by the key for id.
func (s *storm) check(id keymap.ID) {
	viewtest.Check(s.t, s.frame.Content, s.m.width, s.m.height)
	for _, r := range s.host.asked[s.seen:] {
		a, ok := r.Action.(*protocol.ChatInputCompleted)
		if !ok {
			continue
		}
		want := map[string][]keymap.ID{
			protocol.ResponseAccept:  {keymap.OverlayAccept, keymap.OverlaySend},
			protocol.ResponseDecline: {keymap.CallDeny},
			protocol.ResponseCancel:  {keymap.TurnCancel},
		}[a.Response]
		if !slices.Contains(want, id) {
			s.rt.Fatalf("the key for %q has sent %+v", id, a)
		}
		if since := s.clock.Sub(s.asked[a.RequestID]); since < reading {
			s.rt.Fatalf("%s was answered %v after it was asked or changed", a.RequestID, since)
		}
	}
	s.seen = len(s.host.asked)
	s.checkWords()
}

// checkWords looks for everything that was typed.
func (s *storm) checkWords() {
	var all strings.Builder
	all.WriteString(s.m.composer.Value() + s.m.unsent().text)
	for _, w := range s.m.drafts.kept {
		all.WriteString(w.text)
	}
	for _, l := range s.m.drafts.loose {
		all.WriteString(l.text)
	}
	for _, f := range s.m.forms {
		for _, q := range f.asked.Questions {
			all.WriteString(f.view.Answer(q.ID).Typed)
			if w := f.written[q.ID]; w != nil && w.aside != nil {
				all.WriteString(w.aside.Typed)
			}
		}
	}
	for _, r := range s.host.asked {
		if a, ok := r.Action.(*protocol.ChatInputCompleted); ok {
			for _, answer := range a.Answers {
				all.WriteString(string(answer.Value))
			}
			if a.Response != protocol.ResponseAccept { // and with it what was written
				s.words = nil
			}
		}
	}
	for _, word := range s.words {
		if !strings.Contains(all.String(), word) {
			s.rt.Fatalf("%q was typed and is lost; there is %q", word, all.String())
		}
	}
}

func (s *storm) anyRequest() {
	if len(s.open()) > 2 {
		return
	}
	s.n++
	id := fmt.Sprintf("q%d", s.n)
	list := questions()
	list = list[:rapid.IntRange(1, len(list)).Draw(s.rt, "questions")]
	list[0].Required, list[0].Min, list[0].Max = nil, nil, nil
	s.host.put(&protocol.ChatInputRequest{ID: id, Message: "Before I go on:", Questions: list})
	s.asked[id] = s.clock
	s.look()
}

// anyOpen opens what is selected, or goes to it.
func (s *storm) anyOpen() {
	if s.m.top() == nil && s.m.place() != keymap.Composer {
		s.press("a")
		s.pass(time.Second)
		s.press("r")
	}
}

// anyWord types a word that is not there yet into the text of a form.
func (s *storm) anyWord() {
	f, ok := s.m.top().(*requestForm)
	if !ok || f.context() != keymap.Form || f.view.At() != "branch" || !f.over.Empty() {
		return
	}
	word := fmt.Sprintf("<%d>", len(s.words))
	for _, r := range word {
		s.press(string(r))
	}
	s.words = append(s.words, word)
}

// anyKey presses a key that deletes nothing of what is typed.
func (s *storm) anyKey() {
	keys := []string{"enter", "esc", "tab", "shift+tab", "up", "down", "ctrl+s", "ctrl+t", "f1", "ctrl+x"}
	if s.m.place() != keymap.Composer && s.m.place() != keymap.Form {
		keys = append(keys, "y", "d", "x", "r", "1", "2", "space", "a", "G", "?")
	}
	s.press(rapid.SampledFrom(keys).Draw(s.rt, "key"))
}

// anyChange asks something else under the same id.
func (s *storm) anyChange() {
	open := s.open()
	if len(open) == 0 {
		return
	}
	r := *open[rapid.IntRange(0, len(open)-1).Draw(s.rt, "which")]
	r.Message, r.Answers = r.Message+"!", nil
	s.host.put(&r)
	s.asked[r.ID] = s.clock
	s.look()
}

// anyOther is what another client does.
func (s *storm) anyOther() {
	open := s.open()
	if len(open) == 0 {
		return
	}
	r := open[rapid.IntRange(0, len(open)-1).Draw(s.rt, "which")]
	if rapid.IntRange(0, 3).Draw(s.rt, "answers") == 0 {
		s.host.act(chatA, &protocol.ChatInputCompleted{RequestID: r.ID, Response: protocol.ResponseAccept})
	} else {
		s.host.act(chatA, &protocol.ChatInputAnswerChanged{RequestID: r.ID, QuestionID: "branch", Answer: protocol.TextAnswer(protocol.AnswerDraft, "of another client")})
	}
	s.look()
}

// anySettle ends what was asked of the host somehow. What comes back is asked anew.
func (s *storm) anySettle() {
	for _, r := range s.host.asked {
		if _, done := r.Outcome(); done {
			continue
		}
		kind := rapid.SampledFrom([]ahpclient.OutcomeKind{ahpclient.Accepted, ahpclient.Rejected, ahpclient.Expired, ahpclient.Unknown}).Draw(s.rt, "outcome")
		s.host.settle(r, ahpclient.Outcome{Kind: kind, Reason: "because"})
		if a, ok := r.Action.(*protocol.ChatInputCompleted); ok && kind != ahpclient.Accepted {
			s.asked[a.RequestID] = s.clock
		}
		s.look()
		return
	}
}

func (s *storm) anyConnection() {
	if s.m.stale() {
		s.host.restore()
	} else {
		s.host.drop(errors.New("gone"))
	}
	s.look()
}
