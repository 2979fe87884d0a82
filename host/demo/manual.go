package demo

import (
	"ahptui/host"
	"ahptui/protocol"
)

// Manual is an agent for sessions that a person drives by hand: it runs the
// tools it is told to run, and otherwise says how to tell it.
func Manual() (*protocol.AgentInfo, host.Agent) {
	info := &protocol.AgentInfo{
		Provider: "manual", DisplayName: "By hand", Models: []*protocol.SessionModelInfo{},
		Description:  "Calls the tools of the session's MCP servers that you tell it to call",
		Capabilities: manyChats(),
	}
	return info, &agent{}
}
