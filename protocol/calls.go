package protocol

// Calls counts the tool calls that an MCP server was to run: all of them, and those that have not ended.
type Calls struct{ All, Running int }

// Add is the sum of both.
func (c Calls) Add(other Calls) Calls {
	return Calls{c.All + other.All, c.Running + other.Running}
}

// CallsOf is what a part of a turn adds to the calls of a server, which is named by the id of its customization: "" where the
// part is no call, or not one of a server.
func CallsOf(p *ResponsePart) (server string, c Calls) {
	call := p.ToolCall
	if p.Kind != PartToolCall || call == nil || call.Contributor == nil || call.Contributor.Kind != ContributorMcp {
		return "", Calls{}
	}
	c.All = 1
	if !call.Status.Ended() {
		c.Running = 1
	}
	return call.Contributor.CustomizationID, c
}

// CallsIn counts the calls of one server in a turn, which may be nil.
func CallsIn(t *Turn, server string) Calls {
	var all Calls
	if t == nil {
		return all
	}
	for _, p := range t.ResponseParts {
		if id, c := CallsOf(p); id == server && id != "" {
			all = all.Add(c)
		}
	}
	return all
}
