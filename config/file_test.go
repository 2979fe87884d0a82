package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ahptui/config"
)

// write writes a configuration file, and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	t.Parallel()
	path := write(t, "\uFEFF"+`# everything there is
version = 1
theme = "my-theme"
ascii = true
ambiguous_width = 2
mouse = false
bell = true
notify = "osc9"
keys_preset = "plain"

[keys]
server.start = "f5"
"server.stop" = ["f6", "ctrl+t"]
keys.keep = []

[keys.block]
next = "f2"

[auth]
method = "device"
client_document = "https://me.example/ahptui.json"
redirect_host = "localhost"
redirect_port = 8765

[[auth.issuer]]
issuer = "https://as.example"
metadata_issuer = "https://login.as.example"
assume_pkce_s256 = true
client_id = "client-1"
client_secret_file = "secrets/as"

[[auth.issuer]]
issuer = "https://other.example/"
client_id = "client-2"

[[auth.token]]
resource = "https://api.example/mcp"
command = ["gh", "auth", "token"]

[[auth.token]]
resource = "https://files.example/mcp"
file = "files-token"

[[auth.token]]
resource = "https://tool.example/mcp"
command = ["bin/token", "--for=tool"]

[[host]]
url = "ws://build-box:8081/ahp"
insecure = true
`)
	dir := filepath.Dir(path)
	want := config.File{
		Path: path, Version: 1,
		Screen: config.Screen{
			Theme: "my-theme", ASCII: true, AmbiguousWidth: 2, Bell: true, Notify: "osc9", KeysPreset: "plain",
			Keys: map[string][]string{"server.start": {"f5"}, "server.stop": {"f6", "ctrl+t"}, "keys.keep": {}, "block.next": {"f2"}},
		},
		Auth: config.Auth{
			Method: "device", ClientDocument: "https://me.example/ahptui.json", RedirectHost: "localhost", RedirectPort: 8765,
			Issuers: []config.Issuer{
				{
					Issuer: "https://as.example", MetadataIssuer: "https://login.as.example", AssumeS256: true,
					ClientID: "client-1", ClientSecretFile: filepath.Join(dir, "secrets", "as"),
				},
				{Issuer: "https://other.example/", ClientID: "client-2"},
			},
			Tokens: []config.Token{
				{Resource: "https://api.example/mcp", Command: []string{"gh", "auth", "token"}},
				{Resource: "https://files.example/mcp", File: filepath.Join(dir, "files-token")},
				{Resource: "https://tool.example/mcp", Command: []string{filepath.Join(dir, "bin", "token"), "--for=tool"}},
			},
		},
		Hosts: []config.Host{{URL: "ws://build-box:8081/ahp", Insecure: true}},
	}
	got, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(config.File{}), cmpopts.IgnoreFields(config.Screen{}, "KeyTable")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLoadRefuses: each mistake is told with its line, its key, and what to do.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want, remedy string }{
		"newer":                  {"version = 2\nfoo = 1\n", "FILE:1: version: the file is of version 2, and this ahptui knows version 1", "use the ahptui that it was written for, or another file"},
		"version below any":      {"version = -1\n", "FILE:1: version: there is no version -1", "write version = 1"},
		"version as text":        {"version = \"1\"\n", "FILE:1: version: its value is not a number", "write a number there"},
		"unknown key":            {"[auth]\nmethods = 1\n", "FILE:2: auth.methods: there is no such key", "there are: method, client_document, redirect_host, redirect_port, issuer, token"},
		"unknown key at the top": {"\nurl = 1\n", "FILE:2: url: there is no such key", "there are: version, theme, ascii, ambiguous_width, mouse, bell, notify, keys_preset, keys, auth, host"},
		"a secret in the file":   {"[[auth.issuer]]\nissuer = \"https://a.example\"\nclient_secret = \"canary-4711\"\n", "FILE:3: auth.issuer.client_secret: there is no such key", "there are: issuer, metadata_issuer, assume_pkce_s256, client_id, client_secret_file"},
		"no TOML":                {"[auth\n", "FILE:1: expected ']' to close table name", "correct that line; the format is described at https://toml.io"},
		"twice":                  {"[auth]\nmethod = 'browser'\nmethod = 'device'\n", "FILE:3: method: key method is already defined", "correct that line; the format is described at https://toml.io"},
		"a table for a list":     {"host = 1\n", "FILE:1: host: its value is not a table of its own, [[host]]", "write a table of its own, [[host]] there"},

		"theme that is a path": {"theme = '../x'\n", "FILE:1: theme: the name of a theme has letters, digits, - and _ only", "write the name of a theme, such as dark"},
		"theme as a table":     {"[theme]\nbase = 'dark'\n", "FILE:1: theme: its value is not a text in quotes", "write a text in quotes there"},
		"width":                {"\nambiguous_width = 3\n", "FILE:2: ambiguous_width: no terminal takes 3 columns for a character", "write 1 or 2"},
		"ascii":                {"ascii = 'yes'\n", "FILE:1: ascii: its value is not true or false", "write true or false there"},
		"notify":               {"notify = 'mail'\n", `FILE:1: notify: there is no "mail"`, "write one of off, osc9, osc777"},
		"preset":               {"keys_preset = 'emacs'\n", `FILE:1: keys_preset: there is no "emacs"`, "write one of vim, plain"},
		"key of a number":      {"[keys]\n'server.start' = 5\n", "FILE:2: keys.server.start: its value is no key", `write "x", or ["x", "y"] for several, or [] for none`},
		"key in a table":       {"[keys.server]\nstop = 'x'\nstart = ['x', 5]\n", "FILE:3: keys.server.start: its value is no key", `write "x", or ["x", "y"] for several, or [] for none`},
		"keys as a list":       {"keys = ['x']\n", "FILE:1: keys: its value is not a table, [keys]", "write a table, [keys] there"},

		"method":             {"[auth]\nmethod = 'magic'\n", `FILE:2: auth.method: there is no way to sign in called "magic"`, "write one of browser, device, paste, token"},
		"method of a number": {"[auth]\nmethod = 3\n", "FILE:2: auth.method: its value is not a text in quotes", "write a text in quotes there"},
		"redirect host":      {"[auth]\n\nredirect_host = '0.0.0.0'\n", `FILE:3: auth.redirect_host: a browser cannot come back to "0.0.0.0"`, "write one of 127.0.0.1, localhost"},
		"redirect port":      {"auth.redirect_port = 70000\n", "FILE:1: auth.redirect_port: 70000 is no port", "write a number up to 65535; 0 means any that is free"},

		"issuer without name":   {"[[auth.issuer]]\nclient_id = 'a'\n", "FILE:1: auth.issuer.issuer: it is missing", "write the address of the authorization server, as the host names it"},
		"issuer twice":          {"[[auth.issuer]]\nissuer = 'https://a.example'\nclient_id = 'a'\n[[auth.issuer]]\nissuer = 'https://a.example'\nclient_id = 'a'\n", `FILE:5: auth.issuer.issuer: there are two entries for "https://a.example"`, "make one entry of them"},
		"issuer of nothing":     {"[[auth.issuer]]\nissuer = 'https://a.example'\n", "FILE:1: auth.issuer: it says nothing about the authorization server", "add client_id, metadata_issuer or assume_pkce_s256, or remove the entry"},
		"secret of nobody":      {"[[auth.issuer]]\nissuer = 'https://a.example'\nclient_secret_file = 'a'\n", "FILE:1: auth.issuer.client_id: it is missing", "write the id of the client that the secret belongs to"},
		"assumption of a text":  {"[[auth.issuer]]\nassume_pkce_s256 = 'yes'\n", "FILE:2: auth.issuer.assume_pkce_s256: its value is not true or false", "write true or false there"},
		"issuer as one":         {"[auth.issuer]\nissuer = 'https://a.example'\n", "FILE:1: auth.issuer: it says nothing about the authorization server", "add client_id, metadata_issuer or assume_pkce_s256, or remove the entry"},
		"issuer in one line":    {"[auth]\nissuer = [{client_id = 'a'}]\n", "FILE:2: auth.issuer.issuer: it is missing", "write the address of the authorization server, as the host names it"},
		"token without name":    {"[[auth.token]]\nfile = 'a'\n", "FILE:1: auth.token.resource: it is missing", "write the resource that the token is for, as the host names it"},
		"token for no URL":      {"[[auth.token]]\nresource = 'github'\nfile = 'a'\n", "FILE:2: auth.token.resource: it is not an absolute URL", "write the resource as the host names it, from https:// on"},
		"token twice":           {"[[auth.token]]\nresource = 'https://a.example'\nfile = 'a'\n[[auth.token]]\nresource = 'https://a.example'\nfile = 'a'\n", `FILE:5: auth.token.resource: there are two entries for "https://a.example"`, "make one entry of them"},
		"token from nowhere":    {"[[auth.token]]\nresource = 'https://a.example'\n", "FILE:1: auth.token: it needs a file or a command, and not both", `write file = "PATH" or command = ["PROGRAM", "ARGUMENT"]`},
		"token from two places": {"[[auth.token]]\nresource = 'https://a.example'\nfile = 'a'\ncommand = ['a']\n", "FILE:1: auth.token: it needs a file or a command, and not both", `write file = "PATH" or command = ["PROGRAM", "ARGUMENT"]`},
		"no program":            {"[[auth.token]]\nresource = 'https://a.example'\ncommand = []\n", "FILE:3: auth.token.command: it names no program", `write command = ["PROGRAM", "ARGUMENT"]`},
		"command for a shell":   {"[[auth.token]]\nresource = 'https://a.example'\ncommand = 'gh auth token'\n", "FILE:3: auth.token.command: its value is not a list of texts in quotes", "write a list of texts in quotes there"},

		"host without address": {"[[host]]\ninsecure = true\n", "FILE:1: host.url: it is missing", "write ws://HOST:PORT or wss://HOST:PORT"},
		"host over http":       {"[[host]]\nurl = 'http://a.example'\n", "FILE:2: host.url: it is not the address of an agent host", "write ws://HOST:PORT or wss://HOST:PORT"},
		"host with a token":    {"[[host]]\nurl = 'ws://a.example?tkn=canary-4711'\n", "FILE:2: host.url: it holds more than an address", "write ws://HOST:PORT or wss://HOST:PORT; a connection token belongs into a file: --token-file"},
		"host twice":           {"[[host]]\nurl = 'ws://a.example'\n[[host]]\nurl = 'ws://a.example'\n", `FILE:4: host.url: there are two entries for "ws://a.example"`, "make one entry of them"},
		"insecure and secure":  {"[[host]]\nurl = 'wss://a.example'\ninsecure = true\n", "FILE:3: host.insecure: a wss:// address is secure", "remove it, or write the ws:// address that it is meant for"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, tt.text)
			_, err := config.Load(path)
			wrong, ok := errors.AsType[*config.Error](err)
			if !ok {
				t.Fatalf("err = %v, want an *Error", err)
			}
			if got := strings.ReplaceAll(err.Error(), path, "FILE"); got != tt.want || wrong.Remedy != tt.remedy {
				t.Errorf("\n got %q\nwant %q\n got remedy %q\nwant remedy %q", got, tt.want, wrong.Remedy, tt.remedy)
			}
			if strings.Contains(err.Error()+wrong.Remedy, "canary") {
				t.Errorf("the error holds a secret: %v", err)
			}
		})
	}
}

func TestLoadWhere(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "config.toml")
	if _, err := config.Load(missing); err == nil || !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("a file that was named and is missing: %v", err)
	}
	if _, err := config.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	large := write(t, "# "+strings.Repeat("x", 1<<20))
	if _, err := config.Load(large); err == nil || !strings.Contains(err.Error(), "it is larger than 1048576 bytes") {
		t.Errorf("a large file: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	open := write(t, "version = 1\n")
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(open)
	if wrong, ok := errors.AsType[*config.Error](err); !ok || wrong.Remedy != "run: chmod o-w "+open {
		t.Errorf("a file that everybody can change: %v", err)
	}
}

// TestLoadUsual: the file in the usual place is read, and need not exist.
func TestLoadUsual(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	if got, err := config.Load(""); err != nil || got.Path != "" {
		t.Errorf("without a file: %+v, %v", got, err)
	}
	dir := filepath.Join(home, "ahptui")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	text := "[[auth.token]]\nresource = 'https://a.example'\nfile = '~/token'\n"
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := config.Load("")
	if err != nil || got.Path != filepath.Join(dir, "config.toml") || got.Auth.Tokens[0].File != filepath.Join(home, "token") {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("version = 1\n[auth]\nmethod = 'x'\n[[auth.issuer]]\nissuer = 'a'\n")
	f.Add("theme = 'x'\n[keys]\na.b = ['x']\nc = []\n")
	f.Add("[[host]]\nurl = 'ws://a'\n[[auth.token]]\ncommand = ['a']\n")
	path := filepath.Join(f.TempDir(), "config.toml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := config.Load(path)
		if wrong, ok := errors.AsType[*config.Error](err); err != nil && (!ok || wrong.Path != path) {
			t.Errorf("an error that does not say where: %v", err)
		}
		if err == nil && got.Path != path {
			t.Errorf("read from %q", got.Path)
		}
	})
}
