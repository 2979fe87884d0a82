package protocol

import (
	"slices"
	"sync"
)

// Side is an end of a connection.
type Side int

// The sides that may send a message.
const (
	ByClient Side = 1 << iota
	ByHost
	ByEither = ByClient | ByHost
)

// Method is what there is to know about a request or a notification.
type Method struct {
	Name     string
	From     Side
	Since    Version // as far back as this package speaks
	Notifies bool    // a notification, which has no result
	params   func() any
	result   func() any
}

// Params are empty parameters of the method.
func (m Method) Params() any { return m.params() }

// Result is an empty result of the method; nil for a notification.
func (m Method) Result() any {
	if m.result == nil {
		return nil
	}
	return m.result()
}

// Methods are all requests and notifications, in the order of the specification.
func Methods() []Method { return slices.Clone(methodRows()) }

// MethodByName is the method of that name; ok is false for one not known here.
func MethodByName(name string) (m Method, ok bool) {
	m, ok = methodTable()[name]
	return m, ok
}

func request[P, R any](name string, from Side, since Version) Method {
	return Method{name, from, since, false, func() any { return new(P) }, func() any { return new(R) }}
}

func notification[P any](name string, from Side, since Version) Method {
	return Method{name, from, since, true, func() any { return new(P) }, nil}
}

var methodRows = sync.OnceValue(func() []Method {
	return []Method{
		request[InitializeParams, InitializeResult]("initialize", ByClient, always),
		request[ChannelParams, EmptyResult]("ping", ByClient, always),
		request[ReconnectParams, ReconnectResult]("reconnect", ByClient, always),
		request[SubscribeParams, SubscribeResult]("subscribe", ByClient, always),
		request[ListSessionsParams, ListSessionsResult]("listSessions", ByClient, always),
		request[ResolveSessionConfigParams, ResolveSessionConfigResult]("resolveSessionConfig", ByClient, always),
		request[SessionConfigCompletionsParams, SessionConfigCompletionsResult]("sessionConfigCompletions", ByClient, always),
		request[CreateSessionParams, EmptyResult]("createSession", ByClient, always),
		request[ChannelParams, EmptyResult]("disposeSession", ByClient, always),
		request[CreateChatParams, EmptyResult]("createChat", ByClient, always),
		request[ChannelParams, EmptyResult]("disposeChat", ByClient, always),
		request[MoveChatParams, EmptyResult]("moveChat", ByClient, V1_0_0),
		request[FetchTurnsParams, EmptyResult]("fetchTurns", ByClient, always),
		request[CompletionsParams, CompletionsResult]("completions", ByClient, always),
		request[CreateTerminalParams, EmptyResult]("createTerminal", ByClient, always),
		request[ChannelParams, EmptyResult]("disposeTerminal", ByClient, always),
		request[InvokeChangesetOperationParams, InvokeChangesetOperationResult]("invokeChangesetOperation", ByClient, always),
		request[AuthenticateParams, EmptyResult]("authenticate", ByClient, always),
		request[ListAutomationTriggerDefinitionsParams, ListAutomationTriggerDefinitionsResult]("listAutomationTriggerDefinitions", ByClient, V0_9_0),
		request[RunAutomationParams, RunAutomationResult]("runAutomation", ByClient, V0_9_0),
		request[FetchAutomationRunsParams, EmptyResult]("fetchAutomationRuns", ByClient, V0_9_0),

		request[ResourceReadParams, ResourceReadResult]("resourceRead", ByEither, always),
		request[ResourceWriteParams, EmptyResult]("resourceWrite", ByEither, always),
		request[ResourceListParams, ResourceListResult]("resourceList", ByEither, always),
		request[ResourceCopyParams, EmptyResult]("resourceCopy", ByEither, always),
		request[ResourceCopyParams, EmptyResult]("resourceMove", ByEither, always),
		request[ResourceDeleteParams, EmptyResult]("resourceDelete", ByEither, always),
		request[ResourceResolveParams, ResourceResolveResult]("resourceResolve", ByEither, always),
		request[ResourceMkdirParams, EmptyResult]("resourceMkdir", ByEither, always),
		request[ResourceRequestParams, EmptyResult]("resourceRequest", ByEither, always),
		request[CreateResourceWatchParams, CreateResourceWatchResult]("createResourceWatch", ByEither, always),

		notification[ChannelParams]("unsubscribe", ByClient, always),
		notification[DispatchActionParams]("dispatchAction", ByClient, always),

		notification[Envelope]("action", ByHost, always),
		notification[SessionAddedParams]("root/sessionAdded", ByHost, always),
		notification[SessionRemovedParams]("root/sessionRemoved", ByHost, always),
		notification[SessionSummaryChangedParams]("root/sessionSummaryChanged", ByHost, always),
		notification[ProgressParams]("root/progress", ByHost, always),
		notification[AuthRequiredParams]("auth/required", ByHost, always),
		notification[TelemetryParams]("otlp/exportLogs", ByHost, always),
		notification[TelemetryParams]("otlp/exportTraces", ByHost, always),
		notification[TelemetryParams]("otlp/exportMetrics", ByHost, always),
	}
})

var methodTable = sync.OnceValue(func() map[string]Method {
	table := map[string]Method{}
	for _, m := range methodRows() {
		table[m.Name] = m
	}
	return table
})
