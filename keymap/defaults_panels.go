package keymap

func changes() []Binding {
	return []Binding{
		{
			ID: ChangesShow, Group: GroupChanges, In: Panels, Keys: []string{"F"},
			Short: "changes", Long: "Show the files that have changed in the place of the chat; once more, the chat",
		},
		{
			ID: DiffOpen, Group: GroupChanges, In: Changes, Hint: Changes, Keys: []string{"enter"},
			Short: "diff", Long: "Show what has changed in the selected file",
		},
		{
			ID: ReviewToggle, Group: GroupChanges, In: Changes, Hint: Changes, Keys: []string{"space"},
			Short: "reviewed", Long: "Mark the file as reviewed, or as not reviewed any more",
		},
		{
			ID: HunkNext, Group: GroupChanges, In: Changes, Hint: Changes, Keys: []string{"]"},
			Short: "next change", Long: "Go to the next change in the file",
		},
		{
			ID: HunkPrevious, Group: GroupChanges, In: Changes, Keys: []string{"["},
			Short: "change before", Long: "Go to the change before in the file",
		},
		{
			ID: FileNext, Group: GroupChanges, In: Changes, Keys: []string{"}"},
			Short: "next file", Long: "Go to the next file",
		},
		{
			ID: FilePrevious, Group: GroupChanges, In: Changes, Keys: []string{"{"},
			Short: "file before", Long: "Go to the file before",
		},
		{
			ID: ChangesAct, Group: GroupChanges, In: Changes, Hint: Changes, Keys: []string{"o"},
			Short: "stage…", Long: "Do what the host offers with the file or with all of them, such as to stage or to discard",
		},
		{
			ID: PathCopy, Group: GroupChanges, In: Changes, Keys: []string{"c"},
			Short: "copy path", Long: "Copy the path of the file",
		},
		{
			ID: ChangesChoose, Group: GroupChanges, In: Changes, Keys: []string{"v"},
			Short: "other changes", Long: "Choose which changes to look at, where the host tells of several sets of them",
		},
	}
}

func terminals() []Binding {
	return []Binding{
		{
			ID: TerminalsShow, Group: GroupTerminal, In: Panels, Keys: []string{"T"},
			Short: "terminals", Long: "Show the host's terminals in the place of the chat; once more, the chat",
		},
		{
			ID: TerminalType, Group: GroupTerminal, In: Terminals, Hint: Terminals, Keys: []string{"i", "enter"},
			Short: "type", Long: "Type into the selected terminal: all keys go to it then, but the one that leaves it",
		},
		{
			ID: TerminalLeave, Group: GroupTerminal, In: TerminalInput, Hint: TerminalInput, Keys: []string{"ctrl+]"}, kept: true,
			Short: "leave the terminal", Long: "Give the keys back to the program",
		},
		{
			ID: TerminalUp, Group: GroupTerminal, In: TerminalInput, Hint: TerminalInput, Keys: []string{"shift+pgup"},
			Short: "scroll back", Long: "Scroll back while typing into a terminal",
		},
		{
			ID: TerminalDown, Group: GroupTerminal, In: TerminalInput, Keys: []string{"shift+pgdown"},
			Short: "scroll on", Long: "Scroll on while typing into a terminal",
		},
		{
			ID: TerminalNew, Group: GroupTerminal, In: Terminals, Hint: Terminals, Keys: []string{"n"},
			Short: "new", Long: "Open a new terminal in the session's directory",
		},
		{
			ID: TerminalEnd, Group: GroupTerminal, In: Terminals, Hint: Terminals, Keys: []string{"D"},
			Short: "end", Long: "End the terminal and all that runs in it, once you have said yes",
		},
		{
			ID: TerminalReturn, Group: GroupTerminal, In: Terminals, Keys: []string{"u"},
			Short: "hand over", Long: "Hand a terminal that you have to the session on the screen",
		},
	}
}

// inPlace is what the panels in the place of the chat have in common.
func inPlace() []Binding {
	return []Binding{
		{
			ID: PanelBack, Group: GroupChanges, In: Changes | Terminals, Hint: Changes | Terminals, Keys: []string{"esc"},
			Short: "back", Long: "From a diff back to the files, from the files or the terminals back to the chat",
		},
	}
}
