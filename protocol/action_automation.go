package protocol

// AutomationCreateRequested asks for an automation (from 0.9). It changes no
// state: the host answers with automation/set.
type AutomationCreateRequested struct {
	Resource   URI                   `json:"resource"`
	Definition *AutomationDefinition `json:"definition"`
}

// ActionType is automation/createRequested.
func (*AutomationCreateRequested) ActionType() string { return "automation/createRequested" }

// AutomationUpdateRequested asks for other values of the members of a definition
// that Changes holds. It changes no state: the host answers with automation/set.
type AutomationUpdateRequested struct {
	Resource URI `json:"resource"`
	Changes  Raw `json:"changes"`
}

// ActionType is automation/updateRequested.
func (*AutomationUpdateRequested) ActionType() string { return "automation/updateRequested" }

// AutomationSet adds an automation or replaces its entry.
type AutomationSet struct {
	Automation *AutomationEntry `json:"automation"`
}

// ActionType is automation/set.
func (*AutomationSet) ActionType() string { return "automation/set" }

// AutomationRemoved removes an automation.
type AutomationRemoved struct {
	Resource URI `json:"resource"`
}

// ActionType is automation/removed.
func (*AutomationRemoved) ActionType() string { return "automation/removed" }

// AutomationRunLifecycleChanged says where the run stands.
type AutomationRunLifecycleChanged struct {
	Lifecycle *AutomationRunLifecycle `json:"lifecycle"`
}

// ActionType is automationRun/lifecycleChanged.
func (*AutomationRunLifecycleChanged) ActionType() string { return "automationRun/lifecycleChanged" }

// AutomationRunSessionSet adds a session to the run.
type AutomationRunSessionSet struct {
	Session URI `json:"session"`
}

// ActionType is automationRun/sessionSet.
func (*AutomationRunSessionSet) ActionType() string { return "automationRun/sessionSet" }

// AutomationRunSessionRemoved removes a session from the run.
type AutomationRunSessionRemoved struct {
	Session URI `json:"session"`
}

// ActionType is automationRun/sessionRemoved.
func (*AutomationRunSessionRemoved) ActionType() string { return "automationRun/sessionRemoved" }

// AutomationRunPrimarySessionChanged says which session to look at first.
type AutomationRunPrimarySessionChanged struct {
	PrimarySession URI `json:"primarySession,omitzero"`
}

// ActionType is automationRun/primarySessionChanged.
func (*AutomationRunPrimarySessionChanged) ActionType() string {
	return "automationRun/primarySessionChanged"
}

// AutomationRunCancelRequested asks for the end of the run. It changes no state:
// the host answers with automationRun/lifecycleChanged.
type AutomationRunCancelRequested struct{}

// ActionType is automationRun/cancelRequested.
func (*AutomationRunCancelRequested) ActionType() string { return "automationRun/cancelRequested" }
