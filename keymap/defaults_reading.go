package keymap

// The IDs of what is done in a chat that is read.
const (
	TurnUp    ID = "turn.up"
	TurnDown  ID = "turn.down"
	CallUp    ID = "call.up"
	CallDown  ID = "call.down"
	ErrorUp   ID = "error.up"
	ErrorDown ID = "error.down"
	BlockUp   ID = "block.up"
	BlockDown ID = "block.down"

	FoldAll        ID = "fold.all"
	SearchStart    ID = "search.start"
	SearchNext     ID = "search.next"
	SearchPrevious ID = "search.previous"
	SearchEnd      ID = "search.end"
	CopyItem       ID = "copy.item"
	OpenPager      ID = "open.pager"
	OpenEditor     ID = "open.editor"
	AgentOpen      ID = "agent.open"
	AgentBack      ID = "agent.back"
)

func reading() []Binding {
	return []Binding{
		{
			ID: SearchStart, Group: GroupReading, In: Transcript, Hint: Transcript, Keys: []string{"/"},
			Short: "search", Long: "Search the chat, also what is folded",
		},
		{
			ID: SearchNext, Group: GroupReading, In: Transcript, Keys: []string{"."},
			Short: "next match", Long: "Go to the next match of the search",
		},
		{
			ID: SearchPrevious, Group: GroupReading, In: Transcript, Keys: []string{","},
			Short: "match before", Long: "Go to the match before",
		},
		{
			ID: SearchEnd, Group: GroupReading, In: Transcript, Keys: []string{"esc"},
			Short: "end search", Long: "End the search; pressed twice in a row where nothing is searched for, cancel the turn",
		},
		{
			ID: TurnUp, Group: GroupReading, In: Transcript, Keys: []string{"["},
			Short: "turn before", Long: "Go to the turn before; earlier ones are loaded as needed",
		},
		{
			ID: TurnDown, Group: GroupReading, In: Transcript, Keys: []string{"]"},
			Short: "next turn", Long: "Go to the next turn",
		},
		{
			ID: CallUp, Group: GroupReading, In: Transcript, Keys: []string{"{"},
			Short: "call before", Long: "Go to the tool call before",
		},
		{
			ID: CallDown, Group: GroupReading, In: Transcript, Keys: []string{"}"},
			Short: "next call", Long: "Go to the next tool call",
		},
		{
			ID: ErrorUp, Group: GroupReading, In: Transcript, Keys: []string{"("},
			Short: "error before", Long: "Go to the error, or the tool call that failed, before",
		},
		{
			ID: ErrorDown, Group: GroupReading, In: Transcript, Keys: []string{")"},
			Short: "next error", Long: "Go to the next error, or the next tool call that failed",
		},
		{
			ID: BlockUp, Group: GroupReading, In: Transcript, Keys: []string{"<"},
			Short: "blocked before", Long: "Go to what waits for you before this, in this chat",
		},
		{
			ID: BlockDown, Group: GroupReading, In: Transcript, Keys: []string{">"},
			Short: "blocked after", Long: "Go to what waits for you next, in this chat",
		},
		{
			ID: FoldAll, Group: GroupReading, In: Transcript, Keys: []string{"f"},
			Short: "fold all", Long: "Fold everything, or unfold it if nothing is unfolded",
		},
		{
			ID: CopyItem, Group: GroupReading, In: Transcript, Hint: Transcript, Keys: []string{"c"},
			Short: "copy", Long: "Copy what is selected, or a part of it",
		},
		{
			ID: OpenPager, Group: GroupReading, In: Transcript, Keys: []string{"o"},
			Short: "pager", Long: "Open what is selected in $PAGER",
		},
		{
			ID: OpenEditor, Group: GroupReading, In: Transcript, Keys: []string{"O"},
			Short: "editor", Long: "Open a copy of what is selected in $EDITOR",
		},
		{
			ID: AgentOpen, Group: GroupReading, In: Transcript, Keys: []string{"s"},
			Short: "sub-agent", Long: "Open the chat of the sub-agent that the call started",
		},
		{
			ID: AgentBack, Group: GroupReading, In: Transcript, Keys: []string{"b"},
			Short: "back", Long: "Go back from a sub-agent's chat to the one that started it",
		},
	}
}
