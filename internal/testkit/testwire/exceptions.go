package testwire

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// exceptions are all there are.
func exceptions() []exception {
	return slices.Concat(undefinedMembers(), unwrittenTypes(), lateChanges(), []exception{
		{
			[]string{"0.6", "0.7", "0.8"},
			"SessionStatus", "a set of bits, of which the generator lists the single ones",
			func(def map[string]any) error { return drop(def, "enum") }, `33`,
		},
	})
}

// undefinedMembers are those that may be absent: the generator took what is of type "T or undefined" for always there.
func undefinedMembers() []exception {
	row := func(def, member, right string) exception {
		return exception{[]string{"0.6", "0.7"}, def, member + ` is of type "T or undefined"`, optional(member), right}
	}
	const message = `"message":{"text":"hi","origin":{"kind":"user"}}`
	return []exception{
		row("ActionEnvelope", "origin", `{"channel":"s:/1","action":{"type":"session/ready"},"serverSeq":1}`),
		row("ActiveTurn", "usage", `{"id":"t","startedAt":"2026-01-01T00:00:00.000Z",`+message+`,"responseParts":[]}`),
		row("Turn", "usage", `{"id":"t",`+message+`,"responseParts":[],"state":"complete"}`),
		row("SessionActivityChangedAction", "activity", `{"type":"session/activityChanged"}`),
		row("SessionChangesetsChangedAction", "changesets", `{"type":"session/changesetsChanged"}`),
		row("SessionMetaChangedAction", "_meta", `{"type":"session/metaChanged"}`),
		row("ChangesetOperationsChangedAction", "operations", `{"type":"changeset/operationsChanged"}`),
	}
}

// unwrittenTypes are those for which the generator of 0.6 wrote "string", because it could not write them out.
func unwrittenTypes() []exception {
	row := func(def string, edit func(map[string]any) error, right string) exception {
		return exception{[]string{"0.6"}, def, `"string" stands for what could not be written out`, edit, right}
	}
	file, edits := written(ref("ContentRef"), "before.content", "after.content"), written(listOf(ref("FileEdit")), "edits.items")
	texts := listOf(map[string]any{"type": "string"})
	globs := written(texts, "excludes.items", "includes.items")
	schemas := both(written(map[string]any{"type": "object"}, "inputSchema.properties", "outputSchema.properties"),
		written(texts, "inputSchema.required", "outputSchema.required"))
	const call = `"toolCallId":"c","invocationMessage":"m","edits":{"items":[]}}`
	return []exception{
		row("FileEdit", file, `{"after":{"uri":"file:///a","content":{"uri":"x:/1"}}}`),
		row("ToolResultFileEditContent", file, `{"type":"fileEdit","after":{"uri":"file:///a","content":{"uri":"x:/1"}}}`),
		row("ToolCallPendingConfirmationState", edits, `{"status":"pending-confirmation","toolName":"t","displayName":"T",`+call),
		row("ChatToolCallReadyAction", edits, `{"type":"chat/toolCallReady","turnId":"t",`+call),
		row("ToolDefinition", schemas, `{"name":"t","inputSchema":{"type":"object","properties":{"a":{}},"required":["a"]}}`),
		row("ResourceWatchState", globs, `{"root":"file:///w","recursive":true,"excludes":{"items":["*.o"]}}`),
		row("CreateResourceWatchParams", globs, `{"channel":"ahp-root://","uri":"file:///w","recursive":true,"excludes":{"items":["*.o"]}}`),
		row("ResourceWatchChangedAction", written(listOf(ref("ResourceChange")), "changes.items"),
			`{"type":"resourceWatch/changed","changes":{"items":[{"uri":"file:///w/a","type":"added"}]}}`),
		row("ChangesetOperationTarget", rangeOfTarget,
			`{"kind":"range","resource":"file:///a","range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}}}`),
	}
}

// lateChanges are those that a version took between its schemas, which are of a few days before, and its release.
func lateChanges() []exception {
	row := func(minor, def, reason string, edit func(map[string]any) error, right string) exception {
		return exception{[]string{minor}, def, reason, edit, right}
	}
	const decisions = "one decision for each scope took the place of the one"
	return []exception{
		row("0.8", "McpServerCustomization", decisions, scoped,
			`{"type":"mcpServer","id":"m","uri":"file:///m","name":"m","state":{"kind":"ready"},"enablement":[{"kind":"session","enabled":false}]}`),
		row("0.8", "PluginCustomization", decisions, scoped,
			`{"type":"plugin","id":"p","uri":"file:///p","name":"p","enablement":[{"kind":"workspace","uri":"file:///w","enabled":false}]}`),
		row("0.8", "SessionCustomizationToggledAction", decisions, scoped,
			`{"type":"session/customizationToggled","id":"m","enablement":[{"kind":"global","enabled":true}]}`),
		row("0.8", "AuthRequiredParams", "the resource is described where it was named",
			func(def map[string]any) error { return retype(def, "resource", "ProtectedResourceMetadata") },
			`{"channel":"ahp-root://","resource":{"resource":"https://example.com/mcp"},"reason":"required"}`),
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

// written replaces the type of members of members, such as "before.content", by what they are.
func written(schema map[string]any, members ...string) func(def map[string]any) error {
	return func(def map[string]any) error {
		for _, member := range members {
			outer, inner, _ := strings.Cut(member, ".")
			holder, _ := properties(def)[outer].(map[string]any)
			was, _ := properties(holder)[inner].(map[string]any)
			if was["type"] != "string" {
				return fmt.Errorf("%s is no string", member)
			}
			properties(holder)[inner] = schema
		}
		return nil
	}
}

// rangeOfTarget is written for a member of a branch.
func rangeOfTarget(def map[string]any) error {
	branches, _ := def["oneOf"].([]any)
	for _, b := range branches {
		branch, _ := b.(map[string]any)
		if was, _ := properties(branch)["range"].(map[string]any); was["type"] == "string" {
			properties(branch)["range"] = ref("TextRange")
			properties(branch)["kind"] = map[string]any{"const": "range"}
			return nil
		}
	}
	return errors.New("no range is a string")
}

// both makes two changes.
func both(a, b func(def map[string]any) error) func(def map[string]any) error {
	return func(def map[string]any) error { return errors.Join(a(def), b(def)) }
}

// properties are the members of a schema of an object.
func properties(schema map[string]any) map[string]any {
	p, _ := schema["properties"].(map[string]any)
	return p
}

func ref(def string) map[string]any {
	return map[string]any{"$ref": "errors.schema.json#/$defs/" + def}
}

func listOf(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
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
	if properties(def)[member] == nil {
		return fmt.Errorf("it has no %s", member)
	}
	properties(def)[member] = ref(typ)
	return nil
}

// scoped replaces the member enabled by enablement.
func scoped(def map[string]any) error {
	members := properties(def)
	if members["enablement"] != nil || members["enabled"] == nil {
		return errors.New("its decision is not the old one")
	}
	delete(members, "enabled")
	if required, _ := def["required"].([]any); slices.Contains(required, any("enabled")) {
		if err := optional("enabled")(def); err != nil {
			return err
		}
	}
	closed := func(members map[string]any, required ...any) map[string]any {
		return map[string]any{"type": "object", "properties": members, "required": required}
	}
	kind := func(names ...any) map[string]any { return map[string]any{"enum": names} }
	text, truth := map[string]any{"type": "string"}, map[string]any{"type": "boolean"}
	members["enablement"] = map[string]any{"type": "array", "items": map[string]any{"oneOf": []any{
		closed(map[string]any{"kind": kind("session", "global"), "enabled": truth}, "kind", "enabled"),
		closed(map[string]any{"kind": kind("workspace"), "uri": text, "enabled": truth}, "kind", "uri", "enabled"),
	}}}
	return nil
}
