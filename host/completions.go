package host

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"ahptui/host/files"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	maxCompletions = 20
	searchTimeout  = time.Second
	// triggers begin the words for which there are completions: the names of files.
	triggers = "@#"
)

// completions completes the name of a file of the session in a message that is
// being written. It takes the lock itself.
func (h *Host) completions(ctx context.Context, _ *conn, p *protocol.CompletionsParams) (any, *jsonrpc.Error) {
	h.mu.Lock()
	ch := h.chat(p.Channel)
	var dirs []protocol.URI
	if ch != nil {
		dirs = ch.directories()
	}
	h.mu.Unlock()
	before, ok := upTo(p.Text, p.Offset)
	switch {
	case ch == nil:
		return nil, notFound(p.Channel)
	case p.Kind != protocol.CompletionsUserMessage:
		return nil, invalid("there are no completions of kind %s", firstLine(p.Kind, 50))
	case !ok || len(p.Text) > maxTextBytes:
		return nil, invalid("the offset is not one of the text, or the text is too long")
	}
	result := &protocol.CompletionsResult{Items: []*protocol.CompletionItem{}}
	word := lastWord(before)
	if h.opts.Files == NoFiles || word == "" || !strings.ContainsRune(triggers, rune(word[0])) {
		return result, nil
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	for _, dir := range dirs {
		path, ok := filePath(dir)
		if !ok {
			continue
		}
		found, err := files.Search(ctx, path, word[1:], maxCompletions-len(result.Items))
		if err != nil {
			h.log.Debug("a search for files has failed", "err", err)
			continue
		}
		for _, m := range found {
			result.Items = append(result.Items, fileCompletion(before, word, m))
		}
	}
	return result, nil
}

// directories are those that the chat works in.
func (c *chat) directories() []protocol.URI {
	if c.state.WorkingDirectories != nil {
		return c.state.WorkingDirectories
	}
	return c.session.state.WorkingDirectories
}

// upTo is the beginning of a text, up to an offset in UTF-16 units.
func upTo(text string, offset int) (before string, ok bool) {
	for i, r := range text {
		if offset <= 0 {
			return text[:i], offset == 0
		}
		offset -= utf16.RuneLen(r)
	}
	return text, offset == 0
}

// lastWord is what stands after the last white space.
func lastWord(text string) string {
	return text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
}

// units is the length of a text in UTF-16 units.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// fileCompletion completes the word before the cursor to the name of a file, which
// goes with the message as an attachment.
func fileCompletion(before, word string, m files.Match) *protocol.CompletionItem {
	insert, kind := word[:1]+m.Rel, "document"
	if m.Dir {
		insert, kind = insert+"/", "directory"
	}
	start, end := units(before)-units(word), units(before)
	begin := before[:len(before)-len(word)]
	at := protocol.TextPosition{Line: strings.Count(begin, "\n"), Character: units(begin[strings.LastIndexByte(begin, '\n')+1:])}
	meta, err := protocol.Marshal(map[string]string{"path": m.Rel})
	if err != nil {
		meta = nil // strings encode
	}
	return &protocol.CompletionItem{
		InsertText: insert, RangeStart: &start, RangeEnd: &end,
		Attachment: &protocol.MessageAttachment{
			Type: protocol.AttachmentResource, Label: m.Rel, URI: FileURI(m.Path), DisplayKind: kind, Meta: meta,
			Range: &protocol.TextRange{Start: at, End: protocol.TextPosition{Line: at.Line, Character: at.Character + units(insert)}},
		},
	}
}
