package linear

import (
	"strconv"
	"strings"

	"ahptui/protocol"
)

// serverLog is what was last told of the MCP servers.
type serverLog struct {
	state *protocol.SessionState
	words map[string]string // by id
}

// tellServers tells of servers whose state has changed.
func (f *front) tellServers() {
	state := f.view.Session(f.current)
	if state == nil || state == f.servers.state {
		return
	}
	first := f.servers.state == nil
	before := f.servers.words
	f.servers = serverLog{state, map[string]string{}}
	counts := map[string]int{}
	list := protocol.Servers(state)
	for _, s := range list {
		words := serverWords(s)
		f.servers.words[s.ID] = words
		counts[stateWord(s)]++
		if !first && before[s.ID] != words {
			f.out.sayf("server %s: %s", s.Name, words)
		}
	}
	if first {
		f.out.say(join(count(len(list), "MCP server", "MCP servers"), countWords(counts)))
		return
	}
	for id := range before {
		if _, ok := f.servers.words[id]; !ok {
			f.out.say("a server is gone: " + id)
		}
	}
}

func countWords(counts map[string]int) string {
	var words []string
	for _, state := range []string{"ready", "starting", "needs access", "failed", "stopped", "off"} {
		if n := counts[state]; n > 0 {
			words = append(words, strconv.Itoa(n)+" "+state)
		}
	}
	return strings.Join(words, ", ")
}

// stateWord is the state of a server.
func stateWord(s protocol.Server) string {
	switch kind := s.StateKind(); {
	case !s.Effective():
		return "off"
	case kind == protocol.McpAuthRequired:
		return "needs access"
	case kind == protocol.McpError:
		return "failed"
	default:
		return string(kind)
	}
}

// serverWords is the state of a server with the reason.
func serverWords(s protocol.Server) string {
	words := stateWord(s)
	switch {
	case s.State == nil || !s.Effective():
	case s.StateKind() == protocol.McpAuthRequired:
		words = join("needs access", requirementWords(s.State.Requirement()))
	case s.State.Error != nil:
		words = join(words, s.State.Error.Message)
	}
	if !s.Effective() && s.StateKind() == protocol.McpReady {
		words += ", and still running"
	}
	return words
}

// requirementWords says why access is needed, and what scopes.
func requirementWords(r *protocol.McpAuthRequirement) string {
	words := r.Reason
	switch r.Reason {
	case "required":
		words = "nobody has signed in yet"
	case "expired":
		words = "the sign-in has expired"
	case "insufficientScope":
		words = "more than was granted"
	}
	return join(words, strings.Join(r.RequiredScopes, " "))
}

// listServers tells the servers by number.
func (f *front) listServers() {
	state := f.view.Session(f.current)
	if state == nil {
		f.out.say("no session is open")
		return
	}
	f.listedServers = f.listedServers[:0]
	list := protocol.Servers(state)
	f.out.say(count(len(list), "MCP server", "MCP servers"))
	for i, s := range list {
		f.listedServers = append(f.listedServers, s.ID)
		where := ""
		if s.Container != nil {
			where = ", of " + string(s.Container.Type) + " " + s.Container.Name
		}
		f.out.sayf("server %d: %s, %s%s", i+1, s.Name, serverWords(s), where)
	}
}

// server finds a server by its number, as it was told last, or by its name.
func (f *front) server(arg string) (s protocol.Server, ok bool) {
	state := f.view.Session(f.current)
	if state == nil {
		f.out.say("no session is open")
		return s, false
	}
	list := protocol.Servers(state)
	if n, err := strconv.Atoi(arg); err == nil {
		if f.listedServers == nil {
			f.out.say("the servers have no numbers yet: “servers” tells them")
			return s, false
		}
		if n < 1 || n > len(f.listedServers) {
			f.out.sayf("there is no server %d: “servers” tells which there are", n)
			return s, false
		}
		if s, ok = protocol.ServerByID(state, f.listedServers[n-1]); !ok {
			f.out.sayf("server %d is not there any more", n)
		}
		return s, ok
	}
	for _, s := range list {
		if s.Name == arg {
			return s, true
		}
	}
	f.out.sayf("there is no server %s: “servers” tells which there are", arg)
	return s, false
}

// start starts a server, or starts it anew.
func (f *front) start(arg string) {
	s, ok := f.server(arg)
	switch {
	case !ok || !f.connected():
	case !s.Effective():
		f.out.sayf("%s is switched off: “on” switches it on", s.Name)
	default:
		a, ok := protocol.StartServer(f.view.Connection.Version, s.ID)
		f.act(a, ok, "start "+s.Name)
	}
}

func (f *front) stop(arg string) {
	s, ok := f.server(arg)
	switch {
	case !ok || !f.connected():
	case s.StateKind() == protocol.McpStopped:
		f.out.sayf("%s is stopped already", s.Name)
	default:
		a, ok := protocol.StopServer(f.view.Connection.Version, s.ID)
		f.act(a, ok, "stop "+s.Name)
	}
}

// act asks for a change of a server, where the version has it.
func (f *front) act(a protocol.Action, ok bool, what string) {
	if !ok {
		f.out.sayf("protocol %s cannot %s", f.view.Connection.Version, what)
		return
	}
	if f.dispatch(f.current, a, what, nil) {
		f.out.say("asked to " + what)
	}
}

// toggle switches a server on or off.
func (f *front) toggle(arg string, on bool) {
	s, ok := f.server(arg)
	word := "off"
	if on {
		word = "on"
	}
	switch {
	case !ok || !f.connected():
	case s.On() == on:
		f.out.sayf("%s is switched %s already", s.Name, word)
	case !protocol.CanToggle(f.view.Connection.Version, s):
		f.out.sayf("protocol %s cannot switch a single server", f.view.Connection.Version)
	default:
		f.act(protocol.Toggle(f.version(), s.Customization, on), true, "switch "+s.Name+" "+word)
	}
}
