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
			list = append(list, &protocol.ToolResultContent{Type: protocol.ContentResource, URI: protocol.URI(c.URI), ContentType: c.MIMEType})
		case c.Data != nil || c.MIMEType != "":
			data := base64.StdEncoding.EncodeToString(c.Data)
			list = append(list, &protocol.ToolResultContent{Type: protocol.ContentEmbedded, Data: data, ContentType: c.MIMEType})
		default:
			list = append(list, protocol.TextContent(c.Text))
		}
	}
	if res.Cut {
		list = append(list, protocol.TextContent("(the rest of the output was left out: it is too large)"))
	}
	return list
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
