package transcript

import (
	"cmp"
	"fmt"
	"path"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/frame"
)

// maxAttached bounds the attachments of a message that are named.
const maxAttached = 20

// attached names what goes with a message.
func attached(msg *protocol.Message) []safetext.Text {
	if msg == nil {
		return nil
	}
	var names []safetext.Text
	for i, a := range msg.Attachments {
		if i == maxAttached {
			names = append(names, frame.Own(fmt.Sprintf("and %d more", len(msg.Attachments)-i)))
			break
		}
		if a == nil {
			continue
		}
		name := clean(cmp.Or(a.Label, lastOf(a.URI), string(a.Resource), "(no name)"))
		if kind := clean(cmp.Or(a.DisplayKind, a.ContentType, a.Type)); !kind.Empty() {
			name = safetext.Concat(name, safetext.Const(" ("), kind, safetext.Const(")"))
		}
		names = append(names, name)
	}
	return names
}

// lastOf is what a resource is called without where it is.
func lastOf(uri protocol.URI) string {
	if uri == "" {
		return ""
	}
	return path.Base(string(uri))
}

// attachedLines draws names of attachments in the width behind the column of who speaks.
func (m *Model) attachedLines(names []safetext.Text) []string {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = frame.Line{}.Own(m.theme.Dim, "+ ").Add(m.theme.Dim, name).Fit(m.width-m.gutter(), m.theme.Text)
	}
	return lines
}
