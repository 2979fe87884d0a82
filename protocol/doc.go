// Package protocol is the Agent Host Protocol (AHP) as data: messages, channel
// states, actions, the reducers that fold actions into states, the differences
// between protocol versions, and queries over states.
//
// It does no I/O, starts no goroutine, and logs nothing. States are immutable:
// a reducer returns a new value that shares whatever the action did not touch,
// and returns the very pointer it was given when the action changes nothing.
// So "did this turn change?" is a pointer comparison.
//
// Decoding is tolerant at every version. Unknown action types, union kinds,
// enum values and object members are kept and re-encoded as they came; only
// what cannot be read at all is an error. Where versions name one thing
// differently, a struct has both members and a method that reads whichever is
// there ([Customization.On], [SessionState.Directories], [Turn.Failure],
// [ChatState.OpenInputs], [TerminalState.Exited], [Annotation.Anchor]).
//
// Encoding follows the negotiated version. A member that not all versions know
// says so in its tag (since, until), and what has another shape at some version
// has one method for it (shapes.go); [At], [StateAt] and [ActionAt] give anything
// the form of a version, and the intents make what a client sends. What goes out
// can be judged by [CheckParams] and its kin.
//
// A new type of action is a struct beside its kin with its wire name, a row in
// action_table.go, an effect in the reducer of its channel, and a case below
// testdata/cases; tests find what is forgotten.
package protocol
