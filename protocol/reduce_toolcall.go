package protocol

import (
	"slices"

	"github.com/go-json-experiment/json"
)

// reduceToolCall handles the life of a tool call. Except for streaming, the
// chat's status is computed anew even where the action matched nothing.
func reduceToolCall(p Profile, s *ChatState, a Action) *ChatState {
	switch a := a.(type) {
	case *ChatToolCallStart:
		return startToolCall(s, a)
	case *ChatToolCallDelta:
		return updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall { return streamInput(c, a) })
	case *ChatToolCallContentChanged:
		return updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall {
			if c.Status != ToolRunning {
				return nil
			}
			return changed(c, func(c *ToolCall) { c.Content = present(a.Content) })
		})
	case *ChatToolCallReady:
		return withActivity(updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall { return readyToolCall(p, c, a) }))
	case *ChatToolCallConfirmed:
		return withActivity(updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall { return confirmToolCall(p, c, a) }))
	case *ChatToolCallComplete:
		return withActivity(updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall { return completeToolCall(c, a) }))
	case *ChatToolCallResultConfirmed:
		return withActivity(updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall { return confirmResult(c, a) }))
	case *ChatToolCallAuthRequired:
		return withActivity(updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall {
			if c.Status != ToolRunning || c.Contributor == nil || c.Contributor.Kind != ContributorMcp {
				return nil
			}
			return changed(c, func(c *ToolCall) { c.Status, c.Auth = ToolAuthRequired, a.Auth })
		}))
	case *ChatToolCallAuthResolved:
		return withActivity(updateToolCall(s, a.TurnID, a.ToolCallID, a.Meta, func(c *ToolCall) *ToolCall {
			if c.Status != ToolAuthRequired {
				return nil
			}
			return changed(c, func(c *ToolCall) { c.Status, c.Auth = ToolRunning, nil })
		}))
	}
	return s
}

func startToolCall(s *ChatState, a *ChatToolCallStart) *ChatState {
	if s.active(a.TurnID) == nil {
		return s
	}
	return addPart(s, &ResponsePart{Kind: PartToolCall, ToolCall: &ToolCall{
		Status: ToolStreaming, ToolCallID: a.ToolCallID, ToolName: a.ToolName, DisplayName: a.DisplayName,
		Intention: a.Intention, Contributor: a.Contributor, Meta: a.Meta,
	}})
}

// updateToolCall replaces a call of the active turn by what update returns; nil
// means that the action does not apply to the call as it is. A given meta
// replaces the call's.
func updateToolCall(s *ChatState, turnID, callID string, meta Raw, update func(*ToolCall) *ToolCall) *ChatState {
	turn := s.active(turnID)
	if turn == nil {
		return s
	}
	i := slices.IndexFunc(turn.ResponseParts, func(p *ResponsePart) bool {
		return p.Kind == PartToolCall && p.ToolCall != nil && p.ToolCall.ToolCallID == callID
	})
	if i < 0 {
		return s
	}
	old := turn.ResponseParts[i].ToolCall
	call := update(old)
	if call == nil || call == old && (meta == nil || sameRaw(meta, old.Meta)) {
		return s
	}
	if meta != nil {
		call = changed(call, func(c *ToolCall) { c.Meta = meta })
	}
	return withPart(s, i, changed(turn.ResponseParts[i], func(p *ResponsePart) { p.ToolCall = call }))
}

func streamInput(c *ToolCall, a *ChatToolCallDelta) *ToolCall {
	if c.Status != ToolStreaming {
		return nil
	}
	grows := a.Content.Len() > 0 || !a.Content.IsZero() && c.PartialInput.IsZero()
	if !grows && a.InvocationMessage.IsZero() {
		return c
	}
	return changed(c, func(c *ToolCall) {
		if !a.Content.IsZero() {
			c.PartialInput = c.PartialInput.Append(a.Content)
		}
		if !a.InvocationMessage.IsZero() {
			c.InvocationMessage = a.InvocationMessage
		}
	})
}

// inStatus is a call with the members that every status has, and its
// parameters, of which a streaming call has no input yet.
func inStatus(c *ToolCall, status ToolCallStatus) *ToolCall {
	next := &ToolCall{
		Status: status, ToolCallID: c.ToolCallID, ToolName: c.ToolName, DisplayName: c.DisplayName,
		Intention: c.Intention, Contributor: c.Contributor, Meta: c.Meta,
		InvocationMessage: c.InvocationMessage, Extra: c.Extra,
	}
	if c.Status != ToolStreaming {
		next.ToolInput = c.ToolInput
	}
	return next
}

func readyToolCall(p Profile, c *ToolCall, a *ChatToolCallReady) *ToolCall {
	pending := c.Status == ToolPendingConfirmation
	switch {
	case c.Status == ToolStreaming, c.Status == ToolRunning, pending && p.readyRefinesPending():
	default:
		return nil
	}
	next := inStatus(c, ToolRunning)
	next.InvocationMessage = a.InvocationMessage
	next.Contributor = refinedContributor(c.Contributor, a.Contributor)
	if a.Intention != "" {
		next.Intention = a.Intention
	}
	if !a.ToolInput.IsZero() || a.Confirmed != "" && !p.atLeast(V0_7_0) {
		next.ToolInput = a.ToolInput
	}
	if a.Confirmed != "" {
		next.Confirmed = a.Confirmed
		return next
	}
	next.Status = ToolPendingConfirmation
	next.ConfirmationTitle, next.RiskAssessment = a.ConfirmationTitle, a.RiskAssessment
	next.Edits, next.Editable, next.Options = a.Edits, a.Editable, a.Options
	if pending {
		keepConfirmation(next, c)
	}
	return next
}

// refinedContributor: a client's call stays that client's, and no other call
// becomes a client's.
func refinedContributor(old, given *Contributor) *Contributor {
	switch {
	case given == nil:
		return old
	case old != nil && old.Kind == ContributorClient:
		if given.Kind == ContributorClient && given.ClientID == old.ClientID {
			return given
		}
		return old
	case given.Kind == ContributorClient:
		return old
	}
	return given
}

// keepConfirmation fills what a repeated ready left out from the one before.
func keepConfirmation(next, old *ToolCall) {
	if next.ConfirmationTitle.IsZero() {
		next.ConfirmationTitle = old.ConfirmationTitle
	}
	if next.RiskAssessment == nil {
		next.RiskAssessment = old.RiskAssessment
	}
	if next.Edits == nil {
		next.Edits = old.Edits
	}
	if next.Editable == nil {
		next.Editable = old.Editable
	}
	if next.Options == nil {
		next.Options = old.Options
	}
}

func confirmToolCall(p Profile, c *ToolCall, a *ChatToolCallConfirmed) *ToolCall {
	if c.Status != ToolPendingConfirmation {
		return nil
	}
	var option *ConfirmationOption
	if i := slices.IndexFunc(c.Options, func(o *ConfirmationOption) bool { return o.ID == a.SelectedOptionID }); i >= 0 && a.SelectedOptionID != "" {
		option = c.Options[i]
	}
	if !a.Approved {
		next := cancelled(c, a.Reason)
		next.ReasonMessage, next.UserSuggestion, next.SelectedOption = a.ReasonMessage, a.UserSuggestion, option
		return next
	}
	next := inStatus(c, ToolRunning)
	next.Confirmed, next.SelectedOption = a.Confirmed, option
	if a.EditedToolInput != nil && (c.ToolInput.Ref == nil && !c.ToolInput.IsZero() || !p.atLeast(V0_7_0)) {
		next.ToolInput = InputText(*a.EditedToolInput)
	}
	return next
}

// cancelled is a call that came to nothing.
func cancelled(c *ToolCall, reason string) *ToolCall {
	next := inStatus(c, ToolCancelled)
	next.Reason = reason
	if next.InvocationMessage.IsZero() {
		next.InvocationMessage = Plain("")
	}
	return next
}

func completeToolCall(c *ToolCall, a *ChatToolCallComplete) *ToolCall {
	if a.Result == nil {
		return nil
	}
	next := inStatus(c, ToolCompleted)
	next.Confirmed, next.SelectedOption = c.Confirmed, c.SelectedOption
	switch c.Status {
	case ToolRunning:
	case ToolPendingConfirmation:
		next.Confirmed, next.SelectedOption = "not-needed", nil
	case ToolAuthRequired:
		if a.Result.Success {
			return nil
		}
		next.Content = c.Content
	default:
		return nil
	}
	if a.RequiresResultConfirmation != nil && *a.RequiresResultConfirmation && c.Status != ToolAuthRequired {
		next.Status = ToolPendingResultConfirmation
	}
	r := a.Result
	next.Success, next.PastTenseMessage, next.Error = &r.Success, r.PastTenseMessage, r.Error
	next.StructuredContent, next.Extra = r.StructuredContent, overlaid(c.Extra, r.Extra)
	if r.Content != nil {
		next.Content = r.Content
	}
	return next
}

// overlaid are the unknown members of two objects together; those of over win.
func overlaid(under, over Raw) Raw {
	switch {
	case under == nil:
		return over
	case over == nil:
		return under
	}
	var members map[string]Raw
	if json.Unmarshal(under, &members, lastWins) != nil || json.Unmarshal(over, &members, lastWins) != nil {
		return under
	}
	both, err := Marshal(members)
	if err != nil {
		return under
	}
	return both
}

func confirmResult(c *ToolCall, a *ChatToolCallResultConfirmed) *ToolCall {
	if c.Status != ToolPendingResultConfirmation {
		return nil
	}
	if a.Approved {
		return changed(c, func(c *ToolCall) { c.Status = ToolCompleted })
	}
	next := cancelled(c, "result-denied")
	next.SelectedOption = c.SelectedOption
	return next
}
