package protocol

import (
	"cmp"
	"slices"
	"time"
)

// StartTurn is the action that sends a message, in the form of a version.
func StartTurn(v Version, turnID, text string, now time.Time) *ChatTurnStarted {
	a := &ChatTurnStarted{TurnID: turnID, Message: UserMessage(text)}
	if v.AtLeast(V0_6_0) {
		a.StartedAt = FormatTime(now)
	}
	return a
}

// CancelTurn is the action that cancels a turn, in the form of a version. The
// duration is the client's own measurement.
func CancelTurn(v Version, turnID string, took time.Duration) *ChatTurnCancelled {
	a := &ChatTurnCancelled{TurnID: turnID}
	if v.AtLeast(V0_6_0) {
		ms := float64(max(0, took).Milliseconds())
		a.Duration = &ms
	}
	return a
}

// Toggle is the action that switches a customization on or off, in the form of
// a version. From 0.8 on it decides for the session and keeps the decisions of
// the other scopes, because the action carries the complete list.
func Toggle(v Version, c *Customization, on bool) *SessionCustomizationToggled {
	if !v.AtLeast(V0_8_0) {
		return &SessionCustomizationToggled{ID: c.ID, Enabled: &on}
	}
	decisions := []*Enablement{{Kind: ScopeSession, Enabled: on}}
	for _, e := range c.Enablement {
		if e.Kind != ScopeSession {
			decisions = append(decisions, e)
		}
	}
	slices.SortStableFunc(decisions, func(a, b *Enablement) int { return cmp.Compare(scopeOrder(a.Kind), scopeOrder(b.Kind)) })
	return &SessionCustomizationToggled{ID: c.ID, Enablement: decisions}
}

func scopeOrder(kind string) int {
	switch kind {
	case ScopeSession:
		return 0
	case ScopeWorkspace:
		return 1
	case ScopeGlobal:
		return 2
	}
	return 3
}

// CanToggle reports whether a version's hosts let this server be switched:
// 0.5.1 reaches only what stands at the top level and is a container.
func CanToggle(v Version, s Server) bool {
	return v.AtLeast(V0_5_2) || s.Container == nil && s.Type != TypeMcpServer
}

// Approve is the action that lets a pending call run.
func Approve(turnID string, call *ToolCall) *ChatToolCallConfirmed {
	return &ChatToolCallConfirmed{TurnID: turnID, ToolCallID: call.ToolCallID, Approved: true, Confirmed: "user-action"}
}

// Deny is the action that refuses a pending call.
func Deny(turnID string, call *ToolCall) *ChatToolCallConfirmed {
	return &ChatToolCallConfirmed{TurnID: turnID, ToolCallID: call.ToolCallID, Reason: "denied"}
}

// Choose is the action that answers a pending call with one of the host's own
// options; what it does follows the option's kind.
func Choose(turnID string, call *ToolCall, option *ConfirmationOption) *ChatToolCallConfirmed {
	a := Deny(turnID, call)
	if option.Approves() {
		a = Approve(turnID, call)
	}
	a.SelectedOptionID = option.ID
	return a
}

// CancelCall is the action that gives up a call which waits for a sign-in. It
// ends as completed, with a failure.
func CancelCall(turnID string, call *ToolCall) *ChatToolCallComplete {
	return &ChatToolCallComplete{TurnID: turnID, ToolCallID: call.ToolCallID, Result: &ToolResult{
		PastTenseMessage: Plain("Cancelled " + call.DisplayName),
		Error:            &ToolError{Message: "Cancelled by the user", Code: "cancelled"},
	}}
}
