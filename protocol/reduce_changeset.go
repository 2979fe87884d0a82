package protocol

import (
	"reflect"
	"slices"
)

// ReduceChangeset folds an action into a changeset's state (specification:
// changeset channel). It returns s itself where the action changes nothing.
func ReduceChangeset(p Profile, s *ChangesetState, a Action) *ChangesetState {
	switch a := a.(type) {
	case *ChangesetStatusChanged:
		err := a.Error
		if a.Status != ChangesetError {
			err = nil
		}
		if s.Status == a.Status && reflect.DeepEqual(s.Error, err) {
			return s
		}
		return changed(s, func(s *ChangesetState) { s.Status, s.Error = a.Status, err })
	case *ChangesetFileSet:
		if a.File == nil {
			return s
		}
		return withFiles(s, upserted(s.Files, a.File, func(f *ChangesetFile) bool { return f.ID == a.File.ID }))
	case *ChangesetFileRemoved:
		files, _ := without(s.Files, func(f *ChangesetFile) bool { return f.ID == a.FileID })
		return withFiles(s, files)
	case *ChangesetFilesReviewChanged:
		return withFiles(s, reviewed(s.Files, a))
	case *ChangesetFilesReviewedChanged:
		return withFiles(s, reviewed(s.Files, (*ChangesetFilesReviewChanged)(a)))
	case *ChangesetContentChanged:
		err := s.Error
		if p.contentSetsError() {
			err = a.Error
		}
		operations := a.Operations
		if operations == nil {
			operations = s.Operations
		}
		if slices.Equal(a.Files, s.Files) && sameList(operations, s.Operations) && err == s.Error {
			return s
		}
		return changed(s, func(s *ChangesetState) { s.Files, s.Operations, s.Error = present(a.Files), operations, err })
	case *ChangesetOperationsChanged:
		return withOperations(s, a.Operations)
	case *ChangesetOperationStatusChanged:
		return withOperations(s, operationSet(s.Operations, a))
	case *ChangesetCleared:
		return withFiles(s, []*ChangesetFile{})
	}
	return s
}

func withFiles(s *ChangesetState, files []*ChangesetFile) *ChangesetState {
	if slices.Equal(files, s.Files) {
		return s
	}
	return changed(s, func(s *ChangesetState) { s.Files = files })
}

func withOperations(s *ChangesetState, list []*ChangesetOperation) *ChangesetState {
	if sameList(list, s.Operations) {
		return s
	}
	return changed(s, func(s *ChangesetState) { s.Operations = list })
}

// reviewed sets the mark of the files that are named, under either name, and
// have the other one.
func reviewed(files []*ChangesetFile, a *ChangesetFilesReviewChanged) []*ChangesetFile {
	return mapped(files, func(f *ChangesetFile) *ChangesetFile {
		named := slices.Contains(a.Files, f.ID) || slices.Contains(a.FileIDs, f.ID)
		if !named || equal(f.Reviewed, &a.Reviewed) {
			return f
		}
		return changed(f, func(f *ChangesetFile) { f.Reviewed = &a.Reviewed })
	})
}

func operationSet(list []*ChangesetOperation, a *ChangesetOperationStatusChanged) []*ChangesetOperation {
	err := a.Error
	if a.Status != OperationError {
		err = nil
	}
	return mapped(list, func(o *ChangesetOperation) *ChangesetOperation {
		if o.ID != a.OperationID || o.Status == a.Status && reflect.DeepEqual(o.Error, err) {
			return o
		}
		return changed(o, func(o *ChangesetOperation) { o.Status, o.Error = a.Status, err })
	})
}
