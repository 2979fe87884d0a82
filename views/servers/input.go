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
	// Stale says that the host cannot be reached, or has not sent anything newer
	// since: what is shown is what was. StaleFor is for how long.
	Stale    bool
	StaleFor safetext.Text
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
	// Longer: it was in it before that already, for nobody knows how long.
	Longer bool

	// Pending says that something the person asked for is not confirmed by the
	// host yet, Asked what that is and for how long, such as "stop, asked 4 s ago".
	// Late says that this takes too long, Slow that the state has lasted longer than
	// it should, and Refused what became of the last request that was not done.
	Pending bool
	Asked   safetext.Text
	Late    bool
	Slow    bool
	Refused safetext.Text

	// By is who brought it into its state, where that is another client, such as
	// "stopped by Anna". Attempt is which start this is, such as "attempt 3", where
	// it is not the first. Blocking says that messages wait for it to start.
	By       safetext.Text
	Attempt  safetext.Text
	Blocking bool
	// Used is what the turn makes of it, such as "used 3 times in this turn". Tools
	// is what it offers, such as "12 tools"; NoTools says that it offers none.
	Used    safetext.Text
	Tools   safetext.Text
	NoTools bool

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
	Fault     safetext.Text // what the error means

	URI     safetext.Text // where the server is declared
	Channel bool          // it can be talked to
	App     bool          // it brings interactive views

	// Hints say what can be done about it, such as "s start".
	Hints []safetext.Text

	About *About // nil: only the row is shown
}

// About is what only the details of a server show.
type About struct {
	Starts  safetext.Text // how its starts went, such as "3, of which 1 failed; the last took 1.2 s"
	Problem safetext.Text // the last one, with its age

	// Issuers are all authorization servers, LastAsked the scopes that were asked for
	// last.
	Issuers   []safetext.Link
	LastAsked safetext.Text
	// Blocks are what waits because of it.
	Blocks []safetext.Text

	// Decisions are those that it is on or off by, the one that counts first.
	Decisions safetext.Text
	Container safetext.Text
	// Declared is what its declaration says, as far as the host tells: a command, or
	// an address; Place is where in URI it stands.
	Declared     safetext.Text
	Place        safetext.Text
	ID           safetext.Text
	Channel      safetext.Text
	Capabilities safetext.Text
	ToolNames    safetext.Text

	// History is what it went through, the newest first. Earlier counts what is left
	// out.
	History []Past
	Earlier int
}

// Past is something that a server went through.
type Past struct {
	Ago  safetext.Text // such as "12 s ago"
	What safetext.Text // such as "starting: Anna asked for it"
	// State is what it came to be in, "" where it stayed as it was.
	State protocol.McpStateKind
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
