package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"ahptui/host/files"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// What can be configured.
const (
	configConfirm      = "confirm"      // whether tools wait for a confirmation; of the host, and of each session
	configInstructions = "instructions" // a file for the agent to read; of a session, from its beginning
)

// confirmNever is the value with which nothing waits for a confirmation.
const confirmNever = "never"

// The host's own configuration has no members that say what a session may change.
const (
	confirmMembers = `"type":"string","title":"Confirmations","description":"Whether tools that may change something ask before they run",` +
		`"enum":["ask","never"],"enumLabels":["Ask first","Never ask"],"default":"ask"`
	confirmSchema = `"confirm":{` + confirmMembers + `,"sessionMutable":true}`
)

const instructionsSchema = `"instructions":{"type":"string","title":"Instructions","description":"A file of the working directory for the agent to read",` +
	`"enumDynamic":true}`

// rootConfig is what can be configured of a host: what sessions begin with.
func rootConfig() *protocol.Config {
	return &protocol.Config{
		Schema: protocol.Raw(`{"type":"object","properties":{"confirm":{` + confirmMembers + `}}}`),
		Values: map[string]protocol.Raw{configConfirm: protocol.Raw(`"ask"`)},
	}
}

// What follows runs under the host's lock, except where it says otherwise.

// sessionConfig is what can be configured of a session, with the values that it
// begins with and those that are given.
func (h *Host) sessionConfig(given map[string]protocol.Raw) (*protocol.Config, error) {
	properties := confirmSchema
	if h.opts.Files != NoFiles {
		properties += "," + instructionsSchema
	}
	c := &protocol.Config{
		Schema: protocol.Raw(`{"type":"object","properties":{` + properties + `}}`), Values: map[string]protocol.Raw{},
	}
	maps.Copy(c.Values, h.root.state.Config.Values)
	if err := checkConfig(c, given); err != nil {
		return nil, err
	}
	maps.Copy(c.Values, given)
	return c, nil
}

// checkConfig checks values by their schema.
func checkConfig(c *protocol.Config, values map[string]protocol.Raw) error {
	properties := c.Properties()
	for name, value := range values {
		i := slices.IndexFunc(properties, func(p *protocol.ConfigProperty) bool { return p.Name == name })
		if i < 0 {
			return fmt.Errorf("there is nothing called %s to configure", firstLine(name, 50))
		}
		if err := properties[i].Check(value); err != nil {
			return err
		}
		if len(value) > maxURIBytes {
			return fmt.Errorf("the value of %s is too long", name)
		}
		var path string
		if name == configInstructions && (protocol.Unmarshal(value, &path) != nil || path != "" && !filepath.IsLocal(filepath.FromSlash(path))) {
			return errors.New("the instructions are a file below the working directory")
		}
	}
	return nil
}

// configured is a value of a session's configuration, which is a string.
func (s *session) configured(name string) (value string) {
	if protocol.Unmarshal(s.state.Config.Values[name], &value) != nil {
		return "" // it is not there
	}
	return value
}

func (h *Host) resolveSessionConfig(_ *conn, p *protocol.ResolveSessionConfigParams) (any, *jsonrpc.Error) {
	if _, failure := h.agentFor(p.Provider); failure != nil {
		return nil, failure
	}
	c, err := h.sessionConfig(p.Config)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return c, nil
}

// configCompletions lists the files that can be the instructions. It takes the lock
// itself.
func (h *Host) configCompletions(ctx context.Context, _ *conn, p *protocol.SessionConfigCompletionsParams) (any, *jsonrpc.Error) {
	if p.Property != configInstructions || h.opts.Files == NoFiles {
		return nil, invalid("nobody knows the values of %s", firstLine(p.Property, 50))
	}
	result := &protocol.SessionConfigCompletionsResult{Items: []*protocol.SessionConfigValue{}}
	place, failure := h.place(p.WorkingDirectory, false)
	if failure != nil {
		return result, nil // a directory that is not open yet
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	found, err := files.Search(ctx, place.Path(), p.Query, maxCompletions)
	if err != nil {
		return result, nil // a directory without anything to choose from
	}
	for _, m := range found {
		if !m.Dir {
			result.Items = append(result.Items, &protocol.SessionConfigValue{Value: m.Rel, Label: m.Rel})
		}
	}
	return result, nil
}

// admitConfig checks a change of a session's configuration. What cannot change any
// more is kept by a change that replaces everything.
func (s *session) admitConfig(a *protocol.SessionConfigChanged) (protocol.Action, error) {
	if err := checkConfig(s.state.Config, a.Config); err != nil {
		return nil, err
	}
	fixed := map[string]protocol.Raw{}
	for _, p := range s.state.Config.Properties() {
		if p.SessionMutable {
			continue
		}
		value, has := s.state.Config.Values[p.Name]
		if given, ok := a.Config[p.Name]; ok && string(given) != string(value) {
			return nil, fmt.Errorf("%s cannot be changed any more", p.Title)
		}
		if has {
			fixed[p.Name] = value
		}
	}
	if !isTrue(a.Replace) {
		return a, nil
	}
	kept := maps.Clone(a.Config)
	if kept == nil {
		kept = map[string]protocol.Raw{}
	}
	maps.Copy(kept, fixed)
	return &protocol.SessionConfigChanged{Config: kept, Replace: a.Replace}, nil
}

// Instructions is the text of the file that the session was told to give its agent;
// ok is false where there is none. It takes the lock itself.
func (t *Turn) Instructions() (text string, ok bool) {
	t.host.mu.Lock()
	name, dirs := t.chat.session.configured(configInstructions), t.chat.session.state.WorkingDirectories
	t.host.mu.Unlock()
	if name == "" || len(dirs) == 0 {
		return "", false
	}
	dir, ok := filePath(dirs[0])
	if !ok {
		return "", false
	}
	place, ok := files.Find([]string{dir}, filepath.Join(dir, filepath.FromSlash(name)))
	if !ok {
		return "", false
	}
	data, _, err := place.Read()
	return string(data), err == nil && files.IsText(data)
}
