package ahpclient

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"ahptui/protocol"
)

// Content is what a resource holds.
type Content struct {
	Data []byte
	Type string // a media type, if the host says one
}

// ReadResource reads a resource of the host, which chooses how it is sent. The
// limits of messages bound it. A refusal is a [*PermissionError].
func (c *Client) ReadResource(ctx context.Context, uri protocol.URI) (*Content, error) {
	result, err := call[protocol.ResourceReadResult](ctx, c, "resourceRead", &protocol.ResourceReadParams{Channel: protocol.RootChannel, URI: uri})
	if err != nil {
		return nil, err
	}
	content := &Content{Data: []byte(result.Data.String()), Type: result.ContentType}
	switch result.Encoding {
	case protocol.EncodingBase64:
		if content.Data, err = base64.StdEncoding.DecodeString(result.Data.String()); err != nil {
			return nil, fmt.Errorf("resourceRead: the host sent bad base64: %w", err)
		}
	case protocol.EncodingUTF8, "":
	default:
		return nil, fmt.Errorf("resourceRead: the host sent an encoding that is not known here: %.40q", result.Encoding)
	}
	return content, nil
}

// ListResource lists what is in a directory of the host.
func (c *Client) ListResource(ctx context.Context, uri protocol.URI) (*protocol.ResourceListResult, error) {
	return call[protocol.ResourceListResult](ctx, c, "resourceList", &protocol.ResourceListParams{Channel: protocol.RootChannel, URI: uri})
}

// ResolveResource tells what is at a URI of the host, following symbolic links.
func (c *Client) ResolveResource(ctx context.Context, uri protocol.URI) (*protocol.ResourceResolveResult, error) {
	return call[protocol.ResourceResolveResult](ctx, c, "resourceResolve", &protocol.ResourceResolveParams{Channel: protocol.RootChannel, URI: uri})
}

// RequestResource asks the host to be let in, such as a [*PermissionError] says.
func (c *Client) RequestResource(ctx context.Context, params *protocol.ResourceRequestParams) error {
	p := *params
	p.Channel = protocol.RootChannel
	_, err := call[protocol.EmptyResult](ctx, c, "resourceRequest", &p)
	return err
}

// WatchResource begins to watch a resource of the host: its channel is open, and
// its changes are the listener's events, from the first one on. Whoever calls it
// stops the listener and closes the channel, which ends the watch.
func (c *Client) WatchResource(ctx context.Context, params *protocol.CreateResourceWatchParams) (*Listener, error) {
	p := *params
	p.Channel = protocol.RootChannel
	result, err := call[protocol.CreateResourceWatchResult](ctx, c, "createResourceWatch", &p)
	switch {
	case err != nil:
		return nil, err
	case result.Channel == "":
		return nil, errors.New("createResourceWatch: the host names no channel")
	}
	l, err := c.Listen(result.Channel)
	if err == nil {
		c.Open(result.Channel, protocol.ResourceWatchKind)
	}
	return l, err
}
