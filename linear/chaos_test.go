package linear

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
)

// TestChaos: whatever is typed while whatever comes from the host, nothing is
// approved but by its number, after it was told for as long as it takes to hear it,
// and with the arguments that were told.
func TestChaos(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			follow(t, newHost, func(p *person) {
				random := rand.New(rand.NewPCG(seed, 1))
				told, args := time.Time{}, "" // when the last question was, and what it was about
				calls, judged, approved := 0, 0, 0
				hear := func() {
					text := p.out.take()
					checkPlain(t, text)
					for line := range strings.SplitSeq(text, "\n") {
						switch {
						case strings.HasPrefix(line, `|   "n`):
							args = "{" + strings.ReplaceAll(strings.TrimLeft(line, "| "), " ", "") + "}"
						case strings.HasPrefix(line, "choose: "):
							told = time.Now()
						}
					}
				}
				for range 150 {
					before := told
					line := []string{"1", "1", "2", "3", "y", "yes", "approve", "say 1", "say", ".", "!", "answer 1", "blocks", "again", ""}[random.IntN(15)]
					switch random.IntN(6) {
					case 0:
						calls++
						p.host.call(fmt.Sprintf("c%d", calls), fmt.Sprintf(`{"n%d":1}`, calls), "")
					case 1:
						change(p.host)
					case 2, 3:
						p.pass(time.Duration(random.IntN(900)) * time.Millisecond)
						hear()
						before = told
						p.types(line)
					case 4:
						p.types(line)
					case 5:
						if n := len(p.host.pending); n > 0 {
							kind := []ahpclient.OutcomeKind{ahpclient.Accepted, ahpclient.Rejected, ahpclient.Unknown}[random.IntN(3)]
							p.host.settle(p.host.pending[n-1], ahpclient.Outcome{Kind: kind})
						}
					}
					p.pass(0)
					for _, r := range p.host.asked[judged:] {
						a, ok := r.Action.(*protocol.ChatToolCallConfirmed)
						if ok && a.Approved {
							approved++
						}
						switch {
						case !ok:
						case line != "1" && a.Approved:
							t.Fatalf("%q approved", line)
						case time.Since(before) < reading:
							t.Fatalf("answered after %v", time.Since(before))
						case a.Approved && argsOf(p.host, a.ToolCallID) != args:
							t.Fatalf("approved %q, told was %q", argsOf(p.host, a.ToolCallID), args)
						}
					}
					judged = len(p.host.asked)
					hear()
				}
				if approved == 0 {
					t.Error("nothing was approved")
				}
			})
		})
	}
}

// change changes what a call that waits would do.
func change(h *fakeHost) {
	h.change(func() {
		chat := *h.states[chatA].(*protocol.ChatState)
		turn := *chat.ActiveTurn
		turn.ResponseParts = append([]*protocol.ResponsePart(nil), turn.ResponseParts...)
		for i, part := range turn.ResponseParts {
			if call := part.ToolCall; call != nil && call.Status == protocol.ToolPendingConfirmation {
				changed := *call
				changed.ToolInput = protocol.InputText(strings.Replace(call.ToolInput.Text.String(), ":1", ":11", 1))
				turn.ResponseParts[i] = &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &changed}
				break
			}
		}
		chat.ActiveTurn = &turn
		h.states[chatA] = &chat
	})
}

// argsOf is what a call is called with.
func argsOf(h *fakeHost, id string) string {
	for _, part := range h.states[chatA].(*protocol.ChatState).ActiveTurn.ResponseParts {
		if part.ToolCall != nil && part.ToolCall.ToolCallID == id {
			return part.ToolCall.ToolInput.Text.String()
		}
	}
	return ""
}
