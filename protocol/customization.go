package protocol

// CustomizationType tells the kinds of [Customization] apart.
type CustomizationType string

// The types of containers and children; unknown ones are kept.
const (
	TypePlugin    CustomizationType = "plugin"
	TypeDirectory CustomizationType = "directory"
	TypeMcpServer CustomizationType = "mcpServer"
	TypeAgent     CustomizationType = "agent"
	TypeSkill     CustomizationType = "skill"
	TypePrompt    CustomizationType = "prompt"
	TypeRule      CustomizationType = "rule"
	TypeHook      CustomizationType = "hook"
)

// Customization is an entry of a session's customizations: a container (plugin,
// directory) with children, or an MCP server, an agent, a skill, …
//
// Intent (On) and, for an MCP server, runtime (State) are independent facts.
type Customization struct {
	Type  CustomizationType `json:"type"`
	ID    string            `json:"id,omitzero"`
	URI   URI               `json:"uri,omitzero"`
	Name  string            `json:"name,omitzero"`
	Icons []*Icon           `json:"icons,omitzero"`
	Range *TextRange        `json:"range,omitzero"`
	Meta  Raw               `json:"_meta,omitzero" since:"0.5.2"`

	// Enabled is the decision up to 0.7, and at every version that of
	// directories and of children other than servers. Enablement is that of
	// plugins and servers from 0.8 on, most specific scope first.
	Enabled    *bool         `json:"enabled,omitzero"`
	Enablement []*Enablement `json:"enablement,omitzero" since:"0.8.0"`

	// What an agent, skill, prompt or rule says of itself.
	Description            string   `json:"description,omitzero"`
	Model                  string   `json:"model,omitzero"` // agent
	Tools                  []string `json:"tools,omitzero"` // agent; empty: no limit
	DisableModelInvocation *bool    `json:"disableModelInvocation,omitzero" since:"0.5.2"`
	DisableUserInvocation  *bool    `json:"disableUserInvocation,omitzero" since:"0.5.2"`
	AlwaysApply            *bool    `json:"alwaysApply,omitzero"` // rule
	Globs                  []string `json:"globs,omitzero"`       // rule

	// Containers.
	ClientID string           `json:"clientId,omitzero"`
	Load     *LoadState       `json:"load,omitzero"`
	Children []*Customization `json:"children,omitzero"`              // nil: not parsed yet
	Version  string           `json:"version,omitzero" since:"0.5.2"` // plugin
	Contents string           `json:"contents,omitzero"`              // directory: the type of its children
	Writable *bool            `json:"writable,omitzero"`              // directory

	// A plugin that a client brings.
	Nonce           string                   `json:"nonce,omitzero"`
	ChildEnablement map[string][]*Enablement `json:"childEnablement,omitzero" since:"0.8.0"` // by name of the child

	// MCP servers.
	State   *McpServerState `json:"state,omitzero"`
	Channel URI             `json:"channel,omitzero"`
	McpApp  Raw             `json:"mcpApp,omitzero"` // read by [Customization.App]

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed"`
}

// Enablement is one decision about a plugin or server in a scope: "session",
// "workspace" (with URI) or "global".
type Enablement struct {
	Kind    string `json:"kind"`
	URI     URI    `json:"uri,omitzero"`
	Enabled bool   `json:"enabled"`
	Extra   Raw    `json:",embed"`
}

// The scopes of an [Enablement], most specific first.
const (
	ScopeSession   = "session"
	ScopeWorkspace = "workspace"
	ScopeGlobal    = "global"
)

// LoadState is how far a container was read: loading, loaded, degraded, error.
type LoadState struct {
	Kind    string `json:"kind"`
	Message string `json:"message,omitzero"`
	Extra   Raw    `json:",embed"`
}

// On is the entry's own decision: the first of Enablement, else Enabled, else on.
func (c *Customization) On() bool {
	if len(c.Enablement) > 0 {
		return c.Enablement[0].Enabled
	}
	return c.Enabled == nil || *c.Enabled
}

// Scope names the scope of the decisive entry, or "" where there is none.
func (c *Customization) Scope() string {
	if len(c.Enablement) > 0 {
		return c.Enablement[0].Kind
	}
	return ""
}

// Blocks reports whether messages wait for the server to start (from 1.0).
func (c *Customization) Blocks() bool {
	return c.State != nil && c.State.Kind == McpStarting && isTrue(c.State.Blocking)
}

// StateKind is the runtime state of a server, or "" where it has none.
func (c *Customization) StateKind() McpStateKind {
	if c.State == nil {
		return ""
	}
	return c.State.Kind
}

// McpStateKind is the runtime state of an MCP server.
type McpStateKind string

// The runtime states.
const (
	McpStarting     McpStateKind = "starting"
	McpReady        McpStateKind = "ready"
	McpAuthRequired McpStateKind = "authRequired"
	McpError        McpStateKind = "error"
	McpStopped      McpStateKind = "stopped"
)

// McpServerState is the runtime state of an MCP server. The members of the
// authorization requirement are set for McpAuthRequired, Error for McpError.
type McpServerState struct {
	Kind     McpStateKind `json:"kind"`
	Blocking *bool        `json:"blocking,omitzero" since:"1.0.0"` // starting: messages wait for it
	Error    *ErrorInfo   `json:"error,omitzero"`

	Reason         string                     `json:"reason,omitzero"`
	OAuthClient    *McpOAuthClient            `json:"oauthClient,omitzero" since:"0.6.0"`
	Resource       *ProtectedResourceMetadata `json:"resource,omitzero"`
	RequiredScopes []string                   `json:"requiredScopes,omitzero"`
	Description    string                     `json:"description,omitzero"`

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed"`
}

// Requirement is the authorization requirement of a state of kind McpAuthRequired.
func (s *McpServerState) Requirement() *McpAuthRequirement {
	if s == nil || s.Kind != McpAuthRequired {
		return nil
	}
	return &McpAuthRequirement{
		Reason: s.Reason, OAuthClient: s.OAuthClient, Resource: s.Resource,
		RequiredScopes: s.RequiredScopes, Description: s.Description,
	}
}

// McpAuthRequirement says what a server or a tool call needs before it goes on.
// Reason is required, expired, insufficientScope, or a word not known here.
type McpAuthRequirement struct {
	Reason         string                     `json:"reason"`
	OAuthClient    *McpOAuthClient            `json:"oauthClient,omitzero" since:"0.6.0"`
	Resource       *ProtectedResourceMetadata `json:"resource,omitzero"`
	RequiredScopes []string                   `json:"requiredScopes,omitzero"`
	Description    string                     `json:"description,omitzero"`
	Extra          Raw                        `json:",embed"`
}

// McpOAuthClient is a pre-registered OAuth client. ClientSecret is a secret in
// plain state: nothing may show or log it.
type McpOAuthClient struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitzero"`
	Extra        Raw    `json:",embed"`
}
