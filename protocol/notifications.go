package protocol

// SessionAddedParams announces a session (notification root/sessionAdded).
type SessionAddedParams struct {
	Channel URI             `json:"channel"`
	Summary *SessionSummary `json:"summary"`
	Extra   Raw             `json:",embed"`
}

// SessionRemovedParams announces the end of a session (root/sessionRemoved).
type SessionRemovedParams struct {
	Channel URI `json:"channel"`
	Session URI `json:"session"`
}

// SessionSummaryChangedParams carries changed members of a summary
// (root/sessionSummaryChanged).
type SessionSummaryChangedParams struct {
	Channel URI `json:"channel"`
	Session URI `json:"session"`
	Changes Raw `json:"changes"`
}

// ProgressParams tells how far a request is (root/progress). Without a total
// nobody knows how much there is.
type ProgressParams struct {
	Channel       URI      `json:"channel"`
	ProgressToken string   `json:"progressToken"`
	Progress      float64  `json:"progress"`
	Total         *float64 `json:"total,omitzero"`
	Message       string   `json:"message,omitzero"`
}

// Done reports whether the request is at its end.
func (p *ProgressParams) Done() bool { return p.Total != nil && p.Progress >= *p.Total }

// AuthRequiredParams says that an agent needs a sign-in (auth/required).
type AuthRequiredParams struct {
	Channel  URI              `json:"channel"`
	Resource ResourceOrString `json:"resource"`
	Reason   string           `json:"reason,omitzero"`
}

// The reasons to sign in that the protocol names.
const (
	AuthReasonRequired     = "required"
	AuthReasonExpired      = "expired"
	AuthReasonInsufficient = "insufficientScope"
)

// TelemetryParams carries telemetry of the host as OTLP/JSON (otlp/exportLogs,
// otlp/exportTraces and otlp/exportMetrics). The channel has no state, and what
// was missed is not sent again.
type TelemetryParams struct {
	Channel URI               `json:"channel"`
	Payload *TelemetryPayload `json:"payload"`
}

// TelemetryPayload is a batch of one of the three; it is kept as it came.
type TelemetryPayload struct {
	ResourceLogs    Raw `json:"resourceLogs,omitzero"`
	ResourceSpans   Raw `json:"resourceSpans,omitzero"`
	ResourceMetrics Raw `json:"resourceMetrics,omitzero"`
	Extra           Raw `json:",embed"`
}

// SeverityFloor is the lowest OTLP severity number of a log level's channel; 0
// for a level that is not known.
func SeverityFloor(level string) int {
	switch level {
	case "trace":
		return 1
	case "debug":
		return 5
	case "info":
		return 9
	case "warn":
		return 13
	case "error":
		return 17
	case "fatal":
		return 21
	}
	return 0
}
