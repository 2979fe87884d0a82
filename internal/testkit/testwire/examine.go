package testwire

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
)

// part is a part of a frame that has a type of its own.
type part string

const (
	params       part = "parameters"
	result       part = "result"
	failure      part = "error"
	notification part = "notification"
)

// examine says what is wrong with a part of a frame at a version: by what [protocol] knows of it and, where there are
// some, by the version's schemas. What is not AHP is not judged.
func examine(v protocol.Version, by protocol.Side, p part, method string, value jsontext.Value) error {
	if isForeign(method, value) {
		return nil
	}
	if method == "action" && isRejected(value) {
		return nil // its action goes back as it came
	}
	if err := examineBySchema(v, p, method, value); err != nil {
		return err
	}
	return examineStrictly(v, by, p, method, value)
}

// examineBySchema is examine by the schemas of the version alone.
func examineBySchema(v protocol.Version, p part, method string, value jsontext.Value) error {
	s, err := schemasOf(v)
	if err != nil || s == nil {
		return err
	}
	switch p {
	case params, notification:
		return s.checkParams(method, value)
	case result:
		return s.checkResult(method, value)
	}
	return s.checkFailure(value)
}

// isForeign reports whether a message is one of a protocol that AHP carries, or private: the schemas do not know it.
func isForeign(method string, value jsontext.Value) bool {
	var on struct {
		Channel string `json:"channel"`
	}
	if json.Unmarshal(value, &on, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil && strings.HasPrefix(on.Channel, "mcp:") {
		return true
	}
	return strings.HasPrefix(method, "x-")
}

// schemasOf are the schemas of a version, read once.
func schemasOf(v protocol.Version) (*schemas, error) {
	switch minorOf(v) {
	case "0.6":
		return schemas06()
	case "0.7":
		return schemas07()
	case "0.8":
		return schemas08()
	}
	return nil, nil
}

// minorOf names a minor version as the folders of the schemas do.
func minorOf(v protocol.Version) string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

var (
	schemas06 = sync.OnceValues(func() (*schemas, error) { return loadSchemas("0.6", exceptionsTo("0.6")) })
	schemas07 = sync.OnceValues(func() (*schemas, error) { return loadSchemas("0.7", exceptionsTo("0.7")) })
	schemas08 = sync.OnceValues(func() (*schemas, error) { return loadSchemas("0.8", exceptionsTo("0.8")) })
)

// checkParams checks the parameters of a request or a notification, with the action that they may hold.
func (s *schemas) checkParams(method string, value jsontext.Value) error {
	if method == "action" || method == "dispatchAction" {
		if err := s.checkAction(value); err != nil {
			return err
		}
	}
	return s.check(definitionOf(method), value)
}

// isRejected reports whether an envelope refuses its action.
func isRejected(value jsontext.Value) bool {
	var e struct {
		Reason *string `json:"rejectionReason"`
	}
	return json.Unmarshal(value, &e, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil && e.Reason != nil
}

// definitionOf is the name of the definition that the parameters of a method have.
func definitionOf(method string) string {
	switch method {
	case "action":
		return "ActionEnvelope"
	case "auth/required":
		return "AuthRequiredParams"
	}
	_, name, prefixed := strings.Cut(method, "/")
	if !prefixed {
		name = method
	}
	return capital(name) + "Params"
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// checkAction checks the action of an envelope or a dispatch.
func (s *schemas) checkAction(value jsontext.Value) error {
	var holder struct {
		Action jsontext.Value `json:"action"`
	}
	var action struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(value, &holder, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	if err := json.Unmarshal(holder.Action, &action, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	group, name, _ := strings.Cut(action.Type, "/")
	return s.check(capital(group)+capital(name)+"Action", holder.Action)
}

// checkResult checks the result of a request, with the states and the actions that it holds.
func (s *schemas) checkResult(method string, value jsontext.Value) error {
	a := readAnswer(value)
	for i, e := range a.Actions {
		if isRejected(e) {
			continue
		}
		if err := s.checkAction(e); err != nil {
			return fmt.Errorf("replayed action %d: %w", i, err)
		}
	}
	if err := a.eachState(func(kind protocol.ChannelKind, state jsontext.Value) error {
		return s.check(capital(string(kind))+"State", state)
	}); err != nil {
		return err
	}
	def := capital(method) + "Result"
	if method == "reconnect" {
		def = "Reconnect" + capital(a.Type) + "Result"
	}
	schema, err := s.find(def)
	switch {
	case err != nil:
		return err
	case schema != nil:
		return s.check(def, value)
	case !bytes.Equal(value, []byte("null")):
		return fmt.Errorf("the schemas do not define %s, so it is null", def)
	}
	return nil
}

// checkFailure checks the data of an error.
func (s *schemas) checkFailure(value jsontext.Value) error {
	var e struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(value, &e, jsontext.AllowInvalidUTF8(true), json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	def := map[int]string{
		protocol.CodeUnsupportedProtocolVersion: "UnsupportedProtocolVersionErrorData",
		protocol.CodeAuthRequired:               "AuthRequiredErrorData",
		protocol.CodePermissionDenied:           "PermissionDeniedErrorData",
	}[e.Code]
	switch {
	case e.Data == nil:
		return nil
	case def == "":
		return fmt.Errorf("code %d has no data", e.Code)
	}
	return s.check(def, e.Data)
}
