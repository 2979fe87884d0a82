package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ahptui/config"
)

// withThemes is a configuration file with themes beside it.
func withThemes(t *testing.T, themes map[string]string) config.File {
	t.Helper()
	path := write(t, "version = 1\n")
	dir := filepath.Join(filepath.Dir(path), "themes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range themes {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLoadTheme(t *testing.T) {
	t.Parallel()
	file := withThemes(t, map[string]string{
		"mine.toml":     "base = 'dark'\n[colours]\nerror = '#ff0000'\n[light]\naccent = 'blue'\n",
		"newer.toml":    "version = 2\nshape = 'round'\n",
		"unknown.toml":  "base = 'dark'\n\n[colors]\nerror = '#ff0000'\n",
		"number.toml":   "[colours]\nerror = 7\n",
		"no name!.toml": "",
		"notes.txt":     "",
	})
	got, err := file.LoadTheme("mine")
	if err != nil || got.Base != "dark" || got.Colours["error"] != "#ff0000" || got.Light["accent"] != "blue" {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := got.Wrong("colours.error", errors.New("x"), ""); !strings.HasSuffix(err.Error(), "mine.toml:3: colours.error: x") {
		t.Errorf("a mistake found later: %v", err)
	}
	if names := file.OwnThemes(); !slices.Equal(names, []string{"mine", "newer", "number", "unknown"}) {
		t.Errorf("the themes are %q", names)
	}
	for _, name := range []string{"absent", "../config", "", "no name!"} {
		if _, err := file.LoadTheme(name); !errors.Is(err, config.ErrNoTheme) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"newer":   "newer.toml:1: version: the file is of version 2, and this ahptui knows version 1",
		"unknown": "unknown.toml:3: colors: there is no such key",
		"number":  "number.toml:2: colours.error: its value is not a text in quotes",
	} {
		_, err := file.LoadTheme(name)
		if wrong, ok := errors.AsType[*config.Error](err); !ok || !strings.HasSuffix(err.Error(), want) || wrong.Remedy == "" {
			t.Errorf("%s: %v, want %q and a remedy", name, err, want)
		}
	}
}

// TestDefaults: a file that says nothing, and none, leave everything as it is usually.
func TestDefaults(t *testing.T) {
	file := withThemes(t, nil)
	if file.Theme != "default" || !file.Mouse || file.AmbiguousWidth != 1 || file.KeysPreset != "vim" || file.Notify != "off" || file.Says("theme") || !file.Says("version") {
		t.Errorf("got %+v", file.Screen)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	none, err := config.Load("")
	if err != nil || none.Theme != "default" || none.Path != "" || none.OwnThemes() != nil {
		t.Errorf("without a file: %+v, %v", none, err)
	}
}
