package protocol

import "sync"

// wordTable lists the words of members that have no others, by type and member. A
// member that is not listed may have any.
var wordTable = sync.OnceValue(func() map[string][]string {
	confirmed := []string{"not-needed", "user-action", "setting"}
	reasons := []string{"required", "expired", "insufficientScope"}
	responses := []string{ResponseAccept, ResponseDecline, ResponseCancel}
	interactivity := []string{InteractivityFull, InteractivityReadOnly, InteractivityHidden}
	pending := []string{PendingSteering, PendingQueued}
	return map[string][]string{
		"Turn.state":            {"complete", "cancelled", "error"},
		"ResponsePart.kind":     {"markdown", "reasoning", "contentRef", "toolCall", "systemNotification", "inputRequest", "error"},
		"ResponsePart.response": responses,
		"ToolCall.status": {
			"streaming", "pending-confirmation", "running", "auth-required", "pending-result-confirmation", "completed", "cancelled",
		},
		"ToolCall.confirmed":      confirmed,
		"ToolCall.reason":         {"denied", "skipped", "result-denied"},
		"Contributor.kind":        {ContributorClient, ContributorMcp},
		"ConfirmationOption.kind": {"approve", "deny"},

		"Customization.type":        {"plugin", "directory", "mcpServer", "agent", "skill", "prompt", "rule", "hook"},
		"LoadState.kind":            {"loading", "loaded", "degraded", "error"},
		"McpServerState.kind":       {"starting", "ready", "authRequired", "error", "stopped"},
		"McpServerState.reason":     reasons,
		"McpAuthRequirement.reason": reasons,
		"Enablement.kind":           {ScopeSession, ScopeWorkspace, ScopeGlobal},

		"SessionState.lifecycle":    {"creating", "ready", "creationFailed", "failed"},
		"SessionInputRequest.kind":  {"chatInput", "toolConfirmation", "toolClientExecution", "toolAuthentication"},
		"ChatState.interactivity":   interactivity,
		"ChatSummary.interactivity": interactivity,
		"ChatOrigin.kind":           {"user", "fork", "sideChat", "tool"},
		"ChatSource.kind":           {"fork", "sideChat"},
		"ChatInputQuestion.kind":    {"text", "number", "integer", "boolean", "single-select", "multi-select"},
		"ChatInputAnswer.state":     {"draft", "submitted", "skipped"},
		"MessageOrigin.kind":        {"user", "agent", "tool", "systemNotification", "automation"},
		"MessageAttachment.type":    {"simple", "embeddedResource", "resource", "annotations", "chat"},

		"ChatPendingMessageSet.kind":      pending,
		"ChatPendingMessageRemoved.kind":  pending,
		"ChatInputCompleted.response":     responses,
		"ChatToolCallReady.confirmed":     confirmed,
		"ChatToolCallConfirmed.confirmed": confirmed,
		"ChatToolCallConfirmed.reason":    {"denied", "skipped"},

		"ReconnectResult.type":      {ReconnectReplay, ReconnectSnapshot},
		"AuthRequiredParams.reason": {"required", "expired"},
	}
})
