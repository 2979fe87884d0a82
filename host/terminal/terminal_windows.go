package terminal

import "context"

// Supported says whether there are terminals on this system.
const Supported = false

// Terminal is a program on a pseudo terminal. There are none here.
type Terminal struct{}

// Start returns [ErrUnsupported].
func Start(Config, func([]Event)) (*Terminal, error) { return nil, ErrUnsupported }

// Room returns 0.
func (*Terminal) Room() int { return 0 }

// Write does nothing.
func (*Terminal) Write(string) {}

// Resize returns [ErrUnsupported].
func (*Terminal) Resize(int, int) error { return ErrUnsupported }

// Close does nothing.
func (*Terminal) Close(context.Context) error { return nil }
