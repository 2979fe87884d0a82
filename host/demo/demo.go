// Package demo is an agent host with something to see: sessions, real MCP
// servers in pure Go with nothing to install, and a scripted agent that works
// from the start, calls real tools, and stops to ask.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"ahptui/host"
	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// Options say how the demo is to be. The zero value is usable in the program
// itself.
type Options struct {
	// Versions and Log are the host's, see [host.Options].
	Versions []protocol.Version
	Log      *slog.Logger
	// Command is how a stdio server is started; its name is added as the last
	// argument. nil means this very program with the argument mcp-server. Tests,
	// whose binary has no such command, name another one.
	Command []string
	// Env is added to the environment of stdio servers.
	Env map[string]string
	// Pace is the time between two words of the scripted agent; zero means that
	// of somebody who types fast, and a negative one no time at all.
	Pace time.Duration
	// TrackerListen and IssuerListen are the addresses of the protected server and
	// of its authorization server; empty means loopback ones with free ports.
	// Both speak plain http, so no other address will do.
	TrackerListen, IssuerListen string
	// Directory is where the demo's sessions say they work, and where clients
	// start to browse; empty means the working directory.
	Directory string
	// Files and Terminals are the host's, see [host.Options].
	Files     host.FileAccess
	Terminals bool
}

const defaultPace = 35 * time.Millisecond

// The session in which the agent works, and its chat.
const (
	Session protocol.URI = "ahp-session:/fix-the-login-bug"
	Chat    protocol.URI = "ahp-chat:/fix-the-login-bug"
)

// Demo is a running demo.
type Demo struct {
	// Host is the demo's host. It has no listener yet.
	Host    *host.Host
	clock   *clock
	tracker *tracker
}

// New starts the demo: the servers, and the agent in its first session.
// [Demo.Close] ends it.
func New(opts Options) (*Demo, error) {
	if opts.Command == nil {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program, whose MCP servers the demo starts: %w", err)
		}
		opts.Command = []string{exe, "mcp-server"}
	}
	if opts.Pace == 0 {
		opts.Pace = defaultPace
	}
	if opts.Directory == "" {
		opts.Directory, _ = os.Getwd() // without one the sessions have no directory
	}
	tracker, err := startTracker(opts.TrackerListen, opts.IssuerListen, nil)
	if err != nil {
		return nil, err
	}
	clock, err := startClock()
	if err != nil {
		return nil, errors.Join(err, tracker.close(context.Background()))
	}
	var dir protocol.URI
	if opts.Directory != "" {
		dir = host.FileURI(opts.Directory)
	}
	h := host.New(host.Options{
		Versions: opts.Versions, Log: opts.Log, DefaultDirectory: dir, Files: opts.Files, Terminals: opts.Terminals,
		Info: protocol.Implementation{Name: "ahptui-demo", Title: "ahptui demo"},
	})
	scripted := &agent{pace: opts.Pace}
	h.AddAgent(&protocol.AgentInfo{
		Provider: "demo", DisplayName: "Demo agent", Models: []*protocol.SessionModelInfo{},
		Description:  "Follows a script, and calls real tools of real MCP servers",
		Capabilities: manyChats(),
	}, scripted)
	h.AddAgent(&protocol.AgentInfo{
		Provider: "echo", DisplayName: "Echo", Models: []*protocol.SessionModelInfo{},
		Description: "Says what you say", Capabilities: manyChats(),
	}, host.AgentFunc(scripted.echo))
	for _, s := range history(dir, time.Now()) {
		h.AddSession(s)
	}
	h.AddSession(host.SessionSpec{
		URI: Session, Chat: Chat, Provider: "demo", Title: "Fix the login bug", Directory: dir,
		Servers: servers(opts, clock.url, tracker.url),
	})
	h.StartTurn(Session, task)
	return &Demo{Host: h, clock: clock, tracker: tracker}, nil
}

// manyChats lets sessions have several chats, of every origin.
func manyChats() *protocol.AgentCapabilities {
	return &protocol.AgentCapabilities{MultipleChats: &protocol.MultipleChats{Fork: new(true), SideChat: new(true)}}
}

// Close ends the demo and waits until nothing of it is left, or ctx ends.
func (d *Demo) Close(ctx context.Context) error {
	return errors.Join(d.Host.Close(ctx), d.clock.close(ctx), d.tracker.close(ctx))
}

// servers are those of the session in which the agent works.
func servers(opts Options, clockURL, trackerURL string) []host.ServerSpec {
	stdio := func(name string) mcpserver.Config {
		args := append(slices.Clone(opts.Command[1:]), name)
		return mcpserver.Config{Name: name, Command: opts.Command[0], Args: args, Env: opts.Env}
	}
	const config, plugin = "file:///etc/ahptui-demo/mcp.json", "file:///etc/ahptui-demo/acme-tools/plugin.json"
	archive := stdio("archive") // messages wait until it has opened, which takes a while
	if opts.Pace > 0 {
		archive.Env = maps.Clone(opts.Env)
		if archive.Env == nil {
			archive.Env = map[string]string{}
		}
		archive.Env[opensEnv] = "3s"
	}
	return []host.ServerSpec{
		{ID: "mcp:clock", URI: plugin, Plugin: "acme-tools", Config: mcpserver.Config{Name: "clock", URL: clockURL}},
		{ID: "mcp:notes", URI: config, Config: stdio("notes")},
		{ID: "mcp:tracker", URI: config, Config: mcpserver.Config{Name: "tracker", URL: trackerURL}},
		{ID: "mcp:broken", URI: config, Config: mcpserver.Config{Name: "broken", Command: "acme-issues-mcp"}},
		{ID: "mcp:archive", URI: config, Config: archive, Stopped: true, Blocking: true},
	}
}
