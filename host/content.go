package host

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// toolContent is the protocol's form of what a tool gave.
func toolContent(res *mcpserver.Result) []*protocol.ToolResultContent {
	var list []*protocol.ToolResultContent
	for _, c := range res.Content {
		switch {
		case c.URI != "":
			list = append(list, withMembers("resource", members{"uri": c.URI, "contentType": c.MIMEType}))
		case c.Data != nil || c.MIMEType != "":
			data := base64.StdEncoding.EncodeToString(c.Data)
			list = append(list, withMembers("embeddedResource", members{"data": data, "contentType": c.MIMEType}))
		default:
			list = append(list, protocol.TextContent(c.Text))
		}
	}
	if res.Cut {
		list = append(list, protocol.TextContent("(the rest of the output was left out: it is too large)"))
	}
	return list
}

type members map[string]string

// withMembers makes content of a type whose members protocol keeps as they are.
func withMembers(typ string, m members) *protocol.ToolResultContent {
	for name, value := range m {
		if value == "" {
			delete(m, name)
		}
	}
	extra, err := protocol.Marshal(m)
	if err != nil {
		extra = nil // a map of strings encodes
	}
	return &protocol.ToolResultContent{Type: typ, Extra: extra}
}

// firstLine returns the first line of a text, at most limit bytes of it.
func firstLine(s string, limit int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
