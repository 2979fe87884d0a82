// Package keymap holds the keys as data: what there is to do, the keys that do
// it, where they count, what help says of them, and what a person changed. It
// knows nothing of what a key then does.
package keymap

import "strings"

// ID names something that a key does. IDs stand in people's configuration and
// do not change.
type ID string

// Context is a place that the keyboard can be in, or a set of such places.
type Context uint16

// The places. Exactly one of them has the keyboard at a time.
const (
	Sessions Context = 1 << iota
	Transcript
	Servers
	Composer // what is typed is text
	Overlay  // a list or a question over the panels
	Form     // an overlay with a field in which what is typed is text
	// Changes and Terminals are panels that take the place of the chat.
	Changes
	Terminals
	TerminalInput // what is typed goes to a terminal, and so do the keys that have no text

	Panels     = Sessions | Transcript | Servers | Changes | Terminals
	Overlays   = Overlay | Form
	Program    = Panels | Composer | Overlays // where keys are the program's own
	Everywhere = Program | TerminalInput
)

// typing are the contexts in which a printable key is text.
const typing = Composer | Form | TerminalInput

// Group is a heading of the help.
type Group string

// The headings, in the order of the help.
const (
	GroupServer   Group = "MCP servers"
	GroupCall     Group = "Tool calls"
	GroupRequest  Group = "Questions of agents"
	GroupSession  Group = "Sessions and chats"
	GroupReading  Group = "Reading a chat"
	GroupComposer Group = "Writing"
	GroupChanges  Group = "Changes"
	GroupTerminal Group = "Terminals"
	GroupGeneral  Group = "General"
	GroupMove     Group = "Moving"
	GroupSignIn   Group = "Signing in and out"
	GroupOverlay  Group = "Windows and questions"
)

// Groups returns the headings in their order.
func Groups() []Group {
	return []Group{GroupServer, GroupCall, GroupRequest, GroupSession, GroupReading, GroupComposer, GroupChanges, GroupTerminal, GroupGeneral, GroupMove, GroupSignIn, GroupOverlay}
}

// Binding is one thing to do with its keys.
type Binding struct {
	ID    ID
	Group Group
	In    Context  // where its keys count
	Hint  Context  // where the footer names it
	Keys  []string // as Bubble Tea spells them; none if it is unbound
	Short string   // a word or two for the footer
	Long  string   // a sentence for the help
	fixed bool     // a person cannot change it
	kept  bool     // a person can change it, but it has to have a key
}

// active reports whether key does this somewhere in the contexts.
func (b Binding) active(key string, in Context) bool {
	if printable(key) {
		in &^= typing
	}
	return b.In&in != 0
}

// Bound reports whether it has a key.
func (b Binding) Bound() bool { return len(b.Keys) > 0 }

// Label is its first key as the footer shows it, or "" if it is unbound.
func (b Binding) Label(ascii bool) string {
	if !b.Bound() {
		return ""
	}
	return label(b.Keys[0], ascii)
}

// Labels is all its keys as the help shows them.
func (b Binding) Labels(ascii bool) string {
	if b.sequence() {
		return label(b.Keys[0], ascii) + "-" + label(b.Keys[len(b.Keys)-1], ascii)
	}
	labels := make([]string, len(b.Keys))
	for i, key := range b.Keys {
		labels[i] = label(key, ascii)
	}
	return strings.Join(labels, " ")
}

// sequence reports whether its keys are characters that follow one another, as the
// digits do, and more than a few.
func (b Binding) sequence() bool {
	const few = 3
	for i, key := range b.Keys {
		if len(key) != 1 || key[0] != b.Keys[0][0]+byte(i) {
			return false
		}
	}
	return len(b.Keys) > few
}
