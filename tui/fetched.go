package tui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/diff"
	"ahptui/views/toolcall"
)

// The bounds of what is read for the details of tool calls.
const (
	maxFetch   = 8 << 20  // bytes of one content
	maxFetched = 32 << 20 // of all that is kept
	maxRefs    = 20       // that are read for a call
)

// fetches are what was read for the tool calls whose details were shown: inputs,
// outputs and files that are kept elsewhere. They are read when a person looks at
// them.
type fetches struct {
	have *toolcall.Fetched // another one after each change
	size int
	last *protocol.ToolCall // that was looked at
}

// fetchedMsg brings what was read.
type fetchedMsg struct {
	key   string
	edit  bool // it is of an edit
	fetch toolcall.Fetch
	size  int
}

// put notes what is known of a content or of an edit.
func (f *fetches) put(key string, edit bool, fetch toolcall.Fetch) {
	next := &toolcall.Fetched{Texts: map[string]toolcall.Fetch{}, Edits: map[string]toolcall.Fetch{}}
	if f.have != nil {
		next.Texts, next.Edits = maps.Clone(f.have.Texts), maps.Clone(f.have.Edits)
	}
	if edit {
		next.Edits[key] = fetch
	} else {
		next.Texts[key] = fetch
	}
	f.have = next
}

func (f *fetches) known(key string, edit bool) bool {
	if f.have == nil {
		return false
	}
	of := f.have.Texts
	if edit {
		of = f.have.Edits
	}
	_, ok := of[key]
	return ok
}

// again forgets what could not be read, so that it is tried once more.
func (f *fetches) again() {
	f.last = nil
	if f.have == nil {
		return
	}
	failed := func(_ string, fetch toolcall.Fetch) bool { return fetch.Failed }
	next := &toolcall.Fetched{Texts: maps.Clone(f.have.Texts), Edits: maps.Clone(f.have.Edits)}
	maps.DeleteFunc(next.Texts, failed)
	maps.DeleteFunc(next.Edits, failed)
	f.have = next
}

// fetchDetails reads what the selected call refers to, if its details are shown.
func (m *Model) fetchDetails() tea.Cmd {
	if m.conn == nil || m.stale() {
		return nil
	}
	call := m.transcript.SelectedDetails()
	if call == nil || call == m.fetches.last {
		return nil
	}
	if m.fetches.last = call; m.fetches.size > maxFetched {
		m.fetches.have, m.fetches.size = nil, 0
	}
	var cmds []tea.Cmd
	refs, edits := refsOf(call)
	for _, ref := range refs[:min(len(refs), maxRefs)] {
		cmds = append(cmds, m.fetch(ref))
	}
	for _, e := range edits[:min(len(edits), maxRefs)] {
		cmds = append(cmds, m.fetchEdit(e))
	}
	return tea.Batch(cmds...)
}

// refsOf are the contents and the edits that a call refers to.
func refsOf(call *protocol.ToolCall) (refs []*protocol.ContentRef, edits []*protocol.FileEdit) {
	if call.ToolInput.Ref != nil {
		refs = append(refs, call.ToolInput.Ref)
	}
	for _, c := range call.Content {
		switch {
		case c == nil:
		case c.Type == protocol.ContentResource && c.URI != "":
			refs = append(refs, toolcall.ContentRef(c))
		case c.Edit() != nil:
			edits = append(edits, c.Edit())
		}
	}
	if call.Edits != nil {
		for _, e := range call.Edits.Items {
			if e != nil {
				edits = append(edits, e)
			}
		}
	}
	return refs, edits
}

// fetch reads a content, unless that was done.
func (m *Model) fetch(ref *protocol.ContentRef) tea.Cmd {
	key, uri, kind := ref.Key(), ref.URI, ref.ContentType
	switch {
	case m.fetches.known(key, false):
		return nil
	case ref.SizeHint != nil && *ref.SizeHint > maxFetch:
		m.fetches.put(key, false, toolcall.Fetch{Note: safetext.Const("too large to be shown here")})
		return nil
	}
	m.fetches.put(key, false, toolcall.Fetch{Loading: true})
	host := m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, readPatience)
		defer cancel()
		content, err := host.ReadResource(ctx, uri)
		if err != nil {
			return fetchedMsg{key: key, fetch: failedFetch(err)}
		}
		return fetchedMsg{key: key, fetch: fetchOf(content, kind), size: len(content.Data)}
	})
}

// fetchOf is what is shown of a content, which is of a kind unless it says another.
func fetchOf(c *ahpclient.Content, kind string) toolcall.Fetch {
	text := utf8.Valid(c.Data) && bytes.IndexByte(c.Data, 0) < 0
	switch {
	case len(c.Data) > maxFetch:
		return toolcall.Fetch{Note: own(toolcall.Bytes(len(c.Data)) + ": too large to be shown here")}
	case !text:
		return toolcall.Fetch{Note: toolcall.Media(cmp.Or(c.Type, kind), len(c.Data))}
	case len(c.Data) == 0:
		return toolcall.Fetch{Note: safetext.Const("it is empty")}
	}
	return toolcall.Fetch{Text: string(c.Data)}
}

func failedFetch(err error) toolcall.Fetch {
	if refusal, ok := errors.AsType[diff.Refusal](err); ok {
		return toolcall.Fetch{Note: own(refusal.Error()), Failed: true}
	}
	return toolcall.Fetch{Note: own("it cannot be read: " + readError(err)), Failed: true}
}

// fetchEdit reads what a file was and is, unless that was done, and compares the
// two.
func (m *Model) fetchEdit(e *protocol.FileEdit) tea.Cmd {
	key := toolcall.EditKey(e)
	if m.fetches.known(key, true) {
		return nil
	}
	m.fetches.put(key, true, toolcall.Fetch{Loading: true})
	host := m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, readPatience)
		defer cancel()
		d, err := compare(ctx, host, e)
		if err != nil {
			return fetchedMsg{key: key, edit: true, fetch: failedFetch(err)}
		}
		return fetchedMsg{key: key, edit: true, fetch: toolcall.Fetch{Diff: d}, size: diff.MaxBytes / 4}
	})
}

func (m *Model) fetchCame(msg fetchedMsg) {
	m.fetches.put(msg.key, msg.edit, msg.fetch)
	m.fetches.size += msg.size
}
