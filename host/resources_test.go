package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// fileHost has a session in a directory with files, of which clients may do what
// access says.
func fileHost(t *testing.T, access host.FileAccess, dir string) *host.Host {
	t.Helper()
	h := host.New(host.Options{Files: access})
	h.AddAgent(&protocol.AgentInfo{Provider: "test", Models: []*protocol.SessionModelInfo{}}, host.AgentFunc(echo))
	h.AddSession(host.SessionSpec{URI: sessionURI, Chat: chatURI, Provider: "test", Title: "F", Directory: host.FileURI(dir)})
	t.Cleanup(func() { closeHost(t, h) })
	return h
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFile(t *testing.T, text string, elements ...string) {
	t.Helper()
	name := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	writeFile(t, "hällo", dir, "a.txt")
	writeFile(t, "\x00\x01", dir, "sub", "bin")
	c := join(t, fileHost(t, host.WriteFiles, dir), "c", protocol.V0_9_0)
	uri := func(rel string) protocol.URI { return host.FileURI(filepath.Join(dir, filepath.FromSlash(rel))) }

	var read protocol.ResourceReadResult
	c.call("resourceRead", &protocol.ResourceReadParams{URI: uri("a.txt")}, &read)
	if read.Data.String() != "hällo" || read.Encoding != protocol.EncodingUTF8 || !contains(read.ContentType, "text/plain") {
		t.Errorf("a text is %+v", read)
	}
	c.call("resourceRead", &protocol.ResourceReadParams{URI: uri("a.txt"), Encoding: protocol.EncodingBase64}, &read)
	if read.Data.String() != "aMOkbGxv" || read.Encoding != protocol.EncodingBase64 {
		t.Errorf("a text in base64 is %+v", read)
	}
	c.call("resourceRead", &protocol.ResourceReadParams{URI: uri("sub/bin"), Encoding: protocol.EncodingUTF8}, &read)
	if read.Data.String() != "AAE=" || read.Encoding != protocol.EncodingBase64 {
		t.Errorf("what is no text is %+v", read)
	}
	var list protocol.ResourceListResult
	c.call("resourceList", &protocol.ResourceListParams{URI: uri("")}, &list)
	if got := encode(t, list); got != `{"entries":[{"name":"a.txt","type":"file"},{"name":"sub","type":"directory"}]}` {
		t.Errorf("the directory has %s", got)
	}
	var info protocol.ResourceResolveResult
	c.call("resourceResolve", &protocol.ResourceResolveParams{URI: uri("a.txt")}, &info)
	if info.URI != uri("a.txt") || info.Type != protocol.ResourceFile || *info.Size != 6 || info.Etag == "" || info.Mtime == "" {
		t.Errorf("the file is %+v", info)
	}

	// What is written with the etag of before is not lost on what came in between.
	first := info.Etag
	c.call("resourceWrite", &protocol.ResourceWriteParams{URI: uri("a.txt"), Data: protocol.NewText("one"), Encoding: protocol.EncodingUTF8, IfMatch: first}, nil)
	if e := c.refused("resourceWrite", &protocol.ResourceWriteParams{URI: uri("a.txt"), Data: protocol.NewText("two"), Encoding: protocol.EncodingUTF8, IfMatch: first}); e.Code != protocol.CodeConflict {
		t.Errorf("an etag of before: %v", e)
	}
	c.call("resourceWrite", &protocol.ResourceWriteParams{URI: uri("a.txt"), Data: protocol.NewText("IQ=="), Encoding: protocol.EncodingBase64, Mode: protocol.WriteAppend}, nil)
	if data, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(data) != "one!" {
		t.Errorf("written is %q", data)
	}
	c.call("resourceMkdir", &protocol.ResourceMkdirParams{URI: uri("x/y")}, nil)
	c.call("resourceCopy", &protocol.ResourceCopyParams{Source: uri("sub"), Destination: uri("x/y/copy")}, nil)
	c.call("resourceMove", &protocol.ResourceCopyParams{Source: uri("x/y/copy/bin"), Destination: uri("moved")}, nil)
	c.call("resourceDelete", &protocol.ResourceDeleteParams{URI: uri("x"), Recursive: new(true)}, nil)
	c.call("resourceRequest", &protocol.ResourceRequestParams{URI: uri("moved"), Write: new(true)}, nil)
	c.call("resourceList", &protocol.ResourceListParams{URI: uri("")}, &list)
	if got := encode(t, list); got != `{"entries":[{"name":"a.txt","type":"file"},{"name":"moved","type":"file"},{"name":"sub","type":"directory"}]}` {
		t.Errorf("in the end the directory has %s", got)
	}
}

func TestFileRefusals(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	writeFile(t, "x", dir, "in", "a")
	writeFile(t, "secret", dir, "out")
	if err := os.Symlink(filepath.Join(dir, "out"), filepath.Join(dir, "in", "link")); err != nil {
		t.Skip(err)
	}
	uri := func(rel string) protocol.URI { return host.FileURI(filepath.Join(dir, filepath.FromSlash(rel))) }
	for _, access := range []host.FileAccess{host.NoFiles, host.ReadFiles, host.WriteFiles} {
		c := join(t, fileHost(t, access, filepath.Join(dir, "in")), "c", protocol.V0_9_0)
		for name, tt := range map[string]struct {
			method string
			params any
			codes  [3]int // by access
		}{
			"read outside":       {"resourceRead", &protocol.ResourceReadParams{URI: uri("out")}, [3]int{-32009, -32009, -32009}},
			"read through dots":  {"resourceRead", &protocol.ResourceReadParams{URI: "file://" + protocol.URI(filepath.ToSlash(dir)) + "/in/../out"}, [3]int{-32009, -32009, -32009}},
			"read through links": {"resourceRead", &protocol.ResourceReadParams{URI: uri("in/link")}, [3]int{-32009, -32009, -32009}},
			"read nothing":       {"resourceRead", &protocol.ResourceReadParams{URI: uri("in/none")}, [3]int{-32009, -32008, -32008}},
			"another scheme":     {"resourceRead", &protocol.ResourceReadParams{URI: "https://x.example/"}, [3]int{-32009, -32008, -32008}},
			"another machine":    {"resourceRead", &protocol.ResourceReadParams{URI: "file://x.example/a"}, [3]int{-32009, -32008, -32008}},
			"a blob of nothing":  {"resourceRead", &protocol.ResourceReadParams{URI: "ahp-blob:/x/y"}, [3]int{-32008, -32008, -32008}},
			"list a file":        {"resourceList", &protocol.ResourceListParams{URI: uri("in/a")}, [3]int{-32009, -32009, -32009}},
			"look outside":       {"resourceResolve", &protocol.ResourceResolveParams{URI: uri("")}, [3]int{-32009, -32009, -32009}},
			"write":              {"resourceWrite", &protocol.ResourceWriteParams{URI: uri("in/new"), CreateOnly: new(true), Mode: "other"}, [3]int{-32009, -32009, -32602}},
			"write no base64":    {"resourceWrite", &protocol.ResourceWriteParams{URI: uri("in/new"), Encoding: protocol.EncodingBase64, Data: protocol.NewText("!")}, [3]int{-32009, -32009, -32602}},
			"create what exists": {"resourceWrite", &protocol.ResourceWriteParams{URI: uri("in/a"), CreateOnly: new(true)}, [3]int{-32009, -32009, -32010}},
			"make over a file":   {"resourceMkdir", &protocol.ResourceMkdirParams{URI: uri("in/a")}, [3]int{-32009, -32009, -32010}},
			"delete the root":    {"resourceDelete", &protocol.ResourceDeleteParams{URI: uri("in"), Recursive: new(true)}, [3]int{-32009, -32009, -32009}},
			"move outside":       {"resourceMove", &protocol.ResourceCopyParams{Source: uri("in/a"), Destination: uri("stolen")}, [3]int{-32009, -32009, -32009}},
			"copy from outside":  {"resourceCopy", &protocol.ResourceCopyParams{Source: uri("out"), Destination: uri("in/b")}, [3]int{-32009, -32009, -32009}},
			"copy over":          {"resourceCopy", &protocol.ResourceCopyParams{Source: uri("in/a"), Destination: uri("in/link"), FailIfExists: new(true)}, [3]int{-32009, -32009, -32010}},
			"ask to write":       {"resourceRequest", &protocol.ResourceRequestParams{URI: uri("out"), Write: new(true)}, [3]int{-32009, -32009, -32009}},
			"watch nothing":      {"createResourceWatch", &protocol.CreateResourceWatchParams{URI: uri("in/none")}, [3]int{-32009, -32008, -32008}},
			"watch outside":      {"createResourceWatch", &protocol.CreateResourceWatchParams{URI: uri("out")}, [3]int{-32009, -32009, -32009}},
			"no parameters":      {"resourceRead", nil, [3]int{-32602, -32602, -32602}},
		} {
			if e := c.refused(tt.method, tt.params); e.Code != tt.codes[access] {
				t.Errorf("%s with access %d: %v, want code %d", name, access, e, tt.codes[access])
			}
		}
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "out")); string(data) != "secret" {
		t.Errorf("outside is %q", data)
	}
}

func TestResourceWatch(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	writeFile(t, "x", dir, "a")
	writeFile(t, "x", dir, "skip", "b")
	c := join(t, fileHost(t, host.ReadFiles, dir), "c", protocol.V0_9_0)
	watch := func() protocol.URI {
		t.Helper()
		var r protocol.CreateResourceWatchResult
		c.call("createResourceWatch", &protocol.CreateResourceWatchParams{
			URI: host.FileURI(dir), Recursive: new(true), Excludes: &protocol.Patterns{Items: []string{"skip/**"}},
		}, &r)
		return r.Channel
	}
	channel := watch()
	s := snapshot[protocol.ResourceWatchState](c, channel)
	if s.Root != host.FileURI(dir) || !s.Recursive || s.Excludes.Items[0] != "skip/**" {
		t.Errorf("the watch is %+v", s)
	}
	writeFile(t, "y", dir, "skip", "b")
	writeFile(t, "y", dir, "sub", "new")
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	want := map[protocol.URI]protocol.ResourceChangeType{
		host.FileURI(filepath.Join(dir, "a")):          protocol.ResourceDeleted,
		host.FileURI(filepath.Join(dir, "sub")):        protocol.ResourceAdded,
		host.FileURI(filepath.Join(dir, "sub", "new")): protocol.ResourceAdded,
	}
	c.until("all changes are told", func(e *protocol.Envelope) bool {
		if a, ok := e.Action.(*protocol.ResourceWatchChanged); ok && e.Channel == channel {
			for _, change := range a.Changes.Items {
				if kind, expected := want[change.URI]; expected && kind == change.Type {
					delete(want, change.URI)
				} else if change.URI != host.FileURI(filepath.Join(dir, "sub", "new")) {
					t.Errorf("told is %+v", change)
				}
			}
		}
		return len(want) == 0
	})
	c.dispatch(channel, 1, &protocol.SessionTitleChanged{Title: "x"})
	if e := c.answerTo(1); e.RejectionReason == nil {
		t.Error("a watch takes actions")
	}

	// It ends with its subscription, and makes room.
	if err := c.peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: channel}); err != nil {
		t.Fatal(err)
	}
	if e := c.refused("subscribe", &protocol.ChannelParams{Channel: channel}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("a watch that is over: %v", e)
	}
	for i := range 100 {
		var r protocol.CreateResourceWatchResult
		err := c.try("createResourceWatch", &protocol.CreateResourceWatchParams{URI: host.FileURI(dir)}, &r)
		if err != nil {
			if i < 10 {
				t.Errorf("the watch %d: %v", i, err)
			}
			return
		}
	}
	t.Error("there can be any number of watches")
}

// The requests for files of a connection that ends end with it.
func TestFilesEndWithTheHost(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	h := fileHost(t, host.ReadFiles, dir)
	c := join(t, h, "c", protocol.V0_9_0)
	var r protocol.CreateResourceWatchResult
	c.call("createResourceWatch", &protocol.CreateResourceWatchParams{URI: host.FileURI(dir), Recursive: new(true)}, &r)
	c.call("subscribe", &protocol.ChannelParams{Channel: r.Channel}, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			_ = c.try("resourceList", &protocol.ResourceListParams{URI: host.FileURI(dir)}, nil)
		}
	}()
	<-time.After(time.Millisecond)
	closeHost(t, h)
	<-done
	if err := c.try("resourceList", &protocol.ResourceListParams{URI: host.FileURI(dir)}, nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("a closed host answers: %v", err)
	}
}
