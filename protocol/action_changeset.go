package protocol

// ChangesetStatusChanged says how far the changeset is computed.
type ChangesetStatusChanged struct {
	Status ChangesetStatus `json:"status"`
	Error  *ErrorInfo      `json:"error,omitzero"`
}

// ActionType is changeset/statusChanged.
func (*ChangesetStatusChanged) ActionType() string { return "changeset/statusChanged" }

// ChangesetFileSet adds a file or replaces its entry.
type ChangesetFileSet struct {
	File *ChangesetFile `json:"file"`
}

// ActionType is changeset/fileSet.
func (*ChangesetFileSet) ActionType() string { return "changeset/fileSet" }

// ChangesetFileRemoved removes a file.
type ChangesetFileRemoved struct {
	FileID string `json:"fileId"`
}

// ActionType is changeset/fileRemoved.
func (*ChangesetFileRemoved) ActionType() string { return "changeset/fileRemoved" }

// ChangesetFilesReviewChanged marks files as reviewed or not (from 0.6). The
// ids of the files are in Files; FileIDs is the name they had at 0.5.2.
type ChangesetFilesReviewChanged struct {
	Files    []string `json:"files,omitzero"`
	FileIDs  []string `json:"fileIds,omitzero" until:"0.5.2"`
	Reviewed bool     `json:"reviewed"`
}

// ActionType is changeset/filesReviewChanged.
func (*ChangesetFilesReviewChanged) ActionType() string { return "changeset/filesReviewChanged" }

// ChangesetFilesReviewedChanged is the name of [ChangesetFilesReviewChanged] at 0.5.2.
type ChangesetFilesReviewedChanged ChangesetFilesReviewChanged

// ActionType is changeset/filesReviewedChanged.
func (*ChangesetFilesReviewedChanged) ActionType() string { return "changeset/filesReviewedChanged" }

// ChangesetContentChanged replaces the files and, where they are given, the
// operations. Error is a member up to 0.8.
type ChangesetContentChanged struct {
	Files      []*ChangesetFile      `json:"files"`
	Operations []*ChangesetOperation `json:"operations,omitzero"`
	Error      *ErrorInfo            `json:"error,omitzero" until:"0.8.0"`
}

// ActionType is changeset/contentChanged.
func (*ChangesetContentChanged) ActionType() string { return "changeset/contentChanged" }

// ChangesetOperationsChanged replaces or clears the operations.
type ChangesetOperationsChanged struct {
	Operations []*ChangesetOperation `json:"operations,omitzero"`
}

// ActionType is changeset/operationsChanged.
func (*ChangesetOperationsChanged) ActionType() string { return "changeset/operationsChanged" }

// ChangesetOperationStatusChanged says how an operation stands.
type ChangesetOperationStatusChanged struct {
	OperationID string          `json:"operationId"`
	Status      OperationStatus `json:"status"`
	Error       *ErrorInfo      `json:"error,omitzero"`
}

// ActionType is changeset/operationStatusChanged.
func (*ChangesetOperationStatusChanged) ActionType() string {
	return "changeset/operationStatusChanged"
}

// ChangesetCleared drops all files.
type ChangesetCleared struct{}

// ActionType is changeset/cleared.
func (*ChangesetCleared) ActionType() string { return "changeset/cleared" }
