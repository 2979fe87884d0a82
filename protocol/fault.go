package protocol

import (
	"strings"
)

// Fault is why an MCP server does not run, as far as the host's words tell.
type Fault string

// The faults.
const (
	FaultUnknown  Fault = ""
	FaultDNS      Fault = "dns"      // its host has no address
	FaultRefused  Fault = "refused"  // nothing listens there
	FaultTimeout  Fault = "timeout"  // it did not answer in time
	FaultTLS      Fault = "tls"      // the connection is not to be trusted
	FaultAuth     Fault = "auth"     // it does not let the host in
	FaultNotFound Fault = "notFound" // there is nothing at its address
	FaultNotMcp   Fault = "notMcp"   // something else than an MCP server answers
	FaultProtocol Fault = "protocol" // they do not understand each other
	FaultCommand  Fault = "command"  // its command cannot be run
	FaultExited   Fault = "exited"   // it ran and ended, or the connection to it did
)

// maxFaultText bounds how much of an error is looked at, in bytes: what tells is at its beginning.
const maxFaultText = 4000

// FaultOf tells the fault by the words of an error: hosts have no codes for it. The first that matches counts.
func FaultOf(e *ErrorInfo) Fault {
	if e == nil {
		return FaultUnknown
	}
	message := e.Message
	if len(message) > maxFaultText {
		message = message[:maxFaultText]
	}
	text := strings.ToLower(e.ErrorType + " " + message)
	for _, row := range faultTable() {
		for _, words := range row.words {
			if mentions(text, words) {
				return row.fault
			}
		}
	}
	return FaultUnknown
}

type faultWords struct {
	fault Fault
	words []string
}

// faultTable are the words of Go, Node, Python and curl for what goes wrong, and of MCP's own clients; what is more
// particular stands above.
func faultTable() []faultWords {
	return []faultWords{
		{FaultDNS, []string{
			"no such host", "enotfound", "eai_again", "tcp: lookup ", "could not resolve", "name resolution", "name or service not known",
			"getaddrinfo", "nodename nor servname", "dnserror",
		}},
		{FaultRefused, []string{"connection refused", "econnrefused", "actively refused", "could not connect to server", "unable to connect"}},
		{FaultTimeout, []string{"handshake timeout", "timed out", "timeout", "etimedout", "deadline exceeded", "took too long"}},
		{FaultTLS, []string{
			"x509", "certificate", "tls", "ssl", "self signed", "self-signed", "unable to verify", "http response to https client",
		}},
		{FaultCommand, []string{
			"executable file not found", "command not found", "enoent", "no such file or directory", "not found in path", "eacces",
			"permission denied", "cannot find the file", "spawn",
		}},
		{FaultAuth, []string{"401", "403", "unauthorized", "unauthorised", "forbidden", "invalid_token", "invalid token", "access denied", "authentication failed"}},
		{FaultNotMcp, []string{
			"405", "406", "415", "method not allowed", "text/html", "<!doctype", "<html", "unexpected token <", "unexpected token '<'",
			"content type", "content-type", "not an mcp server", "not valid json", "invalid character '<'",
		}},
		{FaultNotFound, []string{"404", "410", "not found"}},
		{FaultExited, []string{
			"exited", "exit status", "exit code", "signal: ", "econnreset", "connection reset", "epipe", "broken pipe", "connection closed",
			"closed unexpectedly", "socket hang up", "unexpected eof", "eof", "terminated",
		}},
		{FaultProtocol, []string{
			"protocol version", "json-rpc", "jsonrpc", "-32600", "-32601", "-32602", "-32603", "-32700", "method not found", "initialize",
			"handshake", "parse error", "malformed",
		}},
	}
}

// mentions reports whether a text has words in it; a short one has to stand alone: a number is no part of another one.
func mentions(text, words string) bool {
	const short = 3
	for rest, at := text, 0; ; {
		i := strings.Index(rest, words)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(words)
		if len(words) > short || !wordByte(text, at-1) && !wordByte(text, end) {
			return true
		}
		at, rest = at+1, text[at+1:]
	}
}

func wordByte(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}

// Words says what it means, for a person.
func (f Fault) Words() string {
	switch f {
	case FaultDNS:
		return "its host name has no address"
	case FaultRefused:
		return "nothing listens at its address"
	case FaultTimeout:
		return "it did not answer in time"
	case FaultTLS:
		return "its certificate or its encryption is not accepted"
	case FaultAuth:
		return "it does not let the host in"
	case FaultNotFound:
		return "there is nothing at its address"
	case FaultNotMcp:
		return "what answers is not an MCP server"
	case FaultProtocol:
		return "it and the host do not understand each other"
	case FaultCommand:
		return "its command cannot be run"
	case FaultExited:
		return "it ended, or the connection to it did"
	case FaultUnknown:
	}
	return ""
}

// Remedy says what a person can look at.
func (f Fault) Remedy() string {
	switch f {
	case FaultDNS:
		return "Look at the host name in its declaration, and whether the machine of the host can resolve it (VPN, proxy)."
	case FaultRefused:
		return "Look at the address and the port in its declaration, and whether the server runs there."
	case FaultTimeout:
		return "Start it again; if it stays slow, look at the server, or at what lies between it and the host (proxy, firewall)."
	case FaultTLS:
		return "Look at the server's certificate, at whether the host's machine trusts it, and at http or https in the declaration."
	case FaultAuth:
		return "Sign in again, or look at the credentials in its declaration: the host did not report that a sign-in would do."
	case FaultNotFound:
		return "Look at the path of the address in its declaration."
	case FaultNotMcp:
		return "Look at the address in its declaration: a web page or another service answers there."
	case FaultProtocol:
		return "Look at the versions of server and host, and at the host's log."
	case FaultCommand:
		return "Install the command on the host's machine, or mend its declaration."
	case FaultExited:
		return "Look at the server's own output in the host's log, then start it again."
	case FaultUnknown:
	}
	return "Look into the host's log, then start it again."
}
