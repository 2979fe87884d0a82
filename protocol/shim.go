package protocol

type actionRow struct{ empty func() Action }

func actionRows() []actionRow {
	return []actionRow{
		{func() Action { return new(RootAgentsChanged) }},
		{func() Action { return new(RootActiveSessionsChanged) }},
		{func() Action { return new(RootTerminalsChanged) }},
		{func() Action { return new(RootConfigChanged) }},
		{func() Action { return new(SessionReady) }},
		{func() Action { return new(SessionCreationFailed) }},
		{func() Action { return new(SessionChatAdded) }},
		{func() Action { return new(SessionChatRemoved) }},
		{func() Action { return new(SessionChatUpdated) }},
		{func() Action { return new(SessionChatsReordered) }},
		{func() Action { return new(SessionDefaultChatChanged) }},
		{func() Action { return new(SessionTitleChanged) }},
		{func() Action { return new(SessionIsReadChanged) }},
		{func() Action { return new(SessionIsArchivedChanged) }},
		{func() Action { return new(SessionActivityChanged) }},
		{func() Action { return new(SessionChangesetsChanged) }},
		{func() Action { return new(SessionConfigChanged) }},
		{func() Action { return new(SessionMetaChanged) }},
		{func() Action { return new(SessionServerToolsChanged) }},
		{func() Action { return new(SessionActiveClientSet) }},
		{func() Action { return new(SessionActiveClientRemoved) }},
		{func() Action { return new(SessionWorkingDirectorySet) }},
		{func() Action { return new(SessionWorkingDirectoryRemoved) }},
		{func() Action { return new(SessionWorkingDirectoryReplaced) }},
		{func() Action { return new(SessionInputNeededSet) }},
		{func() Action { return new(SessionInputNeededRemoved) }},
		{func() Action { return new(SessionCustomizationsChanged) }},
		{func() Action { return new(SessionCustomizationToggled) }},
		{func() Action { return new(SessionCustomizationUpdated) }},
		{func() Action { return new(SessionCustomizationRemoved) }},
		{func() Action { return new(SessionMcpServerStateChanged) }},
		{func() Action { return new(SessionMcpServerStartRequested) }},
		{func() Action { return new(SessionMcpServerStopRequested) }},
		{func() Action { return new(SessionMcpServerBackgroundRequested) }},
		{func() Action { return new(ChatTurnStarted) }},
		{func() Action { return new(ChatDelta) }},
		{func() Action { return new(ChatReasoning) }},
		{func() Action { return new(ChatResponsePart) }},
		{func() Action { return new(ChatUsage) }},
		{func() Action { return new(ChatTurnComplete) }},
		{func() Action { return new(ChatTurnCancelled) }},
		{func() Action { return new(ChatError) }},
		{func() Action { return new(ChatTurnResume) }},
		{func() Action { return new(ChatToolCallStart) }},
		{func() Action { return new(ChatToolCallDelta) }},
		{func() Action { return new(ChatToolCallReady) }},
		{func() Action { return new(ChatToolCallConfirmed) }},
		{func() Action { return new(ChatToolCallComplete) }},
		{func() Action { return new(ChatToolCallResultConfirmed) }},
		{func() Action { return new(ChatToolCallContentChanged) }},
		{func() Action { return new(ChatToolCallAuthRequired) }},
		{func() Action { return new(ChatToolCallAuthResolved) }},
		{func() Action { return new(ChatActivityChanged) }},
		{func() Action { return new(ChatTruncated) }},
		{func() Action { return new(ChatTurnsLoaded) }},
		{func() Action { return new(ChatInputRequested) }},
		{func() Action { return new(ChatInputAnswerChanged) }},
		{func() Action { return new(ChatInputCompleted) }},
		{func() Action { return new(ChatPendingMessageSet) }},
		{func() Action { return new(ChatPendingMessageRemoved) }},
		{func() Action { return new(ChatQueuedMessagesReordered) }},
		{func() Action { return new(ChatDraftChanged) }},
		{func() Action { return new(ChatWorkingDirectorySet) }},
		{func() Action { return new(ChatWorkingDirectoryRemoved) }},
		{func() Action { return new(ChatIsReadChanged) }},
		{func() Action { return new(ChatIsArchivedChanged) }},
		{func() Action { return new(ChatMovableChanged) }},
		{func() Action { return new(ChatChangesetsChanged) }},
		{func() Action { return new(ChatBackgroundWorkSet) }},
		{func() Action { return new(ChatBackgroundWorkRemoved) }},
	}
}

func ChannelKinds() []ChannelKind { return []ChannelKind{RootKind, SessionKind, ChatKind} }
func emptyStateFor(k ChannelKind) ChannelState {
	switch k {
	case RootKind:
		return new(RootState)
	case SessionKind:
		return new(SessionState)
	}
	return new(ChatState)
}
