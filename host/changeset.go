package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"ahptui/host/files"
	"ahptui/host/worktree"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	// refreshEvery is the shortest time between two looks at a working tree.
	refreshEvery = time.Second
	// fewFiles is how many files can have changed so that each is told by itself.
	fewFiles = 20
	// blobScheme begins the URIs of what files were in the last commit.
	blobScheme = "ahp-blob:/"
)

// A changeset is what has changed in a session's directory since the last commit.
type changeset struct {
	uri     protocol.URI
	session *session
	tree    *worktree.Tree
	state   *protocol.ChangesetState
	changes map[string]*worktree.Change // by the id of their file
	known   bool                        // it was computed once

	refreshing, again bool
	watching          bool
	watchers          []*files.Watcher // nil until they are made, or where they cannot be
}

func (c *changeset) kind() protocol.ChannelKind     { return protocol.ChangesetKind }
func (c *changeset) current() protocol.ChannelState { return c.state }

func (c *changeset) reduce(a protocol.Action) {
	c.state = protocol.ReduceChangeset(profile, c.state, a)
}

func (c *changeset) settle(*Host, protocol.Action) {}

// treeOf is the working tree that a session's directory is in, or nil where
// changes are not shown. It takes no lock.
func (h *Host) treeOf(dir protocol.URI) *worktree.Tree {
	path, ok := filePath(dir)
	if h.opts.Files == NoFiles || !ok || !worktree.Inside(path) {
		return nil
	}
	return worktree.At(path)
}

// What follows runs under the host's lock, except where it says otherwise.

// addChangeset gives a new session its changeset, if it has a working tree.
func (h *Host) addChangeset(s *session, tree *worktree.Tree) {
	if tree == nil {
		return
	}
	c := &changeset{
		uri: protocol.URI("ahp-changeset:/" + newID()), session: s, tree: tree,
		state: &protocol.ChangesetState{Status: protocol.ChangesetComputing, Files: []*protocol.ChangesetFile{}, Operations: h.operations()},
	}
	s.changeset = c
	s.state.Changesets = []*protocol.Changeset{{
		Label: "Uncommitted changes", Description: "What has changed since the last commit", URITemplate: string(c.uri),
		ChangeKind: protocol.ChangesNotStored, Capabilities: &protocol.ChangesetCapabilities{Review: protocol.Raw("{}")},
	}}
	h.addChannel(c.uri, c)
}

// The operations on a changeset.
const (
	opStage   = "stage"
	opUnstage = "unstage"
	opDiscard = "discard"
)

func (h *Host) operations() []*protocol.ChangesetOperation {
	if h.opts.Files != WriteFiles {
		return nil
	}
	both := []string{protocol.OperationOnChangeset, protocol.OperationOnResource}
	return []*protocol.ChangesetOperation{
		{ID: opStage, Label: "Stage", Description: "Put the changes into the index", Scopes: both, Group: "index", Status: protocol.OperationIdle},
		{ID: opUnstage, Label: "Unstage", Description: "Take the changes out of the index", Scopes: both, Group: "index", Status: protocol.OperationIdle},
		{
			ID: opDiscard, Label: "Discard", Description: "Make the file what it was in the last commit", Scopes: []string{protocol.OperationOnResource},
			Confirmation: protocol.Plain("Discard the changes of this file? They are lost for good."), Group: "discard",
			Status: protocol.OperationIdle,
		},
	}
}

// look begins or ends to keep the changeset up to date.
func (c *changeset) look(h *Host, looking bool) {
	switch {
	case looking && !c.watching:
		c.watching = true
		h.work.Go(func() { h.watchTree(c) })
		h.refresh(c)
	case !looking && c.watching:
		c.watching = false
		h.closeWatchers(c.watchers)
		c.watchers = nil
	}
}

// watchTree watches the files of a changeset. A tree that is too large goes without:
// then turns and operations are what it is refreshed after. It takes the lock itself.
func (h *Host) watchTree(c *changeset) {
	changed := func([]files.Change) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if c.watching {
			h.refresh(c)
		}
	}
	dir := c.tree.Dir()
	var made []*files.Watcher
	for path, globs := range map[string][2][]string{
		dir:                        {{".git/**", "**/node_modules/**"}, nil},
		filepath.Join(dir, ".git"): {nil, {"index", "HEAD"}},
	} {
		place, ok := files.Find([]string{dir}, path)
		excludes, excludesErr := files.CompilePatterns(globs[0])
		includes, includesErr := files.CompilePatterns(globs[1])
		if !ok || excludesErr != nil || includesErr != nil {
			continue // it cannot be
		}
		w, err := files.Watch(place, files.WatchOptions{Recursive: path == dir, Excludes: excludes, Includes: includes}, changed)
		if err != nil {
			h.log.Debug("a working tree is not watched", "err", err)
			continue
		}
		made = append(made, w)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !c.watching || h.closed { // any more
		h.closeWatchers(made)
		return
	}
	c.watchers = made
}

// closeWatchers ends watches. That waits for what they tell, which takes the lock.
func (h *Host) closeWatchers(list []*files.Watcher) {
	for _, w := range list {
		h.work.Go(w.Close)
	}
}

// refresh computes a changeset anew, unless that is under way: then once more
// afterwards.
func (h *Host) refresh(c *changeset) {
	if h.closed || h.channels[c.uri] != c {
		return
	}
	if c.refreshing {
		c.again = true
		return
	}
	c.refreshing = true
	if c.known {
		h.apply(c.uri, &protocol.ChangesetStatusChanged{Status: protocol.ChangesetRecomputing}, nil)
	}
	h.work.Go(func() { h.compute(c) })
}

// compute computes a changeset until nothing more is asked for. It takes the lock
// itself.
func (h *Host) compute(c *changeset) {
	for {
		list, cut, err := c.tree.Changes(h.ctx)
		h.mu.Lock()
		if h.closed || h.channels[c.uri] != c {
			h.mu.Unlock()
			return
		}
		if cut {
			h.log.Info("a changeset has more files than are shown", "session", c.session.uri)
		}
		h.computed(c, list, err)
		if !c.again {
			c.refreshing = false
			h.mu.Unlock()
			return
		}
		c.again = false
		h.mu.Unlock()
		wait := time.NewTimer(refreshEvery)
		select {
		case <-wait.C:
		case <-h.ctx.Done():
		}
		wait.Stop()
	}
}

// computed tells what has become of a changeset.
func (h *Host) computed(c *changeset, list []*worktree.Change, err error) {
	if err != nil {
		h.apply(c.uri, &protocol.ChangesetStatusChanged{Status: protocol.ChangesetError, Error: &protocol.ErrorInfo{
			ErrorType: "git-failed", Message: firstLine(err.Error(), 300),
		}}, nil)
		return
	}
	before := c.changes
	c.changes = map[string]*worktree.Change{}
	fresh := make([]*protocol.ChangesetFile, 0, len(list))
	for _, change := range list {
		c.changes[change.ID()] = change
		fresh = append(fresh, c.file(change, before[change.ID()]))
	}
	h.tell(c, fresh)
	c.known = true
	h.apply(c.uri, &protocol.ChangesetStatusChanged{Status: protocol.ChangesetReady}, nil)
	h.announceChanges(c.session)
}

// file is the protocol's form of a change. A file that was reviewed stays so as
// long as it is what it was.
func (c *changeset) file(change, before *worktree.Change) *protocol.ChangesetFile {
	f := &protocol.ChangesetFile{ID: change.ID(), Edit: &protocol.FileEdit{}}
	uri := func(path string) protocol.URI { return FileURI(filepath.Join(c.tree.Dir(), filepath.FromSlash(path))) }
	if change.Before != "" {
		blob := protocol.URI(blobScheme + strings.TrimPrefix(string(c.uri), "ahp-changeset:/") + "/" + change.Blob)
		f.Edit.Before = &protocol.FileVersion{URI: uri(change.Before), Content: protocol.ContentRef{URI: blob, ContentType: files.ContentType(change.Before, nil)}}
	}
	if change.After != "" {
		f.Edit.After = &protocol.FileVersion{URI: uri(change.After), Content: protocol.ContentRef{
			URI: uri(change.After), Nonce: change.Mark, ContentType: files.ContentType(change.After, nil),
		}}
	}
	if change.Counted {
		added, removed := float64(change.Added), float64(change.Removed)
		f.Edit.Diff = &protocol.DiffCount{Added: &added, Removed: &removed}
	}
	if before == nil || before.Mark != change.Mark {
		return f
	}
	for _, old := range c.state.Files {
		if old.ID == f.ID {
			f.Reviewed = old.Reviewed
		}
	}
	return f
}

// tell brings the files in the state of a changeset up to date: one by one, or all
// together where there are many changes.
func (h *Host) tell(c *changeset, fresh []*protocol.ChangesetFile) {
	var actions []protocol.Action
	for _, old := range c.state.Files {
		if !slices.ContainsFunc(fresh, func(f *protocol.ChangesetFile) bool { return f.ID == old.ID }) {
			actions = append(actions, &protocol.ChangesetFileRemoved{FileID: old.ID})
		}
	}
	have := map[string]*protocol.ChangesetFile{}
	for _, old := range c.state.Files {
		have[old.ID] = old
	}
	for _, f := range fresh {
		if old := have[f.ID]; old == nil || !reflect.DeepEqual(old, f) {
			actions = append(actions, &protocol.ChangesetFileSet{File: f})
		}
	}
	if !c.known || len(actions) > fewFiles {
		actions = []protocol.Action{&protocol.ChangesetContentChanged{Files: fresh, Operations: c.state.Operations}}
	}
	for _, a := range actions {
		h.apply(c.uri, a, nil)
	}
}

// summary counts what has changed; nil where that is not known.
func (c *changeset) summary() *protocol.ChangesSummary {
	if c == nil || !c.known {
		return nil
	}
	var added, removed float64
	for _, change := range c.changes {
		added, removed = added+float64(change.Added), removed+float64(change.Removed)
	}
	n := float64(len(c.changes))
	return &protocol.ChangesSummary{Additions: &added, Deletions: &removed, Files: &n}
}

// drop ends a changeset whose session is gone.
func (c *changeset) drop(h *Host) {
	if c == nil {
		return
	}
	c.look(h, false)
	h.removeChannel(c.uri)
}

func (c *changeset) admit(_ *Host, _ *client, a protocol.Action) (protocol.Action, error) {
	review, ok := a.(*protocol.ChangesetFilesReviewChanged)
	if !ok {
		return nil, fmt.Errorf("this host does not support %s", a.ActionType())
	}
	for _, id := range review.Files {
		if c.changes[id] == nil {
			return nil, fmt.Errorf("the changeset has no file %s", firstLine(id, 200))
		}
	}
	if len(review.Files) == 0 {
		return nil, errors.New("no file is named")
	}
	return a, nil
}

func (c *changeset) carryOut(h *Host, a protocol.Action, origin *protocol.ActionOrigin) {
	h.apply(c.uri, a, origin)
}

// readBlob reads what a file was in the last commit. It takes the lock itself.
func (h *Host) readBlob(ctx context.Context, rest string) (data []byte, name string, failure *jsonrpc.Error) {
	missing := &jsonrpc.Error{Code: protocol.CodeNotFound, Message: "there is no such content, or it is no longer that of a change"}
	id, blob, _ := strings.Cut(rest, "/")
	h.mu.Lock()
	c, ok := h.channels[protocol.URI("ahp-changeset:/"+id)].(*changeset)
	if ok {
		for _, change := range c.changes {
			if change.Blob == blob && blob != "" {
				name = change.Before
			}
		}
	}
	h.mu.Unlock()
	if name == "" {
		return nil, "", missing
	}
	data, err := c.tree.Before(ctx, blob)
	switch {
	case err != nil:
		return nil, "", missing
	case len(data) > files.MaxFileBytes:
		return nil, "", fileError(files.ErrTooLarge)
	}
	return data, name, nil
}
