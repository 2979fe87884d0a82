package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what is remembered. Hosts that were looked at longest ago are forgotten first.
const (
	maxStateBytes = 1 << 20 // of the file
	maxStateHosts = 200
	maxStateText  = 4 << 10 // of one text, in bytes: a longer one is not remembered
)

// stateVersion is the version of the file that this program knows.
const stateVersion = 1

// State is what the program remembers of its screen from one run to the next. Nothing is lost with it but convenience.
type State struct {
	// Sessions and Servers are the parts of the width that the panels at the sides take, from 0 to 1; 0 is as usual.
	Sessions float64 `json:"sessions,omitzero"`
	Servers  float64 `json:"servers,omitzero"`
	// Light says that the terminal had a light background.
	Light bool `json:"light,omitzero"`
	// Listing is what was chosen of the session list.
	Listing Listing `json:"listing,omitzero"`
	// Hosts are the hosts with the session that was looked at last, the latest used last.
	Hosts []HostState `json:"hosts,omitzero"`
}

// Listing is what was chosen of the session list, in the words of the list.
type Listing struct {
	Filter   string `json:"filter,omitzero"`
	Sort     string `json:"sort,omitzero"`
	Group    string `json:"group,omitzero"`
	Archived bool   `json:"archived,omitzero"`
}

// HostState is what is remembered of one host.
type HostState struct {
	Host    string    `json:"host"`    // which it is
	Session string    `json:"session"` // the URI of the session that was looked at last
	At      time.Time `json:"at"`
}

// Session is the session of a host that was looked at last, "" if none is remembered.
func (s *State) Session(host string) string {
	for _, h := range s.Hosts {
		if h.Host == host {
			return h.Session
		}
	}
	return ""
}

// SetSession remembers the session of a host that was looked at last.
func (s *State) SetSession(host, session string, at time.Time) {
	s.Hosts = slices.DeleteFunc(s.Hosts, func(h HostState) bool { return h.Host == host })
	s.Hosts = append(s.Hosts, HostState{Host: host, Session: session, At: at.UTC()})
}

// Memory is the file with the [State], state.json in the state directory. Nobody but the person can read it: the names of
// hosts and sessions are theirs. Processes may use it at the same time.
type Memory struct{ path string }

// MemoryIn is the file in a directory, which need not exist.
func MemoryIn(dir string) *Memory { return &Memory{filepath.Join(dir, "state.json")} }

// Load reads what is remembered. A file of a newer program is an error that wraps [ErrNewer].
func (m *Memory) Load() (State, error) {
	s, err := m.read()
	if err != nil {
		return State{}, m.failed(err)
	}
	return s, nil
}

// Change reads what is remembered by now, changes it and writes it: of two programs, each changes what is its own. A file
// that is damaged is set aside, one of a newer program left alone.
func (m *Memory) Change(change func(*State)) error {
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return m.failed(err)
	}
	release, err := lock(m.path + ".lock")
	if err != nil {
		return m.failed(err)
	}
	defer release()
	s, err := m.read()
	if errors.Is(err, errDamaged) {
		s, err = State{}, os.Rename(m.path, m.path+".damaged")
	}
	if err != nil {
		return m.failed(err)
	}
	change(&s)
	data, err := s.encode()
	if err == nil {
		err = replace(m.path, data)
	}
	if err != nil {
		return m.failed(err)
	}
	return nil
}

// failed names the file in an error.
func (m *Memory) failed(err error) error { return fmt.Errorf("%s: %w", m.path, withoutPath(err)) }

func (m *Memory) read() (State, error) {
	data, err := readKept(m.path, maxStateBytes)
	if data == nil || err != nil {
		return State{}, err
	}
	if err := checkVersion(data, stateVersion); err != nil {
		return State{}, err
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		return State{}, errDamaged
	}
	s.bound()
	return s, nil
}

// bound leaves out what is more than is remembered, or makes no sense.
func (s *State) bound() {
	for _, part := range []*float64{&s.Sessions, &s.Servers} {
		if !(*part >= 0 && *part <= 1) { // no number neither
			*part = 0
		}
	}
	for _, text := range []*string{&s.Listing.Filter, &s.Listing.Sort, &s.Listing.Group} {
		if len(*text) > maxStateText {
			*text = ""
		}
	}
	s.Hosts = slices.DeleteFunc(s.Hosts, func(h HostState) bool {
		return h.Host == "" || h.Session == "" || len(h.Host) > maxStateText || len(h.Session) > maxStateText
	})
	slices.SortStableFunc(s.Hosts, func(a, b HostState) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	s.Hosts = s.Hosts[max(0, len(s.Hosts)-maxStateHosts):]
}

// encode makes a file of the state, no larger than one that is read.
func (s State) encode() ([]byte, error) {
	s.bound()
	for {
		data, err := json.Marshal(struct {
			Version int `json:"version"`
			State
		}{stateVersion, s}, jsontext.AllowInvalidUTF8(true), jsontext.Multiline(true))
		if err != nil || len(data) < maxStateBytes || len(s.Hosts) == 0 {
			return append(data, '\n'), err
		}
		s.Hosts = s.Hosts[(len(s.Hosts)+1)/2:]
	}
}
