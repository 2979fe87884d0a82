package protocol_test

import (
	"strings"
	"testing"

	"ahptui/protocol"
)

// TestFaults: what hosts and servers of several languages say.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind, message string
		want          protocol.Fault
	}{
		{"", "Post \"http://a.example/mcp\": dial tcp: lookup a.example: no such host", protocol.FaultDNS},
		{"", "dial tcp: lookup a.example on 10.0.0.1:53: read udp: i/o timeout", protocol.FaultDNS},
		{"FetchError", "getaddrinfo ENOTFOUND a.example", protocol.FaultDNS},
		{"", "[Errno -2] Name or service not known", protocol.FaultDNS},
		{"", "dial tcp 127.0.0.1:4030: connect: connection refused", protocol.FaultRefused},
		{"", "connect ECONNREFUSED 127.0.0.1:401", protocol.FaultRefused},
		{"", "net/http: TLS handshake timeout", protocol.FaultTimeout},
		{"", "context deadline exceeded (Client.Timeout exceeded while awaiting headers)", protocol.FaultTimeout},
		{"ConnectTimeout", "", protocol.FaultTimeout},
		{"", "MCP error -32001: Request timed out", protocol.FaultTimeout},
		{"", "tls: failed to verify certificate: x509: certificate signed by unknown authority", protocol.FaultTLS},
		{"", "http: server gave HTTP response to HTTPS client", protocol.FaultTLS},
		{"", "unable to verify the first certificate", protocol.FaultTLS},
		{"", "Error POSTing to endpoint (HTTP 401): nope", protocol.FaultAuth},
		{"", "403 Forbidden", protocol.FaultAuth},
		{"", "invalid_token", protocol.FaultAuth},
		{"", "unexpected status 404 Not Found", protocol.FaultNotFound},
		{"", "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", protocol.FaultNotMcp},
		{"", "unsupported content type \"text/html\"", protocol.FaultNotMcp},
		{"", "405 Method Not Allowed", protocol.FaultNotMcp},
		{"", "unsupported protocol version: \"2023-01-01\"", protocol.FaultProtocol},
		{"", "calling \"initialize\": invalid request", protocol.FaultProtocol},
		{"", "exec: \"acme\": executable file not found in $PATH", protocol.FaultCommand},
		{"spawn", "acme-issues-mcp was not found in PATH", protocol.FaultCommand},
		{"", "spawn npx ENOENT", protocol.FaultCommand},
		{"", "fork/exec /x: permission denied", protocol.FaultCommand},
		{"", "the process exited: exit status 1", protocol.FaultExited},
		{"", "MCP error -32000: Connection closed", protocol.FaultExited},
		{"", "socket hang up", protocol.FaultExited},
		{"", "it took 1404 steps and 4031 more", protocol.FaultUnknown},
		{"", "", protocol.FaultUnknown},
		{"", strings.Repeat("x", 1<<20) + "connection refused", protocol.FaultUnknown}, // too far behind
	} {
		if got := protocol.FaultOf(&protocol.ErrorInfo{ErrorType: tt.kind, Message: tt.message}); got != tt.want {
			t.Errorf("%q %.80q: %q, want %q", tt.kind, tt.message, got, tt.want)
		}
	}
	if got := protocol.FaultOf(nil); got != protocol.FaultUnknown {
		t.Error(got)
	}
}

// TestFaultWords: there is something to say and to do about each.
func TestFaultWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range []protocol.Fault{
		protocol.FaultDNS, protocol.FaultRefused, protocol.FaultTimeout, protocol.FaultTLS, protocol.FaultAuth, protocol.FaultNotFound,
		protocol.FaultNotMcp, protocol.FaultProtocol, protocol.FaultCommand, protocol.FaultExited,
	} {
		if f.Words() == "" || f.Remedy() == "" || seen[f.Words()] {
			t.Errorf("%s: %q %q", f, f.Words(), f.Remedy())
		}
		seen[f.Words()] = true
	}
	if protocol.FaultUnknown.Words() != "" || protocol.FaultUnknown.Remedy() == "" {
		t.Error("what is not known has words, or no remedy")
	}
}
