package mcpserver

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// Bounds on what a server may cost its host. They are generous for honest servers.
const (
	// maxMessageBytes bounds one JSON-RPC message from a server.
	maxMessageBytes = 8 << 20
	// maxResultBytes bounds the content of one tool result that is kept.
	maxResultBytes = 1 << 20
	// maxTools bounds the tools that are kept of one server, maxToolPages the pages asked for.
	maxTools     = 1000
	maxToolPages = 100
	// maxDescriptionBytes bounds a tool's description, maxSchemaBytes its input schema.
	maxDescriptionBytes = 16 << 10
	maxSchemaBytes      = 256 << 10
	// stderrTailBytes is how much of a process' stderr is remembered.
	stderrTailBytes = 8 << 10
)

const (
	defaultStartTimeout = 60 * time.Second // first starts may download a package
	listTimeout         = 15 * time.Second
	keepAliveInterval   = 30 * time.Second // of an HTTP server, whose death is silent otherwise
	keepAliveFailures   = 3
)

// Config says how one MCP server is reached: by a command that speaks MCP on
// its stdin and stdout, or by the URL of a streamable HTTP endpoint
// (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports).
type Config struct {
	// Name is how messages name the server.
	Name string

	// Command is looked up in PATH, unless it has a path separator: then a
	// relative one is relative to Dir.
	Command string
	Args    []string
	// Env is added to the host's own environment, of which the variables
	// that begin with AHP_ or AHPTUI_ are left out.
	Env map[string]string
	// Dir is the working directory; empty means the host's.
	Dir string

	// URL is an http or https URL, and Header is sent with each request to it.
	URL    string
	Header http.Header
	// OAuthClient is registered at the server's authorization server; clients sign in
	// with it. nil: they find their own.
	OAuthClient *protocol.McpOAuthClient

	// StartTimeout bounds a start, from the first step to ready; zero means one minute.
	StartTimeout time.Duration

	keepAlive time.Duration // between pings over HTTP; zero means keepAliveInterval
}

// Validate says what is wrong with the configuration, if anything is.
func (c *Config) Validate() error {
	switch {
	case c.Name == "":
		return errors.New("a server needs a name")
	case c.Command == "" && c.URL == "":
		return fmt.Errorf("server %s has neither a command nor a url", c.Name)
	case c.Command != "" && c.URL != "":
		return fmt.Errorf("server %s has both a command and a url; it can have one", c.Name)
	case c.URL == "":
		return nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The parse error quotes the URL, which may hold a secret.
		return fmt.Errorf("server %s needs an http or https url with a host", c.Name)
	}
	return nil
}

// secretName matches the names of variables and headers whose values are secrets.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth|cookie`)

// redactor knows the secrets of the configuration, which a server may well
// repeat in what it says about its failure.
func (c *Config) redactor() *secret.Redactor {
	r := new(secret.Redactor)
	for name, value := range c.Env {
		if secretName.MatchString(name) {
			r.Add(secret.New(value))
		}
	}
	for name, values := range c.Header {
		for _, value := range values {
			if secretName.MatchString(name) {
				r.Add(secret.New(value), secret.New(strings.TrimPrefix(value, "Bearer ")))
			}
		}
	}
	return r
}

func (c *Config) startTimeout() time.Duration {
	if c.StartTimeout > 0 {
		return c.StartTimeout
	}
	return defaultStartTimeout
}
