package config

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestDocumented: every key of the files that people write stands in the guide.
func TestDocumented(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []reflect.Type{reflect.TypeFor[File](), reflect.TypeFor[Theme]()} {
		keys := keysOf(file, "")
		if len(keys) < 4 {
			t.Errorf("%v has the keys %q", file, keys)
		}
		for _, key := range keys {
			if !strings.Contains(string(data), "\n| `"+key+"` |") && !strings.Contains(string(data), ", `"+key+"` |") && !strings.Contains(string(data), "\n| `"+key+"`, ") {
				t.Errorf("%s of %v is not in the guide", key, file)
			}
		}
	}
}

// keysOf are the keys of a table with those of the tables in it.
func keysOf(t reflect.Type, prefix string) []string {
	var keys []string
	for _, field := range reflect.VisibleFields(t) {
		name := field.Tag.Get("toml")
		if name == "" || name == "-" {
			continue
		}
		inner := field.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			keys = append(keys, keysOf(inner, prefix+name+".")...)
			continue
		}
		keys = append(keys, prefix+name)
	}
	return keys
}
