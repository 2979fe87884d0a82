package host_test

import (
	"fmt"
	"strings"
	"testing"

	"ahptui/host"
	"ahptui/protocol"
)

const notesURI = sessionURI + "/annotations"

func annotation(id, turn string, entries ...string) *protocol.Annotation {
	a := &protocol.Annotation{ID: id, Resource: "file:///w/a.go", Entries: []*protocol.AnnotationEntry{}}
	if turn != "" {
		a.Origin = &protocol.AnnotationOrigin{Session: sessionURI, Chat: chatURI, TurnID: turn}
	}
	for i, text := range entries {
		a.Entries = append(a.Entries, &protocol.AnnotationEntry{ID: fmt.Sprint("e", i), Text: protocol.Plain(text)})
	}
	return a
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c, old := join(t, h, "c", protocol.V1_0_0), join(t, h, "old", protocol.V0_8_0)
	for _, cl := range []*client{c, old} {
		if s := snapshot[protocol.AnnotationsState](cl, notesURI); s.Annotations == nil || len(s.Annotations) != 0 {
			t.Fatalf("there are %+v", s)
		}
	}
	seq := int64(0)
	do := func(by *client, a protocol.Action) {
		t.Helper()
		seq++
		by.dispatch(notesURI, seq, a)
		if e := by.answerTo(seq); e.RejectionReason != nil {
			t.Fatalf("%s is refused: %s", encode(t, a), *e.RejectionReason)
		}
	}
	do(c, &protocol.AnnotationsSet{Annotation: annotation("a", "t1", "one")})
	do(old, &protocol.AnnotationsSet{Annotation: &protocol.Annotation{ID: "b", TurnID: "t2", Resource: "file:///w/b.go", Entries: annotation("", "", "x").Entries}})
	do(c, &protocol.AnnotationsSet{Annotation: annotation("c", "", "without a turn")})
	do(old, &protocol.AnnotationsEntrySet{AnnotationID: "a", Entry: &protocol.AnnotationEntry{ID: "e1", Text: protocol.Markdown("**two**")}})
	do(c, &protocol.AnnotationsUpdated{AnnotationID: "b", Resolved: new(true), Range: &protocol.TextRange{End: protocol.TextPosition{Line: 3}}})
	do(c, &protocol.AnnotationsEntryRemoved{AnnotationID: "a", EntryID: "e0"})

	s := snapshot[protocol.AnnotationsState](c, notesURI)
	if len(s.Annotations) != 3 || s.Annotations[1].Origin.TurnID != "t2" || s.Annotations[1].Origin.Session != sessionURI || s.Annotations[1].TurnID != "" ||
		!s.Annotations[1].Resolved || len(s.Annotations[0].Entries) != 1 || s.Annotations[2].Origin.Session != sessionURI {
		t.Errorf("there are %s", encode(t, s))
	}
	o := snapshot[protocol.AnnotationsState](old, notesURI)
	if len(o.Annotations) != 2 || o.Annotations[0].TurnID != "t1" || o.Annotations[0].Origin != nil {
		t.Errorf("at 0.8 there are %s", encode(t, o))
	}
	c.told("root/sessionSummaryChanged", `"annotations":{"resource":"`+string(notesURI)+`","annotationCount":3,"entryCount":3}`)

	// One that gets a turn is seen at 0.8 from then on, and one that loses it no more.
	do(c, &protocol.AnnotationsUpdated{AnnotationID: "c", Origin: &protocol.AnnotationOrigin{Session: sessionURI, TurnID: "t3"}})
	do(c, &protocol.AnnotationsUpdated{AnnotationID: "b", Origin: &protocol.AnnotationOrigin{Session: sessionURI}})
	do(c, &protocol.AnnotationsRemoved{AnnotationID: "a"})
	o = snapshot[protocol.AnnotationsState](old, notesURI)
	if len(o.Annotations) != 1 || o.Annotations[0].ID != "c" {
		t.Errorf("at 0.8 there are %s", encode(t, o))
	}
	old.until("it is seen", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.AnnotationsSet)
		return ok && a.Annotation.ID == "c" && a.Annotation.TurnID == "t3"
	})
	old.until("it is seen no more", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.AnnotationsRemoved)
		return ok && a.AnnotationID == "b"
	})
	c.call("disposeSession", &protocol.ChannelParams{Channel: sessionURI}, nil)
	if e := c.refused("subscribe", &protocol.ChannelParams{Channel: notesURI}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("the annotations of a session that is gone: %v", e)
	}
}

func TestAnnotationRefusals(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c, old := join(t, h, "c", protocol.V0_9_0), join(t, h, "old", protocol.V0_6_0)
	snapshot[protocol.AnnotationsState](c, notesURI)
	snapshot[protocol.AnnotationsState](old, notesURI)
	c.dispatch(notesURI, 1, &protocol.AnnotationsSet{Annotation: annotation("a", "t", "one")})
	c.answerTo(1)
	with := func(change func(*protocol.Annotation)) protocol.Action {
		a := annotation("x", "t", "one")
		change(a)
		return &protocol.AnnotationsSet{Annotation: a}
	}
	seq := int64(1)
	for _, tt := range []struct {
		by     *client
		a      protocol.Action
		reason string
	}{
		{c, &protocol.AnnotationsSet{}, "no annotation"},
		{c, &protocol.AnnotationsSet{Annotation: annotation("x", "t")}, "1 to 100 entries"},
		{c, &protocol.AnnotationsSet{Annotation: annotation("", "t", "one")}, "id must have"},
		{c, with(func(a *protocol.Annotation) { a.Resource = "" }), "resource must have"},
		{c, with(func(a *protocol.Annotation) { a.Entries = append(a.Entries, a.Entries[0]) }), "an id of its own"},
		{c, with(func(a *protocol.Annotation) { a.Entries[0] = &protocol.AnnotationEntry{ID: "e"} }), "needs a text"},
		{c, with(func(a *protocol.Annotation) { a.Origin.Session = "ahp-session:/other" }), "its own session"},
		{c, with(func(a *protocol.Annotation) { a.Origin.Chat = "ahp-chat:/other" }), "its own session"},
		{c, with(func(a *protocol.Annotation) { a.Entries[0].Text = protocol.Plain(strings.Repeat("x", 100_000)) }), "too large"},
		{old, &protocol.AnnotationsSet{Annotation: annotation("x", "", "one")}, "names no turn"},
		{c, &protocol.AnnotationsUpdated{AnnotationID: "none"}, "no annotation none"},
		{c, &protocol.AnnotationsUpdated{AnnotationID: "a", Origin: &protocol.AnnotationOrigin{Session: "x:/y"}}, "its own session"},
		{c, &protocol.AnnotationsRemoved{AnnotationID: "none"}, "no annotation none"},
		{c, &protocol.AnnotationsEntrySet{AnnotationID: "none"}, "no annotation none"},
		{c, &protocol.AnnotationsEntrySet{AnnotationID: "a", Entry: &protocol.AnnotationEntry{Text: protocol.Plain("x")}}, "an id of its own"},
		{c, &protocol.AnnotationsEntryRemoved{AnnotationID: "a", EntryID: "none"}, "no such entry"},
		{c, &protocol.AnnotationsEntryRemoved{AnnotationID: "a", EntryID: "e0"}, "remove the annotation instead"},
		{c, &protocol.ChatDraftChanged{}, "no action of this channel"},
	} {
		seq++
		tt.by.dispatch(notesURI, seq, tt.a)
		if e := tt.by.answerTo(seq); e.RejectionReason == nil || !contains(*e.RejectionReason, tt.reason) {
			t.Errorf("%s: %v, want %q", encode(t, tt.a), e.RejectionReason, tt.reason)
		}
	}
	if s := snapshot[protocol.AnnotationsState](c, notesURI); len(s.Annotations) != 1 {
		t.Errorf("what was refused had an effect: %s", encode(t, s))
	}

	// There is an end to how many there are, and to how large all are together.
	text := strings.Repeat("x", 60_000)
	for i := range 100 {
		seq++
		c.dispatch(notesURI, seq, &protocol.AnnotationsSet{Annotation: annotation(fmt.Sprint(i), "t", text)})
		if e := c.answerTo(seq); e.RejectionReason != nil {
			if i < 60 {
				t.Errorf("annotation %d is refused: %s", i, *e.RejectionReason)
			}
			seq++
			c.dispatch(notesURI, seq, &protocol.AnnotationsSet{Annotation: annotation("0", "t", "small")}) // makes room
			c.answerTo(seq)
			seq++
			c.dispatch(notesURI, seq, &protocol.AnnotationsSet{Annotation: annotation("more", "t", text)})
			if e := c.answerTo(seq); e.RejectionReason != nil {
				t.Errorf("where there is room again: %s", *e.RejectionReason)
			}
			return
		}
	}
	t.Error("annotations have no bound")
}
