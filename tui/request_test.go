package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// questions are one of each kind.
func questions() []*protocol.ChatInputQuestion {
	return []*protocol.ChatInputQuestion{
		{Kind: protocol.QuestionText, ID: "branch", Title: "Branch", Message: "What shall the branch be called?", Required: ptr(true), Min: ptr(3.0), Max: ptr(20.0)},
		{Kind: protocol.QuestionInteger, ID: "reviewers", Message: "How many reviewers?", Min: ptr(1.0), Max: ptr(5.0), DefaultValue: protocol.Raw(`2`)},
		{Kind: protocol.QuestionNumber, ID: "budget", Message: "What may it cost?", Min: ptr(0.0)},
		{Kind: protocol.QuestionBoolean, ID: "push", Message: "Shall I push it?"},
		{Kind: protocol.QuestionSingleSelect, ID: "base", Message: "Where does it begin?", AllowFreeformInput: ptr(true), Options: []*protocol.ChatInputOption{
			{ID: "main", Label: "main", Recommended: ptr(true)}, {ID: "rel", Label: "release-2.4", Description: "what is in production"},
		}},
		{Kind: protocol.QuestionMultiSelect, ID: "checks", Message: "Which checks?", Min: ptr(1.0), AllowFreeformInput: ptr(true), Options: []*protocol.ChatInputOption{
			{ID: "lint", Label: "lint"}, {ID: "unit", Label: "unit tests"}, {ID: "e2e", Label: "the whole thing"},
		}},
	}
}

// put makes the agent of chat A ask something.
func (h *fakeHost) put(r *protocol.ChatInputRequest) {
	h.act(chatA, &protocol.ChatInputRequested{Request: r})
}

// request is the request of an id, as the host has it, and the response to it.
func (h *fakeHost) request(id string) (*protocol.ChatInputRequest, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	chat, _ := h.states[chatA].(*protocol.ChatState)
	for _, r := range chat.InputRequests {
		if r.ID == id {
			return r, ""
		}
	}
	if chat.ActiveTurn != nil {
		for _, part := range chat.ActiveTurn.ResponseParts {
			if part.Request != nil && part.Request.ID == id {
				return part.Request, part.Response
			}
		}
	}
	return nil, ""
}

// asked is a driver with questions that were read.
func withRequest(t testing.TB, questions ...*protocol.ChatInputQuestion) *driver {
	t.Helper()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.put(&protocol.ChatInputRequest{ID: "q", Message: "Before I go on:", Questions: questions})
	d.look()
	d.pass(time.Second)
	return d
}

// TestAnswerAll: every kind of question is answered in its form, what was written
// is shared while it is, and the whole is sent as what was asked for.
func TestAnswerAll(t *testing.T) {
	t.Parallel()
	d := withRequest(t, questions()...)
	d.sees("asks you", "[r] answer")
	d.key("r")
	d.focused(keymap.Form)
	d.pass(time.Second)
	d.write("fix/login")
	d.key("enter")
	draft := asks[*protocol.ChatInputAnswerChanged](d, 0)
	if s, _ := draft.Answer.Given().Text(); draft.QuestionID != "branch" || draft.Answer.State != protocol.AnswerDraft || s != "fix/login" {
		t.Errorf("shared %+v, %q", draft, s)
	}
	d.key("backspace")
	d.write("3")
	d.key("enter")
	d.write("12.50")
	d.key("enter", "y", "enter")
	d.key("down", "down") // the field for something else
	d.focused(keymap.Form)
	d.write("v2")
	d.key("enter", "1", "3")
	d.key("enter")
	if d.m.top() != nil {
		t.Fatalf("the form is still there:\n%s", d.screen())
	}
	done, ok := d.host.last().Action.(*protocol.ChatInputCompleted)
	if !ok || done.Response != protocol.ResponseAccept || done.RequestID != "q" {
		t.Fatalf("sent %+v", d.host.last().Action)
	}
	want := map[string]string{
		"branch": `{"kind":"text","value":"fix/login"}`, "reviewers": `{"kind":"number","value":3}`, "budget": `{"kind":"number","value":12.5}`,
		"push": `{"kind":"boolean","value":true}`, "base": `{"kind":"selected","value":"","freeformValues":["v2"]}`, "checks": `{"kind":"selected-many","value":["lint","e2e"]}`,
	}
	for id, value := range want {
		if a := done.Answers[id]; a == nil || a.State != protocol.AnswerSubmitted || string(a.Value) != value {
			t.Errorf("%s: %+v, want %s", id, a, value)
		}
	}
	if r, _ := d.host.request("q"); len(r.Check(done.Answers)) != 0 {
		t.Errorf("a host would refuse: %v", r.Check(done.Answers))
	}
	d.sees("sent, not confirmed yet")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.sees("asked, and was answered")
	if len(d.m.forms) != 0 {
		t.Error("the form is remembered")
	}
}

// TestWrongAnswers: what does not fit is not sent; why is said where it belongs,
// and the keys are there.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		question protocol.ChatInputQuestion
		typed    string
		want     string
	}{
		{protocol.ChatInputQuestion{Kind: protocol.QuestionText, Required: ptr(true)}, "", "an answer is needed"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionText, Min: ptr(3.0)}, "ab", "at least 3 characters"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionText, Format: "email"}, "ab", "an e-mail address is wanted"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionText, Format: "date"}, "tomorrow", "a date is wanted"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionInteger}, "1.5", "a whole number is wanted"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionNumber, Max: ptr(3.0)}, "4", "at most 3"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionNumber}, "many", "is no number"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionBoolean, Required: ptr(true)}, "", "an answer is needed"},
		{protocol.ChatInputQuestion{Kind: protocol.QuestionMultiSelect, Min: ptr(2.0), Options: []*protocol.ChatInputOption{{ID: "a", Label: "a"}, {ID: "b", Label: "b"}}}, "1", "at least 2 choices"},
		{protocol.ChatInputQuestion{Kind: "thought-transfer", Required: ptr(true)}, "", "an answer is needed"},
	} {
		q := tt.question
		q.ID, q.Message = "x", "What?"
		d := withRequest(t, &q)
		d.key("enter")
		d.pass(time.Second)
		d.write(tt.typed)
		d.key("ctrl+s")
		d.sees("not sent: look at what is marked", tt.want)
		for _, r := range d.host.asked {
			if _, sent := r.Action.(*protocol.ChatInputCompleted); sent {
				t.Errorf("%+v was sent", r.Action)
			}
		}
	}
}

// TestRequestNeverTakesKeys: a request that appears takes no key: the form opens
// only once it was read, and sends nothing that is typed right away.
func TestRequestNeverTakesKeys(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.put(&protocol.ChatInputRequest{ID: "q", URL: "https://example.com/"})
	d.look()
	for _, key := range []string{"r", "enter", "d", "x", "d", "x", "enter", "r"} {
		d.key(key)
		d.pass(100 * time.Millisecond)
		d.focused(keymap.Transcript)
	}
	if d.host.count() != 0 {
		t.Fatalf("asked for %T", d.host.last().Action)
	}
	d.pass(reading)
	d.key("r", "enter", "enter")
	d.focused(keymap.Overlay)
	d.sees("this has only just appeared or changed")
	d.pass(reading)
	d.key("enter")
	if a := asks[*protocol.ChatInputCompleted](d, 0); a.Response != protocol.ResponseAccept {
		t.Errorf("sent %+v", a)
	}
}

// TestRequestResponses: declined and cancelled by a key each, and only once.
func TestRequestResponses(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"d": protocol.ResponseDecline, "x": protocol.ResponseCancel} {
		d := withRequest(t, questions()...)
		d.key(key)
		if a := asks[*protocol.ChatInputCompleted](d, 0); a.Response != want || len(a.Answers) != 0 {
			t.Errorf("%s: sent %+v", key, a)
		}
		d.key(key)
		d.sees("the answer was sent")
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "not now"})
		d.look()
		d.sees("the host refused: not now", "[r] answer")
		if n := d.host.count(); n != 1 {
			t.Errorf("%d requests", n)
		}
	}
}

// TestRefusedAnswers: answers that the host refuses are there again.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	d := withRequest(t, questions()[0])
	d.key("r")
	d.pass(time.Second)
	d.write("fix/login")
	d.key("enter")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "there is such a branch"})
	d.look()
	d.sees("the host refused: there is such a branch", "you have begun to answer")
	d.pass(time.Second)
	d.key("r")
	d.sees("fix/login", "there is such a branch")
	d.pass(time.Second)
	d.write("-2")
	d.key("enter")
	done, ok := d.host.last().Action.(*protocol.ChatInputCompleted)
	if !ok || string(done.Answers["branch"].Value) != `{"kind":"text","value":"fix/login-2"}` {
		t.Errorf("sent %+v", d.host.last().Action)
	}
}

// draft is what another client writes.
func (d *driver) draft(question string, a *protocol.ChatInputAnswer) {
	d.host.act(chatA, &protocol.ChatInputAnswerChanged{RequestID: "q", QuestionID: question, Answer: a})
	d.look()
}

// TestOtherClient: what another client writes is shown; what the person is
// writing stays, and what they wrote before can be had back.
func TestOtherClient(t *testing.T) {
	t.Parallel()
	d := withRequest(t, questions()...)
	d.draft("branch", protocol.TextAnswer(protocol.AnswerDraft, "theirs"))
	d.sees("draft: theirs")
	d.key("r")
	d.sees("› theirs", "from a draft that the host has")
	d.pass(time.Second)
	d.write("!")
	d.draft("branch", protocol.TextAnswer(protocol.AnswerDraft, "theirs, longer"))
	d.sees("› theirs!", "another client wrote: theirs, longer (ctrl+t takes it)")
	d.key("ctrl+t")
	d.sees("› theirs, longer", "yours was: theirs!")
	d.key("ctrl+t")
	d.sees("› theirs!")
	d.key("tab")
	if a := asks[*protocol.ChatInputAnswerChanged](d, 0); string(a.Answer.Value) != `{"kind":"text","value":"theirs!"}` {
		t.Errorf("shared %s", a.Answer.Value)
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.draft("branch", protocol.TextAnswer(protocol.AnswerDraft, "the last word"))
	d.sees("› the last word", "another client wrote this; yours was: theirs!")
	d.key("shift+tab", "ctrl+t")
	d.sees("› theirs!")
	d.draft("push", protocol.BooleanAnswer(protocol.AnswerDraft, true))
	d.sees("(x) yes")
	d.draft("push", nil)
	d.lacks("(x) yes")
}

// TestShareInTime: a draft is shared when the person stops writing, and not
// before, nor twice.
func TestShareInTime(t *testing.T) { //nolint:paralleltest // inBubble does it
	inBubble(t, viewtest.Size{Width: 120, Height: 40}, busyHost, func(t *testing.T, d *driver) {
		d.host.put(&protocol.ChatInputRequest{ID: "q", Questions: questions()})
		d.look()
		d.pass(time.Second)
		d.key("r")
		for range 5 {
			d.write("ab")
			d.pass(shareAfter / 2)
			if d.host.count() != 0 {
				t.Fatal("shared while the person writes")
			}
		}
		d.pass(shareAfter)
		a := asks[*protocol.ChatInputAnswerChanged](d, 0)
		if s, _ := a.Answer.Given().Text(); s != strings.Repeat("ab", 5) {
			t.Errorf("shared %q", s)
		}
		d.pass(5 * shareAfter)
		d.key("tab", "esc")
		if n := d.host.count(); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestRequestOver: questions that are answered elsewhere cannot be answered any
// more; what was written stays on the screen, and then in the composer.
func TestRequestOver(t *testing.T) {
	t.Parallel()
	d := withRequest(t, questions()[0])
	d.key("r")
	d.pass(time.Second)
	d.write("a long story")
	d.host.act(chatA, &protocol.ChatInputCompleted{RequestID: "q", Response: protocol.ResponseDecline})
	d.look()
	d.sees("this is over", "a long story")
	d.pass(time.Second)
	d.key("enter", "ctrl+s")
	if d.host.count() != 0 {
		t.Errorf("sent %+v", d.host.last().Action)
	}
	d.key("esc", "i")
	d.sees("› a long story", "this was written before and not sent")
}

// TestChangedQuestions: questions that change under the keys have to be read
// before they are answered. What was written stays.
func TestChangedQuestions(t *testing.T) {
	t.Parallel()
	d := withRequest(t, questions()[0])
	d.key("r")
	d.pass(time.Second)
	d.write("fix/login")
	changed := *questions()[0]
	changed.Message = "Which branch shall be deleted?"
	d.host.put(&protocol.ChatInputRequest{ID: "q", Questions: []*protocol.ChatInputQuestion{&changed}})
	d.look()
	d.key("enter", "enter")
	d.sees("fix/login", "Which branch shall be deleted?", "read it, then send")
	for _, r := range d.host.asked {
		if _, sent := r.Action.(*protocol.ChatInputCompleted); sent {
			t.Fatalf("sent %+v", r.Action)
		}
	}
	d.pass(time.Second)
	d.key("enter")
	if done, ok := d.host.last().Action.(*protocol.ChatInputCompleted); !ok {
		t.Errorf("sent %+v", done)
	}
}

// TestOldRequests: up to 0.5.1 requests stand in a list of the chat.
func TestOldRequests(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		h.conn.Version = protocol.V0_5_1
		return h
	})
	d.host.put(&protocol.ChatInputRequest{ID: "q", Questions: questions()[:1]})
	d.look()
	d.sees("What shall the branch be called?", "[r] answer")
	d.pass(time.Second)
	d.key("a", "r")
	d.pass(time.Second)
	d.write("fix/login")
	d.key("enter")
	if done, ok := d.host.last().Action.(*protocol.ChatInputCompleted); !ok || done.Response != protocol.ResponseAccept {
		t.Fatalf("sent %+v:\n%s", d.host.last(), d.screen())
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.lacks("What shall the branch be called?")
}

// opener notes what was opened.
type opener struct {
	opened []string
	err    error
}

func (o *opener) Open(_ context.Context, url string) error {
	o.opened = append(o.opened, url)
	return o.err
}

// TestLinkRequest: an address is shown whole, opened only by its key and only if
// it is one of the web, and copied.
func TestLinkRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url   string
		err   error
		opens bool
		want  string
	}{
		{"https://example.com/device?code=" + strings.Repeat("x", 150), nil, true, "the browser was asked to open it"},
		{"http://example.com/", errors.New("it is not https"), true, "the browser did not open: it is not https"},
		{"file:///etc/passwd", nil, false, "this is no address of the web"},
		{"javascript:alert(1)", nil, false, "this is no address of the web"},
		{"https:", nil, false, "this is no address of the web"},
	} {
		t.Run(tt.want, func(t *testing.T) { //nolint:paralleltest // inBubble does it
			inBubble(t, viewtest.Size{Width: 120, Height: 40}, busyHost, func(t *testing.T, d *driver) {
				o := &opener{err: tt.err}
				d.m.conn.Opener = o
				d.host.put(&protocol.ChatInputRequest{ID: "q", Message: "Look at this:", URL: protocol.URI(tt.url)})
				d.look()
				d.pass(time.Second)
				d.key("o", "r")
				d.pass(time.Second)
				if len(o.opened) != 0 {
					t.Fatal("it was opened by itself")
				}
				if flat := strings.NewReplacer("\n", "", " ", "", "│", "", "▸", "").Replace(d.screen()); tt.opens && !strings.Contains(flat, tt.url) {
					t.Errorf("not the whole of %q:\n%s", tt.url, d.screen())
				}
				d.key("c")
				d.sees("copied")
				d.key("o")
				d.sees(tt.want)
				if got := len(o.opened) == 1 && o.opened[0] == tt.url; got != tt.opens {
					t.Errorf("opened %q", o.opened)
				}
			})
		})
	}
}
