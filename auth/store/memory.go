package store

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// maxSubjects bounds of how many hosts and resources something is remembered. The oldest give way.
const maxSubjects = 1024

// Memory is what a person agreed to and refused, for each host and resource. It holds no secret. Processes share it: what
// is said in one counts in all.
//
// Where an error comes instead of an answer, nothing has been agreed to.
type Memory struct {
	document document[memories]
	err      error // why it does not outlast this process; nil when it does
}

// Consent is what a person said yes to.
type Consent struct {
	Issuer  string    `json:"issuer"`
	Origins []string  `json:"origins,omitzero"` // where the flow led beside the issuer's own origin
	Server  string    `json:"server,omitzero"`  // that it was said for first, as the host calls it: a peer's text
	At      time.Time `json:"at"`
}

// Reach is where, beyond the public internet, a person let an authorization server be contacted.
type Reach struct {
	Loopback bool `json:"loopback,omitzero"`
	Private  bool `json:"private,omitzero"`
}

// Remembered is what is known about a host and a resource.
type Remembered struct {
	Subject
	Consent   *Consent // nil: none was given
	Never     bool     // the person does not want to be asked for it
	SignedOut bool     // the person signed out and has not asked for it since: nothing may be pushed
}

// memories is what the file holds.
type memories struct {
	// Choice is where to keep tokens when there is no keyring; empty as long as nobody said.
	Choice Place `json:"choice,omitzero"`
	// Count counts the times that a person signed out or asked, to tell which was later.
	Count      uint64                      `json:"count,omitzero"`
	AllOut     uint64                      `json:"all_out,omitzero"`   // when everything was signed out of
	HostsOut   map[string]uint64           `json:"hosts_out,omitzero"` // by host
	Subjects   []memoryOf                  `json:"subjects,omitzero"`  // the one that was changed last comes last
	ReachByURL map[string]map[string]Reach `json:"reach,omitzero"`     // by host and issuer
}

// memoryOf is what is kept of one subject.
type memoryOf struct {
	Subject
	Consent *Consent `json:"consent,omitzero"`
	Never   bool     `json:"never,omitzero"`
	Out     uint64   `json:"out,omitzero"`   // when it was signed out of
	Asked   uint64   `json:"asked,omitzero"` // when a person asked for it
}

func memoryFormat() format { return format{name: "ahptui sign-in memory"} }

func (m memories) clone() memories {
	m.HostsOut, m.Subjects = maps.Clone(m.HostsOut), slices.Clone(m.Subjects)
	reach := make(map[string]map[string]Reach, len(m.ReachByURL))
	for host, issuers := range m.ReachByURL {
		reach[host] = maps.Clone(issuers)
	}
	m.ReachByURL = reach
	return m
}

// openMemory opens the file, or holds in this process what cannot be kept there.
func (s *Store) openMemory(ctx context.Context) *Memory {
	err := s.dirErr
	if err == nil {
		file := &fileDocument[memories]{
			path: filepath.Join(s.dir, memoryName), format: memoryFormat(),
			wait: s.fileWait, step: s.step, setAside: s.wasSetAside,
		}
		if err = file.update(ctx, func(*memories) (bool, error) { return false, nil }); err == nil {
			return &Memory{document: file}
		}
	}
	return &Memory{document: &memoryDocument[memories]{clone: memories.clone}, err: err}
}

// Err says why what is remembered does not outlast this process; nil when it does.
func (m *Memory) Err() error { return m.err }

// About returns what is known of a host and a resource.
func (m *Memory) About(ctx context.Context, s Subject) (Remembered, error) {
	known, err := m.document.load(ctx)
	if err != nil {
		return Remembered{Subject: s, SignedOut: true}, err
	}
	return known.about(known.of(s)), nil
}

// All returns all that is known, the latest first.
func (m *Memory) All(ctx context.Context) ([]Remembered, error) {
	known, err := m.document.load(ctx)
	var all []Remembered
	for _, of := range slices.Backward(known.Subjects) {
		all = append(all, known.about(of))
	}
	return all, err
}

// Agree remembers a yes. It undoes a "never", and is what a person asked for.
func (m *Memory) Agree(ctx context.Context, s Subject, c Consent) error {
	return m.change(ctx, s, func(known *memories, of *memoryOf) {
		c.Origins = slices.Clone(c.Origins)
		of.Consent, of.Never, of.Asked = &c, false, known.next()
	})
}

// Never remembers that a person does not want to be asked for it. An earlier yes no longer counts.
func (m *Memory) Never(ctx context.Context, s Subject) error {
	return m.change(ctx, s, func(_ *memories, of *memoryOf) { of.Consent, of.Never = nil, true })
}

// Ask remembers that a person asked for it, after having signed out or said "never" perhaps.
func (m *Memory) Ask(ctx context.Context, s Subject) error {
	return m.document.update(ctx, func(known *memories) (bool, error) {
		of := known.of(s)
		if !of.Never && !known.about(of).SignedOut {
			return false, nil // there is nothing to undo
		}
		of.Never, of.Asked = false, known.next()
		known.keep(of)
		return true, nil
	})
}

// Forget forgets what was agreed to and refused, so that the person is asked again.
func (m *Memory) Forget(ctx context.Context, s Subject) error {
	return m.change(ctx, s, func(_ *memories, of *memoryOf) { of.Consent, of.Never = nil, false })
}

// Reach returns where a host may lead to at an issuer.
func (m *Memory) Reach(ctx context.Context, host, issuer string) (Reach, error) {
	known, err := m.document.load(ctx)
	return known.ReachByURL[host][issuer], err
}

// AllowReach lets a host lead there, too.
func (m *Memory) AllowReach(ctx context.Context, host, issuer string, r Reach) error {
	return m.document.update(ctx, func(known *memories) (bool, error) {
		before := known.ReachByURL[host][issuer]
		after := Reach{Loopback: before.Loopback || r.Loopback, Private: before.Private || r.Private}
		if after == before {
			return false, nil
		}
		if known.ReachByURL == nil {
			known.ReachByURL = map[string]map[string]Reach{}
		}
		if known.ReachByURL[host] == nil {
			known.ReachByURL[host] = map[string]Reach{}
		}
		known.ReachByURL[host][issuer] = after
		return true, nil
	})
}

func (m *Memory) signOut(ctx context.Context, w Which) error {
	return m.document.update(ctx, func(known *memories) (bool, error) {
		switch {
		case w.Host == "" && w.Resource != "":
			return false, errors.New("a resource is signed out of at a host")
		case w.Host == "":
			known.AllOut = known.next()
		case w.Resource == "":
			if known.HostsOut == nil {
				known.HostsOut = map[string]uint64{}
			}
			known.HostsOut[w.Host] = known.next()
		default:
			of := known.of(Subject(w))
			of.Out = known.next()
			known.keep(of)
		}
		return true, nil
	})
}

// choice is where to keep tokens without a keyring.
func (m *Memory) choice(ctx context.Context) (Place, error) {
	known, err := m.document.load(ctx)
	return known.Choice, err
}

func (m *Memory) choose(ctx context.Context, p Place) error {
	return m.document.update(ctx, func(known *memories) (bool, error) {
		changed := known.Choice != p
		known.Choice = p
		return changed, nil
	})
}

func (m *Memory) change(ctx context.Context, s Subject, change func(*memories, *memoryOf)) error {
	return m.document.update(ctx, func(known *memories) (bool, error) {
		of := known.of(s)
		change(known, &of)
		known.keep(of)
		return true, nil
	})
}

func (m *memories) next() uint64 {
	m.Count++
	return m.Count
}

func (m *memories) of(s Subject) memoryOf {
	for _, of := range m.Subjects {
		if of.Subject == s {
			return of
		}
	}
	return memoryOf{Subject: s}
}

func (m *memories) about(of memoryOf) Remembered {
	out := max(m.AllOut, m.HostsOut[of.Host], of.Out)
	return Remembered{Subject: of.Subject, Consent: of.Consent, Never: of.Never, SignedOut: out > of.Asked}
}

// keep puts what is known of a subject last.
func (m *memories) keep(of memoryOf) {
	m.Subjects = slices.DeleteFunc(m.Subjects, func(old memoryOf) bool { return old.Subject == of.Subject })
	m.Subjects = append(m.Subjects, of)
	m.Subjects = m.Subjects[max(0, len(m.Subjects)-maxSubjects):]
}
