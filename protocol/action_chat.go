package protocol

// ChatActivityChanged sets or clears what the chat is doing.
type ChatActivityChanged struct {
	Activity string `json:"activity,omitzero"`
}

// ActionType is chat/activityChanged.
func (*ChatActivityChanged) ActionType() string { return "chat/activityChanged" }

// ChatTruncated drops the turns after TurnID, or all.
type ChatTruncated struct {
	TurnID string `json:"turnId,omitzero"`
}

// ActionType is chat/truncated.
func (*ChatTruncated) ActionType() string { return "chat/truncated" }

// ChatTurnsLoaded prepends older turns.
type ChatTurnsLoaded struct {
	Turns           []*Turn `json:"turns"`
	TurnsNextCursor string  `json:"turnsNextCursor,omitzero"`
}

// ActionType is chat/turnsLoaded.
func (*ChatTurnsLoaded) ActionType() string { return "chat/turnsLoaded" }

// ChatInputRequested asks the user something.
type ChatInputRequested struct {
	Request *ChatInputRequest `json:"request"`
}

// ActionType is chat/inputRequested.
func (*ChatInputRequested) ActionType() string { return "chat/inputRequested" }

// ChatInputAnswerChanged drafts or clears an answer.
type ChatInputAnswerChanged struct {
	RequestID  string           `json:"requestId"`
	QuestionID string           `json:"questionId"`
	Answer     *ChatInputAnswer `json:"answer,omitzero"`
}

// ActionType is chat/inputAnswerChanged.
func (*ChatInputAnswerChanged) ActionType() string { return "chat/inputAnswerChanged" }

// ChatInputCompleted answers a request: accept, decline or cancel.
type ChatInputCompleted struct {
	RequestID string                      `json:"requestId"`
	Response  string                      `json:"response"`
	Answers   map[string]*ChatInputAnswer `json:"answers,omitzero"`
}

// ActionType is chat/inputCompleted.
func (*ChatInputCompleted) ActionType() string { return "chat/inputCompleted" }

// ChatPendingMessageSet sets the steering message, or queues or edits a message.
type ChatPendingMessageSet struct {
	Kind    string   `json:"kind"`
	ID      string   `json:"id"`
	Message *Message `json:"message"`
}

// ActionType is chat/pendingMessageSet.
func (*ChatPendingMessageSet) ActionType() string { return "chat/pendingMessageSet" }

// ChatPendingMessageRemoved removes a pending message.
type ChatPendingMessageRemoved struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// ActionType is chat/pendingMessageRemoved.
func (*ChatPendingMessageRemoved) ActionType() string { return "chat/pendingMessageRemoved" }

// ChatQueuedMessagesReordered reorders the queue.
type ChatQueuedMessagesReordered struct {
	Order []string `json:"order"`
}

// ActionType is chat/queuedMessagesReordered.
func (*ChatQueuedMessagesReordered) ActionType() string { return "chat/queuedMessagesReordered" }

// ChatDraftChanged sets or clears the shared draft.
type ChatDraftChanged struct {
	Draft *Message `json:"draft,omitzero"`
}

// ActionType is chat/draftChanged.
func (*ChatDraftChanged) ActionType() string { return "chat/draftChanged" }

// ChatWorkingDirectorySet adds a working directory (from 0.7).
type ChatWorkingDirectorySet struct {
	Directory URI `json:"directory"`
}

// ActionType is chat/workingDirectorySet.
func (*ChatWorkingDirectorySet) ActionType() string { return "chat/workingDirectorySet" }

// ChatWorkingDirectoryRemoved removes a working directory (from 0.7).
type ChatWorkingDirectoryRemoved struct {
	Directory URI `json:"directory"`
}

// ActionType is chat/workingDirectoryRemoved.
func (*ChatWorkingDirectoryRemoved) ActionType() string { return "chat/workingDirectoryRemoved" }

// ChatIsReadChanged sets or clears the IsRead flag of a chat (from 1.0).
type ChatIsReadChanged struct {
	IsRead bool `json:"isRead"`
}

// ActionType is chat/isReadChanged.
func (*ChatIsReadChanged) ActionType() string { return "chat/isReadChanged" }

// ChatIsArchivedChanged sets or clears the IsArchived flag of a chat (from 1.0).
type ChatIsArchivedChanged struct {
	IsArchived bool `json:"isArchived"`
}

// ActionType is chat/isArchivedChanged.
func (*ChatIsArchivedChanged) ActionType() string { return "chat/isArchivedChanged" }

// ChatMovableChanged says whether the chat can be moved (from 1.0).
type ChatMovableChanged struct {
	Movable *bool `json:"movable,omitzero"`
}

// ActionType is chat/movableChanged.
func (*ChatMovableChanged) ActionType() string { return "chat/movableChanged" }

// ChatChangesetsChanged replaces or clears the chat's changesets (from 1.0).
type ChatChangesetsChanged struct {
	Changesets []*Changeset `json:"changesets,omitzero"`
}

// ActionType is chat/changesetsChanged.
func (*ChatChangesetsChanged) ActionType() string { return "chat/changesetsChanged" }

// ChatBackgroundWorkSet adds or replaces background work (from 1.0).
type ChatBackgroundWorkSet struct {
	Work *BackgroundWork `json:"work"`
}

// ActionType is chat/backgroundWorkSet.
func (*ChatBackgroundWorkSet) ActionType() string { return "chat/backgroundWorkSet" }

// ChatBackgroundWorkRemoved removes background work (from 1.0).
type ChatBackgroundWorkRemoved struct {
	ID string `json:"id"`
}

// ActionType is chat/backgroundWorkRemoved.
func (*ChatBackgroundWorkRemoved) ActionType() string { return "chat/backgroundWorkRemoved" }

// ChatSteeringMessageSet adds a message to the list of steering messages, or
// replaces it (a proposal for after 1.0).
type ChatSteeringMessageSet struct {
	SteeringMessage *PendingMessage `json:"steeringMessage"`
}

// ActionType is chat/steeringMessageSet.
func (*ChatSteeringMessageSet) ActionType() string { return "chat/steeringMessageSet" }

// ChatSteeringMessageRemoved removes a message from the list of steering messages.
type ChatSteeringMessageRemoved struct {
	ID string `json:"id"`
}

// ActionType is chat/steeringMessageRemoved.
func (*ChatSteeringMessageRemoved) ActionType() string { return "chat/steeringMessageRemoved" }

// ChatCanvasesChanged replaces or clears the chat's canvases (experimental, from 0.10).
type ChatCanvasesChanged struct {
	Canvases []*CanvasRef `json:"canvases,omitzero"`
}

// ActionType is chat/canvasesChanged.
func (*ChatCanvasesChanged) ActionType() string { return "chat/canvasesChanged" }
