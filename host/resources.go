package host

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"ahptui/host/files"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// FileAccess says what clients may do with files.
type FileAccess int

// The ways to have access to the files below the directories of sessions, and below
// the directory to start from.
const (
	NoFiles    FileAccess = iota
	ReadFiles             // clients may read them, and see what has changed since the last commit
	WriteFiles            // clients may also change them
)

// What follows takes the lock itself.

// place finds a file that a client names, where it may do so.
func (h *Host) place(uri protocol.URI, write bool) (files.Place, *jsonrpc.Error) {
	h.mu.Lock()
	dirs := h.directories()
	h.mu.Unlock()
	name, ok := filePath(uri)
	switch {
	case h.opts.Files == NoFiles:
		return files.Place{}, denied("this host gives no access to files")
	case len(uri) > maxURIBytes || !ok:
		return files.Place{}, &jsonrpc.Error{Code: protocol.CodeNotFound, Message: "there is no file " + firstLine(string(uri), 200)}
	case write && h.opts.Files != WriteFiles:
		return files.Place{}, denied("this host lets nobody change files")
	}
	p, ok := files.Find(dirs, name)
	if !ok {
		return files.Place{}, denied("access is given below the directories of sessions alone")
	}
	return p, nil
}

// directories are those that clients may look into. It runs under the lock.
func (h *Host) directories() []string {
	var dirs []string
	add := func(uri protocol.URI) {
		if path, ok := filePath(uri); ok {
			dirs = append(dirs, path)
		}
	}
	add(h.opts.DefaultDirectory)
	for _, s := range h.sessions {
		for _, dir := range s.state.WorkingDirectories {
			add(dir)
		}
	}
	return dirs
}

func denied(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: protocol.CodePermissionDenied, Message: message}
}

// fileError is the protocol's form of what went wrong with a file. The words of the
// system may name paths that are nobody's business, so they are not repeated.
func fileError(err error) *jsonrpc.Error {
	code, message := protocol.CodePermissionDenied, "the file cannot be accessed"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, message = protocol.CodeNotFound, "there is no such file or directory"
	case errors.Is(err, fs.ErrExist):
		code, message = protocol.CodeAlreadyExists, "it exists already"
	case errors.Is(err, files.ErrChanged):
		code, message = protocol.CodeConflict, files.ErrChanged.Error()
	case errors.Is(err, files.ErrTooLarge), errors.Is(err, files.ErrTooMany), errors.Is(err, files.ErrNotFile), errors.Is(err, files.ErrRoot):
		message = err.Error()
	}
	return &jsonrpc.Error{Code: code, Message: message}
}

func fileResult(err error) (any, *jsonrpc.Error) {
	if err != nil {
		return nil, fileError(err)
	}
	return empty{}, nil
}

func (h *Host) resourceRead(ctx context.Context, _ *conn, p *protocol.ResourceReadParams) (any, *jsonrpc.Error) {
	var data []byte
	var name string
	if blob, ok := strings.CutPrefix(string(p.URI), blobScheme); ok {
		var failure *jsonrpc.Error
		if data, name, failure = h.readBlob(ctx, blob); failure != nil {
			return nil, failure
		}
	} else {
		place, failure := h.place(p.URI, false)
		if failure != nil {
			return nil, failure
		}
		content, info, err := place.Read()
		if err != nil {
			return nil, fileError(err)
		}
		data, name = content, info.Path
	}
	result := &protocol.ResourceReadResult{Encoding: protocol.EncodingUTF8, ContentType: files.ContentType(name, data)}
	if p.Encoding == protocol.EncodingBase64 || !files.IsText(data) {
		result.Encoding, result.Data = protocol.EncodingBase64, protocol.NewText(base64.StdEncoding.EncodeToString(data))
	} else {
		result.Data = protocol.NewText(string(data))
	}
	return result, nil
}

func (h *Host) resourceList(_ context.Context, _ *conn, p *protocol.ResourceListParams) (any, *jsonrpc.Error) {
	place, failure := h.place(p.URI, false)
	if failure != nil {
		return nil, failure
	}
	list, err := place.List()
	if err != nil {
		return nil, fileError(err)
	}
	result := &protocol.ResourceListResult{Entries: make([]*protocol.DirectoryEntry, 0, len(list))}
	for _, e := range list {
		entry := &protocol.DirectoryEntry{Name: e.Name, Type: protocol.ResourceFile}
		if e.Dir {
			entry.Type = protocol.ResourceDirectory
		}
		result.Entries = append(result.Entries, entry)
	}
	return result, nil
}

func (h *Host) resourceResolve(_ context.Context, _ *conn, p *protocol.ResourceResolveParams) (any, *jsonrpc.Error) {
	place, failure := h.place(p.URI, false)
	if failure != nil {
		return nil, failure
	}
	info, err := place.Stat(p.FollowSymlinks == nil || *p.FollowSymlinks)
	if err != nil {
		return nil, fileError(err)
	}
	result := &protocol.ResourceResolveResult{URI: FileURI(info.Path), Type: protocol.ResourceFile, Mtime: protocol.FormatTime(info.ModTime)}
	switch {
	case info.Mode.IsDir():
		result.Type = protocol.ResourceDirectory
		return result, nil
	case info.Mode&fs.ModeSymlink != 0:
		result.Type = protocol.ResourceSymlink
		return result, nil
	}
	size := float64(info.Size)
	result.Size, result.Etag, result.ContentType = &size, info.Etag(), files.ContentType(info.Path, nil)
	return result, nil
}

func (h *Host) resourceWrite(_ context.Context, _ *conn, p *protocol.ResourceWriteParams) (any, *jsonrpc.Error) {
	place, failure := h.place(p.URI, true)
	if failure != nil {
		return nil, failure
	}
	opts := files.WriteOptions{CreateOnly: isTrue(p.CreateOnly), IfMatch: p.IfMatch}
	switch p.Mode {
	case "", protocol.WriteTruncate:
	case protocol.WriteAppend:
		opts.Mode = files.Append
	case protocol.WriteInsert:
		opts.Mode = files.Insert
	default:
		return nil, invalid("there is no mode %s", firstLine(p.Mode, 50))
	}
	if p.Position != nil {
		opts.Position = int64(max(0, min(*p.Position, 1<<40)))
	}
	data := []byte(p.Data.String())
	if p.Encoding == protocol.EncodingBase64 {
		var err error
		if data, err = base64.StdEncoding.DecodeString(p.Data.String()); err != nil {
			return nil, invalid("the data are not base64")
		}
	}
	return fileResult(place.Write(data, opts))
}

func (h *Host) resourceMkdir(_ context.Context, _ *conn, p *protocol.ResourceMkdirParams) (any, *jsonrpc.Error) {
	place, failure := h.place(p.URI, true)
	if failure != nil {
		return nil, failure
	}
	return fileResult(place.Mkdir())
}

func (h *Host) resourceDelete(_ context.Context, _ *conn, p *protocol.ResourceDeleteParams) (any, *jsonrpc.Error) {
	place, failure := h.place(p.URI, true)
	if failure != nil {
		return nil, failure
	}
	return fileResult(place.Remove(isTrue(p.Recursive)))
}

func (h *Host) resourceMove(_ context.Context, _ *conn, p *protocol.ResourceCopyParams) (any, *jsonrpc.Error) {
	return h.transfer(p, true, files.Move)
}

func (h *Host) resourceCopy(_ context.Context, _ *conn, p *protocol.ResourceCopyParams) (any, *jsonrpc.Error) {
	return h.transfer(p, false, files.Copy)
}

func (h *Host) transfer(p *protocol.ResourceCopyParams, changesSource bool, f func(from, to files.Place, failIfExists bool) error) (any, *jsonrpc.Error) {
	from, failure := h.place(p.Source, changesSource)
	if failure != nil {
		return nil, failure
	}
	to, failure := h.place(p.Destination, true)
	if failure != nil {
		return nil, failure
	}
	return fileResult(f(from, to, isTrue(p.FailIfExists)))
}

// resourceRequest: what may be done is settled when the host starts.
func (h *Host) resourceRequest(_ context.Context, _ *conn, p *protocol.ResourceRequestParams) (any, *jsonrpc.Error) {
	if _, failure := h.place(p.URI, isTrue(p.Write)); failure != nil {
		return nil, failure
	}
	return empty{}, nil
}

// FileURI is the URI of a path (RFC 8089).
func FileURI(path string) protocol.URI {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/dir
	}
	return protocol.URI((&url.URL{Scheme: "file", Path: path}).String())
}

// filePath is the path of a file URI (RFC 8089).
func filePath(uri protocol.URI) (path string, ok bool) {
	u, err := url.Parse(string(uri))
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") || strings.Contains(u.Path, "\x00") {
		return "", false
	}
	path = u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/dir
	}
	return filepath.FromSlash(path), true
}
