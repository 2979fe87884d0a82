package transcript

// Remembered is how many parts are remembered as they were drawn.
func (m *Model) Remembered() int { return len(m.slots) }
