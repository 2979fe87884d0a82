package protocol

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestEveryActionHasARow: what says its type in the source is in the table, once,
// under a kind of channel that has a reducer.
func TestEveryActionHasARow(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`ActionType\(\) string \{\s*return "(.*)"`).FindAllSubmatch(source, -1) {
			written = append(written, string(m[1]))
		}
	}
	var rows []string
	for _, row := range actionRows() {
		rows = append(rows, row.empty().ActionType())
	}
	slices.Sort(written)
	slices.Sort(rows)
	if !slices.Equal(written, rows) {
		t.Errorf("in the source\n%q\nin the table\n%q", written, rows)
	}
	for _, row := range actionRows() {
		typ := row.empty().ActionType()
		if !slices.Contains(ChannelKinds(), KindOfAction(typ)) {
			t.Errorf("%s belongs to no channel", typ)
		}
		if a := newAction(typ); a == nil || a.ActionType() != typ {
			t.Errorf("%s is read as %v", typ, a)
		}
		if row.clients != never && !row.clients.AtLeast(row.since) {
			t.Errorf("clients may dispatch %s before it is known", typ)
		}
	}
}

// TestEveryActionHasACase: an own case folds each type, so that what it does is
// written down.
func TestEveryActionHasACase(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases found (%v)", err)
	}
	folded := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c reducerCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		for _, raw := range c.Actions {
			folded[actionType(raw)] = true
		}
	}
	for _, row := range actionRows() {
		if typ := row.empty().ActionType(); !folded[typ] {
			t.Errorf("no case below testdata/cases has %s in it", typ)
		}
	}
}

func TestKnownAt(t *testing.T) {
	t.Parallel()
	for typ, since := range map[string]Version{
		"chat/delta": V0_5_1, "session/mcpServerStopRequested": V0_5_2, "chat/toolCallAuthRequired": V0_6_0,
		"chat/workingDirectorySet": V0_7_0, "session/workingDirectoryReplaced": V0_8_0, "chat/turnResume": V0_9_0,
		"session/chatsReordered": V1_0_0, "changeset/filesReviewedChanged": V0_5_2, "chat/later": {99, 0, 0}, "": {99, 0, 0},
	} {
		for _, v := range Offered() {
			if got, want := KnownAt(v, typ), v.AtLeast(since); got != want {
				t.Errorf("%v knows %s: %v", v, typ, got)
			}
		}
	}
}
