package protocol

// ChatState is the state of a chat channel.
type ChatState struct {
	Resource           URI             `json:"resource"`
	Title              string          `json:"title"`
	Status             Status          `json:"status"`
	ActivityText       string          `json:"activity,omitzero"`
	ModifiedAt         string          `json:"modifiedAt"`
	Origin             *ChatOrigin     `json:"origin,omitzero"`
	Interactivity      string          `json:"interactivity,omitzero"`
	WorkingDirectory   URI             `json:"workingDirectory,omitzero" until:"0.6.0"`
	WorkingDirectories []URI           `json:"workingDirectories,omitzero" since:"0.7.0"`
	Changes            *ChangesSummary `json:"changes,omitzero" since:"1.0.0"`
	Movable            *bool           `json:"movable,omitzero" since:"1.0.0"`
	Description        string          `json:"description,omitzero" since:"1.0.0"`

	Turns           []*Turn             `json:"turns"`
	TurnsNextCursor string              `json:"turnsNextCursor,omitzero"`
	ActiveTurn      *Turn               `json:"activeTurn,omitzero"`
	SteeringMessage *PendingMessage     `json:"steeringMessage,omitzero"`
	QueuedMessages  []*PendingMessage   `json:"queuedMessages,omitzero"`
	InputRequests   []*ChatInputRequest `json:"inputRequests,omitzero" until:"0.5.2"`
	Draft           *Message            `json:"draft,omitzero"`

	// SteeringMessages is a proposal for after 1.0, beside the single slot.
	SteeringMessages []*PendingMessage `json:"steeringMessages,omitzero" since:"1.0.0"`
	Changesets       []*Changeset      `json:"changesets,omitzero" since:"1.0.0"`
	BackgroundWork   []*BackgroundWork `json:"backgroundWork,omitzero" since:"1.0.0"`
	Canvases         []*CanvasRef      `json:"canvases,omitzero" since:"0.10.0"`
	Meta             Raw               `json:"_meta,omitzero"`
	Extra            Raw               `json:",embed"`
}

// Turn is a message and the answer to it. An active turn has no State.
type Turn struct {
	ID            string          `json:"id"`
	StartedAt     string          `json:"startedAt,omitzero" since:"0.6.0"`
	Duration      *float64        `json:"duration,omitzero" since:"0.6.0"` // milliseconds, by the producer's clock
	Message       *Message        `json:"message"`
	ResponseParts []*ResponsePart `json:"responseParts"`
	Usage         *UsageInfo      `json:"usage,omitzero"`
	State         TurnState       `json:"state,omitzero"`
	Error         *ErrorInfo      `json:"error,omitzero" until:"0.8.0"`
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
	Extra       Raw                  `json:",embed" keeps:"_meta"`
}

// UserMessage is a message as a client may send it.
func UserMessage(text string) *Message {
	return &Message{Text: NewText(text), Origin: MessageOrigin{Kind: OriginUser}}
}

// The kinds of [MessageOrigin]. Clients may send those of users alone.
const (
	OriginUser               = "user"
	OriginAgent              = "agent"
	OriginTool               = "tool"
	OriginSystemNotification = "systemNotification"
	OriginAutomation         = "automation" // from 0.9
)

// MessageOrigin says who wrote a message.
type MessageOrigin struct {
	Kind  string `json:"kind"`
	Extra Raw    `json:",embed"`
}

// The types of [MessageAttachment].
const (
	AttachmentSimple      = "simple"
	AttachmentEmbedded    = "embeddedResource"
	AttachmentResource    = "resource"
	AttachmentAnnotations = "annotations"
	AttachmentChat        = "chat" // from 0.7
)

// MessageAttachment is something that goes with a message. Which members are set
// depends on the type; all have a label and may say which span of the text they
// stand for and how to show them.
type MessageAttachment struct {
	Type        string     `json:"type"`
	Label       string     `json:"label,omitzero"`
	Range       *TextRange `json:"range,omitzero"`
	DisplayKind string     `json:"displayKind,omitzero"`
	Meta        Raw        `json:"_meta,omitzero"`

	ModelRepresentation string         `json:"modelRepresentation,omitzero"` // simple: what the model reads
	URI                 URI            `json:"uri,omitzero"`                 // resource: a [ContentRef]
	SizeHint            *float64       `json:"sizeHint,omitzero"`
	Nonce               string         `json:"nonce,omitzero"`
	ContentType         string         `json:"contentType,omitzero"`   // resource, embedded
	Data                string         `json:"data,omitzero"`          // embedded: base64
	Selection           *TextSelection `json:"selection,omitzero"`     // resource, embedded
	Resource            URI            `json:"resource,omitzero"`      // annotations, chat
	AnnotationIDs       []string       `json:"annotationIds,omitzero"` // nil: all
	EndTurn             string         `json:"endTurn,omitzero"`       // chat: "": the latest completed turn

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed"`
}

// TextSelection is a span of a resource.
type TextSelection struct {
	Range TextRange `json:"range"`
	Extra Raw       `json:",embed"`
}

// PendingMessage waits until a turn can take it.
type PendingMessage struct {
	ID      string   `json:"id"`
	Message *Message `json:"message"`
	Extra   Raw      `json:",embed"`
}

// The kinds of [BackgroundWork].
const (
	WorkShell    = "shell"
	WorkSubagent = "subagent"
)

// BackgroundWork goes on beside the turns (from 1.0): a shell with its Command and
// perhaps its Terminal, or a sub-agent with its Chat.
type BackgroundWork struct {
	Kind      string `json:"kind"`
	ID        string `json:"id"`
	Label     string `json:"label"`
	StartedAt string `json:"startedAt,omitzero"`
	Command   string `json:"command,omitzero"`
	Terminal  URI    `json:"terminal,omitzero"`
	Chat      URI    `json:"chat,omitzero"`
	Extra     Raw    `json:",embed"`
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
	Resumable *bool      `json:"resumable,omitzero" since:"0.9.0"`

	Ref URI `json:"uri,omitzero"` // contentRef; its other members are in Extra

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed" keeps:"sizeHint,contentType,nonce,_meta"`
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
