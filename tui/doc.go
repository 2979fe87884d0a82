// Package tui is the Bubble Tea program: it owns the focus and the overlays,
// maps what a host knows into the inputs of the views, and turns keys into
// intents.
//
// Data flow one way round. A goroutine waits for newer views of the host and
// hands them to the program, at most once a frame; Update notes them
// and puts together what is to be shown; View draws that. Nothing here blocks,
// and what a host is asked for in return comes back as a newer view. Where
// nothing comes and nothing on the screen grows older, nothing runs.
package tui
