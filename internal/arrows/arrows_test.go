// Package arrows holds the direction of the module's imports: they run downwards only.
// There is no code in it, only the test.
package arrows

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

const (
	module      = "ahptui"
	jsonLibrary = "github.com/go-json-experiment/json"
)

// everything stands for all rooms of the table.
const everything = "*"

// anyInternal stands for all rooms under internal/ that a program may use.
const anyInternal = "internal/*"

// A rule says what the packages of a room may import. What a named room may import, they may import too.
type rule struct {
	rooms []string
	// tests are rooms that only the tests of this room may use besides: its partners on the other end of a wire.
	tests []string
	// pure rooms do no I/O and know no library but the standard one and the JSON library.
	pure bool
}

// house is the module, room by room. The empty name is the entry point.
func house() map[string]rule {
	return map[string]rule{
		"":          {rooms: []string{"cli"}},
		"cli":       {rooms: []string{everything}},
		"tui":       {rooms: []string{"views", "ahpclient", "auth", "recording", "apps", "config", "keymap", "themes"}, tests: []string{"host", "host/demo"}},
		"linear":    {rooms: []string{"ahpclient", "auth", "protocol", "internal/safetext"}, tests: []string{"views", "internal/oauthserver"}},
		"views":     {rooms: []string{"keymap", "themes", "protocol", "internal/safetext"}},
		"keymap":    {},
		"themes":    {},
		"config":    {},
		"ahpclient": {rooms: []string{"protocol", "internal/jsonrpc", "internal/secret"}, tests: []string{"host"}},
		"auth":      {rooms: []string{"protocol", "internal/guard", "internal/secret"}, tests: []string{"internal/oauthserver"}},
		"recording": {rooms: []string{"protocol", "internal/secret"}},
		"apps":      {rooms: []string{"protocol", "internal/safetext"}},
		"host":      {rooms: []string{"protocol", "internal/jsonrpc", "internal/guard", "internal/secret"}, tests: []string{"ahpclient"}},
		"host/demo": {rooms: []string{"host", "internal/oauthserver"}, tests: []string{"ahpclient"}},
		"protocol":  {rooms: []string{"internal/jsonscan"}, pure: true},

		"internal/jsonscan":    {pure: true},
		"internal/jsonrpc":     {rooms: []string{anyInternal}},
		"internal/oauthserver": {rooms: []string{anyInternal}},
		"internal/secret":      {rooms: []string{anyInternal}},
		"internal/guard":       {rooms: []string{anyInternal}},
		"internal/safetext":    {rooms: []string{anyInternal}},
		"internal/testkit":     {rooms: []string{anyInternal}},
		// It stands beside the tests of the rooms above, not below the rooms.
		"internal/testkit/testwire": {rooms: []string{"protocol", anyInternal}},
		"internal/arrows":           {},
		"internal/converge":         {tests: []string{"ahpclient", "host"}},
		"internal/interop":          {tests: []string{"ahpclient", "host"}},
	}
}

// testRooms are the rooms that tests of every room may use and programs may not.
var testRooms = []string{"internal/testkit", "internal/testkit/testwire"}

// doesIO names the parts of the standard library that a pure room leaves alone.
var doesIO = []string{"log", "log/slog", "net", "net/http", "os", "os/exec", "os/signal", "syscall"}

// goPackage is the part of what `go list -json` says that matters here.
type goPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImportsRunDownwards(t *testing.T) {
	t.Parallel()
	touchModule(t)
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			packages := list(t, goos)
			if len(packages) == 0 {
				t.Fatal("go list found no package")
			}
			for _, v := range violations(packages, house()) {
				t.Error(v)
			}
		})
	}
}

// touchModule reads every directory of the module. The go tool keeps a test's result as long as what the test itself
// has read is unchanged, and does not see what `go list` reads on its behalf.
func touchModule(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatalf("walk the module: %v", err)
	}
}

// list asks the go tool for the module's packages, as one operating system sees them.
func list(t *testing.T, goos string) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-find", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []goPackage
	dec := jsontext.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		err := json.UnmarshalDecode(dec, &p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatalf("read the list: %v", err)
		}
		packages = append(packages, p)
	}
}

// violations says, a sentence each, which imports of the packages the rules do not allow.
func violations(packages []goPackage, rules map[string]rule) []string {
	var out []string
	for _, p := range packages {
		room, ok := roomOf(p.ImportPath, rules)
		if !ok {
			out = append(out, fmt.Sprintf("%s is in no room of the table: add its room and what it may import", p.ImportPath))
			continue
		}
		allowed := reach(room, rules)
		out = append(out, forbidden(p.ImportPath, "imports", p.Imports, allowed, rules)...)
		if rules[room].pure {
			out = append(out, impure(p)...)
		}

		inTests := maps.Clone(allowed)
		for _, shared := range testRooms {
			inTests[shared] = true
		}
		for _, partner := range rules[room].tests {
			maps.Copy(inTests, reach(partner, rules))
		}
		tests := append(slices.Clone(p.TestImports), p.XTestImports...)
		out = append(out, forbidden(p.ImportPath, "tests import", tests, inTests, rules)...)
	}
	return out
}

// forbidden reports the imports that lead into a room that is not allowed.
func forbidden(importer, verb string, imports []string, allowed map[string]bool, rules map[string]rule) []string {
	var out []string
	for _, path := range imports {
		if path != module && !strings.HasPrefix(path, module+"/") {
			continue
		}
		if room, ok := roomOf(path, rules); !ok || !allowed[room] {
			out = append(out, fmt.Sprintf("%s %s %s", importer, verb, path))
		}
	}
	return out
}

// impure reports what a room without I/O must not import.
func impure(p goPackage) []string {
	var out []string
	for _, path := range p.Imports {
		first, _, _ := strings.Cut(path, "/")
		ours := first == module
		json := path == jsonLibrary || strings.HasPrefix(path, jsonLibrary+"/")
		standard := !strings.Contains(first, ".") && !ours
		switch {
		case slices.Contains(doesIO, path):
			out = append(out, fmt.Sprintf("%s imports %s: it does no I/O", p.ImportPath, path))
		case !ours && !json && !standard:
			out = append(out, fmt.Sprintf("%s imports %s: only the standard library and %s", p.ImportPath, path, jsonLibrary))
		}
	}
	return out
}

// roomOf finds the room a package lies in: the longest name of the table that leads its path.
func roomOf(path string, rules map[string]rule) (string, bool) {
	if path == module {
		return "", true
	}
	for name := strings.TrimPrefix(path, module+"/"); name != ""; {
		if _, ok := rules[name]; ok {
			return name, true
		}
		slash := strings.LastIndexByte(name, '/')
		name = name[:max(slash, 0)]
	}
	return "", false
}

// reach is the room itself and every room that lies below it. A wildcard counts for the room that has it in its own
// rule: that internal rooms know each other gives no right to those who stand on one of them.
func reach(room string, rules map[string]rule) map[string]bool {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, next := range rules[name].rooms {
			if !isWildcard(next) {
				visit(next)
			}
		}
	}
	visit(room)
	for _, name := range rules[room].rooms {
		if isWildcard(name) {
			maps.Copy(seen, expand(name, rules))
		}
	}
	return seen
}

func isWildcard(name string) bool { return name == everything || name == anyInternal }

// expand turns a wildcard into the rooms it stands for.
func expand(wildcard string, rules map[string]rule) map[string]bool {
	out := map[string]bool{}
	for room := range rules {
		internal := strings.HasPrefix(room, "internal/")
		if room != "" && !slices.Contains(testRooms, room) && (internal || wildcard == everything) {
			out[room] = true
		}
	}
	return out
}

func TestViolations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		pkg  goPackage
		want []string
	}{
		{
			name: "the entry point uses the commands",
			pkg:  goPackage{ImportPath: "ahptui", Imports: []string{"os", "ahptui/cli"}},
		},
		{
			name: "the entry point uses nothing else",
			pkg:  goPackage{ImportPath: "ahptui", Imports: []string{"ahptui/tui"}},
			want: []string{"ahptui imports ahptui/tui"},
		},
		{
			name: "the commands use everything",
			pkg:  goPackage{ImportPath: "ahptui/cli", Imports: []string{"ahptui/tui", "ahptui/host/demo", "ahptui/internal/jsonrpc"}},
		},
		{
			name: "no program uses what tests share",
			pkg:  goPackage{ImportPath: "ahptui/cli", Imports: []string{"ahptui/internal/testkit"}},
			want: []string{"ahptui/cli imports ahptui/internal/testkit"},
		},
		{
			name: "a test does",
			pkg:  goPackage{ImportPath: "ahptui/views/servers", TestImports: []string{"ahptui/internal/testkit"}, XTestImports: []string{"ahptui/views/servers"}},
		},
		{
			name: "what lies under a neighbour is below too",
			pkg:  goPackage{ImportPath: "ahptui/tui", Imports: []string{"ahptui/protocol", "ahptui/internal/safetext"}},
		},
		{
			name: "a view knows no client",
			pkg:  goPackage{ImportPath: "ahptui/views/servers", Imports: []string{"ahptui/ahpclient", "ahptui/auth", "ahptui/recording", "ahptui/tui", "ahptui/themes"}},
			want: []string{
				"ahptui/views/servers imports ahptui/ahpclient",
				"ahptui/views/servers imports ahptui/auth",
				"ahptui/views/servers imports ahptui/recording",
				"ahptui/views/servers imports ahptui/tui",
			},
		},
		{
			name: "nor do its tests",
			pkg:  goPackage{ImportPath: "ahptui/views/servers", XTestImports: []string{"ahptui/ahpclient"}},
			want: []string{"ahptui/views/servers tests import ahptui/ahpclient"},
		},
		{
			name: "a package below a room takes the room's rule",
			pkg:  goPackage{ImportPath: "ahptui/host/mcpserver", Imports: []string{"ahptui/internal/jsonrpc", "ahptui/ahpclient", "ahptui/internal/oauthserver"}},
			want: []string{"ahptui/host/mcpserver imports ahptui/ahpclient", "ahptui/host/mcpserver imports ahptui/internal/oauthserver"},
		},
		{
			name: "the demo stands on the host",
			pkg:  goPackage{ImportPath: "ahptui/host/demo", Imports: []string{"ahptui/host", "ahptui/host/mcpserver", "ahptui/protocol", "ahptui/internal/oauthserver"}},
		},
		{
			name: "not the host on the demo",
			pkg:  goPackage{ImportPath: "ahptui/host", Imports: []string{"ahptui/host/demo"}},
			want: []string{"ahptui/host imports ahptui/host/demo"},
		},
		{
			name: "a host is the partner of the client's tests, not of the client",
			pkg:  goPackage{ImportPath: "ahptui/ahpclient", Imports: []string{"ahptui/host"}, XTestImports: []string{"ahptui/host"}},
			want: []string{"ahptui/ahpclient imports ahptui/host"},
		},
		{
			name: "the protocol is pure",
			pkg:  goPackage{ImportPath: "ahptui/protocol", Imports: []string{"strings", "os", jsonLibrary + "/jsontext", "golang.org/x/sync/errgroup"}, TestImports: []string{"os", "pgregory.net/rapid"}},
			want: []string{
				"ahptui/protocol imports os: it does no I/O",
				"ahptui/protocol imports golang.org/x/sync/errgroup: only the standard library and " + jsonLibrary,
			},
		},
		{
			name: "internal rooms use each other and nothing above",
			pkg:  goPackage{ImportPath: "ahptui/internal/jsonrpc", Imports: []string{"ahptui/internal/secret", "ahptui/protocol"}},
			want: []string{"ahptui/internal/jsonrpc imports ahptui/protocol"},
		},
		{
			name: "what an internal room knows is not known to who stands on it",
			pkg:  goPackage{ImportPath: "ahptui/views/servers", Imports: []string{"ahptui/internal/safetext", "ahptui/internal/guard"}},
			want: []string{"ahptui/views/servers imports ahptui/internal/guard"},
		},
		{
			name: "a room has a rule",
			pkg:  goPackage{ImportPath: "ahptui/utils"},
			want: []string{"ahptui/utils is in no room of the table: add its room and what it may import"},
		},
		{
			name: "an internal room too",
			pkg:  goPackage{ImportPath: "ahptui/internal/misc"},
			want: []string{"ahptui/internal/misc is in no room of the table: add its room and what it may import"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := violations([]goPackage{tt.pkg}, house())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}
