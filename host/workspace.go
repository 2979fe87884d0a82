package host

import (
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// The limits of a workspace's file of servers.
const (
	maxWorkspaceFile    = 1 << 20
	maxWorkspaceServers = 64
)

// workspaceFile is the file in which workspaces name MCP servers.
const workspaceFile = ".mcp.json"

// workspace is what a session's directory says about servers.
type workspace struct {
	servers []ServerSpec
	uri     protocol.URI // of the file
	problem string       // why the file's servers are not there; "" for none
}

// readWorkspace reads the servers that a session's directory names. They start
// only when a client asks for it: a directory that somebody has downloaded must
// not start programs by being looked at.
func readWorkspace(dir protocol.URI) workspace {
	path, ok := filePath(dir)
	if !ok {
		return workspace{}
	}
	w := workspace{uri: protocol.URI(strings.TrimSuffix(string(dir), "/") + "/" + workspaceFile)}
	file := filepath.Join(path, workspaceFile)
	info, err := os.Stat(file) // before it is opened: opening a named pipe waits for its writer
	switch {
	case err != nil:
		return workspace{}
	case !info.Mode().IsRegular():
		w.problem = "it is no regular file"
		return w
	case info.Size() > maxWorkspaceFile:
		w.problem = "it is too large"
		return w
	}
	data, err := readFile(file)
	if err != nil {
		w.problem = "it cannot be read"
		return w
	}
	if w.servers, err = parseWorkspace(data, path, w.uri); err != nil {
		w.problem = "it is not the JSON that is expected: " + firstLine(err.Error(), 200)
	}
	return w
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return io.ReadAll(io.LimitReader(f, maxWorkspaceFile))
}

// entry is a container without children that says what is wrong with the file,
// or nil.
func (w workspace) entry() *protocol.Customization {
	if w.problem == "" {
		return nil
	}
	yes := true
	return &protocol.Customization{
		Type: protocol.TypeDirectory, ID: string(w.uri), URI: w.uri, Name: workspaceFile,
		Enabled: &yes, Children: []*protocol.Customization{},
		Load:  &protocol.LoadState{Kind: "error", Message: w.problem},
		Extra: protocol.Raw(`{"contents":"mcpServer","writable":false}`),
	}
}

// workspaceConfig is the form of the file, shared by several programs.
type workspaceConfig struct {
	Servers map[string]struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
		Cwd     string            `json:"cwd"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	} `json:"mcpServers"`
}

func parseWorkspace(data []byte, path string, uri protocol.URI) ([]ServerSpec, error) {
	var file workspaceConfig
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	var specs []ServerSpec
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		if len(specs) == maxWorkspaceServers {
			break
		}
		s := file.Servers[name]
		cfg := mcpserver.Config{Name: firstLine(name, 100), Command: s.Command, Args: s.Args, Env: s.Env, Dir: path, URL: s.URL, Header: http.Header{}}
		if s.Cwd != "" {
			cfg.Dir = s.Cwd
			if !filepath.IsAbs(s.Cwd) {
				cfg.Dir = filepath.Join(path, s.Cwd)
			}
		}
		for k, v := range s.Headers {
			cfg.Header.Set(k, v)
		}
		specs = append(specs, ServerSpec{ID: string(uri) + "#mcp=" + name, URI: uri, Config: cfg, Stopped: true})
	}
	return specs, nil
}
