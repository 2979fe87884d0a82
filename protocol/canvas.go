package protocol

// CanvasRef is an entry of a chat's list of canvases (experimental, from 0.10).
type CanvasRef struct {
	Resource URI    `json:"resource"`
	Title    string `json:"title,omitzero"`
	Extra    Raw    `json:",embed"`
}

// CanvasState is the state of a canvas channel: a title and the address of what
// is to be shown, which is only ever offered to the person as a link.
type CanvasState struct {
	InstanceID  string `json:"instanceId,omitzero"`
	ExtensionID string `json:"extensionId,omitzero"`
	CanvasID    string `json:"canvasId,omitzero"`
	Title       string `json:"title,omitzero"`
	URL         URI    `json:"url,omitzero"`
	Extra       Raw    `json:",embed"`
}

// CanvasStateChanged replaces a canvas as a whole.
type CanvasStateChanged struct {
	Canvas *CanvasState `json:"canvas"`
}

// ActionType is canvas/stateChanged.
func (*CanvasStateChanged) ActionType() string { return "canvas/stateChanged" }

// ReduceCanvas folds an action into a canvas. It returns s itself where the
// action changes nothing.
func ReduceCanvas(_ Profile, s *CanvasState, a Action) *CanvasState {
	if a, ok := a.(*CanvasStateChanged); ok && a.Canvas != nil {
		return a.Canvas
	}
	return s
}
