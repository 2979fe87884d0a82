package keymap

func calls() []Binding {
	return []Binding{
		{
			ID: AccessGrant, Group: GroupCall, In: Transcript | Servers, Keys: []string{"g"},
			Short: "grant", Long: "Grant access to the selected tool call or MCP server that waits for it",
		},
		{
			ID: CallApprove, Group: GroupCall, In: Transcript, Keys: []string{"y"},
			Short: "approve", Long: "Let the selected tool call run, or its result be used",
		},
		{
			ID: CallDeny, Group: GroupCall, In: Transcript, Keys: []string{"d"},
			Short: "deny", Long: "Refuse the selected tool call or its result, or decline the selected questions",
		},
		{
			ID: CallOption, Group: GroupCall, In: Transcript, Keys: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"},
			Short: "option", Long: "Choose one of the answers that the host offers",
		},
		{
			ID: CallEdit, Group: GroupCall, In: Transcript, Keys: []string{"e"},
			Short: "edit input", Long: "Change the input of the selected tool call before it runs, where the host lets you",
		},
		{
			ID: DetailToggle, Group: GroupCall, In: Transcript, Hint: Transcript, Keys: []string{"enter", "space"},
			Short: "details", Long: "Show or hide what the selected tool call sent and got; answer the selected questions",
		},
	}
}
