// Package linear is the front end for screen readers, braille displays, pipes and
// every terminal that is not drawn on: one line an event, questions as numbered
// choices, and commands by word. It writes no control character but line feeds.
//
// It stands beside tui, not in it: it draws nothing, needs no terminal, and goes
// by lines where tui goes by keys. What both know is in protocol, auth and
// ahpclient.
//
// One goroutine, that of [Run], owns all state. What takes time runs in others,
// which hand back what is to be done with the result.
package linear
