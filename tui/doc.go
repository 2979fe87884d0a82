// Package tui is the Bubble Tea program: it owns the focus and the overlays,
// maps what a host knows into the inputs of the views, and turns keys into
// intents.
//
// Data flow one way round. A goroutine waits for newer views of the host and
// hands them to the program, at most sixty times a second; Update notes them;
// View draws. Nothing here blocks, and what a host is asked for in return comes
// back as a newer view.
package tui
