package protocol

import (
	"reflect"
	"slices"
)

// ReduceAnnotations folds an action into a session's annotations (specification:
// annotations channel). It returns s itself where the action changes nothing.
func ReduceAnnotations(p Profile, s *AnnotationsState, a Action) *AnnotationsState {
	switch a := a.(type) {
	case *AnnotationsSet:
		if a.Annotation == nil {
			return s
		}
		return withAnnotations(s, upserted(s.Annotations, a.Annotation, func(n *Annotation) bool { return n.ID == a.Annotation.ID }))
	case *AnnotationsRemoved:
		rest, _ := without(s.Annotations, func(n *Annotation) bool { return n.ID == a.AnnotationID })
		return withAnnotations(s, rest)
	case *AnnotationsUpdated:
		return updateAnnotation(s, a.AnnotationID, func(n *Annotation) *Annotation { return annotationUpdated(p, n, a) })
	case *AnnotationsEntrySet:
		if a.Entry == nil {
			return s
		}
		return updateAnnotation(s, a.AnnotationID, func(n *Annotation) *Annotation {
			return n.withEntries(upserted(n.Entries, a.Entry, func(e *AnnotationEntry) bool { return e.ID == a.Entry.ID }))
		})
	case *AnnotationsEntryRemoved:
		return updateAnnotation(s, a.AnnotationID, func(n *Annotation) *Annotation {
			rest, _ := without(n.Entries, func(e *AnnotationEntry) bool { return e.ID == a.EntryID })
			return n.withEntries(rest)
		})
	}
	return s
}

func withAnnotations(s *AnnotationsState, list []*Annotation) *AnnotationsState {
	if slices.Equal(list, s.Annotations) {
		return s
	}
	return changed(s, func(s *AnnotationsState) { s.Annotations = list })
}

func (a *Annotation) withEntries(list []*AnnotationEntry) *Annotation {
	if slices.Equal(list, a.Entries) {
		return a
	}
	return changed(a, func(a *Annotation) { a.Entries = list })
}

func updateAnnotation(s *AnnotationsState, id string, update func(*Annotation) *Annotation) *AnnotationsState {
	i := slices.IndexFunc(s.Annotations, func(a *Annotation) bool { return a.ID == id })
	if i < 0 {
		return s
	}
	return withAnnotations(s, replaced(s.Annotations, i, update(s.Annotations[i])))
}

// annotationUpdated writes what is given; there is no way to clear a member. Of
// the two anchors only the one of the version counts.
func annotationUpdated(p Profile, n *Annotation, a *AnnotationsUpdated) *Annotation {
	fresh := *n
	switch {
	case a.Origin != nil && p.hasAnnotationOrigin():
		fresh.Origin = a.Origin
	case a.TurnID != "" && !p.hasAnnotationOrigin():
		fresh.TurnID = a.TurnID
	}
	if a.Resource != "" {
		fresh.Resource = a.Resource
	}
	if a.Range != nil && !equal(a.Range, n.Range) {
		fresh.Range = a.Range
	}
	if a.Resolved != nil {
		fresh.Resolved = *a.Resolved
	}
	same := reflect.DeepEqual(fresh.Origin, n.Origin) && fresh.TurnID == n.TurnID && fresh.Resource == n.Resource &&
		fresh.Range == n.Range && fresh.Resolved == n.Resolved
	if same {
		return n
	}
	return &fresh
}
