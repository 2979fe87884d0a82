package protocol

// Changeset is an entry of a session's or chat's catalogue of changesets.
type Changeset struct {
	Label        string                 `json:"label"`
	URITemplate  string                 `json:"uriTemplate"`
	Description  string                 `json:"description,omitzero"`
	ChangeKind   string                 `json:"changeKind,omitzero"` // one of the kinds below, or anything
	Capabilities *ChangesetCapabilities `json:"capabilities,omitzero" since:"0.6.0"`
	Extra        Raw                    `json:",embed"`
}

// The kinds of changes that the protocol names.
const (
	ChangesOfSession  = "session"
	ChangesOfBranch   = "branch"
	ChangesNotStored  = "uncommitted"
	ChangesOfTurn     = "turn"
	ChangesTwixtTurns = "compare-turns"
)

// ChangesetCapabilities tells by presence what can be done with a changeset.
type ChangesetCapabilities struct {
	Review Raw `json:"review,omitzero"` // files can be marked as reviewed
	Extra  Raw `json:",embed"`
}

// ChangesetStatus is how far a changeset is computed.
type ChangesetStatus string

// The statuses of a changeset.
const (
	ChangesetComputing   ChangesetStatus = "computing"
	ChangesetReady       ChangesetStatus = "ready"
	ChangesetRecomputing ChangesetStatus = "recomputing" // from 1.0: the files are those of before
	ChangesetError       ChangesetStatus = "error"
)

// HasFiles reports whether the files are those of a finished computation.
func (s ChangesetStatus) HasFiles() bool { return s == ChangesetReady || s == ChangesetRecomputing }

// Working reports whether the host is computing.
func (s ChangesetStatus) Working() bool { return s == ChangesetComputing || s == ChangesetRecomputing }

// ChangesetState is the state of a changeset channel.
type ChangesetState struct {
	Status     ChangesetStatus       `json:"status"`
	Error      *ErrorInfo            `json:"error,omitzero"`
	Files      []*ChangesetFile      `json:"files"`
	Operations []*ChangesetOperation `json:"operations,omitzero"`
	Extra      Raw                   `json:",embed"`
}

// ChangesetFile is one changed file.
type ChangesetFile struct {
	ID       string    `json:"id"`
	Edit     *FileEdit `json:"edit"`
	Reviewed *bool     `json:"reviewed,omitzero" since:"0.5.2"`
	Meta     Raw       `json:"_meta,omitzero"`
	Extra    Raw       `json:",embed"`
}

// IsReviewed reports whether somebody has reviewed the file.
func (f *ChangesetFile) IsReviewed() bool { return f.Reviewed != nil && *f.Reviewed }

// OperationStatus is how an operation on a changeset stands; absent means idle.
type OperationStatus string

// The statuses of an operation.
const (
	OperationIdle     OperationStatus = "idle"
	OperationRunning  OperationStatus = "running"
	OperationError    OperationStatus = "error"
	OperationDisabled OperationStatus = "disabled"
)

// The scopes of a [ChangesetOperation].
const (
	OperationOnChangeset = "changeset"
	OperationOnResource  = "resource"
	OperationOnRange     = "range"
)

// ChangesetOperation is something that can be done with a changeset, or with a
// file or range of it. A Confirmation has to be shown before: the operation
// cannot be undone.
type ChangesetOperation struct {
	ID           string           `json:"id"`
	Label        string           `json:"label"`
	Description  string           `json:"description,omitzero"`
	Scopes       []string         `json:"scopes"`
	Confirmation StringOrMarkdown `json:"confirmation,omitzero"`
	Icon         string           `json:"icon,omitzero"`
	Group        string           `json:"group,omitzero"`
	Status       OperationStatus  `json:"status,omitzero"`
	Error        *ErrorInfo       `json:"error,omitzero"`
	Extra        Raw              `json:",embed"`
}

// ChangesetOperationTarget says what an operation is done with: Kind is resource,
// or range, with Range. Side is the side of the diff.
type ChangesetOperationTarget struct {
	Kind     string     `json:"kind"`
	Resource URI        `json:"resource,omitzero"`
	Side     string     `json:"side,omitzero"`
	Range    *TextRange `json:"range,omitzero"`
	Extra    Raw        `json:",embed"`
}
