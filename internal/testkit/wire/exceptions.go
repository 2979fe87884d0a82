package wire

import (
	"fmt"
	"slices"
)

// An exception is a place where the schemas are known to be wrong, or older than the version whose number they bear. A
// test fails when one is not needed any more.
type exception struct {
	minors []string // the versions that it is for
	def    string   // the definition
	reason string
	edit   func(def map[string]any) error
	// right is a value of the definition as the protocol has it; the schemas alone refuse it.
	right string
}

// exceptions are all there are. The schemas of 0.7 and 0.8 were taken before these versions were released.
func exceptions() []exception {
	const undefined = "the generator took a member of type \"T or undefined\" for one that is always there"
	old := []string{"0.6", "0.7"}
	return []exception{
		{old, "ActionEnvelope", undefined, optional("origin"), `{"channel":"s:/1","action":{"type":"session/ready"},"serverSeq":1}`},
		{old, "ActiveTurn", undefined, optional("usage"), `{"id":"t","startedAt":"2026-01-01T00:00:00.000Z","message":{"text":"hi","origin":{"kind":"user"}},"responseParts":[]}`},
		{old, "Turn", undefined, optional("usage"), `{"id":"t","message":{"text":"hi","origin":{"kind":"user"}},"responseParts":[],"state":"complete"}`},
		{old, "SessionActivityChangedAction", undefined, optional("activity"), `{"type":"session/activityChanged"}`},
		{old, "SessionChangesetsChangedAction", undefined, optional("changesets"), `{"type":"session/changesetsChanged"}`},
		{old, "SessionMetaChangedAction", undefined, optional("_meta"), `{"type":"session/metaChanged"}`},
		{old, "ChangesetOperationsChangedAction", undefined, optional("operations"), `{"type":"changeset/operationsChanged"}`},
		{
			[]string{"0.6", "0.7", "0.8"},
			"SessionStatus", "a set of bits, of which the generator lists the single ones",
			func(def map[string]any) error { return drop(def, "enum") }, `33`,
		},
		{
			[]string{"0.8"},
			"McpServerCustomization", "the release replaced the one decision by one for each scope", scoped,
			`{"type":"mcpServer","id":"m","uri":"file:///m","name":"m","state":{"kind":"ready"},"enablement":[{"kind":"session","enabled":false}]}`,
		},
		{
			[]string{"0.8"},
			"PluginCustomization", "the release replaced the one decision by one for each scope", scoped,
			`{"type":"plugin","id":"p","uri":"file:///p","name":"p","enablement":[{"kind":"workspace","uri":"file:///w","enabled":false}]}`,
		},
		{
			[]string{"0.8"},
			"SessionCustomizationToggledAction", "the release replaced the one decision by one for each scope", scoped,
			`{"type":"session/customizationToggled","id":"m","enablement":[{"kind":"global","enabled":true}]}`,
		},
		{
			[]string{"0.8"},
			"AuthRequiredParams", "the release describes the resource where it was named before",
			func(def map[string]any) error { return retype(def, "resource", "ProtectedResourceMetadata") },
			`{"channel":"ahp-root://","resource":{"resource":"https://example.com/mcp"},"reason":"required"}`,
		},
	}
}

// exceptionsAt are those for a minor version.
func exceptionsAt(minor string) []exception {
	return slices.DeleteFunc(exceptions(), func(e exception) bool { return !slices.Contains(e.minors, minor) })
}

// exceptionsTo changes the definitions of a minor version by all the exceptions to it.
func exceptionsTo(minor string) func(defs map[string]any) error {
	return func(defs map[string]any) error {
		for _, e := range exceptionsAt(minor) {
			def, there := defs[e.def].(map[string]any)
			if !there {
				continue // of two files one may have it
			}
			if err := e.edit(def); err != nil {
				return fmt.Errorf("the exception for %s is not needed any more: %w", e.def, err)
			}
		}
		return nil
	}
}

// optional makes a member one that may be absent.
func optional(member string) func(def map[string]any) error {
	return func(def map[string]any) error {
		required, _ := def["required"].([]any)
		i := slices.Index(required, any(member))
		if i < 0 {
			return fmt.Errorf("%s is not required", member)
		}
		def["required"] = slices.Delete(required, i, i+1)
		return nil
	}
}

// drop takes a keyword away.
func drop(def map[string]any, keyword string) error {
	if _, there := def[keyword]; !there {
		return fmt.Errorf("it has no %s", keyword)
	}
	delete(def, keyword)
	return nil
}

// retype gives a member another type.
func retype(def map[string]any, member, typ string) error {
	properties, _ := def["properties"].(map[string]any)
	if properties[member] == nil {
		return fmt.Errorf("it has no %s", member)
	}
	properties[member] = map[string]any{"$ref": "errors.schema.json#/$defs/" + typ}
	return nil
}

// scoped replaces the member enabled by enablement.
func scoped(def map[string]any) error {
	properties, _ := def["properties"].(map[string]any)
	if properties["enablement"] != nil || properties["enabled"] == nil {
		return fmt.Errorf("its decision is not the old one")
	}
	delete(properties, "enabled")
	if required, _ := def["required"].([]any); slices.Contains(required, any("enabled")) {
		if err := optional("enabled")(def); err != nil {
			return err
		}
	}
	closed := func(properties map[string]any, required ...any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required}
	}
	kind := func(names ...any) map[string]any { return map[string]any{"enum": names} }
	text, truth := map[string]any{"type": "string"}, map[string]any{"type": "boolean"}
	properties["enablement"] = map[string]any{"type": "array", "items": map[string]any{"oneOf": []any{
		closed(map[string]any{"kind": kind("session", "global"), "enabled": truth}, "kind", "enabled"),
		closed(map[string]any{"kind": kind("workspace"), "uri": text, "enabled": truth}, "kind", "uri", "enabled"),
	}}}
	return nil
}
