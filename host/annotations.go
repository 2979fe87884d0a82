package host

import (
	"errors"
	"fmt"
	"slices"

	"ahptui/protocol"
)

// The limits of a session's annotations.
const (
	maxAnnotations     = 500
	maxEntries         = 100      // of one annotation
	maxAnnotationID    = 256      // bytes, of an annotation or an entry
	maxAnnotationBytes = 64 << 10 // of one, as JSON
	maxAllAnnotations  = 4 << 20  // of all of them
)

// annotations are the remarks about what a session has made.
type annotations struct {
	uri     protocol.URI
	session *session
	state   *protocol.AnnotationsState
	sizes   map[string]int // of each annotation, as JSON
	size    int            // of all
}

func newAnnotations(s *session) *annotations {
	return &annotations{
		uri: s.uri + "/annotations", session: s, sizes: map[string]int{},
		state: &protocol.AnnotationsState{Annotations: []*protocol.Annotation{}},
	}
}

func (n *annotations) kind() protocol.ChannelKind     { return protocol.AnnotationsKind }
func (n *annotations) current() protocol.ChannelState { return n.state }

// What follows runs under the host's lock.

func (n *annotations) reduce(a protocol.Action) {
	n.state = protocol.ReduceAnnotations(profile, n.state, a)
	id := annotationID(a)
	n.size -= n.sizes[id]
	delete(n.sizes, id)
	if one := findAnnotation(n.state, id); one != nil {
		n.sizes[id] = annotationSize(one)
		n.size += n.sizes[id]
	}
}

func (n *annotations) settle(h *Host, _ protocol.Action) { h.announceChanges(n.session) }

// summary counts the annotations.
func (n *annotations) summary() *protocol.AnnotationsSummary {
	entries := 0
	for _, a := range n.state.Annotations {
		entries += len(a.Entries)
	}
	return &protocol.AnnotationsSummary{Resource: n.uri, AnnotationCount: float64(len(n.state.Annotations)), EntryCount: float64(entries)}
}

// annotationID is the annotation that an action is about.
func annotationID(a protocol.Action) string {
	switch a := a.(type) {
	case *protocol.AnnotationsSet:
		if a.Annotation != nil {
			return a.Annotation.ID
		}
	case *protocol.AnnotationsUpdated:
		return a.AnnotationID
	case *protocol.AnnotationsRemoved:
		return a.AnnotationID
	case *protocol.AnnotationsEntrySet:
		return a.AnnotationID
	case *protocol.AnnotationsEntryRemoved:
		return a.AnnotationID
	}
	return ""
}

func findAnnotation(s *protocol.AnnotationsState, id string) *protocol.Annotation {
	i := slices.IndexFunc(s.Annotations, func(a *protocol.Annotation) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return s.Annotations[i]
}

func annotationSize(a *protocol.Annotation) int {
	raw, err := protocol.Marshal(a)
	if err != nil {
		return maxAllAnnotations // what came as JSON encodes
	}
	return len(raw)
}

// admit checks an action by what it would make of the annotations.
func (n *annotations) admit(_ *Host, c *client, a protocol.Action) (protocol.Action, error) {
	id := annotationID(a)
	before := findAnnotation(n.state, id)
	if _, adds := a.(*protocol.AnnotationsSet); !adds && before == nil {
		return nil, fmt.Errorf("there is no annotation %s", firstLine(id, 100))
	}
	a, err := n.anchored(c.version, a)
	if err != nil {
		return nil, err
	}
	if removed, ok := a.(*protocol.AnnotationsEntryRemoved); ok {
		switch {
		case !slices.ContainsFunc(before.Entries, func(e *protocol.AnnotationEntry) bool { return e.ID == removed.EntryID }):
			return nil, errors.New("the annotation has no such entry")
		case len(before.Entries) == 1:
			return nil, errors.New("an annotation has an entry: remove the annotation instead")
		}
	}
	after := findAnnotation(protocol.ReduceAnnotations(profile, n.state, a), id)
	switch {
	case after == nil:
		return a, nil
	case before == nil && len(n.state.Annotations) >= maxAnnotations:
		return nil, errors.New("the session has too many annotations")
	}
	if err := checkAnnotation(after); err != nil {
		return nil, err
	}
	if size := annotationSize(after); size > maxAnnotationBytes || n.size-n.sizes[id]+size > maxAllAnnotations {
		return nil, errors.New("the annotation is too large, or all of them together are")
	}
	return a, nil
}

func checkAnnotation(a *protocol.Annotation) error {
	if err := bounded("annotation's id", a.ID, 1, maxAnnotationID); err != nil {
		return err
	}
	if err := bounded("annotation's resource", string(a.Resource), 1, maxURIBytes); err != nil {
		return err
	}
	if len(a.Entries) == 0 || len(a.Entries) > maxEntries {
		return fmt.Errorf("an annotation has 1 to %d entries", maxEntries)
	}
	seen := map[string]bool{}
	for _, e := range a.Entries {
		switch {
		case e.ID == "" || len(e.ID) > maxAnnotationID || seen[e.ID]:
			return errors.New("each entry of an annotation needs an id of its own")
		case e.Text.Text.Len() == 0:
			return errors.New("an entry needs a text")
		}
		seen[e.ID] = true
	}
	return nil
}

// anchored gives the place that an annotation grew from the form that it has
// inside, and checks that it is one of the session.
func (n *annotations) anchored(v protocol.Version, a protocol.Action) (protocol.Action, error) {
	switch a := a.(type) {
	case *protocol.AnnotationsSet:
		if a.Annotation == nil {
			return nil, errors.New("there is no annotation")
		}
		one := *a.Annotation
		one.Origin, one.TurnID = a.Annotation.Anchor(n.session.uri), ""
		if one.Origin == nil {
			one.Origin = &protocol.AnnotationOrigin{Session: n.session.uri}
		}
		if one.Origin.TurnID == "" && !v.AtLeast(protocol.V0_9_0) {
			return nil, errors.New("the annotation names no turn")
		}
		return &protocol.AnnotationsSet{Annotation: &one}, n.checkOrigin(one.Origin)
	case *protocol.AnnotationsUpdated:
		update := *a
		if a.TurnID != "" && a.Origin == nil {
			update.Origin = &protocol.AnnotationOrigin{Session: n.session.uri, TurnID: a.TurnID}
		}
		update.TurnID = ""
		if update.Origin == nil {
			return &update, nil
		}
		return &update, n.checkOrigin(update.Origin)
	}
	return a, nil
}

func (n *annotations) checkOrigin(o *protocol.AnnotationOrigin) error {
	foreign := func(c *chat) bool { return c.uri == o.Chat }
	switch {
	case o.Session != n.session.uri, o.Chat != "" && !slices.ContainsFunc(n.session.chats, foreign):
		return errors.New("an annotation grows from a chat of its own session")
	case len(o.TurnID) > maxURIBytes:
		return errors.New("the turn's id is too long")
	}
	return nil
}

func (n *annotations) carryOut(h *Host, a protocol.Action, origin *protocol.ActionOrigin) {
	id := annotationID(a)
	before := findAnnotation(n.state, id)
	h.apply(n.uri, a, origin)
	if after := findAnnotation(n.state, id); before != nil && after != nil {
		n.tellOlder(h, before, after)
	}
}

// tellOlder tells clients up to 0.8 of an annotation that they have not seen, or
// can see no more, because for them there is none without a turn.
func (n *annotations) tellOlder(h *Host, before, after *protocol.Annotation) {
	var a protocol.Action = &protocol.AnnotationsSet{Annotation: after}
	switch had, has := before.Origin.TurnID != "", after.Origin.TurnID != ""; {
	case had == has:
		return
	case had:
		a = &protocol.AnnotationsRemoved{AnnotationID: after.ID}
	}
	for _, c := range h.clients {
		if !c.version.AtLeast(protocol.V0_9_0) && c.subscribed[n.uri] != nil {
			h.publish(sent{only: c.id, Envelope: &protocol.Envelope{Channel: n.uri, Action: a}})
		}
	}
}
