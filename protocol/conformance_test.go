package protocol

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// TestConformance runs the upstream corpora: <version>/reducers/*.json and
// <version>/round-trips/*.json below AHP_CONFORMANCE_DIR, else below
// ../shared/conformance beside the module root.
func TestConformance(t *testing.T) {
	dir := conformanceDir()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no corpora below %s (set AHP_CONFORMANCE_DIR to run them)", dir)
	}
	ran := 0
	for _, file := range files {
		version := filepath.Base(filepath.Dir(filepath.Dir(file)))
		kind := filepath.Base(filepath.Dir(file))
		t.Run(fmt.Sprintf("%s/%s/%s", version, kind, filepath.Base(file)), func(t *testing.T) {
			ran++
			v, err := ParseVersion(version + ".0")
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			switch kind {
			case "reducers":
				runReducerCase(t, v, data)
			case "round-trips":
				runRoundTrip(t, data)
			default:
				t.Fatalf("no runner for %s", kind)
			}
		})
	}
	if chosen := flag.Lookup("test.run").Value.String(); ran != len(files) && !strings.Contains(chosen, "/") {
		t.Errorf("%d of %d files ran", ran, len(files))
	}
	t.Logf("conformance: %d of %d files ran", ran, len(files))
}

// TestLaterReducersPassEarlierCases: reducers up to 0.8 pass what was written for
// the ones before, except for the one case that 0.8 contradicts.
func TestLaterReducersPassEarlierCases(t *testing.T) {
	t.Parallel()
	contradicted := map[string]bool{
		"0.6 at 0.8.0 225-session-inputneededset-replaces-existing.json": true,
		"0.7 at 0.8.0 225-session-inputneededset-replaces-existing.json": true,
	}
	for _, corpus := range []string{"0.6", "0.7"} {
		files, err := filepath.Glob(filepath.Join(conformanceDir(), corpus, "reducers", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Skipf("no corpora below %s", conformanceDir())
		}
		for _, v := range []Version{V0_7_0, V0_8_0} {
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s at %s %s", corpus, v, filepath.Base(file))
				if diff := reducerDiff(t, v, data); (diff != "") != contradicted[name] {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		}
	}
}

// conformanceDir is where the upstream corpora are, if they are there.
func conformanceDir() string {
	if dir := os.Getenv("AHP_CONFORMANCE_DIR"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "shared", "conformance")
}

// TestCases runs the project's own cases, testdata/cases/<version>/*.json, which
// cover what the upstream corpora do not.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases found (%v)", err)
	}
	for _, file := range files {
		version := filepath.Base(filepath.Dir(file))
		t.Run(version+"/"+filepath.Base(file), func(t *testing.T) {
			v, err := ParseVersion(version)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var about struct {
				Description string `json:"description"`
				Source      string `json:"source"`
			}
			if err := json.Unmarshal(data, &about); err != nil || about.Description == "" || about.Source == "" {
				t.Errorf("the case does not say what it shows and where that is written (%v)", err)
			}
			runReducerCase(t, v, data)
		})
	}
}

type reducerCase struct {
	Reducer  string         `json:"reducer"`
	Initial  jsontext.Value `json:"initial"`
	Actions  []Raw          `json:"actions"`
	Expected jsontext.Value `json:"expected"`
}

func runReducerCase(t *testing.T, v Version, data []byte) {
	t.Helper()
	if diff := reducerDiff(t, v, data); diff != "" {
		t.Errorf("state differs (-want +got):\n%s", diff)
	}
}

// reducerDiff folds the actions of a case and compares what comes out with what
// the case expects.
func reducerDiff(t *testing.T, v Version, data []byte) string {
	t.Helper()
	var c reducerCase
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	kind := ChannelKind(c.Reducer)
	state, err := DecodeState(kind, c.Initial)
	if err != nil {
		t.Fatal(err)
	}
	if _, raw := state.(*RawState); raw {
		t.Fatalf("no reducer %q", c.Reducer)
	}
	before, err := EncodeState(state)
	if err != nil {
		t.Fatal(err)
	}
	initial := state
	// Upstream's runner freezes its clock here.
	p := ProfileOf(v).At(time.UnixMilli(9999))
	fold := NewFold(state)
	for _, raw := range c.Actions {
		state = reducePurely(t, p, state, DecodeAction(raw))
		fold.Apply(p, DecodeAction(raw))
	}
	got := encodeState(t, state)
	if folded := encodeState(t, fold.State()); !bytes.Equal(folded, got) {
		t.Errorf("one after another the actions make\n%s\nand folded\n%s", got, folded)
	}
	if after, _ := EncodeState(initial); !bytes.Equal(before, after) {
		t.Errorf("the initial state was changed in place:\nbefore %s\nafter  %s", before, after)
	}
	return cmp.Diff(withoutNulls(t, c.Expected), withoutNulls(t, got))
}

// withoutNulls decodes JSON and drops members that are null, which is how the
// corpora write "undefined".
func withoutNulls(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return compacted(v)
}

func compacted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			} else {
				v[k] = compacted(e)
			}
		}
	case []any:
		for i := range v {
			v[i] = compacted(v[i])
		}
	}
	return v
}

type roundTrip struct {
	Group             string           `json:"group"`
	Type              string           `json:"type"`
	Input             jsontext.Value   `json:"input"`
	AcceptableOutputs []jsontext.Value `json:"acceptableOutputs"`
	PreservedOutput   jsontext.Value   `json:"preservedOutput"`
}

func runRoundTrip(t *testing.T, data []byte) {
	t.Helper()
	var c roundTrip
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	got := recode(t, c.Type, c.Input)
	want := c.AcceptableOutputs[0]
	if c.Group == "B" { // unknown members are kept
		want = c.PreservedOutput
	}
	var g, w any
	if json.Unmarshal(got, &g) != nil || json.Unmarshal(want, &w) != nil || !reflect.DeepEqual(g, w) {
		t.Errorf("re-encoded as\n%s\nwant\n%s", got, want)
	}
}

func recode(t *testing.T, typ string, input Raw) []byte {
	t.Helper()
	if typ == "StateAction" {
		raw, err := EncodeAction(DecodeAction(input))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	v := newOfType(typ)
	if v == nil {
		t.Fatalf("no type %s", typ)
	}
	if err := Unmarshal(input, v); err != nil {
		t.Fatal(err)
	}
	out, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newOfType(typ string) any {
	switch typ {
	case "ActionEnvelope":
		return new(Envelope)
	case "Customization":
		return new(Customization)
	case "SessionStatus":
		return new(Status)
	case "StringOrMarkdown":
		return new(StringOrMarkdown)
	case "ChatInputQuestion":
		return new(ChatInputQuestion)
	case "SessionSummary":
		return new(SessionSummary)
	case "SessionAddedParams":
		return new(SessionAddedParams)
	case "Implementation":
		return new(Implementation)
	case "InitializeResult":
		return new(InitializeResult)
	case "ChatSource":
		return new(ChatSource)
	case "JsonRpcMessage":
		return new(JSONRPCMessage)
	case "ChangesetOperationTarget":
		return new(ChangesetOperationTarget)
	case "PartialSessionSummary":
		return new(map[string]Raw)
	}
	return nil
}
