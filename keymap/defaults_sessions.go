package keymap

func sessions() []Binding {
	return []Binding{
		{
			ID: SessionOpen, Group: GroupSession, In: Sessions, Hint: Sessions, Keys: []string{"enter"},
			Short: "open", Long: "Open the selected session; write to it if it is open",
		},
		{
			ID: SessionNew, Group: GroupSession, In: Panels &^ Terminals, Hint: Sessions, Keys: []string{"n"},
			Short: "new", Long: "Make a new session",
		},
		{
			ID: TurnCancel, Group: GroupSession, In: Transcript | Composer, Hint: Transcript, Keys: []string{"x", "ctrl+x"},
			Short: "cancel", Long: "Give up the selected call or questions that wait, remove the selected message that waits, or cancel the turn",
		},
	}
}
