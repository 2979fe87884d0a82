package protocol

// Fold folds actions into a state one after another. It gives what [Reduce] gives
// when it is called for each; but while a text is streamed, its deltas are only
// appended to that text, and the state around it is made when somebody asks for
// it. So a delta costs its own length, however large the state is.
//
// The zero Fold has no state and takes no actions.
type Fold struct {
	state ChannelState

	// While text is streaming, state lacks what it grew by: it is the text of
	// that part of the active turn.
	streaming      bool
	text           Text
	part           int
	kind           PartKind
	turnID, partID string
}

// NewFold starts from a state, which is never changed.
func NewFold(s ChannelState) Fold { return Fold{state: s} }

// State is the state after all actions so far. While nothing changes it is the
// same pointer.
func (f *Fold) State() ChannelState {
	if f.streaming {
		chat, _ := f.state.(*ChatState)
		*f = NewFold(withContent(chat, f.part, f.text))
	}
	return f.state
}

// Apply folds an action in, and reports whether it changed the state.
func (f *Fold) Apply(p Profile, a Action) (changes bool) {
	switch a := a.(type) {
	case *ChatDelta:
		return f.grow(PartMarkdown, a.TurnID, a.PartID, a.Content)
	case *ChatReasoning:
		return f.grow(PartReasoning, a.TurnID, a.PartID, a.Content)
	}
	before := f.State()
	f.state = Reduce(p, before, a)
	return f.state != before
}

// grow appends to the text that is streaming, or makes another one stream.
func (f *Fold) grow(kind PartKind, turnID, partID string, more Text) (changes bool) {
	if f.streaming && f.kind == kind && f.partID == partID && f.turnID == turnID {
		f.text = f.text.Append(more)
		return more.Len() > 0
	}
	chat, ok := f.State().(*ChatState)
	if !ok {
		return false
	}
	i := chat.growing(turnID, partID, kind)
	if i < 0 || more.Len() == 0 {
		return false
	}
	*f = Fold{
		state: chat, streaming: true, text: chat.ActiveTurn.ResponseParts[i].Content.Text.Append(more),
		part: i, kind: kind, turnID: turnID, partID: partID,
	}
	return true
}
