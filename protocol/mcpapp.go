package protocol

// McpAppCapabilities tells by presence which methods of an MCP server its
// side-channel serves.
type McpAppCapabilities struct {
	ServerTools     *McpListCapability     `json:"serverTools,omitzero"`
	ServerResources *McpListCapability     `json:"serverResources,omitzero"`
	Logging         Raw                    `json:"logging,omitzero"`
	Sampling        *McpSamplingCapability `json:"sampling,omitzero"`
	Extra           Raw                    `json:",embed"`
}

// McpListCapability is a capability to list something; ListChanged is whether
// the list is said to have changed when it has.
type McpListCapability struct {
	ListChanged *bool `json:"listChanged,omitzero"`
	Extra       Raw   `json:",embed"`
}

// McpSamplingCapability is the capability to ask a model; Tools is whether tools
// may be part of it.
type McpSamplingCapability struct {
	Tools Raw `json:"tools,omitzero"`
	Extra Raw `json:",embed"`
}

// App are the capabilities of a server's side-channel, or nil where it has none
// that can be read.
func (c *Customization) App() *McpAppCapabilities {
	var app struct {
		Capabilities *McpAppCapabilities `json:"capabilities"`
	}
	if c.McpApp == nil || Unmarshal(c.McpApp, &app) != nil {
		return nil
	}
	return app.Capabilities
}

// Serves reports whether a client may call an MCP method on the side-channel.
func (c *McpAppCapabilities) Serves(method string) bool {
	if c == nil {
		return false
	}
	switch method {
	case "tools/list", "tools/call":
		return c.ServerTools != nil
	case "resources/list", "resources/templates/list", "resources/read":
		return c.ServerResources != nil
	case "logging/setLevel", "notifications/message":
		return c.Logging != nil
	case "sampling/createMessage":
		return c.Sampling != nil
	}
	return false
}

// Forwards reports whether a host may send an MCP notification on the side-channel.
func (c *McpAppCapabilities) Forwards(method string) bool {
	if c == nil {
		return false
	}
	switch method {
	case "notifications/tools/list_changed":
		return c.ServerTools != nil && isTrue(c.ServerTools.ListChanged)
	case "notifications/resources/list_changed":
		return c.ServerResources != nil && isTrue(c.ServerResources.ListChanged)
	}
	return false
}
