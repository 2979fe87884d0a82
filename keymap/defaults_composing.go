package keymap

// composing is what there is to do with messages beside writing and sending them.
func composing() []Binding {
	return []Binding{
		{
			ID: ComposerSteer, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"ctrl+s"},
			Short: "steer", Long: "Send what was written into the turn that is running",
		},
		{
			ID: ComposerComplete, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"tab"},
			Short: "complete", Long: "Complete the word before the cursor: what the host knows, or a file of this machine",
		},
		{
			ID: ComposerAttach, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"ctrl+o"},
			Short: "attach", Long: "Attach a file to the message; backspace at the beginning takes the last one off",
		},
		{
			ID: ComposerOlder, Group: GroupComposer, In: Composer, Keys: []string{"up"},
			Short: "sent before", Long: "Write what was sent before this, from the first line on",
		},
		{
			ID: ComposerNewer, Group: GroupComposer, In: Composer, Keys: []string{"down"},
			Short: "sent after", Long: "Write what was sent after that, and in the end what was being written",
		},
		{
			ID: QueueTake, Group: GroupComposer, In: Transcript, Keys: []string{"u"},
			Short: "take back", Long: "Take the selected message that waits for its turn back into the composer",
		},
		{
			ID: QueueEarlier, Group: GroupComposer, In: Transcript, Keys: []string{"alt+up", "alt+k"},
			Short: "sooner", Long: "Have the selected message taken before the one above it",
		},
		{
			ID: QueueLater, Group: GroupComposer, In: Transcript, Keys: []string{"alt+down", "alt+j"},
			Short: "later", Long: "Have the selected message taken after the one below it",
		},
		{
			ID: TurnEscape, Group: GroupSession, In: Servers, Keys: []string{"esc"},
			Short: "cancel turn", Long: "Cancel the turn that is running, when pressed twice in a row; also while writing",
		},
	}
}
