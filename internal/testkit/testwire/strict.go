package testwire

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
)

// examineStrictly says what is wrong with a part of a frame by what [protocol] knows of the version.
func examineStrictly(v protocol.Version, by protocol.Side, p part, method string, value jsontext.Value) error {
	v = v.Sent()
	switch p {
	case params, notification:
		return protocol.CheckParams(v, by, method, value)
	case result:
		value, err := withoutRejected(method, value)
		if err != nil {
			return err
		}
		return errors.Join(protocol.CheckResult(v, method, value), checkStates(v, value))
	}
	return nil // errors are what they always were
}

// answer is what the results have that hold states or actions.
type answer struct {
	Snapshot  *snapshot        `json:"snapshot,omitzero"`
	Snapshots []snapshot       `json:"snapshots,omitzero"`
	Actions   []jsontext.Value `json:"actions,omitzero"`
	Rest      jsontext.Value   `json:",embed"`
}

type snapshot struct {
	State jsontext.Value `json:"state"`
	Rest  jsontext.Value `json:",embed"`
}

// withoutRejected leaves out what a replay refuses: it goes back as it came.
func withoutRejected(method string, value jsontext.Value) (jsontext.Value, error) {
	var a answer
	readable := json.Unmarshal(value, &a, jsontext.AllowInvalidUTF8(true)) == nil
	if method != "reconnect" || !readable || !slices.ContainsFunc(a.Actions, isRejected) {
		return value, nil
	}
	a.Actions = slices.DeleteFunc(a.Actions, isRejected)
	return json.Marshal(a, jsontext.AllowInvalidUTF8(true))
}

// checkStates checks the states in a result, which nothing but what they look like tells apart.
func checkStates(v protocol.Version, value jsontext.Value) error {
	var a answer
	if readable := json.Unmarshal(value, &a, jsontext.AllowInvalidUTF8(true)) == nil; !readable {
		return nil // it is no result with states
	}
	if a.Snapshot != nil {
		a.Snapshots = append(a.Snapshots, *a.Snapshot)
	}
	for i, s := range a.Snapshots {
		kind := protocol.ProbeKind(s.State)
		if kind == "" {
			return fmt.Errorf("snapshot %d has the state of no channel that is known", i)
		}
		if err := protocol.CheckState(v, kind, s.State); err != nil {
			return fmt.Errorf("snapshot %d: %w", i, err)
		}
	}
	return nil
}
