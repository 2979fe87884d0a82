package protocol

// AnnotationsState is the state of a session's annotations channel.
type AnnotationsState struct {
	Annotations []*Annotation `json:"annotations"`
	Extra       Raw           `json:",embed"`
}

// Annotation is a remark about a resource, or a thread of remarks. What it grew
// from is told by Origin from 0.9 on and by TurnID before; [Annotation.Anchor]
// reads either. Entries is never empty as hosts make it.
type Annotation struct {
	ID       string             `json:"id"`
	Origin   *AnnotationOrigin  `json:"origin,omitzero" since:"0.9.0"`
	TurnID   string             `json:"turnId,omitzero" until:"0.8.0"`
	Resource URI                `json:"resource"`
	Range    *TextRange         `json:"range,omitzero"` // nil: the whole resource
	Resolved bool               `json:"resolved"`
	Entries  []*AnnotationEntry `json:"entries"`
	Meta     Raw                `json:"_meta,omitzero"`
	Extra    Raw                `json:",embed"`
}

// AnnotationOrigin is the session, chat and turn that an annotation grew from.
type AnnotationOrigin struct {
	Session URI    `json:"session"`
	Chat    URI    `json:"chat,omitzero"`
	TurnID  string `json:"turnId,omitzero"`
	Extra   Raw    `json:",embed"`
}

// AnnotationEntry is one remark of an annotation.
type AnnotationEntry struct {
	ID    string           `json:"id"`
	Text  StringOrMarkdown `json:"text"`
	Meta  Raw              `json:"_meta,omitzero"`
	Extra Raw              `json:",embed"`
}

// Anchor is what the annotation grew from, in either form; nil where nothing is
// said. The session, which is the channel's own, is the caller's to fill in for
// the form up to 0.8.
func (a *Annotation) Anchor(session URI) *AnnotationOrigin {
	if a.Origin == nil && a.TurnID != "" {
		return &AnnotationOrigin{Session: session, TurnID: a.TurnID}
	}
	return a.Origin
}
