package protocol

import (
	"testing"

	"pgregory.net/rapid"
)

// TestFoldIsReduce: whatever actions are folded, and whenever somebody looks, the
// state is what Reduce gives, and states that were seen do not change.
func TestFoldIsReduce(t *testing.T) {
	t.Parallel()
	types := actionTypes(t, ChatKind)
	rapid.Check(t, func(rt *rapid.T) {
		g := gen{rt}
		p := genProfile().Draw(rt, "profile")
		want := genState(ChatKind).Draw(rt, "state")
		f := NewFold(want)
		type seen struct {
			state ChannelState
			as    string
		}
		var looks []seen
		for range rapid.IntRange(0, 30).Draw(rt, "actions") {
			a := genAction(append(types, "chat/delta", "chat/delta", "chat/delta", "chat/reasoning", "chat/responsePart")...).Draw(rt, "action")
			next := Reduce(p, want, a)
			if changes := f.Apply(p, a); changes != (next != want) {
				rt.Fatalf("%s changes something: %v", a.ActionType(), changes)
			}
			want = next
			if g.pick(3) > 0 {
				continue
			}
			got := f.State()
			if f.State() != got {
				rt.Fatal("another pointer, although nothing has changed")
			}
			looks = append(looks, seen{got, string(mustEncode(rt, want))})
		}
		looks = append(looks, seen{f.State(), string(mustEncode(rt, want))})
		for i, look := range looks {
			if got := string(mustEncode(rt, look.state)); got != look.as {
				rt.Fatalf("at look %d of %d the state is\n%s\nwant\n%s", i+1, len(looks), got, look.as)
			}
		}
	})
}

func TestFoldKeepsThePointer(t *testing.T) {
	t.Parallel()
	s := benchChat(1, 2)
	f := NewFold(s)
	for _, a := range []Action{
		&ChatDelta{TurnID: "active", PartID: "grow", Content: NewText("")},
		&ChatDelta{TurnID: "x", PartID: "grow", Content: NewText("x")},
		&ChatReasoning{TurnID: "active", PartID: "grow", Content: NewText("x")},
		&UnknownAction{Type: "chat/later"},
	} {
		if f.Apply(Profile{}, a) || f.State() != ChannelState(s) {
			t.Errorf("%+v changes the state", a)
		}
	}
	if f.Apply(Profile{}, &ChatDelta{TurnID: "active", PartID: "grow", Content: NewText("x")}); s.ActiveTurn.ResponseParts[1].Content.Text.Len() != 0 {
		t.Error("the state that the fold started from has changed")
	}
	var none Fold
	if none.Apply(Profile{}, &ChatDelta{}) || none.State() != nil {
		t.Error("a fold without a state has one now")
	}
}
