package protocol

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestSentAgainstSchema: what is sent at 0.6, 0.7 and 0.8 is allowed by the
// version's published schema, and has no member that the schema does not list.
func TestSentAgainstSchema(t *testing.T) {
	t.Parallel()
	actions, params, results := fullFile[[]Raw](t, "actions"), fullFile[[]fullMessage](t, "params"), fullFile[[]fullMessage](t, "results")
	for _, v := range []Version{V0_6_0, V0_7_0, V0_8_0} {
		schemas := readSchemas(t, v)
		check := func(what, def string, raw Raw) {
			for _, finding := range schemas.findings(def, wireValue(t, raw), what) {
				t.Errorf("at %s %s", v, finding)
			}
		}
		for kind, def := range map[ChannelKind]string{
			RootKind: "RootState", SessionKind: "SessionState", ChatKind: "ChatState", TerminalKind: "TerminalState",
			ChangesetKind: "ChangesetState", AnnotationsKind: "AnnotationsState", ResourceWatchKind: "ResourceWatchState",
		} {
			check(string(kind), def, encodeState(t, StateAt(v, fullState(t, kind))))
		}
		for _, raw := range actions {
			a := ActionAt(v, DecodeAction(raw))
			if a == nil {
				continue
			}
			sent, err := EncodeAction(a)
			if err != nil {
				t.Fatal(err)
			}
			check(a.ActionType(), actionDef(a), sent)
		}
		for _, m := range params {
			if method, _ := MethodByName(m.Method); m.Method != "initialize" && m.Method != "action" && v.AtLeast(method.Since) {
				check(m.Method, methodDef(m.Method)+"Params", formOf(t, v, method.Params(), m.Value))
			}
		}
		for _, m := range results {
			method, _ := MethodByName(m.Method)
			if _, empty := method.Result().(*EmptyResult); !empty && v.AtLeast(method.Since) {
				check(m.Method, resultDef(m), formOf(t, v, method.Result(), m.Value))
			}
		}
	}
}

// actionDef is the name of an action's definition: ChatDeltaAction for ChatDelta.
func actionDef(a Action) string { return reflect.TypeOf(a).Elem().Name() + "Action" }

// methodDef is the beginning of the names of a method's definitions.
func methodDef(method string) string {
	switch method {
	case "otlp/exportLogs", "otlp/exportTraces", "otlp/exportMetrics":
		return "OtlpE" + method[len("otlp/e"):]
	}
	_, name, found := strings.Cut(method, "/")
	if !found {
		name = method
	}
	if method == "auth/required" {
		name = "authRequired"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func resultDef(m fullMessage) string {
	if m.Method == "reconnect" {
		return "ReconnectReplayResult"
	}
	return methodDef(m.Method) + "Result"
}

// schemas are the definitions of one version.
type schemas struct {
	version Version
	defs    map[string]map[string]any
}

func readSchemas(t *testing.T, v Version) schemas {
	t.Helper()
	dir := os.Getenv("AHP_SCHEMA_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "schema")
	}
	files, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%d.%d", v.Major, v.Minor), "*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("no schemas below %s (set AHP_SCHEMA_DIR to run this)", dir)
	}
	s := schemas{v, map[string]map[string]any{}}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Defs map[string]map[string]any `json:"$defs"`
		}
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		for name, def := range doc.Defs {
			s.defs[name] = def
		}
	}
	return s
}

// excused are findings against schemas that are older than the release they are
// named after, or that could not say what they meant.
var excused = map[Version][]string{
	// The generator wrote "string" for types it could not write out.
	V0_6_0: {
		`\.(before|after)\.content is `, `\.(excludes|includes|changes|edits)\.items is `, `Schema\.(properties|required) is `,
		`\.sampling\.tools is `, `\.target\.range is `,
		// What may be absent was written as "T or undefined", which made it required.
		` lacks (origin|usage)$`,
	},
	// The release has inputs by reference, and a ready that refines the call.
	V0_7_0: {`\.toolInput is `, `^chat/toolCallReady\.(contributor|intention) `, ` lacks (origin|usage)$`},
	// The release has scoped decisions in the place of enabled, the replacement of
	// the primary directory, and metadata in the place of a name.
	V0_8_0: {
		`\.(enablement|childEnablement) is not listed`, ` lacks enabled$`, `\.primaryReplacement is not listed`,
		`^session/workingDirectoryReplaced `, `^auth/required\.resource is `,
	},
}

// findings are what the schema has against a value, less what is excused.
func (s schemas) findings(def string, value any, path string) []string {
	found := s.check(map[string]any{"$ref": "#/$defs/" + def}, value, path)
	if len(found) == 0 {
		return nil
	}
	excuse := regexp.MustCompile(strings.Join(excused[s.version], "|"))
	return slices.DeleteFunc(found, excuse.MatchString)
}

func (s schemas) check(schema map[string]any, value any, path string) []string {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		target, known := s.defs[name]
		if !known {
			return []string{path + " has no definition " + name}
		}
		return s.check(target, value, path)
	}
	if list, ok := firstOf(schema, "oneOf", "anyOf"); ok {
		return s.best(list, value, path)
	}
	if want, ok := schema["const"]; ok && !reflect.DeepEqual(want, value) {
		return []string{fmt.Sprintf("%s is %v, not %v", path, value, want)}
	}
	if list, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(list, func(e any) bool { return reflect.DeepEqual(e, value) }) {
		return []string{fmt.Sprintf("%s is %v, none of %v", path, value, list)}
	}
	if typ, ok := schema["type"].(string); ok && typ != typeName(value) {
		return []string{fmt.Sprintf("%s is a %s, not a %s", path, typeName(value), typ)}
	}
	switch value := value.(type) {
	case map[string]any:
		return s.object(schema, value, path)
	case []any:
		var found []string
		if items, ok := schema["items"].(map[string]any); ok {
			for i, item := range value {
				found = append(found, s.check(items, item, fmt.Sprintf("%s[%d]", path, i))...)
			}
		}
		return found
	}
	return nil
}

func firstOf(schema map[string]any, names ...string) (list []any, ok bool) {
	for _, name := range names {
		if list, ok = schema[name].([]any); ok {
			return list, true
		}
	}
	return nil, false
}

// best is what the most lenient of several schemas has against the value. One
// whose kind is another does not count where there is one whose kind fits.
func (s schemas) best(list []any, value any, path string) []string {
	var best []string
	for i, one := range list {
		schema, _ := one.(map[string]any)
		found := s.check(schema, value, path)
		if i == 0 || rank(found) < rank(best) {
			best = found
		}
	}
	return best
}

// rank counts a wrong kind for more than anything else.
func rank(found []string) int {
	n := len(found)
	for _, finding := range found {
		for _, member := range []string{".kind is ", ".type is ", ".status is ", ".state is ", ".approved is "} {
			if strings.Contains(finding, member) {
				n += 1000
			}
		}
	}
	return n
}

func (s schemas) object(schema, value map[string]any, path string) []string {
	properties, listed := schema["properties"].(map[string]any)
	extra, open := schema["additionalProperties"].(map[string]any)
	var found []string
	for name, member := range value {
		property, ok := properties[name].(map[string]any)
		switch {
		case ok:
			found = append(found, s.check(property, member, path+"."+name)...)
		case open:
			found = append(found, s.check(extra, member, path+"."+name)...)
		case listed:
			found = append(found, path+"."+name+" is not listed")
		}
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := value[name.(string)]; !ok {
			found = append(found, fmt.Sprintf("%s lacks %v", path, name))
		}
	}
	slices.Sort(found)
	return found
}

func typeName(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}
