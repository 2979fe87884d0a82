package protocol

// BlockKind says what a block waits for.
type BlockKind string

// The kinds of blocks.
const (
	BlockConfirmation BlockKind = "confirmation"         // a tool call wants to run
	BlockResult       BlockKind = "resultConfirmation"   // a tool call's result wants to be accepted
	BlockToolAuth     BlockKind = "toolAuthentication"   // a tool call needs a sign-in
	BlockInput        BlockKind = "chatInput"            // questions wait for answers
	BlockServerAuth   BlockKind = "serverAuthentication" // a server needs a sign-in
	BlockOther        BlockKind = "other"                // something of a kind not known here
)

// Block is one thing that waits for a person. ID is stable while it waits. It
// is answered on Chat, except for a sign-in, which is a request of its own.
type Block struct {
	ID       string
	Kind     BlockKind
	Session  URI
	Chat     URI
	TurnID   string
	ToolCall *ToolCall
	Input    *ChatInputRequest
	Server   *Customization
	Auth     *McpAuthRequirement
}

// Blocked lists everything in a session that waits for a person: the session's
// own inputNeeded entries, what stands in its known chats without such an
// entry, and servers that need a sign-in nobody else asks for. The chats are
// those that are subscribed; entries of others are found all the same.
func Blocked(session URI, s *SessionState, chats map[URI]*ChatState) []Block {
	found := &blocks{session: session, known: chats, seen: map[string]bool{}, looked: map[URI]bool{}, resources: map[string]bool{}}
	for _, c := range s.Chats {
		found.addChat(c.Resource)
	}
	for _, r := range s.InputNeeded {
		found.addRequest(r)
	}
	for _, srv := range Servers(s) {
		auth := srv.State.Requirement()
		if auth == nil || auth.Resource != nil && found.resources[auth.Resource.Resource] {
			continue
		}
		found.add(Block{ID: "server:" + string(session) + ":" + srv.ID, Kind: BlockServerAuth, Server: srv.Customization, Auth: auth})
	}
	return found.list
}

type blocks struct {
	session   URI
	known     map[URI]*ChatState
	list      []Block
	seen      map[string]bool // by ID
	looked    map[URI]bool    // chats that were gone through
	resources map[string]bool // resources that a blocked call asks a sign-in for
}

func (b *blocks) add(block Block) {
	if b.seen[block.ID] {
		return
	}
	b.seen[block.ID] = true
	if block.Kind == BlockToolAuth && block.Auth != nil && block.Auth.Resource != nil {
		b.resources[block.Auth.Resource.Resource] = true
	}
	block.Session = b.session
	b.list = append(b.list, block)
}

// addChat adds what waits in a chat; it reports whether the chat is known.
func (b *blocks) addChat(uri URI) bool {
	chat := b.known[uri]
	if chat == nil || b.looked[uri] {
		return chat != nil
	}
	b.looked[uri] = true
	turn := chat.ActiveTurn
	if turn == nil {
		turn = &Turn{}
	}
	for _, in := range chat.OpenInputs() {
		b.add(inputBlock(uri, turn.ID, in))
	}
	for _, part := range turn.ResponseParts {
		if call := part.ToolCall; part.Kind == PartToolCall && call != nil && call.Status.WaitsForUser() {
			b.add(callBlock(uri, turn.ID, call))
		}
	}
	return true
}

// addRequest adds an entry of inputNeeded, except where the chat is known, which
// tells better what waits, and except for what a client has to do by itself.
func (b *blocks) addRequest(r *SessionInputRequest) {
	switch {
	case r.Kind == InputClientExecution:
	case r.Kind == InputChat && r.Request != nil:
		if !b.addChat(r.Chat) {
			b.add(inputBlock(r.Chat, r.TurnID, r.Request))
		}
	case r.ToolCall != nil && r.ToolCall.Status.WaitsForUser():
		if !b.addChat(r.Chat) {
			b.add(callBlock(r.Chat, r.TurnID, r.ToolCall))
		}
	default:
		b.add(Block{ID: "request:" + string(b.session) + ":" + r.ID, Kind: BlockOther, Chat: r.Chat, TurnID: r.TurnID, ToolCall: r.ToolCall, Input: r.Request})
	}
}

func inputBlock(chat URI, turnID string, in *ChatInputRequest) Block {
	return Block{ID: "input:" + string(chat) + ":" + in.ID, Kind: BlockInput, Chat: chat, TurnID: turnID, Input: in}
}

func callBlock(chat URI, turnID string, call *ToolCall) Block {
	kind := BlockOther
	switch call.Status {
	case ToolPendingConfirmation:
		kind = BlockConfirmation
	case ToolPendingResultConfirmation:
		kind = BlockResult
	case ToolAuthRequired:
		kind = BlockToolAuth
	}
	return Block{
		ID: "call:" + string(chat) + ":" + turnID + ":" + call.ToolCallID + ":" + string(kind), Kind: kind,
		Chat: chat, TurnID: turnID, ToolCall: call, Auth: call.Auth,
	}
}

// OpenInputs are the requests that wait for an answer, from both places where
// versions keep them. Those of a finished turn can no longer be answered.
func (s *ChatState) OpenInputs() []*ChatInputRequest {
	open := append([]*ChatInputRequest(nil), s.InputRequests...)
	if s.ActiveTurn != nil {
		for _, p := range s.ActiveTurn.ResponseParts {
			if p.Open() {
				open = append(open, p.Request)
			}
		}
	}
	return open
}

// Activity is what a session is doing, derived from its chats because no action
// keeps the session's own activity bits: those of the default chat, else of the
// chat that changed last, overridden by any chat that failed and, above that,
// by anything that needs input.
func (s *SessionState) Activity() Status {
	if len(s.InputNeeded) > 0 && s.Status.NeedsInput() {
		return StatusInputNeeded
	}
	lead := s.leadChat()
	if lead == nil {
		return s.Status.Activity()
	}
	status := lead.Status.Activity()
	for _, c := range s.Chats {
		if c.Status.NeedsInput() {
			return StatusInputNeeded
		}
		if c.Status.Failed() {
			status = StatusError
		}
	}
	return status
}

func (s *SessionState) leadChat() *ChatSummary {
	var lead *ChatSummary
	for _, c := range s.Chats {
		if c.Resource == s.DefaultChat {
			return c
		}
		if lead == nil || c.ModifiedAt > lead.ModifiedAt {
			lead = c
		}
	}
	return lead
}
