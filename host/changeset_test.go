package host_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// repository is a directory in which something was committed and changed since.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := realDir(t)
	git(t, dir, "init", "--quiet")
	writeFile(t, "1\n2\n3\n", dir, "edit.txt")
	writeFile(t, "x\n", dir, "gone")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "x")
	writeFile(t, "1\nzwei\n3\n4\n", dir, "edit.txt")
	writeFile(t, "y\n", dir, "sub", "new")
	if err := os.Remove(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgSign=false", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// changeset subscribes to the session's changeset and waits until it is computed.
func (c *client) changeset() (protocol.URI, *protocol.ChangesetState) {
	c.t.Helper()
	list := c.session().Changesets
	if len(list) != 1 || list[0].ChangeKind != protocol.ChangesNotStored || !list[0].MayReview() {
		c.t.Fatalf("the changesets are %s", encode(c.t, list))
	}
	uri, err := protocol.ExpandTemplate(list[0].URITemplate, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if s := snapshot[protocol.ChangesetState](c, uri); s.Status == protocol.ChangesetReady {
		return uri, s
	}
	c.ready(uri, 1)
	return uri, snapshot[protocol.ChangesetState](c, uri)
}

// ready waits until the changeset was computed n times since the client looks.
func (c *client) ready(uri protocol.URI, n int) {
	c.t.Helper()
	c.until("the changeset is computed", func(e *protocol.Envelope) bool {
		have := 0
		for _, e := range c.got {
			if a, ok := e.Action.(*protocol.ChangesetStatusChanged); ok && e.Channel == uri && a.Status == protocol.ChangesetReady {
				have++
			}
		}
		return have >= n
	})
}

// file waits until the changeset says something of a file.
func (c *client) file(uri protocol.URI, what, id string, holds func(*protocol.ChangesetFile) bool) {
	c.t.Helper()
	c.until(what, func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.ChangesetFileSet)
		return ok && e.Channel == uri && a.File.ID == id && holds(a.File)
	})
}

func fileOf(t *testing.T, s *protocol.ChangesetState, id string) *protocol.ChangesetFile {
	t.Helper()
	for _, f := range s.Files {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("there is no file %s in %s", id, encode(t, s.Files))
	return nil
}

func TestChangeset(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	h := fileHost(t, host.WriteFiles, dir)
	for _, v := range []protocol.Version{protocol.V1_0_0, protocol.V0_6_0} {
		c := join(t, h, v.String(), v)
		_, s := c.changeset()
		if len(s.Files) != 3 || len(s.Operations) != 3 {
			t.Fatalf("the changeset is %s", encode(t, s))
		}
		edit, gone, fresh := fileOf(t, s, "edit.txt").Edit, fileOf(t, s, "gone").Edit, fileOf(t, s, "sub/new").Edit
		if edit.Before == nil || edit.After == nil || edit.After.URI != host.FileURI(filepath.Join(dir, "edit.txt")) || edit.After.Content.Nonce == "" ||
			*edit.Diff.Added != 2 || *edit.Diff.Removed != 1 || gone.After != nil || fresh.Before != nil || *fresh.Diff.Added != 1 {
			t.Errorf("the files are %s", encode(t, s.Files))
		}
		for ref, want := range map[protocol.URI]string{edit.Before.Content.URI: "1\n2\n3\n", edit.After.Content.URI: "1\nzwei\n3\n4\n", gone.Before.Content.URI: "x\n"} {
			var read protocol.ResourceReadResult
			c.call("resourceRead", &protocol.ResourceReadParams{URI: ref}, &read)
			if read.Data.String() != want {
				t.Errorf("%s is %q, want %q", ref, read.Data, want)
			}
		}
		var list protocol.ListSessionsResult
		c.call("listSessions", &protocol.ListSessionsParams{Channel: protocol.RootChannel}, &list)
		if sum := list.Items[0].Changes; sum == nil || *sum.Files != 3 || *sum.Additions != 3 || *sum.Deletions != 2 {
			t.Errorf("the summary is %s", encode(t, list.Items[0]))
		}
	}
}

// Files that change are told while somebody looks, and after a turn.
func TestChangesetFollows(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	h := fileHost(t, host.WriteFiles, dir)
	c := join(t, h, "c", protocol.V1_0_0)
	uri, s := c.changeset()
	edit := fileOf(t, s, "edit.txt")
	c.dispatch(uri, 1, &protocol.ChangesetFilesReviewChanged{Files: []string{"edit.txt", "sub/new"}, Reviewed: true})
	if e := c.answerTo(1); e.RejectionReason != nil {
		t.Fatalf("refused: %s", *e.RejectionReason)
	}
	writeFile(t, "rewritten\n", dir, "edit.txt")
	c.file(uri, "the edited file has changed, and is to be reviewed again", "edit.txt", func(f *protocol.ChangesetFile) bool {
		return f.Edit.After.Content.Nonce != edit.Edit.After.Content.Nonce && !f.IsReviewed() && *f.Edit.Diff.Removed == 3
	})
	if s := snapshot[protocol.ChangesetState](c, uri); !fileOf(t, s, "sub/new").IsReviewed() {
		t.Error("a file that is what it was is no longer reviewed")
	}
	git(t, dir, "checkout", "--quiet", "HEAD", "--", "edit.txt")
	c.until("the file is as it was", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.ChangesetFileRemoved)
		return ok && a.FileID == "edit.txt"
	})
	c.told("root/sessionSummaryChanged", `"changes":{"additions":1,"deletions":1,"files":2}`)
}

func TestChangesetOperations(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	h := fileHost(t, host.WriteFiles, dir)
	c := join(t, h, "c", protocol.V0_9_0)
	uri, s := c.changeset()
	invoke := func(op string, target *protocol.ChangesetOperationTarget) error {
		return c.try("invokeChangesetOperation", &protocol.InvokeChangesetOperationParams{Channel: uri, OperationID: op, Target: target}, nil)
	}
	file := func(id string) *protocol.ChangesetOperationTarget {
		f := fileOf(t, s, id).Edit
		side := f.After
		if side == nil {
			side = f.Before
		}
		return &protocol.ChangesetOperationTarget{Kind: protocol.OperationOnResource, Resource: side.URI}
	}
	if s.Operations[2].Confirmation.IsZero() {
		t.Error("discarding is not confirmed")
	}
	if err := invoke("stage", file("edit.txt")); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "diff", "--cached", "--name-only"); got != "edit.txt\n" {
		t.Errorf("staged is %q", got)
	}
	if err := invoke("unstage", nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"edit.txt", "gone", "sub/new"} {
		if err := invoke("discard", file(id)); err != nil {
			t.Errorf("discard %s: %v", id, err)
		}
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("left is %q", got)
	}
	c.until("an operation runs", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.ChangesetOperationStatusChanged)
		return ok && a.OperationID == "discard" && a.Status == protocol.OperationRunning
	})
	for name, tt := range map[string]struct {
		op     string
		target *protocol.ChangesetOperationTarget
		code   int
	}{
		"no such operation":   {"burn", nil, jsonrpc.CodeInvalidParams},
		"all at once":         {"discard", nil, jsonrpc.CodeInvalidParams},
		"a range":             {"stage", &protocol.ChangesetOperationTarget{Kind: protocol.OperationOnRange, Resource: "x"}, jsonrpc.CodeInvalidParams},
		"no file of its":      {"stage", &protocol.ChangesetOperationTarget{Kind: protocol.OperationOnResource, Resource: "file:///etc/passwd"}, protocol.CodeNotFound},
		"not in this version": {"", nil, jsonrpc.CodeInvalidParams},
	} {
		e := c.refused("invokeChangesetOperation", &protocol.InvokeChangesetOperationParams{Channel: uri, OperationID: tt.op, Target: tt.target})
		if e.Code != tt.code {
			t.Errorf("%s: %v", name, e)
		}
	}
	if e := c.refused("invokeChangesetOperation", &protocol.InvokeChangesetOperationParams{Channel: sessionURI, OperationID: "stage"}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("another channel: %v", e)
	}
}

// What nobody has seen is not thrown away.
func TestDiscardOfWhatHasChanged(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	h := fileHost(t, host.WriteFiles, dir)
	c := join(t, h, "c", protocol.V0_9_0)
	uri, s := c.changeset()
	if err := c.peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: uri}); err != nil { // so that it is not refreshed
		t.Fatal(err)
	}
	c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	writeFile(t, "precious\n", dir, "edit.txt")
	e := c.refused("invokeChangesetOperation", &protocol.InvokeChangesetOperationParams{Channel: uri, OperationID: "discard", Target: &protocol.ChangesetOperationTarget{
		Kind: protocol.OperationOnResource, Resource: fileOf(t, s, "edit.txt").Edit.After.URI,
	}})
	if !contains(e.Message, "look at it again") {
		t.Errorf("refused with %v", e)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "edit.txt")); string(data) != "precious\n" {
		t.Errorf("the file is %q", data)
	}
}

func TestChangesetRefusals(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	h := fileHost(t, host.ReadFiles, dir)
	c := join(t, h, "c", protocol.V0_9_0)
	uri, s := c.changeset()
	if len(s.Operations) != 0 {
		t.Errorf("who may only read has the operations %s", encode(t, s.Operations))
	}
	for i, a := range []protocol.Action{
		&protocol.ChangesetFilesReviewChanged{Reviewed: true},
		&protocol.ChangesetFilesReviewChanged{Files: []string{"edit.txt", "none"}, Reviewed: true},
		&protocol.ChangesetCleared{},
		&protocol.SessionTitleChanged{Title: "x"},
	} {
		c.dispatch(uri, int64(i), a)
		if e := c.answerTo(int64(i)); e.RejectionReason == nil {
			t.Errorf("%s is taken", encode(t, a))
		}
	}
	none := join(t, fileHost(t, host.NoFiles, dir), "c", protocol.V0_9_0)
	if list := none.session().Changesets; len(list) != 0 {
		t.Errorf("without access there are %s", encode(t, list))
	}
	c.call("disposeSession", &protocol.ChannelParams{Channel: sessionURI}, nil)
	if e := c.refused("subscribe", &protocol.ChannelParams{Channel: uri}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("the changeset of a session that is gone: %v", e)
	}
}

// A repository that git does not take gives a changeset with an error.
func TestChangesetOfABrokenRepository(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	writeFile(t, "nonsense", dir, ".git", "HEAD")
	c := join(t, fileHost(t, host.ReadFiles, dir), "c", protocol.V0_9_0)
	uri := protocol.URI(c.session().Changesets[0].URITemplate)
	snapshot[protocol.ChangesetState](c, uri)
	a := c.typed("changeset/statusChanged").Action.(*protocol.ChangesetStatusChanged)
	if a.Status != protocol.ChangesetError || !contains(a.Error.Message, "git") {
		t.Errorf("the status is %s", encode(t, a))
	}
}
