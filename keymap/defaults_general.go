package keymap

func general() []Binding {
	return []Binding{
		{
			ID: BlockNext, Group: GroupGeneral, In: Panels, Hint: Panels, Keys: []string{"a"},
			Short: "next blocked", Long: "Go to the next thing that waits for you, wherever it is",
		},
		{
			ID: BlockNewest, Group: GroupGeneral, In: Panels | Composer, Hint: Composer, Keys: []string{"ctrl+g"},
			Short: "newest blocked", Long: "Go to what was blocked last, also while writing",
		},
		{
			ID: BlockList, Group: GroupGeneral, In: Panels, Keys: []string{"A"},
			Short: "all blocked", Long: "List everything that waits for you, in all sessions, and what has failed",
		},
		{
			ID: Palette, Group: GroupGeneral, In: Panels | Composer, Hint: Panels, Keys: []string{":", "ctrl+p"},
			Short: "commands", Long: "List everything that can be done, and do it",
		},
		{
			ID: HostRefresh, Group: GroupGeneral, In: Panels, Keys: []string{"R"},
			Short: "refresh", Long: "Ask the host for everything anew; reconnect at once if it is gone",
		},
		{
			ID: AppHelp, Group: GroupGeneral, In: Program, Hint: Panels, Keys: []string{"?", "f1"},
			Short: "help", Long: "Show or hide the keys",
		},
		{
			ID: AppQuit, Group: GroupGeneral, In: Panels, Keys: []string{"q"},
			Short: "quit", Long: "Leave; what runs on the host goes on",
		},
		{
			ID: AppSuspend, Group: GroupGeneral, In: Panels | Composer, Keys: []string{"ctrl+z"},
			Short: "suspend", Long: "Go back to the shell for a while; fg brings the program back",
		},
		{
			ID: AppInterrupt, Group: GroupGeneral, In: Program, Keys: []string{"ctrl+c"}, fixed: true,
			Short: "quit", Long: "Leave from anywhere but a terminal, to which the key goes",
		},
	}
}
