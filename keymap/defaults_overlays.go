package keymap

func overlays() []Binding {
	return []Binding{
		{
			ID: OverlayAccept, Group: GroupOverlay, In: Overlays, Hint: Overlays, Keys: []string{"enter"},
			Short: "accept", Long: "Take what is selected or filled in",
		},
		{
			ID: OverlayNext, Group: GroupOverlay, In: Overlays, Hint: Form, Keys: []string{"tab"},
			Short: "next field", Long: "Go to the next field",
		},
		{
			ID: OverlayPrevious, Group: GroupOverlay, In: Overlays, Keys: []string{"shift+tab"},
			Short: "field before", Long: "Go to the field before",
		},
		{
			ID: OverlayClose, Group: GroupOverlay, In: Overlays, Hint: Overlays, Keys: []string{"esc", "q"},
			Short: "close", Long: "Close without doing anything",
		},
	}
}
