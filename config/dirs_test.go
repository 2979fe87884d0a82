package config

import (
	"strings"
	"testing"
)

func TestStateDir(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		goos          string
		env           map[string]string
		want, wantErr string
	}{
		"linux":         {"linux", map[string]string{"HOME": "/home/a"}, "/home/a/.local/state/ahptui", ""},
		"macOS":         {"darwin", map[string]string{"HOME": "/Users/a"}, "/Users/a/Library/Application Support/ahptui", ""},
		"Windows":       {"windows", map[string]string{"LocalAppData": "/c/a/Local", "HOME": "/c/a"}, "/c/a/Local/ahptui", ""},
		"XDG":           {"linux", map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "/s"}, "/s/ahptui", ""},
		"XDG on macOS":  {"darwin", map[string]string{"HOME": "/Users/a", "XDG_STATE_HOME": "/s"}, "/s/ahptui", ""},
		"relative XDG":  {"linux", map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "s"}, "/home/a/.local/state/ahptui", ""},
		"no home":       {"linux", nil, "", "neither XDG_STATE_HOME nor HOME is set"},
		"relative home": {"linux", map[string]string{"HOME": "a"}, "", "HOME is not an absolute path"},
		"no data":       {"windows", map[string]string{"HOME": "/c/a"}, "", "neither XDG_STATE_HOME nor LocalAppData is set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := stateDir(tt.goos, func(name string) string { return tt.env[name] })
			switch {
			case tt.wantErr != "":
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Errorf("err = %v, want %q", err, tt.wantErr)
				}
			case err != nil || got != tt.want:
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestFilePath(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		goos          string
		env           map[string]string
		want, wantErr string
	}{
		"linux":   {"linux", map[string]string{"HOME": "/home/a"}, "/home/a/.config/ahptui/config.toml", ""},
		"macOS":   {"darwin", map[string]string{"HOME": "/Users/a"}, "/Users/a/Library/Application Support/ahptui/config.toml", ""},
		"Windows": {"windows", map[string]string{"AppData": "/c/a/Roaming", "HOME": "/c/a"}, "/c/a/Roaming/ahptui/config.toml", ""},
		"XDG":     {"linux", map[string]string{"HOME": "/home/a", "XDG_CONFIG_HOME": "/c"}, "/c/ahptui/config.toml", ""},
		"no home": {"linux", nil, "", "there is no place for the program's configuration: neither XDG_CONFIG_HOME nor HOME is set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := filePath(tt.goos, func(name string) string { return tt.env[name] })
			if tt.wantErr != "" {
				if err == nil || err.Error() != tt.wantErr {
					t.Errorf("err = %v, want %q", err, tt.wantErr)
				}
			} else if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
