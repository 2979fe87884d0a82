package protocol

// ChatState is the state of a chat channel.
type ChatState struct {
	Resource           URI         `json:"resource"`
	Title              string      `json:"title"`
	Status             Status      `json:"status"`
	ActivityText       string      `json:"activity,omitzero"`
	ModifiedAt         string      `json:"modifiedAt"`
	Origin             *ChatOrigin `json:"origin,omitzero"`
	Interactivity      string      `json:"interactivity,omitzero"`
	WorkingDirectory   URI         `json:"workingDirectory,omitzero"`   // up to 0.6
	WorkingDirectories []URI       `json:"workingDirectories,omitzero"` // from 0.7

	Turns           []*Turn             `json:"turns"`
	TurnsNextCursor string              `json:"turnsNextCursor,omitzero"`
	ActiveTurn      *Turn               `json:"activeTurn,omitzero"`
	SteeringMessage *PendingMessage     `json:"steeringMessage,omitzero"`
	QueuedMessages  []*PendingMessage   `json:"queuedMessages,omitzero"`
	InputRequests   []*ChatInputRequest `json:"inputRequests,omitzero"` // up to 0.5.2
	Draft           *Message            `json:"draft,omitzero"`
	Changesets      []*Changeset        `json:"changesets,omitzero"` // from 1.0
	BackgroundWork  []*BackgroundWork   `json:"backgroundWork,omitzero"`
	Movable         *bool               `json:"movable,omitzero"`
	Meta            Raw                 `json:"_meta,omitzero"`
	Extra           Raw                 `json:",embed"`
}

// Turn is a message and the answer to it. An active turn has no State.
type Turn struct {
	ID            string          `json:"id"`
	StartedAt     string          `json:"startedAt,omitzero"`
	Duration      *float64        `json:"duration,omitzero"` // milliseconds, by the producer's clock
	Message       *Message        `json:"message"`
	ResponseParts []*ResponsePart `json:"responseParts"`
	Usage         *UsageInfo      `json:"usage,omitzero"`
	State         TurnState       `json:"state,omitzero"`
	Error         *ErrorInfo      `json:"error,omitzero"` // up to 0.8
	Extra         Raw             `json:",embed"`
}

// TurnState is how a turn ended.
type TurnState string

// The ends of a turn.
const (
	TurnComplete  TurnState = "complete"
	TurnCancelled TurnState = "cancelled"
	TurnError     TurnState = "error"
)

// Failure is the error of the turn in either form, and whether the turn can be
// resumed; nil where there is none.
func (t *Turn) Failure() (err *ErrorInfo, resumable bool) {
	if n := len(t.ResponseParts); n > 0 && t.State == TurnError {
		if p := t.ResponseParts[n-1]; p.Kind == PartError {
			return p.Error, p.Resumable != nil && *p.Resumable
		}
	}
	return t.Error, false
}

// Message is what a user, an agent or a tool says.
type Message struct {
	Text        Text                 `json:"text"`
	Origin      MessageOrigin        `json:"origin,omitzero"`
	Attachments []*MessageAttachment `json:"attachments,omitzero"`
	Model       *ModelSelection      `json:"model,omitzero"`
	Agent       *AgentSelection      `json:"agent,omitzero"`
	Extra       Raw                  `json:",embed"`
}

// UserMessage is a message as a client may send it.
func UserMessage(text string) *Message {
	return &Message{Text: NewText(text), Origin: MessageOrigin{Kind: "user"}}
}

// MessageOrigin says who wrote a message: user, agent, tool, systemNotification,
// automation.
type MessageOrigin struct {
	Kind  string `json:"kind"`
	Extra Raw    `json:",embed"`
}

// MessageAttachment is kept as it came, apart from the members that are shown.
type MessageAttachment struct {
	Type        string `json:"type"`
	Label       string `json:"label,omitzero"`
	DisplayKind string `json:"displayKind,omitzero"`
	Raw         Raw    `json:"-"` // the whole value, where it is no object
	Extra       Raw    `json:",embed"`
}

// PendingMessage waits until a turn can take it.
type PendingMessage struct {
	ID      string   `json:"id"`
	Message *Message `json:"message"`
	Extra   Raw      `json:",embed"`
}

// BackgroundWork goes on beside the turns: a shell or a sub-agent.
type BackgroundWork struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Label string `json:"label"`
	Extra Raw    `json:",embed"`
}

// PartKind tells the kinds of [ResponsePart] apart.
type PartKind string

// The kinds of response parts.
const (
	PartMarkdown           PartKind = "markdown"
	PartReasoning          PartKind = "reasoning"
	PartContentRef         PartKind = "contentRef"
	PartToolCall           PartKind = "toolCall"
	PartSystemNotification PartKind = "systemNotification"
	PartInputRequest       PartKind = "inputRequest"
	PartError              PartKind = "error"
)

// ResponsePart is one piece of an answer, in the order of the stream.
type ResponsePart struct {
	Kind    PartKind         `json:"kind"`
	ID      string           `json:"id,omitzero"`
	Content StringOrMarkdown `json:"content,omitzero"` // markdown, reasoning (a growing string), systemNotification

	ToolCall *ToolCall `json:"toolCall,omitzero"`

	Request  *ChatInputRequest `json:"request,omitzero"`
	Response string            `json:"response,omitzero"` // accept, decline, cancel; absent: open

	Error     *ErrorInfo `json:"error,omitzero"`
	Resumable *bool      `json:"resumable,omitzero"`

	Ref URI `json:"uri,omitzero"` // contentRef; its other members are in Extra

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed"`
}

// key is what chat/delta and chat/reasoning address: the part's id, or the
// tool call's.
func (p *ResponsePart) key() string {
	if p.Kind == PartToolCall && p.ToolCall != nil {
		return p.ToolCall.ToolCallID
	}
	return p.ID
}

// Open reports whether the part is an input request without an answer.
func (p *ResponsePart) Open() bool {
	return p.Kind == PartInputRequest && p.Response == "" && p.Request != nil
}

// ChatInputRequest asks the user questions, or to open a URL.
type ChatInputRequest struct {
	ID        string                      `json:"id"`
	Message   string                      `json:"message,omitzero"`
	URL       URI                         `json:"url,omitzero"`
	Questions []*ChatInputQuestion        `json:"questions,omitzero"`
	Answers   map[string]*ChatInputAnswer `json:"answers,omitzero"`
	Extra     Raw                         `json:",embed"`
}

// ChatInputQuestion is one question: of kind text, number, integer, boolean,
// single-select or multi-select.
type ChatInputQuestion struct {
	Kind     string             `json:"kind"`
	ID       string             `json:"id"`
	Title    string             `json:"title,omitzero"`
	Message  string             `json:"message"`
	Required *bool              `json:"required,omitzero"`
	Options  []*ChatInputOption `json:"options,omitzero"`
	Extra    Raw                `json:",embed"`
}

// ChatInputOption is one choice of a select question.
type ChatInputOption struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
	Recommended *bool  `json:"recommended,omitzero"`
	Extra       Raw    `json:",embed"`
}

// ChatInputAnswer is an answer: draft, submitted or skipped. The value is kept raw.
type ChatInputAnswer struct {
	State string `json:"state"`
	Value Raw    `json:"value,omitzero"`
	Extra Raw    `json:",embed"`
}

// The responses that complete an input request.
const (
	ResponseAccept  = "accept"
	ResponseDecline = "decline"
	ResponseCancel  = "cancel"
)
