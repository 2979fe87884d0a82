package keymap

func writing() []Binding {
	return []Binding{
		{
			ID: ComposerFocus, Group: GroupComposer, In: Panels &^ Terminals, Hint: Panels &^ Terminals, Keys: []string{"i"},
			Short: "write", Long: "Write a message to the chat on the screen",
		},
		{
			ID: ComposerSend, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"enter"},
			Short: "send", Long: "Send what was written",
		},
		{
			ID: ComposerNewline, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"ctrl+j", "alt+enter", "shift+enter"},
			Short: "new line", Long: "Begin a new line in the message",
		},
		{
			ID: ComposerLeave, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"esc"},
			Short: "back", Long: "Go back to the panels; what was written stays",
		},
	}
}
