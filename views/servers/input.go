// Package servers is the panel that lists the MCP servers of a session, by the
// container that brings them.
package servers

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
)

// Input is what the panel shows. The panel keeps it until the next one, so it
// must not be changed.
type Input struct {
	Groups []Group

	// Empty says why there is nothing where Groups is empty; by default, that
	// the session has no servers.
	Empty safetext.Text
	// Stale says that the host cannot be reached: what is shown is what was.
	Stale bool
}

// Ref names a row: the same server id may stand in several containers.
type Ref struct {
	Container string // the id of the container, "" at the top level
	ID        string // the id of the server
}

// Group is a container with its servers, or the servers at the top level.
type Group struct {
	ID      string        // the id of the container, "" at the top level
	Title   safetext.Text // such as "plugin: acme-tools"
	Off     bool          // the container is switched off
	Loading bool          // the host has not read the container yet
	Problem safetext.Text // why it could not be read, or not in whole
	Rows    []Row
}

// Row is one server.
type Row struct {
	ID   string
	Name safetext.Text

	State protocol.McpStateKind // a kind not known here is shown by its name
	On    bool                  // the person's intent: the server and its container are on
	Scope safetext.Text         // whose decision that is: session, workspace, global
	Since safetext.Text         // how long it has been in the state, such as "2 min"

	// Pending says that something the person asked for is not confirmed by the
	// host yet, Slow that the state has lasted longer than it should, and
	// Refused what the host said to the last request it refused.
	Pending bool
	Slow    bool
	Refused safetext.Text

	// Reason is why a sign-in is needed, in words; Description what the peer
	// says to it.
	Reason      safetext.Text
	Description safetext.Text
	Scopes      []safetext.Text // what the sign-in is for
	Held        []safetext.Text // what was granted before
	Resource    safetext.Text   // the resource to sign in to, as a URL
	Issuer      safetext.Link   // where one signs in; the zero Link where it is not known
	SignIn      safetext.Text   // the name of the key that signs in, "" if none can now
	Progress    safetext.Text   // what is going on while a sign-in runs, such as "waiting for the browser"
	Token       safetext.Text   // what is held for it, such as "for tracker:read, ends in 9 min"
	Kept        safetext.Text   // where that is kept
	Granted     safetext.Text   // the record of a sign-in, such as "granted tracker:read 12 s ago"

	Error     safetext.Block // the whole message of an error
	ErrorType safetext.Text

	URI     safetext.Text // where the server is declared
	Channel bool          // it can be talked to
	App     bool          // it brings interactive views

	// Hints say what can be done about it, such as "s start".
	Hints []safetext.Text
}

// empty is what the panel says without groups.
func (in Input) empty() safetext.Text {
	if in.Empty.Empty() {
		return safetext.Const("no MCP servers in this session")
	}
	return in.Empty
}

// row finds a row.
func (in Input) row(ref Ref) (row Row, ok bool) {
	for _, g := range in.Groups {
		if g.ID != ref.Container {
			continue
		}
		for _, r := range g.Rows {
			if r.ID == ref.ID {
				return r, true
			}
		}
	}
	return Row{}, false
}

// badge is how the state of a server is shown, its intent considered: a server
// that is switched off is off once it has stopped, and stopping until then.
func (r Row) badge(theme themes.Theme) themes.Badge {
	b := theme.Badge(status(r.State))
	switch {
	case !r.On && (r.State == protocol.McpReady || r.State == protocol.McpStarting):
		b.Word = "stopping"
	case !r.On:
		b = theme.Badge(themes.MarkDisabled)
	case r.State == protocol.McpStarting && r.Slow:
		b.Word, b.Style = "no answer", theme.Warning
	case status(r.State) == themes.ServerUnknown && r.State != "":
		b.Word = safetext.Clean(string(r.State), maxKind).String()
	}
	return b
}

// maxKind bounds the name of a state that is not known here, in columns.
const maxKind = 24

func status(kind protocol.McpStateKind) themes.Status {
	switch kind {
	case protocol.McpStarting:
		return themes.ServerStarting
	case protocol.McpReady:
		return themes.ServerReady
	case protocol.McpAuthRequired:
		return themes.ServerAuthRequired
	case protocol.McpError:
		return themes.ServerError
	case protocol.McpStopped:
		return themes.ServerStopped
	}
	return themes.ServerUnknown
}
