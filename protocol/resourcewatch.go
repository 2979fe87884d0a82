package protocol

// ResourceWatchState is the state of a resource watch. No action changes it.
type ResourceWatchState struct {
	Root      URI       `json:"root"`
	Recursive bool      `json:"recursive"`
	Excludes  *Patterns `json:"excludes,omitzero"`
	Includes  *Patterns `json:"includes,omitzero"`
	Extra     Raw       `json:",embed"`
}

// Patterns is a list of glob patterns under a member of its own.
type Patterns struct {
	Items []string `json:"items"`
	Extra Raw      `json:",embed"`
}

// ResourceWatchChanged tells what changed. It is an event: it leaves the state
// of the watch as it is.
type ResourceWatchChanged struct {
	Changes *ResourceChanges `json:"changes"`
}

// ActionType is resourceWatch/changed.
func (*ResourceWatchChanged) ActionType() string { return "resourceWatch/changed" }

// ResourceChanges is a list of changes under a member of its own.
type ResourceChanges struct {
	Items []*ResourceChange `json:"items"`
	Extra Raw               `json:",embed"`
}

// ResourceChange is one change of a resource.
type ResourceChange struct {
	URI   URI                `json:"uri"`
	Type  ResourceChangeType `json:"type"`
	Extra Raw                `json:",embed"`
}

// ResourceChangeType is how a resource changed.
type ResourceChangeType string

// The ways to change.
const (
	ResourceAdded   ResourceChangeType = "added"
	ResourceUpdated ResourceChangeType = "updated"
	ResourceDeleted ResourceChangeType = "deleted"
)
