package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

const (
	changesA = protocol.URI("ahp-changeset:/a")
	notesA   = protocol.URI("copilot:/a/annotations")
	mainGo   = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n"
	mainNew  = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello, world\")\n\tcheck()\n}\n"
)

// version is a version of a file of the session's directory.
func version(path, content string, nonce string) *protocol.FileVersion {
	return &protocol.FileVersion{URI: protocol.URI("file:///home/u/app/" + path), Content: protocol.ContentRef{URI: protocol.URI(content), Nonce: nonce}}
}

func changedFile(id string, before, after *protocol.FileVersion, added, removed float64) *protocol.ChangesetFile {
	return &protocol.ChangesetFile{ID: id, Edit: &protocol.FileEdit{Before: before, After: after, Diff: &protocol.DiffCount{Added: &added, Removed: &removed}}}
}

// changedHost is a busy host in whose first session files have changed.
func changedHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	s := h.states[sessionA].(*protocol.SessionState)
	s.WorkingDirectories = []protocol.URI{"file:///home/u/app"}
	s.Changesets = []*protocol.Changeset{{
		Label: "Uncommitted changes", URITemplate: string(changesA), ChangeKind: protocol.ChangesNotStored,
		Capabilities: &protocol.ChangesetCapabilities{Review: protocol.Raw("{}")},
	}, {
		Label: "Last turn", URITemplate: "ahp-changeset:/turn/{turnId}", ChangeKind: protocol.ChangesOfTurn,
	}, {
		Label: "Unknown", URITemplate: "ahp-changeset:/{whatever}",
	}}
	s.Annotations = &protocol.AnnotationsSummary{Resource: notesA, AnnotationCount: 2}
	deleted := changedFile("old.go", version("old.go", "blob:old", ""), nil, 0, 3)
	deleted.Reviewed = ptr(true)
	h.states[changesA] = &protocol.ChangesetState{
		Status: protocol.ChangesetReady,
		Files: []*protocol.ChangesetFile{
			changedFile("main.go", version("main.go", "blob:main", ""), version("main.go", "file:///home/u/app/main.go", "1"), 2, 1),
			changedFile("login/redirect_test.go", nil, version("login/redirect_test.go", "file:///home/u/app/login/redirect_test.go", "1"), 40, 0),
			deleted,
			changedFile("docs/guide.md", version("README.md", "blob:readme", ""), version("docs/guide.md", "file:///home/u/app/docs/guide.md", "1"), 1, 1),
			{ID: "logo.png", Edit: &protocol.FileEdit{After: version("logo.png", "file:///home/u/app/logo.png", "1")}},
		},
		Operations: []*protocol.ChangesetOperation{
			{ID: "stage", Label: "Stage", Description: "Put the changes into the index", Scopes: []string{protocol.OperationOnChangeset, protocol.OperationOnResource}},
			{ID: "discard", Label: "Discard", Scopes: []string{protocol.OperationOnResource, protocol.OperationOnRange}, Confirmation: protocol.Plain("Discard the changes of this file? They are lost for good.")},
			{ID: "squash", Label: "Squash", Scopes: []string{protocol.OperationOnChangeset}, Status: protocol.OperationDisabled},
		},
	}
	h.states["ahp-changeset:/turn/t0"] = &protocol.ChangesetState{Status: protocol.ChangesetComputing, Files: []*protocol.ChangesetFile{}}
	h.states[notesA] = &protocol.AnnotationsState{Annotations: []*protocol.Annotation{
		{ID: "1", Resource: "file:///home/u/app/main.go", Range: &protocol.TextRange{Start: protocol.TextPosition{Line: 6}, End: protocol.TextPosition{Line: 6}}, Entries: []*protocol.AnnotationEntry{{ID: "1", Text: protocol.Plain("does check return an error?\x1b]0;evil\x07")}}},
		{ID: "2", Resource: "file:///home/u/app/main.go", Resolved: true, Entries: []*protocol.AnnotationEntry{{ID: "1", Text: protocol.Markdown("all of it is *fine*")}}},
	}}
	h.panels.contents = map[protocol.URI]string{
		"blob:main": mainGo, "file:///home/u/app/main.go": mainNew, "blob:old": "one\ntwo\nthree\n", "blob:readme": "# a\n", "file:///home/u/app/docs/guide.md": "# b\n",
		"file:///home/u/app/logo.png": "\x89PNG\x00\x00",
	}
	return h
}

// openDiff opens the diff of the selected file in a test without commands.
func openDiff(d *driver) {
	d.t.Helper()
	d.key("enter")
	of := d.m.middle.changes.diff.reading
	result, err := compare(d.t.Context(), d.host, of.edit)
	d.send(diffMsg{of, result, err})
}

func TestChangesScreens(t *testing.T) {
	t.Parallel()
	show := func(d *driver) {
		d.key("F")
		d.look()
	}
	checkScenes(t, changedHost, map[string]func(d *driver){
		"files": show,
		"marking": func(d *driver) {
			show(d)
			d.key("down", "space")
		},
		"diff": func(d *driver) {
			show(d)
			openDiff(d)
		},
		"reading": func(d *driver) {
			show(d)
			d.key("enter")
		},
		"binary": func(d *driver) {
			show(d)
			d.key("end")
			openDiff(d)
		},
		"deleted": func(d *driver) {
			show(d)
			d.key("down", "down")
			openDiff(d)
		},
		"operations": func(d *driver) {
			show(d)
			d.key("o")
		},
		"failed": func(d *driver) {
			show(d)
			d.host.act(changesA, &protocol.ChangesetStatusChanged{Status: protocol.ChangesetError, Error: &protocol.ErrorInfo{Message: "git is not installed"}})
			d.look()
		},
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		d := newDriver(t, viewtest.Plain(t), classic, busyHost)
		d.key("F")
		d.sees("the host tells of no changes in this")
		d.key("space")
		d.sees("the host tells of no changes")
	})
}

// TestChangesShown: what is seen is subscribed to, and followed; keys go to a file, to
// its diff, and back.
func TestChangesShown(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 120, Height: 40}, changedHost, func(t *testing.T, d *driver) {
		d.look()
		d.key("F")
		d.look()
		d.sees("Uncommitted changes", "1 of 5 files reviewed", "main.go", "README.md → docs/guide.md", "2 notes")
		if d.host.open[changesA] == nil || d.host.open[notesA] == nil {
			t.Fatal("what is seen is not open")
		}
		d.key("enter")
		d.sees("hello, world", "does check return an error?", "note, resolved", "1/5")
		d.key("}", "}", "}") // who runs through the files does not want all of them
		d.pass(time.Second)
		d.sees("# b", "4/5")
		if slices.Contains(d.host.panels.reads, "blob:old") {
			t.Errorf("read %v", d.host.panels.reads)
		}
		d.key("{", "{", "{")
		d.pass(time.Second)
		d.sees("hello, world")
		reads := len(d.host.panels.reads)
		// A mark changes the entry of a file and not what is in it.
		d.host.act(changesA, &protocol.ChangesetFilesReviewChanged{Files: []string{"main.go"}, Reviewed: true})
		d.look()
		d.settle()
		d.sees("reviewed", "hello, world")
		if len(d.host.panels.reads) != reads {
			t.Errorf("read anew: %v", d.host.panels.reads[reads:])
		}
		d.host.change(func() {
			d.host.panels.contents["file:///home/u/app/main.go"] = strings.Replace(mainNew, "world", "again", 1)
		})
		d.host.act(changesA, &protocol.ChangesetFileSet{File: changedFile("main.go", version("main.go", "blob:main", ""), version("main.go", "file:///home/u/app/main.go", "2"), 2, 1)})
		d.look()
		d.settle()
		d.sees("hello, again")
		d.host.act(changesA, &protocol.ChangesetFileRemoved{FileID: "main.go"})
		d.look()
		d.settle()
		d.sees("redirect_test.go", "what the file is cannot be read: there is no such resource")
		d.m.show(sessionB) // and what was open is not of its changes
		d.look()
		d.m.show(sessionA)
		d.look()
		d.lacks("what the file is cannot be read")
		d.key("enter")
		d.settle()
		d.sees("what the file is cannot be read")
		d.key("esc")
		d.focused(keymap.Changes)
		d.sees("files")
		d.key("esc")
		d.focused(keymap.Transcript)
		d.look()
		if d.host.open[changesA] != nil || d.host.open[notesA] != nil {
			t.Error("what nobody sees is open")
		}
	})
}

// TestHunks: one goes from change to change and not beyond the last.
func TestHunks(t *testing.T) {
	inBubble(t, classic, changedHost, func(t *testing.T, d *driver) {
		var before, after strings.Builder
		for i := range 200 {
			fmt.Fprintf(&before, "line %d\n", i)
			if i%50 == 10 {
				fmt.Fprintf(&after, "changed %d\n", i)
			} else {
				fmt.Fprintf(&after, "line %d\n", i)
			}
		}
		d.host.panels.contents["blob:main"], d.host.panels.contents["file:///home/u/app/main.go"] = before.String(), after.String()
		d.look()
		d.key("F")
		d.look()
		d.key("]")
		d.sees("⏎ shows what has changed in the file first")
		d.key("enter")
		d.key("]")
		d.sees("changed 10", "lines are the same")
		d.lacks("line 8")
		d.key("]", "]", "]", "]")
		d.sees("there is no change below", "changed 160")
		d.key("[", "[", "[", "[", "[")
		d.sees("there is no change above", "changed 10")
		d.key("end")
		d.sees("line 163")
		d.key("home")
		d.sees("line 7")
	})
}

// TestReview: a mark shows at once, and why it cannot be made.
func TestReview(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, changedHost)
	d.key("F")
	d.look()
	before := d.host.count()
	d.key("space")
	if a := asks[*protocol.ChangesetFilesReviewChanged](d, before); len(a.Files) != 1 || a.Files[0] != "main.go" || !a.Reviewed {
		t.Errorf("asked for %+v", a)
	}
	d.sees("2 of 5 files reviewed")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "the changeset has no file main.go"})
	d.look()
	d.sees("1 of 5 files reviewed", "the host refused to mark main.go as reviewed")
	d.key("down", "down", "space")
	if a := d.host.last().Action.(*protocol.ChangesetFilesReviewChanged); a.Files[0] != "old.go" || a.Reviewed {
		t.Errorf("asked for %+v", a)
	}
	d.host.change(func() { d.host.conn.Version = protocol.V0_5_2 })
	d.look()
	d.key("space")
	d.sees("protocol version 0.5.2 does not let clients mark files as reviewed")
}

// TestOperations: what cannot be undone is asked about in the host's words.
func TestOperations(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 120, Height: 40}, changedHost, func(t *testing.T, d *driver) {
		d.look()
		d.key("F")
		d.look()
		d.key("o")
		d.sees("Stage: main.go", "Stage: all files", "Discard: main.go")
		d.write("squash")
		d.key("enter")
		d.sees("the host does not let it be done now")
		d.key("esc", "o", "enter")
		d.sees("done by the host")
		got := d.host.panels.invoked
		if len(got) != 1 || got[0].OperationID != "stage" || got[0].Target == nil || got[0].Target.Resource != "file:///home/u/app/main.go" {
			t.Fatalf("asked for %+v", got)
		}
		d.key("o")
		d.write("discard")
		d.key("enter")
		d.sees("They are lost for good", "It is about main.go.")
		d.key("enter", "y", "d")
		if len(d.host.panels.invoked) != 1 {
			t.Fatal("it was done without a yes")
		}
		d.host.panels.failure = errors.New("the file has changed meanwhile")
		d.key("1")
		d.sees("Discard: main.go was not done: the file has changed meanwhile")
		d.key("enter", "o")
		d.sees("Discard: lines 6 to 7")
		d.key("esc", "esc", "v")
		d.sees("Last turn")
		d.lacks("Unknown")
		d.write("last")
		d.key("enter")
		d.look()
		d.look()
		d.sees("Last turn", "the host is computing the changes")
	})
}

// TestCopyPath: c copies the path of the file.
func TestCopyPath(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 120, Height: 40}, changedHost, func(t *testing.T, d *driver) {
		d.look()
		d.key("F")
		d.look()
		d.key("down", "down", "down", "c")
		d.sees("copied the path (13 bytes)")
	})
}

// TestPanelMouse: a click selects and opens, the wheel scrolls, and while keys go to a
// terminal they stay there.
func TestPanelMouse(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, func(now func() time.Time) *fakeHost {
		h := changedHost(now)
		h.addTerminal(ours, console("bash", strings.Repeat("line\r\n", 100)+"$ ", &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: fakeClient}))
		return h
	})
	d.m.opts.Mouse = true
	click := func(x, y int) {
		d.pass(time.Second)
		d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	}
	d.key("F")
	d.look()
	click(30, 5)
	if f := d.m.selectedFile(); f == nil || f.ID != "old.go" {
		t.Fatalf("selected %+v", f)
	}
	click(30, 5)
	if !d.m.middle.changes.view.DiffOpen() {
		t.Error("it is not open")
	}
	d.key("T")
	d.look()
	click(30, 10)
	d.focused(keymap.TerminalInput)
	click(30, 2)
	d.focused(keymap.TerminalInput)
	d.send(tea.MouseWheelMsg{X: 30, Y: 10, Button: tea.MouseWheelUp})
	d.key("ctrl+]")
	d.sees("3 lines below")
	click(2, 3)
	d.focused(keymap.Sessions)
}

// TestManyFiles: the last of ten thousand files is a key away.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, changedHost)
	state := *d.host.states[changesA].(*protocol.ChangesetState)
	state.Files = nil
	for i := range 10_000 {
		path := fmt.Sprintf("dir/file%05d.go", i)
		state.Files = append(state.Files, changedFile(path, version(path, "blob:"+path, ""), version(path, "file:"+path, "1"), 1, 1))
	}
	d.host.change(func() { d.host.states[changesA] = &state })
	d.key("F")
	d.look()
	d.sees("file00000.go", "+10000 -10000")
	d.key("end")
	d.sees("file09999.go")
}

// TestHostileChanges: what a host says of files changes nothing but the panel.
func TestHostileChanges(t *testing.T) {
	inBubble(t, classic, changedHost, func(t *testing.T, d *driver) {
		d.look()
		d.key("F")
		d.look()
		for _, text := range viewtest.Hostile() {
			d.host.change(func() {
				d.host.panels.contents["file:///home/u/app/main.go"] = text
				state := *d.host.states[changesA].(*protocol.ChangesetState)
				file := changedFile(text, version(text, "blob:main", ""), version("x"+text, "file:///home/u/app/main.go", text), 1e300, -5)
				state.Files, state.Error, state.Status = []*protocol.ChangesetFile{file}, &protocol.ErrorInfo{Message: text}, protocol.ChangesetError
				state.Operations = []*protocol.ChangesetOperation{{ID: text, Label: text, Description: text, Scopes: []string{protocol.OperationOnResource}, Confirmation: protocol.Plain(text)}}
				d.host.states[changesA] = &state
				d.host.states[notesA] = &protocol.AnnotationsState{Annotations: []*protocol.Annotation{
					{ID: text, Resource: file.Edit.After.URI, Range: &protocol.TextRange{Start: protocol.TextPosition{Line: -7}}, Entries: []*protocol.AnnotationEntry{{ID: text, Text: protocol.Plain(text)}}},
				}}
			})
			for _, key := range []string{"esc", "F", "enter", "o", "enter", "esc", "esc"} {
				d.look()
				d.key(key)
				viewtest.Check(t, d.frame.Content, classic.Width, classic.Height)
			}
		}
	})
}
