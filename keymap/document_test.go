package keymap

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table into the guide")

// TestDocumented: the guide lists all that keys do, by the names that stand in people's configuration.
func TestDocumented(t *testing.T) {
	t.Parallel()
	const path, mark = "../docs/configuration.md", "-run TestDocumented -update -->\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, _, found := strings.Cut(string(data), mark)
	if !found {
		t.Fatalf("%s has no place for the table", path)
	}
	want := text + mark + "\n" + namesTable()
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not what keys do: go test ./keymap -run TestDocumented -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// namesTable lists the names with the keys of both presets.
func namesTable() string {
	var b strings.Builder
	b.WriteString("| name | `vim` | `plain` | what it does |\n| --- | --- | --- | --- |\n")
	vim, _ := New(Vim, nil)
	plain, _ := New(Plain, nil)
	for _, section := range vim.Help(Everywhere) {
		for _, binding := range section.Bindings {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", binding.ID, cell(binding), cell(plain.Binding(binding.ID)), binding.Long)
		}
	}
	return b.String()
}

// cell is the keys of a binding as they stand in a table.
func cell(b Binding) string {
	if b.sequence() {
		return fmt.Sprintf("`%s` to `%s`", b.Keys[0], b.Keys[len(b.Keys)-1])
	}
	keys := make([]string, len(b.Keys))
	for i, key := range b.Keys {
		keys[i] = "`" + strings.ReplaceAll(key, "|", "\\|") + "`"
	}
	return strings.Join(keys, " ")
}
