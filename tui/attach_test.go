package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// files makes files of these sizes in a directory, and returns that.
func files(t *testing.T, sizes map[string]int) string {
	t.Helper()
	dir := t.TempDir()
	for name, size := range sizes {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAttach: a file is named in a window that completes its path, shown above the text, and goes along with the message.
func TestAttach(t *testing.T) {
	dir := files(t, map[string]int{"notes/first.txt": 3, "notes/fiction.txt": 2048, "notes/.hidden": 1})
	inBubble(t, viewtest.Size{Width: 160, Height: 40}, busyHost, func(t *testing.T, d *driver) {
		d.m.opts.Directory = dir
		d.key("i")
		d.write("see these")
		d.key("ctrl+o")
		d.focused(keymap.Form)
		d.sees("Attach a file", "tab completes it")
		d.key("n", "tab")
		d.sees("notes/")
		d.key("tab")
		d.sees("notes/fi", "fiction.txt  first.txt")
		d.key("x", "tab")
		d.sees("no file here begins like this")
		d.key("enter")
		d.sees("there is no such file")
		d.key("backspace", "r", "tab")
		d.key("enter")
		d.focused(keymap.Composer)
		d.sees("[first.txt 3 B]")

		d.key("ctrl+o")
		d.write("notes")
		d.key("enter")
		d.sees("it is a directory")
		d.write("/fiction.txt")
		d.key("enter")
		d.sees("[first.txt 3 B] [fiction.txt 2.0 KiB]")
		d.key("home", "backspace")
		d.lacks("[fiction.txt")
		d.sees("fiction.txt does not go along any more")
		d.holds("see these")
		d.key("enter")
		m := asks[*protocol.ChatPendingMessageSet](d, d.host.count()-1).Message
		if len(m.Attachments) != 1 {
			t.Fatalf("sent %+v", m)
		}
		if a := m.Attachments[0]; a.Type != protocol.AttachmentEmbedded || a.Label != "first.txt" || a.Data != "eHh4" || !strings.HasPrefix(a.ContentType, "text/plain") || a.Range != nil {
			t.Errorf("sent %+v", a)
		}
		d.lacks("[first.txt")
		d.key("up") // it is there with what goes with it
		d.sees("[first.txt 3 B]")
	})
}

// TestAttachPasted: a path that is pasted behind an @ goes along as long as it stands in the text; what is of no file is text.
func TestAttachPasted(t *testing.T) {
	dir := files(t, map[string]int{"a.txt": 5, "with space.txt": 6})
	inBubble(t, viewtest.Size{Width: 160, Height: 40}, busyHost, func(t *testing.T, d *driver) {
		d.m.opts.Directory = dir
		d.key("i")
		d.write("read ")
		d.paste("@a.txt")
		d.settle()
		d.sees("[a.txt 5 B]")
		d.paste(" @" + dir + "/with space.txt\n")
		d.settle()
		d.sees("[a.txt 5 B] [with space.txt 6 B]")
		d.paste("@nobody")
		d.settle()
		d.paste("@" + dir)
		d.settle()
		d.sees("does not go along as a file: it is a directory")
		want := "read @a.txt @" + dir + "/with space.txt\n@nobody@" + dir
		d.holds(want)
		for range len(want) - len("read @a.tx") {
			d.key("backspace")
		}
		d.lacks("[")
		d.write("t.")
		d.sees("[a.txt 5 B]")
		d.key("enter")
		m := asks[*protocol.ChatPendingMessageSet](d, d.host.count()-1).Message
		if len(m.Attachments) != 1 || m.Attachments[0].Range == nil || m.Attachments[0].Range.Start.Character != 5 || m.Attachments[0].Range.End.Character != 11 {
			t.Errorf("sent %+v", m.Attachments)
		}
	})
}

// TestAttachBounds: what is too large, or no file, is refused with a reason.
func TestAttachBounds(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]int{"large": maxFileBytes + 1, "most": maxFileBytes})
	for path, want := range map[string]string{
		filepath.Join(dir, "large"): "it is too large: up to 4.0 MiB", dir: "it is a directory",
		filepath.Join(dir, "none"): "there is no such file",
	} {
		if _, err := readFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	d := wide(t)
	d.key("i")
	d.write("x")
	for range 3 {
		file, err := readFile(filepath.Join(dir, "most"))
		file.path += strings.Repeat("x", len(d.m.writing.files)) // another one each time
		d.send(attachedMsg{place: chatA, name: "most", file: file, err: err})
	}
	if n := len(d.m.writing.files); n != 2 {
		t.Errorf("%d files go along", n)
	}
	d.sees("most does not go along as a file: together with the others it is too large: up to 8.0 MiB")
}

// TestShareWithoutFiles: the content of a file goes out when the message is sent, and not with each draft.
func TestShareWithoutFiles(t *testing.T) {
	dir := files(t, map[string]int{"a.txt": 5})
	inBubble(t, viewtest.Size{Width: 160, Height: 40}, busyHost, func(t *testing.T, d *driver) {
		d.m.opts.Directory = dir
		d.key("i")
		d.paste("@a.txt")
		d.pass(shareAfter)
		a := asks[*protocol.ChatDraftChanged](d, 0)
		if a.Draft.Text.String() != "@a.txt" || len(a.Draft.Attachments) != 0 {
			t.Errorf("shared %+v", a.Draft)
		}
		d.sees("[a.txt 5 B]")
	})
}
