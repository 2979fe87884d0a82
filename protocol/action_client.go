package protocol

// ClientMay reports whether a client may dispatch an action of this type at a
// version (the client column of the specification). A host need not check it.
func ClientMay(v Version, actionType string) bool {
	switch actionType {
	case "root/configChanged",
		"session/titleChanged",
		"session/activeClientSet",
		"session/activeClientRemoved",
		"session/customizationToggled",
		"session/isReadChanged",
		"session/isArchivedChanged",
		"session/configChanged",
		"chat/turnStarted",
		"chat/toolCallConfirmed",
		"chat/toolCallComplete",
		"chat/toolCallResultConfirmed",
		"chat/toolCallContentChanged",
		"chat/turnCancelled",
		"chat/pendingMessageSet",
		"chat/pendingMessageRemoved",
		"chat/queuedMessagesReordered",
		"chat/draftChanged",
		"chat/inputAnswerChanged",
		"chat/inputCompleted",
		"chat/truncated":
		return true
	case "session/mcpServerStartRequested",
		"session/mcpServerStopRequested":
		return v.AtLeast(V0_5_2)
	case "session/workingDirectorySet",
		"session/workingDirectoryRemoved",
		"chat/workingDirectorySet",
		"chat/workingDirectoryRemoved":
		return v.AtLeast(V0_7_0)
	case "session/workingDirectoryReplaced":
		return v.AtLeast(V0_8_0)
	case "chat/turnResume":
		return v.AtLeast(V0_9_0)
	case "session/mcpServerBackgroundRequested",
		"chat/isArchivedChanged",
		"chat/isReadChanged":
		return v.AtLeast(V1_0_0)
	}
	return false
}
