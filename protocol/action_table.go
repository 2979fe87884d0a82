package protocol

import "sync"

// actionRow is what there is to know about a type of action. A new type has its
// struct beside its kin, a row here, an effect in the reducer of its channel,
// and a case below testdata/cases.
type actionRow struct {
	empty func() Action
	// since is the release that introduced the type, as far back as this package speaks.
	since Version
	// clients is the release from which on clients may dispatch it; never is none.
	clients Version
}

// always is the oldest version spoken here, and never is none.
var (
	always = V0_5_1
	never  = Version{}
)

// of makes the row of an action type.
func of[T any, A interface {
	*T
	Action
}](since, clients Version) actionRow {
	return actionRow{func() Action { return A(new(T)) }, since, clients}
}

// actionRows are the types of actions, in the order of the specification.
func actionRows() []actionRow {
	return []actionRow{
		of[RootAgentsChanged](always, never),
		of[RootActiveSessionsChanged](always, never),
		of[RootTerminalsChanged](always, never),
		of[RootConfigChanged](always, always),

		of[SessionReady](always, never),
		of[SessionCreationFailed](always, never),
		of[SessionChatAdded](always, never),
		of[SessionChatRemoved](always, never),
		of[SessionChatUpdated](always, never),
		of[SessionChatsReordered](V1_0_0, never),
		of[SessionDefaultChatChanged](always, never),
		of[SessionTitleChanged](always, always),
		of[SessionIsReadChanged](always, always),
		of[SessionIsArchivedChanged](always, always),
		of[SessionActivityChanged](always, never),
		of[SessionChangesetsChanged](always, never),
		of[SessionConfigChanged](always, always),
		of[SessionMetaChanged](always, never),
		of[SessionServerToolsChanged](always, never),
		of[SessionActiveClientSet](always, always),
		of[SessionActiveClientRemoved](always, always),
		of[SessionWorkingDirectorySet](V0_7_0, V0_7_0),
		of[SessionWorkingDirectoryRemoved](V0_7_0, V0_7_0),
		of[SessionWorkingDirectoryReplaced](V0_8_0, V0_8_0),
		of[SessionInputNeededSet](always, never),
		of[SessionInputNeededRemoved](always, never),
		of[SessionArtifactSet](V1_0_0, never),
		of[SessionArtifactRemoved](V1_0_0, never),
		of[SessionCustomizationsChanged](always, never),
		of[SessionCustomizationToggled](always, always),
		of[SessionCustomizationUpdated](always, never),
		of[SessionCustomizationRemoved](always, never),
		of[SessionMcpServerStateChanged](always, never),
		of[SessionMcpServerStartRequested](V0_5_2, V0_5_2),
		of[SessionMcpServerStopRequested](V0_5_2, V0_5_2),
		of[SessionMcpServerBackgroundRequested](V1_0_0, V1_0_0),

		of[ChatTurnStarted](always, always),
		of[ChatDelta](always, never),
		of[ChatReasoning](always, never),
		of[ChatResponsePart](always, never),
		of[ChatUsage](always, never),
		of[ChatTurnComplete](always, never),
		of[ChatTurnCancelled](always, always),
		of[ChatError](always, never),
		of[ChatTurnResume](V0_9_0, V0_9_0),
		of[ChatActivityChanged](always, never),
		of[ChatToolCallStart](always, never),
		of[ChatToolCallDelta](always, never),
		of[ChatToolCallReady](always, never),
		of[ChatToolCallConfirmed](always, always),
		of[ChatToolCallComplete](always, always),
		of[ChatToolCallResultConfirmed](always, always),
		of[ChatToolCallContentChanged](always, always),
		of[ChatToolCallAuthRequired](V0_6_0, never),
		of[ChatToolCallAuthResolved](V0_6_0, never),
		of[ChatTruncated](always, always),
		of[ChatTurnsLoaded](always, never),
		of[ChatInputRequested](always, never),
		of[ChatInputAnswerChanged](always, always),
		of[ChatInputCompleted](always, always),
		of[ChatPendingMessageSet](always, always),
		of[ChatPendingMessageRemoved](always, always),
		of[ChatQueuedMessagesReordered](always, always),
		of[ChatDraftChanged](always, always),
		of[ChatWorkingDirectorySet](V0_7_0, V0_7_0),
		of[ChatWorkingDirectoryRemoved](V0_7_0, V0_7_0),
		of[ChatIsArchivedChanged](V1_0_0, V1_0_0),
		of[ChatIsReadChanged](V1_0_0, V1_0_0),
		of[ChatMovableChanged](V1_0_0, never),
		of[ChatChangesetsChanged](V1_0_0, never),
		of[ChatBackgroundWorkSet](V1_0_0, never),
		of[ChatBackgroundWorkRemoved](V1_0_0, never),
		of[ChatSteeringMessageSet](V1_0_0, V1_0_0),
		of[ChatSteeringMessageRemoved](V1_0_0, V1_0_0),
		of[ChatCanvasesChanged](V0_10_0, never),

		of[ChangesetStatusChanged](always, never),
		of[ChangesetFileSet](always, never),
		of[ChangesetFileRemoved](always, never),
		of[ChangesetFilesReviewChanged](V0_6_0, V0_6_0),
		of[ChangesetFilesReviewedChanged](V0_5_2, never),
		of[ChangesetContentChanged](always, never),
		of[ChangesetOperationsChanged](always, never),
		of[ChangesetOperationStatusChanged](always, never),
		of[ChangesetCleared](always, never),

		of[TerminalData](always, never),
		of[TerminalInput](always, always),
		of[TerminalResized](always, always),
		of[TerminalClaimed](always, always),
		of[TerminalTitleChanged](always, always),
		of[TerminalCwdChanged](always, never),
		of[TerminalExited](always, never),
		of[TerminalCleared](always, always),
		of[TerminalCommandDetectionAvailable](always, never),
		of[TerminalCommandExecuted](always, never),
		of[TerminalCommandFinished](always, never),

		of[AnnotationsSet](always, always),
		of[AnnotationsUpdated](always, always),
		of[AnnotationsRemoved](always, always),
		of[AnnotationsEntrySet](always, always),
		of[AnnotationsEntryRemoved](always, always),

		of[ResourceWatchChanged](always, never),

		of[AutomationCreateRequested](V0_9_0, V0_9_0),
		of[AutomationUpdateRequested](V0_9_0, V0_9_0),
		of[AutomationSet](V0_9_0, never),
		of[AutomationRemoved](V0_9_0, V0_9_0),

		of[AutomationRunLifecycleChanged](V0_9_0, never),
		of[AutomationRunSessionSet](V0_9_0, never),
		of[AutomationRunSessionRemoved](V0_9_0, never),
		of[AutomationRunPrimarySessionChanged](V0_9_0, never),
		of[AutomationRunCancelRequested](V0_9_0, V0_9_0),

		of[CanvasStateChanged](V0_10_0, never),
	}
}

// actionTable is the rows by wire name. It is made once and never changed.
var actionTable = sync.OnceValue(func() map[string]actionRow {
	rows := actionRows()
	table := make(map[string]actionRow, len(rows))
	for _, row := range rows {
		table[row.empty().ActionType()] = row
	}
	return table
})

// newAction is an empty action of a type, or nil for a type not known here.
func newAction(typ string) Action {
	row, ok := actionTable()[typ]
	if !ok {
		return nil
	}
	return row.empty()
}

// KnownAt reports whether a version knows an action of this type.
func KnownAt(v Version, actionType string) bool {
	row, ok := actionTable()[actionType]
	return ok && v.AtLeast(row.since)
}

// ClientMay reports whether a client may dispatch an action of this type at a
// version (the client column of the specification). A host need not check it.
func ClientMay(v Version, actionType string) bool {
	row, ok := actionTable()[actionType]
	return ok && row.clients != never && v.AtLeast(row.clients)
}
