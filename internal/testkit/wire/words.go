package wire

import (
	"reflect"
	"slices"
	"sync"

	"ahptui/protocol"
)

// The tables of what is known from 0.9 on and the types of [protocol] do not say themselves. A table is made once.
var (
	paramsTypes = sync.OnceValue(makeParamsTypes)
	resultTypes = sync.OnceValue(makeResultTypes)
	words       = sync.OnceValue(makeWords)
	unnamed     = sync.OnceValue(makeUnnamed)
	introduced  = sync.OnceValue(makeIntroduced)
)

// makeParamsTypes lists the parameters of requests and notifications.
func makeParamsTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"initialize":     reflect.TypeFor[protocol.InitializeParams](),
		"reconnect":      reflect.TypeFor[protocol.ReconnectParams](),
		"ping":           reflect.TypeFor[protocol.ChannelParams](),
		"subscribe":      reflect.TypeFor[protocol.SubscribeParams](),
		"unsubscribe":    reflect.TypeFor[protocol.ChannelParams](),
		"dispatchAction": reflect.TypeFor[protocol.DispatchActionParams](),
		"listSessions":   reflect.TypeFor[protocol.ListSessionsParams](),
		"createSession":  reflect.TypeFor[protocol.CreateSessionParams](),
		"disposeSession": reflect.TypeFor[protocol.ChannelParams](),
		"createChat":     reflect.TypeFor[protocol.CreateChatParams](),
		"disposeChat":    reflect.TypeFor[protocol.ChannelParams](),
		"fetchTurns":     reflect.TypeFor[protocol.FetchTurnsParams](),
		"authenticate":   reflect.TypeFor[protocol.AuthenticateParams](),

		"action":                     reflect.TypeFor[protocol.Envelope](),
		"root/sessionAdded":          reflect.TypeFor[protocol.SessionAddedParams](),
		"root/sessionRemoved":        reflect.TypeFor[protocol.SessionRemovedParams](),
		"root/sessionSummaryChanged": reflect.TypeFor[protocol.SessionSummaryChangedParams](),
		"root/progress":              reflect.TypeFor[protocol.ProgressParams](),
		"auth/required":              reflect.TypeFor[protocol.AuthRequiredParams](),
	}
}

// nothing is the result {}.
type nothing struct{}

// makeResultTypes lists the results of requests; nil is null.
func makeResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"initialize":           reflect.TypeFor[protocol.InitializeResult](),
		"reconnect":            reflect.TypeFor[protocol.ReconnectResult](),
		"ping":                 nil,
		"subscribe":            reflect.TypeFor[protocol.SubscribeResult](),
		"listSessions":         reflect.TypeFor[protocol.ListSessionsResult](),
		"createSession":        nil,
		"disposeSession":       nil,
		"createChat":           nil,
		"disposeChat":          nil,
		"fetchTurns":           reflect.TypeFor[nothing](),
		"authenticate":         reflect.TypeFor[nothing](),
		"resolveSessionConfig": reflect.TypeFor[protocol.Config](),
	}
}

// makeWords lists the words of members that can be no other.
func makeWords() map[string][]string {
	confirmed := []string{"not-needed", "user-action", "setting"}
	reasons := []string{"required", "expired", "insufficientScope"}
	responses := []string{protocol.ResponseAccept, protocol.ResponseDecline, protocol.ResponseCancel}
	interactivity := []string{protocol.InteractivityFull, protocol.InteractivityReadOnly, protocol.InteractivityHidden}
	pending := []string{protocol.PendingSteering, protocol.PendingQueued}
	return map[string][]string{
		"Turn.state":            {"complete", "cancelled", "error"},
		"ResponsePart.kind":     {"markdown", "reasoning", "contentRef", "toolCall", "systemNotification", "inputRequest", "error"},
		"ResponsePart.response": responses,
		"ToolCall.status": {
			"streaming", "pending-confirmation", "running", "auth-required", "pending-result-confirmation", "completed", "cancelled",
		},
		"ToolCall.confirmed":      confirmed,
		"ToolCall.reason":         {"denied", "skipped", "result-denied"},
		"ToolResultContent.type":  {"text", "embeddedResource", "resource", "fileEdit", "terminal", "subagent"},
		"Contributor.kind":        {protocol.ContributorClient, protocol.ContributorMcp},
		"ConfirmationOption.kind": {"approve", "deny"},

		"Customization.type":        {"plugin", "directory", "mcpServer", "agent", "skill", "prompt", "rule", "hook"},
		"LoadState.kind":            {"loading", "loaded", "degraded", "error"},
		"McpServerState.kind":       {"starting", "ready", "authRequired", "error", "stopped"},
		"McpServerState.reason":     reasons,
		"McpAuthRequirement.reason": reasons,
		"Enablement.kind":           {protocol.ScopeSession, protocol.ScopeWorkspace, protocol.ScopeGlobal},

		"SessionState.lifecycle":    {"creating", "ready", "failed"},
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

		"ReconnectResult.type":      {protocol.ReconnectReplay, protocol.ReconnectSnapshot},
		"AuthRequiredParams.reason": {"required", "expired"},
	}
}

// makeUnnamed lists the members that the protocol has and our types keep without a name.
func makeUnnamed() map[string][]string {
	ref := []string{"contentType", "nonce", "sizeHint"}
	list := map[string][]string{
		"SessionModelInfo":  {"configSchema", "maxContextWindow", "maxOutputTokens", "maxPromptTokens", "policyState", "supportsVision"},
		"MessageAttachment": append([]string{"annotationIds", "data", "endTurn", "modelRepresentation", "range", "resource", "selection", "uri"}, ref...),
		"ResponsePart":      ref,
		"ChatInputQuestion": {"allowFreeformInput", "defaultValue", "format", "max", "min"},
		"ChatInputAnswer":   {"freeformValues"},
		"ToolResultContent": append([]string{"after", "agentName", "before", "data", "description", "diff", "isPty", "result", "uri"}, ref...),
		"Customization":     {"contents", "writable"},
		"InitializeResult":  {"telemetry", "automations"},

		"ProtectedResourceMetadata": {"resource_signing_alg_values_supported"},
	}
	for _, name := range []string{
		"RootState", "SessionModelInfo", "ToolDefinition", "Message", "MessageAttachment", "ResponsePart", "UsageInfo", "ErrorInfo", "InitializeResult",
		"InitializeParams", "ReconnectParams", "SubscribeParams", "ListSessionsParams", "CreateSessionParams", "CreateChatParams", "FetchTurnsParams",
		"AuthenticateParams", "ChannelParams",
	} {
		list[name] = append(slices.Clip(list[name]), "_meta")
	}
	return list
}

// makeIntroduced lists the members and actions that are younger than 0.9.
func makeIntroduced() map[string]protocol.Version {
	list := map[string]protocol.Version{}
	for _, name := range []string{
		"McpServerState.blocking", "ChatState.changesets", "ChatState.backgroundWork", "ChatState.movable",
		"session/chatsReordered", "session/mcpServerBackgroundRequested",
		"chat/isReadChanged", "chat/isArchivedChanged", "chat/movableChanged", "chat/changesetsChanged", "chat/backgroundWorkSet", "chat/backgroundWorkRemoved",
	} {
		list[name] = protocol.V1_0_0
	}
	return list
}

// gone lists the members that are older.
func gone() []string {
	return []string{
		"SessionState.workingDirectory", "SessionSummary.workingDirectory", "ChatState.workingDirectory", "ChatSummary.workingDirectory",
		"CreateSessionParams.workingDirectory", "ChatState.inputRequests", "Turn.error", "ChatError.error", "SessionCustomizationToggled.enabled",
	}
}
