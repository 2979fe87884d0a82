package protocol

import "github.com/go-json-experiment/json/jsontext"

// AutomationsChannel is the channel of automations, where a host has the capability.
const AutomationsChannel URI = "ahp-automations://"

// AutomationCapabilities tells by presence what a host's automations can do (from 0.9).
type AutomationCapabilities struct {
	Create          Raw                 `json:"create,omitzero"`
	Schedules       *ScheduleCapability `json:"schedules,omitzero"`
	RunCancellation Raw                 `json:"runCancellation,omitzero"`
	RunHistoryLimit *float64            `json:"runHistoryLimit,omitzero"`
	Customizations  Raw                 `json:"customizations,omitzero" since:"1.0.0"`
	Extra           Raw                 `json:",embed"`
}

// ScheduleCapability is the capability to run by the clock.
type ScheduleCapability struct {
	MinIntervalMinutes *float64 `json:"minIntervalMinutes,omitzero"`
	Extra              Raw      `json:",embed"`
}

// AutomationState is the state of [AutomationsChannel].
type AutomationState struct {
	Entries []*AutomationEntry `json:"entries"`
	Meta    Raw                `json:"_meta,omitzero"`
	Extra   Raw                `json:",embed"`
}

// The operations of an [AutomationEntry].
const (
	AutomationUpdate = "update"
	AutomationRemove = "remove"
	AutomationRun    = "run"
)

// AutomationEntry is one automation. Operations are what can be done with it now;
// Runs are the newest ones, the newest first.
type AutomationEntry struct {
	Resource       URI                     `json:"resource"`
	Definition     *AutomationDefinition   `json:"definition"`
	NextRunAt      string                  `json:"nextRunAt,omitzero"`
	Runs           []*AutomationRunSummary `json:"runs"`
	RunsNextCursor string                  `json:"runsNextCursor,omitzero"`
	RunCount       *float64                `json:"runCount,omitzero" since:"1.0.0"`
	Operations     []string                `json:"operations"`
	Customizations []*Customization        `json:"customizations,omitzero" since:"1.0.0"`
	CreatedAt      string                  `json:"createdAt"`
	ModifiedAt     string                  `json:"modifiedAt"`
	Meta           Raw                     `json:"_meta,omitzero"`
	Extra          Raw                     `json:",embed"`
}

// AutomationDefinition is what a person decides about an automation. Without
// triggers it runs by hand only.
type AutomationDefinition struct {
	Title             string               `json:"title"`
	Message           *Message             `json:"message"`
	Session           *AutomationTemplate  `json:"session"`
	Enabled           bool                 `json:"enabled"`
	Triggers          []*AutomationTrigger `json:"triggers"`
	DisableConditions Raw                  `json:"disableConditions,omitzero" since:"1.0.0"`
	Meta              Raw                  `json:"_meta,omitzero"`
	Extra             Raw                  `json:",embed"`
}

// AutomationTemplate is what the sessions of an automation's runs are made from.
type AutomationTemplate struct {
	Provider           string           `json:"provider,omitzero"`
	Model              *ModelSelection  `json:"model,omitzero"`
	Agent              *AgentSelection  `json:"agent,omitzero"`
	WorkingDirectories []URI            `json:"workingDirectories,omitzero"`
	Config             map[string]Raw   `json:"config,omitzero"`
	Customizations     []*Customization `json:"customizations,omitzero" since:"1.0.0"`
	Extra              Raw              `json:",embed"`
}

// The kinds of [AutomationTrigger].
const (
	TriggerSchedule = "schedule"
	TriggerEvent    = "event"
)

// AutomationTrigger starts runs: by the clock, or when something happens.
type AutomationTrigger struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`

	Schedule      *AutomationSchedule `json:"schedule,omitzero"`
	MisfirePolicy string              `json:"misfirePolicy,omitzero"` // skip, runOnce; absent: runOnce

	Type        string             `json:"type,omitzero"`
	Title       string             `json:"title,omitzero"`
	Description string             `json:"description,omitzero"`
	Events      []*AutomationEvent `json:"events,omitzero"`
	Config      map[string]Raw     `json:"config,omitzero"`

	Raw   Raw `json:"-"` // the whole value, where it is no object
	Extra Raw `json:",embed"`
}

type plainAutomationTrigger AutomationTrigger

// MarshalJSONTo writes the trigger, or the raw value it was kept as.
func (t AutomationTrigger) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, t.Raw, (*plainAutomationTrigger)(&t))
}

// AutomationSchedule is a cron expression of five fields and the time zone, by
// its name in the IANA database, that it is read in.
type AutomationSchedule struct {
	Expression string `json:"expression"`
	TimeZone   string `json:"timeZone"`
	Extra      Raw    `json:",embed"`
}

// AutomationEvent is one thing that can happen.
type AutomationEvent struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitzero"`
	Extra       Raw    `json:",embed"`
}

// AutomationTriggerDefinition describes a type of trigger that a host has.
type AutomationTriggerDefinition struct {
	Type         string             `json:"type"`
	Title        string             `json:"title"`
	Description  string             `json:"description,omitzero"`
	Events       []*AutomationEvent `json:"events"`
	ConfigSchema Raw                `json:"configSchema,omitzero"` // read by [ConfigProperties]
	Extra        Raw                `json:",embed"`
}

// AutomationRunSummary is an entry of an automation's history.
type AutomationRunSummary struct {
	Resource       URI                     `json:"resource"`
	Automation     URI                     `json:"automation,omitzero"`
	Origin         *AutomationRunOrigin    `json:"origin,omitzero"`
	Lifecycle      *AutomationRunLifecycle `json:"lifecycle,omitzero"`
	PrimarySession URI                     `json:"primarySession,omitzero"`
	SessionCount   *float64                `json:"sessionCount,omitzero"`
	Operations     []string                `json:"operations,omitzero"`
	Meta           Raw                     `json:"_meta,omitzero"`
	Extra          Raw                     `json:",embed"`
}

// AutomationRunState is the state of the channel of one run. Operations are what
// can be done with it now: cancel.
type AutomationRunState struct {
	Resource       URI                     `json:"resource"`
	Automation     URI                     `json:"automation"`
	Origin         *AutomationRunOrigin    `json:"origin,omitzero"`
	Lifecycle      *AutomationRunLifecycle `json:"lifecycle,omitzero"`
	Sessions       []URI                   `json:"sessions"`
	PrimarySession URI                     `json:"primarySession,omitzero"`
	Operations     []string                `json:"operations,omitzero"`
	Meta           Raw                     `json:"_meta,omitzero"`
	Extra          Raw                     `json:",embed"`
}

// The kinds of [AutomationRunOrigin].
const (
	RunManual    = "manual"
	RunTriggered = "trigger"
)

// AutomationRunOrigin says what made a run: a person, or a trigger.
type AutomationRunOrigin struct {
	Kind         string `json:"kind"`
	TriggerID    string `json:"triggerId,omitzero"`
	ScheduledFor string `json:"scheduledFor,omitzero"`
	CatchUp      *bool  `json:"catchUp,omitzero"`
	Event        Raw    `json:"event,omitzero"`
	Extra        Raw    `json:",embed"`
}

// AutomationRunStatus is where a run stands.
type AutomationRunStatus string

// The statuses of a run.
const (
	RunPending   AutomationRunStatus = "pending"
	RunRunning   AutomationRunStatus = "running"
	RunCompleted AutomationRunStatus = "completed"
	RunFailed    AutomationRunStatus = "failed"
	RunCancelled AutomationRunStatus = "cancelled"
)

// Ended reports whether nothing can happen to the run any more.
func (s AutomationRunStatus) Ended() bool {
	return s == RunCompleted || s == RunFailed || s == RunCancelled
}

// AutomationRunLifecycle is where a run stands, and since when.
type AutomationRunLifecycle struct {
	Status      AutomationRunStatus `json:"status"`
	CreatedAt   string              `json:"createdAt,omitzero"`
	StartedAt   string              `json:"startedAt,omitzero"`
	CompletedAt string              `json:"completedAt,omitzero"`
	Error       *ErrorInfo          `json:"error,omitzero"`
	Usage       *UsageInfo          `json:"usage,omitzero"`
	Extra       Raw                 `json:",embed"`
}
