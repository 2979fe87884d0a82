package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"
)

// The bounds of what is kept of messages that were not sent. What was written longest ago goes first.
const (
	maxDrafts     = 500
	maxDraftBytes = 16 << 20 // of the file
)

// draftsVersion is the version of the file that this program knows.
const draftsVersion = 1

// lockPatience bounds how long another process may hold the file.
const lockPatience = 2 * time.Second

// ErrNewer says that a file was written by a newer program. It is left as it is.
var ErrNewer = errors.New("it was written by a newer ahptui and is left alone")

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

// errDamaged says that there is no sense in the file.
var errDamaged = errors.New("it is damaged")

func (d *Drafts) read() (draftFile, error) {
	info, err := os.Stat(d.path) // opening a named pipe waits for its writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return draftFile{}, nil
	case err != nil:
		return draftFile{}, err
	case !info.Mode().IsRegular():
		return draftFile{}, errors.New("it is not a regular file")
	}
	f, err := os.Open(d.path)
	if err != nil {
		return draftFile{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, 2*maxDraftBytes+1))
	switch {
	case err != nil:
		return draftFile{}, err
	case len(data) > 2*maxDraftBytes:
		return draftFile{}, errDamaged
	}
	return decodeDrafts(data)
}

// decodeDrafts reads the version first: what a newer one has may make no sense here.
func decodeDrafts(data []byte) (draftFile, error) {
	var head struct {
		Version int `json:"version"`
	}
	var file draftFile
	switch err := json.Unmarshal(data, &head); {
	case err != nil || head.Version < 1:
		return file, errDamaged
	case head.Version > draftsVersion:
		return file, ErrNewer
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return draftFile{}, errDamaged
	}
	return file, nil
}

// write puts the drafts into a new file that then takes the place of the old one: whenever the machine stops, there is one of
// the two. A file without drafts is none.
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
	f, err := os.CreateTemp(filepath.Dir(d.path), "drafts-*.tmp") // which only the person can read
	if err != nil {
		return 0, err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), d.path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
	}
	return dropped, err
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

// lock takes the lock that a file stands for, among all goroutines of all processes. The system gives it back when the
// process dies that holds it.
func lock(path string) (release func(), err error) {
	const poll = 5 * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(context.Background(), lockPatience, errors.New("another program holds it"))
	defer cancel()
	l := flock.New(path)
	if _, err := l.TryLockContext(ctx, poll); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil // closing the file unlocks it, too
}
