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
		a := readAnswer(value)
		return errors.Join(protocol.CheckResult(v, method, a.without(value)), a.eachState(func(kind protocol.ChannelKind, state jsontext.Value) error {
			return protocol.CheckState(v, kind, state)
		}))
	}
	return nil // errors are what they always were
}

// answer is what of a result holds states or actions.
type answer struct {
	Type      string           `json:"type,omitzero"`
	Snapshot  *snapshot        `json:"snapshot,omitzero"`
	Snapshots []snapshot       `json:"snapshots,omitzero"`
	Actions   []jsontext.Value `json:"actions,omitzero"`
	Rest      jsontext.Value   `json:",embed"`
}

type snapshot struct {
	State jsontext.Value `json:"state"`
	Rest  jsontext.Value `json:",embed"`
}

// readAnswer reads a result. One of another form holds nothing.
func readAnswer(value jsontext.Value) (a answer) {
	if json.Unmarshal(value, &a, jsontext.AllowInvalidUTF8(true)) != nil {
		return answer{}
	}
	return a
}

// without is a result without the actions that it refuses: they go back as they came.
func (a answer) without(value jsontext.Value) jsontext.Value {
	if !slices.ContainsFunc(a.Actions, isRejected) {
		return value
	}
	a.Actions = slices.DeleteFunc(slices.Clone(a.Actions), isRejected)
	rest, err := json.Marshal(a, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return value // it cannot be: it was JSON
	}
	return rest
}

// eachState checks the states, which nothing but their looks tells apart.
func (a answer) eachState(check func(protocol.ChannelKind, jsontext.Value) error) error {
	list := a.Snapshots
	if a.Snapshot != nil {
		list = append(slices.Clip(list), *a.Snapshot)
	}
	for i, s := range list {
		kind := protocol.ProbeKind(s.State)
		if kind == "" {
			return fmt.Errorf("snapshot %d has the state of no channel that is known", i)
		}
		if err := check(kind, s.State); err != nil {
			return fmt.Errorf("snapshot %d: %w", i, err)
		}
	}
	return nil
}
