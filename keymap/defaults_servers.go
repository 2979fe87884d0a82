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
			Short: "on/off", Long: "Enable or disable the selected MCP server",
		},
		{
			ID: ServerDetail, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"enter", "space"},
			Short: "details", Long: "Show or hide the details of the selected MCP server",
		},
	}
}
