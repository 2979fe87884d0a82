package tui

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ahptui/internal/secret"
	"ahptui/internal/testkit"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/markdown"
	"ahptui/views/transcript"
)

func names(list []piece) []string {
	var all []string
	for _, p := range list {
		all = append(all, p.name)
	}
	return all
}

// TestPieces: what can be copied of each kind of item.
func TestPieces(t *testing.T) {
	t.Parallel()
	chat := readableHost(time.Now).states[chatA].(*protocol.ChatState)
	turn := chat.Turns[8]
	r := markdown.New(themes.Theme{})
	for _, tt := range []struct {
		sel  transcript.Selection
		want []string
	}{
		{transcript.Selection{Kind: transcript.Message, Turn: turn, Message: turn.Message}, []string{"message", "whole answer of the turn", "code block 1 (go)", "code block 2"}},
		{transcript.Selection{Kind: transcript.Reasoning, Turn: turn, Part: turn.ResponseParts[0]}, []string{"reasoning", "whole answer of the turn"}},
		{transcript.Selection{Kind: transcript.Answer, Turn: turn, Part: turn.ResponseParts[1]}, []string{"text", "code block 1 (go)", "code block 2"}},
		{transcript.Selection{Kind: transcript.ToolCall, Turn: turn, Call: turn.ResponseParts[2].ToolCall}, []string{"input", "output", "name of the tool", "whole answer of the turn"}},
		{transcript.Selection{Kind: transcript.Failure, Turn: turn, Error: turn.ResponseParts[3].Error}, []string{"error", "whole answer of the turn"}},
		{transcript.Selection{Turn: turn}, []string{"whole answer of the turn", "code block 1 (go)", "code block 2"}},
		{transcript.Selection{}, nil},
	} {
		list := pieces(r, tt.sel)
		if got := names(list); !slices.Equal(got, tt.want) {
			t.Errorf("of %d: %q, want %q", tt.sel.Kind, got, tt.want)
		}
		for _, p := range list {
			if p.name == "code block 1 (go)" && p.text != "fmt.Println(8)\n" || p.name == "input" && p.text != `{"path":"main.go","line":7}` {
				t.Errorf("%s is %q", p.name, p.text)
			}
		}
	}
}

// copying drives a chat that can be read, with a clipboard of this machine.
func copying(t *testing.T, play func(d *driver, clipboard *string)) {
	inBubble(t, classic, readableHost, func(_ *testing.T, d *driver) {
		clipboard := new(string)
		d.m.opts.Clipboard = func(s string) error { *clipboard = s; return nil }
		d.m.setFocus(keymap.Transcript)
		d.key("end")
		play(d, clipboard)
	})
}

// TestCopy: c asks what is to be copied where there is a choice, and says what was, and how.
func TestCopy(t *testing.T) {
	copying(t, func(d *driver, clipboard *string) {
		d.key("{", "c")
		d.sees("Copy", "input", "output", "func needle() {}", "16 bytes")
		d.key("down", "enter")
		d.sees("copied the output (16 bytes) to this machine's clipboard, and sent it to")
		if *clipboard != "func needle() {}" {
			d.t.Errorf("copied %q", *clipboard)
		}
		d.key("[", "c")
		d.write("block 1")
		d.key("enter")
		if *clipboard != "fmt.Println(11)\n" {
			d.t.Errorf("copied %q", *clipboard)
		}
		d.key("c", "esc")
		d.focused(keymap.Transcript)
	})
}

// TestCopyWays: without a clipboard of this machine it is the terminal's; what is too long for that is not sent to it.
func TestCopyWays(t *testing.T) {
	copying(t, func(d *driver, clipboard *string) {
		copyText := func(text string) { d.do(d.m.copyPiece(piece{"text", text})); d.settle(); d.send(nil) }
		d.m.opts.Clipboard = nil
		copyText("short")
		d.sees("copied the text (5 bytes) by the terminal (OSC 52)")
		copyText(strings.Repeat("long ", 20_000))
		d.sees("not copied: the text (100000 bytes) is too long for the terminal")
		d.m.notices.list = nil
		d.m.opts.Clipboard = func(string) error { return errors.New("no display") }
		copyText("short")
		d.sees("by the terminal (OSC 52)")
		copyText(strings.Repeat("long ", 20_000))
		d.sees("no display")
		d.m.notices.list = nil
		d.m.opts.Clipboard = func(s string) error { *clipboard = s; return nil }
		copyText(strings.Repeat("long ", 20_000))
		d.sees("to this machine's clipboard; it is too long")
		d.m.notices.list = nil
		copyText(strings.Repeat("long ", 1_000_000))
		d.sees("the text is too long for a clipboard (4 MB)")
		if len(*clipboard) != 100_000 {
			d.t.Errorf("%d bytes were copied", len(*clipboard))
		}
		d.m.notices.list = nil
		stuck := make(chan struct{})
		d.m.opts.Clipboard = func(string) error { <-stuck; return nil }
		copyText("short")
		d.lacks("copied")
		d.pass(clipboardPatience)
		d.sees("by the terminal (OSC 52)")
		close(stuck)
	})
}

// TestCopyTellsNoSecret: a token that the host was handed, or the store holds, does not come back by the clipboard, nor do
// commands for terminals.
func TestCopyTellsNoSecret(t *testing.T) {
	copying(t, func(d *driver, clipboard *string) {
		d.m.conn.note()
		d.m.conn.Secrets.Add(secret.New("connection-token"))
		if err := d.m.conn.Host.Authenticate(context.Background(), &protocol.AuthenticateParams{Token: "sekrit-token-1"}); err != nil {
			d.t.Fatal(err)
		}
		d.do(d.m.copyPiece(piece{"text", "use connection-token and sekrit-token-1\r\n\tof \x1b[201~rm -rf\u202e \x9bm \"token\":\"mine\""}))
		d.settle()
		const want = "use [redacted] and [redacted]\n\tof [201~rm -rf \ufffdm \"token\":\"mine\""
		if *clipboard != want {
			d.t.Errorf("copied %q, want %q", *clipboard, want)
		}
	})
}

// TestSplitWords splits as a shell does.
func TestSplitWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"vi":                         {"vi"},
		"  code  --wait ":            {"code", "--wait"},
		`"my editor" -x 'a b'c`:      {"my editor", "-x", "a bc"},
		`my\ editor "a\"b" '\' "\n"`: {"my editor", `a"b`, `\`, `\n`},
		`x "" ''`:                    {"x", "", ""},
		"less -R # x":                {"less", "-R", "#", "x"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"", "  ", `vi "a`, "vi '", `vi \`, `""`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%q is split into %q", line, got)
		}
	}
}

// TestDocument: what is opened has all there is of an item.
func TestDocument(t *testing.T) {
	t.Parallel()
	chat := readableHost(time.Now).states[chatA].(*protocol.ChatState)
	turn := chat.Turns[8]
	call := document(transcript.Selection{Kind: transcript.ToolCall, Turn: turn, Call: turn.ResponseParts[2].ToolCall})
	if want := "# files.read (completed)\n\n## Input\n\n{\n  \"path\": \"main.go\",\n  \"line\": 7\n}\n\n## Output\n\nfunc needle() {}\n"; call != want {
		t.Errorf("the call is %q, want %q", call, want)
	}
	whole := document(transcript.Selection{Turn: turn})
	for _, want := range []string{"## Message\n\nquestion 8\n", "## Answer\n\nAnswer 8:", "## Tool call\n\nfiles.read (completed)", "## Error\n\nthe model is overloaded\n"} {
		if !strings.Contains(whole, want) {
			t.Errorf("the turn lacks %q:\n%s", want, whole)
		}
	}
}

// TestCannotOpen: without a program, with one that cannot be read or is not there, the person is told and nothing stays.
func TestCannotOpen(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	d := newDriver(t, themes.Theme{}, classic, readableHost)
	d.m.setFocus(keymap.Transcript)
	d.key("o")
	d.sees("no pager is known: set $PAGER")
	d.key("O")
	d.sees("no editor is known: set $EDITOR")
	for _, line := range []string{`vi "x`} {
		d.m.opts.Editor = line
		msg := d.m.openItem(editor)()
		file, ok := msg.(openFileMsg)
		if !ok || file.err != nil {
			t.Fatalf("%+v", msg)
		}
		info, err := os.Stat(file.file.path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file: %v, %v", info, err)
		}
		d.m.openFile(file)() // what removes it
		d.m.compose()
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

// TestOpenOutside: on a real terminal, the pager has the screen and shows clean text, the editor gets a copy; afterwards the
// program is as it was, the files are gone, and a failure is told. What is copied comes by OSC 52.
func TestOpenOutside(t *testing.T) {
	t.Parallel()
	c, _ := startProgram(t, "reading")
	c.WaitFor(t, testkit.Patience, "question 11")
	c.Key(t, "tab")
	c.Type("G[")
	c.Type("o")
	c.WaitFor(t, testkit.Patience, "the pager has: question 11 and ")
	if strings.Contains(string(c.Output()), "\x1b]0;evil") {
		t.Error("the text was not cleaned for the pager")
	}
	c.Key(t, "enter")
	c.WaitFor(t, testkit.Patience, "MCP servers", "question 11")
	c.Type("O")
	c.WaitFor(t, testkit.Patience, "editor failed", "exit status 3")
	c.Type("c")
	c.WaitFor(t, testkit.Patience, "Copy", "message")
	c.Key(t, "enter")
	c.WaitFor(t, testkit.Patience, "by the terminal (OSC 52)")
	want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("question 11 and ]0;evil"))
	c.WaitUntil(t, testkit.Patience, "the clipboard is written to", func(string) bool { return strings.Contains(string(c.Output()), want) })
	c.Type("q")
	if code := c.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.CheckRestored(t)
	c.WaitFor(t, testkit.Patience, "files left: 0")
}

// outside prepares a program for [TestOpenOutside] and says what is left behind in the end.
func outside(opts *Options) (left func()) {
	dir, err := os.MkdirTemp("", "outside")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	opts.Pager = `sh -c 'printf "the pager has: "; cat "$1"; read x' pager`
	opts.Editor = `sh -c 'exit 3'`
	host := readableHost(time.Now)
	chat := *host.states[chatA].(*protocol.ChatState)
	chat.Turns[11].Message = protocol.UserMessage("question 11 and \x1b]0;evil\x07")
	chat.ActiveTurn = nil
	host.states[chatA] = &chat
	opts.Connection.Host = host
	return func() {
		files, _ := os.ReadDir(dir)
		fmt.Printf("files left: %d\n", len(files))
		_ = os.RemoveAll(dir)
	}
}
