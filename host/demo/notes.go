package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxNotes and maxNoteBytes bound what a notes server keeps.
const (
	maxNotes     = 1000
	maxNoteBytes = 16 << 10
)

// A note is something that somebody wrote down.
type note struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// notebook is what a notes server keeps, for as long as it runs.
type notebook struct {
	mu    sync.Mutex
	notes []note
}

func newNotebook() *notebook {
	b := &notebook{}
	for _, text := range []string{
		"Login: the redirect after sign-in drops the query string, see handleCallback in auth/callback.go.",
		"Login: Safari keeps the old session cookie, because SameSite is not set on it.",
		"Release 2.4 is cut on Thursday; the changelog is still missing the database migration.",
		"The staging database is restored every night at 02:00 UTC.",
		"Docs: the quick start still shows the flag --url that 2.0 has renamed.",
	} {
		b.notes = append(b.notes, note{len(b.notes) + 1, text})
	}
	return b
}

func (b *notebook) add(text string) (note, error) {
	text = strings.TrimSpace(text)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case text == "":
		return note{}, errors.New("an empty note says nothing")
	case len(text) > maxNoteBytes:
		return note{}, fmt.Errorf("a note can have %d bytes, this one has %d", maxNoteBytes, len(text))
	case len(b.notes) >= maxNotes:
		return note{}, fmt.Errorf("the notebook is full: it holds %d notes", maxNotes)
	}
	n := note{len(b.notes) + 1, text}
	b.notes = append(b.notes, n)
	return n, nil
}

// search returns the notes that have all words of the query.
func (b *notebook) search(query string) []note {
	words := strings.Fields(strings.ToLower(query))
	b.mu.Lock()
	defer b.mu.Unlock()
	found := []note{}
	for _, n := range b.notes {
		if hasAll(strings.ToLower(n.Text), words) {
			found = append(found, n)
		}
	}
	return found
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// The arguments and results of the notes server's tools.
type (
	noArgs     struct{}
	searchArgs struct {
		Query string `json:"query" jsonschema:"words that the notes must have; none means all notes"`
	}
	addArgs struct {
		Text string `json:"text" jsonschema:"the note"`
	}
	notesFound struct {
		Notes []note `json:"notes"`
	}
)

func newNotesServer() *mcp.Server {
	b := newNotebook()
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Title: "Notes", Version: "1.0.0"}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	no := false
	mcp.AddTool(s, &mcp.Tool{Name: "notes.search", Description: "Find notes by their words.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, in searchArgs) (*mcp.CallToolResult, notesFound, error) {
			return listed(b.search(in.Query))
		})
	mcp.AddTool(s, &mcp.Tool{Name: "notes.list", Description: "List all notes.", Annotations: readOnly},
		func(context.Context, *mcp.CallToolRequest, noArgs) (*mcp.CallToolResult, notesFound, error) {
			return listed(b.search(""))
		})
	mcp.AddTool(s, &mcp.Tool{
		Name: "notes.add", Description: "Write a note down.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no},
	}, func(_ context.Context, _ *mcp.CallToolRequest, in addArgs) (*mcp.CallToolResult, note, error) {
		n, err := b.add(in.Text)
		return text(fmt.Sprintf("Added note %d: %s", n.ID, n.Text)), n, err
	})
	return s
}

func listed(notes []note) (*mcp.CallToolResult, notesFound, error) {
	var lines []string
	for _, n := range notes {
		lines = append(lines, fmt.Sprintf("%d. %s", n.ID, n.Text))
	}
	if len(lines) == 0 {
		lines = []string{"No notes."}
	}
	return text(strings.Join(lines, "\n")), notesFound{notes}, nil
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
