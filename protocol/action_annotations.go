package protocol

// AnnotationsSet adds an annotation or replaces it.
type AnnotationsSet struct {
	Annotation *Annotation `json:"annotation"`
}

// ActionType is annotations/set.
func (*AnnotationsSet) ActionType() string { return "annotations/set" }

// AnnotationsUpdated changes the members of an annotation that are given: Origin
// from 0.9 on, TurnID before.
type AnnotationsUpdated struct {
	AnnotationID string            `json:"annotationId"`
	Origin       *AnnotationOrigin `json:"origin,omitzero" since:"0.9.0"`
	TurnID       string            `json:"turnId,omitzero" until:"0.8.0"`
	Resource     URI               `json:"resource,omitzero"`
	Range        *TextRange        `json:"range,omitzero"`
	Resolved     *bool             `json:"resolved,omitzero"`
}

// ActionType is annotations/updated.
func (*AnnotationsUpdated) ActionType() string { return "annotations/updated" }

// AnnotationsRemoved removes an annotation.
type AnnotationsRemoved struct {
	AnnotationID string `json:"annotationId"`
}

// ActionType is annotations/removed.
func (*AnnotationsRemoved) ActionType() string { return "annotations/removed" }

// AnnotationsEntrySet adds an entry to an annotation or replaces it.
type AnnotationsEntrySet struct {
	AnnotationID string           `json:"annotationId"`
	Entry        *AnnotationEntry `json:"entry"`
}

// ActionType is annotations/entrySet.
func (*AnnotationsEntrySet) ActionType() string { return "annotations/entrySet" }

// AnnotationsEntryRemoved removes an entry. The last one leaves an annotation
// that is empty: remove the annotation instead.
type AnnotationsEntryRemoved struct {
	AnnotationID string `json:"annotationId"`
	EntryID      string `json:"entryId"`
}

// ActionType is annotations/entryRemoved.
func (*AnnotationsEntryRemoved) ActionType() string { return "annotations/entryRemoved" }
