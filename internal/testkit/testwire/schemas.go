package testwire

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// schemas are the JSON schemas of a protocol version, as the protocol's project publishes them, with the exceptions that
// they need. They say what may be there, too: a member that they do not name is a mistake in what we send.
type schemas struct {
	mu       sync.Mutex // a compiler is not for several goroutines
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

// The files of a version. Together they define everything; what two of them define is the same.
var schemaFiles = []string{"errors.schema.json", "notifications.schema.json"}

// SchemaDir is where the schemas lie: in AHP_SCHEMA_DIR, else in ../shared/schema beside the module. There is a folder a
// minor version.
func SchemaDir() (string, error) {
	if dir := os.Getenv("AHP_SCHEMA_DIR"); dir != "" {
		return dir, nil
	}
	dir, err := os.Getwd() // of a test: its package's folder
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return filepath.Join(filepath.Dir(dir), "shared", "schema"), nil
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("the test does not run inside the module")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// loadSchemas reads the schemas of a minor version such as "0.6", without what edit takes away. They are nil where there
// are none.
func loadSchemas(minor string, edit func(defs map[string]any) error) (*schemas, error) {
	dir, err := SchemaDir()
	if err != nil {
		return nil, err
	}
	s := &schemas{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	for _, name := range schemaFiles {
		data, err := os.ReadFile(filepath.Join(dir, minor, name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", name, minor, err)
		}
		root, _ := doc.(map[string]any)
		defs, _ := root["$defs"].(map[string]any)
		if err := edit(defs); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", name, minor, err)
		}
		delete(root, "$id") // it is the same at every version
		openUnions(defs)
		closeObjects(root)
		if err := s.compiler.AddResource(name, doc); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// openUnions lets all actions and states pass. Each is checked for itself, by its type or its looks: that tells more, in
// less time, than that it is none of eighty.
func openUnions(defs map[string]any) {
	if defs["StateAction"] != nil {
		defs["StateAction"] = map[string]any{"type": "object"}
	}
	if snapshot, _ := defs["Snapshot"].(map[string]any); snapshot != nil {
		properties(snapshot)["state"] = map[string]any{"type": "object"}
	}
}

// closeObjects lets objects have no members but those that are named.
func closeObjects(schema any) {
	switch schema := schema.(type) {
	case map[string]any:
		_, named := schema["properties"].(map[string]any)
		if _, said := schema["additionalProperties"]; named && !said {
			schema["additionalProperties"] = false
		}
		for _, part := range schema {
			closeObjects(part)
		}
	case []any:
		for _, part := range schema {
			closeObjects(part)
		}
	}
}

// find returns a definition, or nil where there is none of that name.
func (s *schemas) find(def string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if schema, ok := s.compiled[def]; ok {
		return schema, nil
	}
	var found *jsonschema.Schema
	for _, name := range schemaFiles {
		schema, err := s.compiler.Compile(name + "#/$defs/" + def)
		var missing *jsonschema.JSONPointerNotFoundError
		if err != nil && !errors.As(err, &missing) {
			return nil, err
		}
		if err == nil {
			found = schema
			break
		}
	}
	s.compiled[def] = found
	return found, nil
}

// check holds a JSON value against a definition.
func (s *schemas) check(def string, value []byte) error {
	schema, err := s.find(def)
	if err != nil {
		return err
	}
	if schema == nil {
		return fmt.Errorf("the schemas do not define %s", def)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	err = schema.Validate(v)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		const most = 5
		list := leaves(invalid)
		return fmt.Errorf("it is no %s: %s", def, strings.Join(list[:min(most, len(list))], "; "))
	}
	return err
}

// leaves are the mistakes themselves, each with its place. Of the branches of a union only the one counts that is meant.
func leaves(e *jsonschema.ValidationError) []string {
	causes := e.Causes
	if len(causes) == 0 {
		return []string{e.Error()}
	}
	if isUnion(e) {
		causes = []*jsonschema.ValidationError{slices.MaxFunc(causes, func(a, b *jsonschema.ValidationError) int { return rank(a) - rank(b) })}
	}
	var list []string
	for _, c := range causes {
		list = append(list, leaves(c)...)
	}
	return list
}

func isUnion(e *jsonschema.ValidationError) bool {
	_, union := e.ErrorKind.(*kind.OneOf)
	return union
}

// rank is the higher the more a value looks as if it was meant to be what it is not: the deeper its first mistake lies. A
// constant that is not the wanted one is a mistake of the object that it is in, and the worst.
func rank(e *jsonschema.ValidationError) int {
	depth := len(e.InstanceLocation)
	if len(e.Causes) == 0 {
		switch e.ErrorKind.(type) {
		case *kind.Const:
			return 2*(depth-1) - 1
		case *kind.Type:
			return 2*depth - 1
		}
		return 2 * depth
	}
	ranks := make([]int, len(e.Causes))
	for i, c := range e.Causes {
		ranks[i] = rank(c)
	}
	if isUnion(e) {
		return slices.Max(ranks)
	}
	return slices.Min(ranks)
}
