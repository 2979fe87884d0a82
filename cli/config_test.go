package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ahptui/internal/testkit"
)

// configured writes a configuration file, and themes beside it.
func configured(t *testing.T, text string, themes map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"config.toml": text}
	for name, theme := range themes {
		files[filepath.Join("themes", name+".toml")] = theme
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "config.toml")
}

type shownSettings struct {
	File     string `json:"file"`
	Settings []struct {
		Key    string `json:"key"`
		Value  any    `json:"value"`
		Source string `json:"source"`
	} `json:"settings"`
}

// of is a setting and its source.
func (s shownSettings) of(key string) [2]any {
	for _, x := range s.Settings {
		if x.Key == key {
			return [2]any{x.Value, x.Source}
		}
	}
	return [2]any{}
}

func TestConfigShow(t *testing.T) {
	t.Parallel()
	path := configured(t, `theme = "mine"
mouse = false
[keys]
server.start = "f5"
server.stop = "ctrl+i"
[[auth.token]]
resource = "https://api.example/mcp"
command = ["gh", "canary-4711"]
`, map[string]string{"mine": "base = 'light'\n"})
	env := []string{"AHP_TOKEN=canary-4711", "AHP_URL=ws://127.0.0.1:1/?tkn=canary-4711", "LC_ALL=POSIX"}
	got := run(t, env, "config", "show", "--config", path, "--json", "--timeout", "5s")
	shown := decode[shownSettings](t, got.out)
	if got.code != 0 || shown.File != path || strings.Contains(got.out+got.err, "canary") {
		t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
	}
	for key, want := range map[string][2]any{
		"theme":                 {"mine", "file"},
		"ascii":                 {true, "env"},
		"ambiguous_width":       {1.0, "default"},
		"mouse":                 {false, "file"},
		"notify":                {"off", "default"},
		"auth.method":           {"", "default"},
		"auth.token[0].command": {"gh", "file"},
		"--url":                 {"ws://127.0.0.1:1/", "env"},
		"--token-file":          {"AHP_TOKEN", "env"},
		"--timeout":             {"5s", "flag"},
	} {
		if shown.of(key) != want {
			t.Errorf("%s is %v, want %v", key, shown.of(key), want)
		}
	}
	table := run(t, append(env, "NO_COLOR=1"), "config", "show", "--config", path, "--theme", "dark", "--ascii=false")
	for _, want := range []string{"theme  monochrome  env", "ascii  false  flag", "keys.server.start  f5  file", "keys.server.stop  S  default"} {
		if !strings.Contains(strings.Join(strings.Fields(table.out), "  "), want) {
			t.Errorf("the table lacks %q:\n%s%s", want, table.out, table.err)
		}
	}
	if got := run(t, nil, "config", "show", "--theme", "pink"); got.code != 2 || !strings.Contains(got.err, `no theme is called "pink"`) || !strings.Contains(got.err, "high-contrast") {
		t.Errorf("a theme that there is not: %d %s", got.code, got.err)
	}
}

func TestConfigPath(t *testing.T) {
	t.Parallel()
	got := run(t, []string{"XDG_CONFIG_HOME=/c", "XDG_STATE_HOME=/s"}, "config", "path")
	if got.code != 0 || got.out != "/c/ahptui/config.toml\n" {
		t.Errorf("exit %d: %q %s", got.code, got.out, got.err)
	}
	all := decode[map[string]any](t, run(t, []string{"XDG_CONFIG_HOME=/c", "XDG_STATE_HOME=/s"}, "config", "path", "--json").out)
	if all["file"] != "/c/ahptui/config.toml" || all["exists"] != false || all["themes"] != "/c/ahptui/themes" || all["state"] != "/s/ahptui" {
		t.Errorf("got %v", all)
	}
	if got := run(t, nil, "config", "path", "--config", "/x/y.toml"); got.out != "/x/y.toml\n" {
		t.Errorf("with --config: %q", got.out)
	}
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	type problems struct {
		Problems []struct {
			Problem string `json:"problem"`
			Hint    string `json:"hint"`
			Mistake bool   `json:"mistake"`
		} `json:"problems"`
	}
	for name, tt := range map[string]struct {
		text   string
		themes map[string]string
		code   int
		want   []string // a part of each problem
	}{
		"fine":             {"theme = 'mine'\n", map[string]string{"mine": "[colours]\nerror = 'red'\n"}, 0, nil},
		"not everywhere":   {"[keys]\nserver.start = 'ctrl+enter'\n", nil, 0, []string{"Kitty"}},
		"not to be sent":   {"[keys]\n\nserver.start = 'ctrl+i'\n", nil, 2, []string{"config.toml:3: keys.server.start: ctrl+i cannot be bound"}},
		"unknown command":  {"[keys]\nsever.start = 'x'\n", nil, 2, []string{"config.toml:2: keys.sever.start: nothing has this name; did you mean server.start?"}},
		"conflict":         {"[keys]\nserver.start = 'S'\n", nil, 2, []string{"S is server.stop already"}},
		"unknown key":      {"themes = 'x'\n", nil, 2, []string{"config.toml:1: themes: there is no such key"}},
		"unknown theme":    {"\ntheme = 'pink'\n", nil, 2, []string{`config.toml:2: theme: no theme is called "pink"`}},
		"bad theme":        {"theme = 'mine'\n", map[string]string{"mine": "base = 'pink'\n"}, 2, []string{`mine.toml:1: base: no theme is called "pink"`}},
		"bad unused theme": {"", map[string]string{"b": "[colours]\nerror = 'crimson'\n"}, 2, []string{`b.toml:2: colours.error: "crimson" is no colour`}},
		"hidden theme":     {"", map[string]string{"dark": ""}, 2, []string{"themes/dark.toml is never used"}},
		"two":              {"theme = 'pink'\n[keys]\nx = 'y'\n", nil, 2, []string{"pink", "nothing has this name"}},
		"no secret file":   {"[[auth.issuer]]\nissuer = 'https://a.example'\nclient_id = 'x'\nclient_secret_file = 'none'\n", nil, 2, []string{"auth.issuer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := configured(t, tt.text, tt.themes)
			got := run(t, nil, "config", "validate", path, "--json")
			found := decode[problems](t, got.out)
			if got.code != tt.code || len(found.Problems) != len(tt.want) {
				t.Fatalf("exit %d, want %d: %s%s", got.code, tt.code, got.out, got.err)
			}
			for i, want := range tt.want {
				p := found.Problems[i]
				if !strings.Contains(p.Problem, want) || p.Mistake != (tt.code == 2) {
					t.Errorf("problem %+v, want %q", p, want)
				}
			}
			text := run(t, nil, "config", "validate", "--config", path)
			if text.code != tt.code || text.err != "" || len(tt.want) == 0 && text.out != path+": no mistakes\n" {
				t.Errorf("as text, exit %d: %s%s", text.code, text.out, text.err)
			}
		})
	}
	if got := run(t, nil, "config", "validate"); got.code != 0 || got.out != "there is no configuration file, which is no mistake\n" {
		t.Errorf("without a file: %d %q %q", got.code, got.out, got.err)
	}
	if got := run(t, nil, "config", "validate", "/no/such/file"); got.code != 2 || !strings.Contains(got.out, "there is no such file") {
		t.Errorf("a file that is missing: %d %q %q", got.code, got.out, got.err)
	}
}

// TestWideCharacters: where the terminal takes two columns for ambiguous characters, the program is started anew so that it
// measures them so, with all that it was given.
func TestWideCharacters(t *testing.T) {
	t.Parallel()
	path := configured(t, "ambiguous_width = 2\n", nil)
	term := testkit.StartCommand(t, testkit.Size{Cols: 80, Rows: 24}, command(t, nil, "demo", "--config", path))
	term.WaitFor(t, testkit.Patience, "+ Sessions -", "Fix the login~")
	term.Key(t, "q")
	if code := term.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}
