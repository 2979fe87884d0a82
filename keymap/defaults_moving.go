package keymap

func moving() []Binding {
	return []Binding{
		{
			ID: PanelNext, Group: GroupMove, In: Panels, Hint: Panels, Keys: []string{"tab", "l", "right"},
			Short: "panel", Long: "Go to the next panel",
		},
		{
			ID: PanelPrevious, Group: GroupMove, In: Panels, Keys: []string{"shift+tab", "h", "left"},
			Short: "panel back", Long: "Go to the panel before",
		},
		{
			ID: MoveUp, Group: GroupMove, In: Panels | Overlays, Keys: []string{"k", "up"},
			Short: "up", Long: "Select what is above",
		},
		{
			ID: MoveDown, Group: GroupMove, In: Panels | Overlays, Keys: []string{"j", "down"},
			Short: "down", Long: "Select what is below",
		},
		{
			ID: HalfUp, Group: GroupMove, In: Panels | Overlay, Keys: []string{"ctrl+u"},
			Short: "half a page up", Long: "Scroll up half a page",
		},
		{
			ID: HalfDown, Group: GroupMove, In: Panels | Overlay, Keys: []string{"ctrl+d"},
			Short: "half a page down", Long: "Scroll down half a page",
		},
		{
			ID: PageUp, Group: GroupMove, In: Panels | Composer | Overlays, Keys: []string{"pgup"},
			Short: "page up", Long: "Scroll up a page; in the composer, the chat above it",
		},
		{
			ID: PageDown, Group: GroupMove, In: Panels | Composer | Overlays, Keys: []string{"pgdown"},
			Short: "page down", Long: "Scroll down a page; in the composer, the chat above it",
		},
		{
			ID: MoveTop, Group: GroupMove, In: Panels | Overlay, Keys: []string{"home"},
			Short: "top", Long: "Go to the beginning",
		},
		{
			ID: MoveBottom, Group: GroupMove, In: Panels | Overlay, Keys: []string{"G", "end"},
			Short: "end", Long: "Go to the end; a chat is followed from there as it grows",
		},
		{
			ID: PanelWider, Group: GroupMove, In: Panels, Keys: []string{"+"},
			Short: "wider", Long: "Make this panel wider",
		},
		{
			ID: PanelNarrower, Group: GroupMove, In: Panels, Keys: []string{"-"},
			Short: "narrower", Long: "Make this panel narrower",
		},
		{
			ID: PanelReset, Group: GroupMove, In: Panels, Keys: []string{"="},
			Short: "usual widths", Long: "Give all panels the widths that they had at first",
		},
	}
}
