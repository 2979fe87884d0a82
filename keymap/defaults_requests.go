package keymap

func requests() []Binding {
	return []Binding{
		{
			ID: RequestAnswer, Group: GroupRequest, In: Transcript, Keys: []string{"r"},
			Short: "answer", Long: "Answer the selected questions of the agent",
		},
		{
			ID: OverlaySend, Group: GroupRequest, In: Overlays, Keys: []string{"ctrl+s"},
			Short: "send", Long: "Send the answers, or the edited input of a tool call, from anywhere in its window",
		},
		{
			ID: AnswerSwap, Group: GroupRequest, In: Overlays, Keys: []string{"ctrl+t"},
			Short: "other answer", Long: "Swap what you wrote for what another client wrote, and back",
		},
	}
}
