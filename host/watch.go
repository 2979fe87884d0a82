package host

import (
	"context"
	"errors"
	"time"

	"ahptui/host/files"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	maxWatches = 64
	// graceSubscribe is how long a watch waits for its subscriber.
	graceSubscribe = 30 * time.Second
)

// A lookedAt channel is worth its cost only as long as somebody subscribes to it.
type lookedAt interface {
	channel
	// look says whether somebody does. It may be called with what is known already,
	// and runs under the host's lock.
	look(h *Host, looking bool)
}

// What follows runs under the host's lock, except where it says otherwise.

// lookAround tells the channels that are looked at whether they are. A client that
// has lost its connection is one for a while.
func (h *Host) lookAround(now time.Time) {
	for uri, ch := range h.channels {
		ch, ok := ch.(lookedAt)
		if !ok {
			continue
		}
		looking := false
		for _, c := range h.clients {
			looking = looking || c.subscribed[uri] != nil && (c.conn != nil || now.Sub(c.goneAt) < graceActive)
		}
		ch.look(h, looking)
	}
}

// A watch tells what changes among the files.
type watch struct {
	uri     protocol.URI
	state   *protocol.ResourceWatchState
	watcher *files.Watcher
	made    time.Time
	taken   bool // somebody has subscribed
}

func (w *watch) kind() protocol.ChannelKind     { return protocol.ResourceWatchKind }
func (w *watch) current() protocol.ChannelState { return w.state }
func (w *watch) reduce(protocol.Action)         {} // which no action does
func (w *watch) settle(*Host, protocol.Action)  {}

func (w *watch) admit(*Host, *client, protocol.Action) (protocol.Action, error) {
	return nil, errors.New("a watch is not changed")
}

func (w *watch) carryOut(*Host, protocol.Action, *protocol.ActionOrigin) {}

// look ends the watch when its subscribers are gone, or when none has come.
func (w *watch) look(h *Host, looking bool) {
	w.taken = w.taken || looking
	if looking || !w.taken && time.Since(w.made) < graceSubscribe {
		return
	}
	h.removeChannel(w.uri)
	h.watches--
	h.closeWatchers([]*files.Watcher{w.watcher})
}

// createResourceWatch takes the lock itself.
func (h *Host) createResourceWatch(_ context.Context, _ *conn, p *protocol.CreateResourceWatchParams) (any, *jsonrpc.Error) {
	place, failure := h.place(p.URI, false)
	if failure != nil {
		return nil, failure
	}
	opts := files.WatchOptions{Recursive: isTrue(p.Recursive)}
	var err error
	if p.Excludes != nil {
		opts.Excludes, err = files.CompilePatterns(p.Excludes.Items)
	}
	if err == nil && p.Includes != nil {
		opts.Includes, err = files.CompilePatterns(p.Includes.Items)
	}
	if err != nil {
		return nil, invalid("%v", err)
	}
	w := &watch{
		uri: protocol.URI("ahp-resource-watch:/" + newID()), made: time.Now(),
		state: &protocol.ResourceWatchState{Root: p.URI, Recursive: opts.Recursive, Excludes: p.Excludes, Includes: p.Includes},
	}
	if !h.reserveWatch() {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the host has too many watches; end some"}
	}
	w.watcher, err = files.Watch(place, opts, func(list []files.Change) { h.filesChanged(w, list) })
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil:
		h.watches--
		return nil, fileError(err)
	case h.closed:
		h.closeWatchers([]*files.Watcher{w.watcher})
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: ErrClosed.Error()}
	}
	h.addChannel(w.uri, w)
	return &protocol.CreateResourceWatchResult{Channel: w.uri}, nil
}

// reserveWatch takes the lock itself.
func (h *Host) reserveWatch() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watches >= maxWatches {
		return false
	}
	h.watches++
	return true
}

// filesChanged tells the subscribers of a watch. It is called by the watcher's own
// goroutine, without the lock.
func (h *Host) filesChanged(w *watch, list []files.Change) {
	changes := &protocol.ResourceChanges{Items: make([]*protocol.ResourceChange, 0, len(list))}
	for _, c := range list {
		kind := protocol.ResourceUpdated
		switch c.Kind {
		case files.Added:
			kind = protocol.ResourceAdded
		case files.Deleted:
			kind = protocol.ResourceDeleted
		case files.Updated:
		}
		changes.Items = append(changes.Items, &protocol.ResourceChange{URI: FileURI(c.Path), Type: kind})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.apply(w.uri, &protocol.ResourceWatchChanged{Changes: changes}, nil)
	}
}

// openWatchers are all watchers that are open, to be closed without the lock.
func (h *Host) openWatchers() []*files.Watcher {
	var list []*files.Watcher
	for _, ch := range h.channels {
		switch ch := ch.(type) {
		case *watch:
			list = append(list, ch.watcher)
		case *changeset:
			list = append(list, ch.watchers...)
			ch.watchers = nil
		}
	}
	return list
}
