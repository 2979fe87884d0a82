package keymap

func servers() []Binding {
	return []Binding{
		{
			ID: ServerStart, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"s"},
			Short: "start", Long: "Start the selected MCP server",
		},
		{
			ID: ServerStop, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"S"},
			Short: "stop", Long: "Stop the selected MCP server",
		},
		{
			ID: ServerRestart, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"r"},
			Short: "restart", Long: "Restart the selected MCP server",
		},
		{
			ID: ServerToggle, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"e"},
			Short: "on/off", Long: "Enable or disable the selected MCP server; it asks where, if there is a choice",
		},
		{
			ID: ServerBackground, Group: GroupServer, In: Servers, Keys: []string{"b"},
			Short: "go on without", Long: "Have messages not wait for the selected MCP server, which is still starting",
		},
		{
			ID: ServerDoctor, Group: GroupServer, In: Servers, Keys: []string{"D"},
			Short: "diagnosis", Long: "Say at which step the selected MCP server is stuck, and what can be done about it",
		},
		{
			ID: ServerDetail, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"enter", "space"},
			Short: "details", Long: "Show or hide the details of the selected MCP server",
		},
	}
}
