package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what is kept of messages that were not sent. What was written longest ago goes first.
const (
	maxDrafts     = 500
	maxDraftBytes = 16 << 20 // of the file
)

// draftsVersion is the version of the file that this program knows.
const draftsVersion = 1

// DraftKey names a message that was written and not sent.
type DraftKey struct {
	Host string `json:"host"`          // which host it is for
	Chat string `json:"chat,omitzero"` // the URI of the chat or, while it has none, of the session; empty: it has lost its place
	ID   string `json:"id,omitzero"`   // of the turn or queued message that it was sent as, if it may not have arrived
}

// Draft is a message that was written and not sent, or sent and perhaps not received.
type Draft struct {
	DraftKey
	Session string         `json:"session,omitzero"` // the URI of the session that the chat is in
	Text    string         `json:"text"`
	Rest    jsontext.Value `json:"rest,omitzero"` // what goes with the text, in the owner's own form
	At      time.Time      `json:"at"`            // when it was kept
}

// Drafts is the file with the messages that were written and not sent, drafts.json in the state directory. Nobody but the
// person can read it: what people write may hold secrets. Processes may use it at the same time.
type Drafts struct{ path string }

// DraftsIn is the file in a directory, which need not exist.
func DraftsIn(dir string) *Drafts { return &Drafts{filepath.Join(dir, "drafts.json")} }

// draftFile is what is in the file.
type draftFile struct {
	Version int     `json:"version"`
	Drafts  []Draft `json:"drafts"`
}

// Load reads what was kept for a host, in the order in which it was kept.
func (d *Drafts) Load(host string) ([]Draft, error) {
	file, err := d.read()
	if err != nil {
		return nil, d.failed(err)
	}
	return slices.DeleteFunc(file.Drafts, func(x Draft) bool { return x.Host != host }), nil
}

// Change keeps set, in the place of what has the same keys, and forgets gone. It returns how many others there was no room
// for any more.
func (d *Drafts) Change(set []Draft, gone []DraftKey) (dropped int, err error) {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return 0, d.failed(err)
	}
	release, err := lock(d.path + ".lock")
	if err != nil {
		return 0, d.failed(err)
	}
	defer release()
	file, err := d.read()
	if errors.Is(err, errDamaged) {
		file, err = draftFile{}, os.Rename(d.path, d.path+".damaged")
	}
	if err != nil {
		return 0, d.failed(err)
	}
	replaced := map[DraftKey]bool{}
	for _, key := range gone {
		replaced[key] = true
	}
	for _, draft := range set {
		replaced[draft.DraftKey] = true
	}
	file.Drafts = append(slices.DeleteFunc(file.Drafts, func(x Draft) bool { return replaced[x.DraftKey] }), set...)
	dropped, err = d.write(file.Drafts)
	if err != nil {
		return 0, d.failed(err)
	}
	return dropped, nil
}

// failed names the file in an error.
func (d *Drafts) failed(err error) error { return fmt.Errorf("%s: %w", d.path, withoutPath(err)) }

func (d *Drafts) read() (draftFile, error) {
	data, err := readKept(d.path, 2*maxDraftBytes)
	if data == nil || err != nil {
		return draftFile{}, err
	}
	return decodeDrafts(data)
}

func decodeDrafts(data []byte) (draftFile, error) {
	if err := checkVersion(data, draftsVersion); err != nil {
		return draftFile{}, err
	}
	var file draftFile
	if err := json.Unmarshal(data, &file); err != nil {
		return draftFile{}, errDamaged
	}
	return file, nil
}

// write puts the drafts into the file. A file without drafts is none.
func (d *Drafts) write(drafts []Draft) (dropped int, err error) {
	data, dropped, err := encodeDrafts(drafts)
	if err != nil {
		return 0, err
	}
	if dropped == len(drafts) {
		if err := os.Remove(d.path); !errors.Is(err, fs.ErrNotExist) {
			return dropped, err
		}
		return dropped, nil
	}
	return dropped, replace(d.path, data)
}

// encodeDrafts makes a file of the newest drafts, as many as there is room for.
func encodeDrafts(drafts []Draft) (data []byte, dropped int, err error) {
	var parts [][]byte
	size := 0
	for i := len(drafts) - 1; i >= 0 && len(parts) < maxDrafts; i-- {
		part, err := json.Marshal(drafts[i], jsontext.AllowInvalidUTF8(true)) // one that is odd must not keep the others out
		if err != nil {
			return nil, 0, err
		}
		if size += len(part) + 2; size > maxDraftBytes {
			break
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	data = fmt.Appendf(nil, "{\"version\":%d,\"drafts\":[\n%s\n]}\n", draftsVersion, bytes.Join(parts, []byte(",\n")))
	return data, len(drafts) - len(parts), nil
}
