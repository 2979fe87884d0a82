package protocol

// The methods of this file work both ways: a client asks the host for files, and
// a host the client for what it has published. Requests of hosts may lack the
// channel and optional members.

// The encodings of data.
const (
	EncodingUTF8   = "utf-8"
	EncodingBase64 = "base64"
)

// ResourceReadParams reads a file (method resourceRead).
type ResourceReadParams struct {
	Channel  URI    `json:"channel,omitzero"`
	URI      URI    `json:"uri"`
	Encoding string `json:"encoding,omitzero"`
	Meta     Raw    `json:"_meta,omitzero" since:"0.8.0"`
}

// ResourceReadResult is the content of a file.
type ResourceReadResult struct {
	Data        Text   `json:"data"`
	Encoding    string `json:"encoding"`
	ContentType string `json:"contentType,omitzero"`
	Extra       Raw    `json:",embed"`
}

// The ways to write.
const (
	WriteTruncate = "truncate" // where nothing is said
	WriteAppend   = "append"
	WriteInsert   = "insert"
)

// ResourceWriteParams writes a file (method resourceWrite). Position is in bytes:
// from the start, or back from the end where Mode is append. IfMatch is the etag
// that the file must still have.
type ResourceWriteParams struct {
	Channel     URI      `json:"channel,omitzero"`
	URI         URI      `json:"uri"`
	Data        Text     `json:"data"`
	Encoding    string   `json:"encoding"`
	ContentType string   `json:"contentType,omitzero"`
	CreateOnly  *bool    `json:"createOnly,omitzero"`
	Mode        string   `json:"mode,omitzero"`
	Position    *float64 `json:"position,omitzero"`
	IfMatch     string   `json:"ifMatch,omitzero"`
	Meta        Raw      `json:"_meta,omitzero" since:"0.8.0"`
}

// ResourceListParams lists a directory (method resourceList).
type ResourceListParams struct {
	Channel URI `json:"channel,omitzero"`
	URI     URI `json:"uri"`
	Meta    Raw `json:"_meta,omitzero" since:"0.8.0"`
}

// ResourceListResult is what is in a directory.
type ResourceListResult struct {
	Entries []*DirectoryEntry `json:"entries"`
}

// The types of what is at a URI.
const (
	ResourceFile      = "file"
	ResourceDirectory = "directory"
	ResourceSymlink   = "symlink"
)

// DirectoryEntry is a file or directory in a directory.
type DirectoryEntry struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Extra Raw    `json:",embed"`
}

// ResourceCopyParams copies or moves a file or directory (methods resourceCopy
// and resourceMove).
type ResourceCopyParams struct {
	Channel      URI   `json:"channel,omitzero"`
	Source       URI   `json:"source"`
	Destination  URI   `json:"destination"`
	FailIfExists *bool `json:"failIfExists,omitzero"`
	Meta         Raw   `json:"_meta,omitzero" since:"0.8.0"`
}

// ResourceDeleteParams deletes a file or directory (method resourceDelete).
type ResourceDeleteParams struct {
	Channel   URI   `json:"channel,omitzero"`
	URI       URI   `json:"uri"`
	Recursive *bool `json:"recursive,omitzero"`
	Meta      Raw   `json:"_meta,omitzero" since:"0.8.0"`
}

// ResourceResolveParams asks what is at a URI (method resourceResolve). Symlinks
// are followed where nothing is said.
type ResourceResolveParams struct {
	Channel        URI   `json:"channel,omitzero"`
	URI            URI   `json:"uri"`
	FollowSymlinks *bool `json:"followSymlinks,omitzero"`
	Meta           Raw   `json:"_meta,omitzero" since:"0.8.0"`
}

// ResourceResolveResult is what is at a URI; URI is where it is in the end.
type ResourceResolveResult struct {
	URI         URI      `json:"uri"`
	Type        string   `json:"type"`
	Size        *float64 `json:"size,omitzero"`
	Mtime       string   `json:"mtime,omitzero"`
	Ctime       string   `json:"ctime,omitzero"`
	ContentType string   `json:"contentType,omitzero"`
	Etag        string   `json:"etag,omitzero"`
	Extra       Raw      `json:",embed"`
}

// ResourceMkdirParams makes a directory and those above it (method resourceMkdir).
type ResourceMkdirParams struct {
	Channel URI `json:"channel,omitzero"`
	URI     URI `json:"uri"`
	Meta    Raw `json:"_meta,omitzero" since:"0.8.0"`
}

// ResourceRequestParams asks to be let in (method resourceRequest), to read where
// nothing is said. It is also what a refusal says to ask for.
type ResourceRequestParams struct {
	Channel URI   `json:"channel,omitzero"`
	URI     URI   `json:"uri"`
	Read    *bool `json:"read,omitzero"`
	Write   *bool `json:"write,omitzero"`
	Meta    Raw   `json:"_meta,omitzero" since:"0.8.0"`
	Extra   Raw   `json:",embed"`
}

// CreateResourceWatchParams asks to be told of changes (method
// createResourceWatch). The patterns are globs.
type CreateResourceWatchParams struct {
	Channel   URI       `json:"channel,omitzero"`
	URI       URI       `json:"uri"`
	Recursive *bool     `json:"recursive,omitzero"`
	Excludes  *Patterns `json:"excludes,omitzero"`
	Includes  *Patterns `json:"includes,omitzero"`
	Meta      Raw       `json:"_meta,omitzero" since:"0.8.0"`
}

// CreateResourceWatchResult names the channel to subscribe to. The watch ends
// with the subscription.
type CreateResourceWatchResult struct {
	Channel URI `json:"channel"`
	Extra   Raw `json:",embed"`
}
