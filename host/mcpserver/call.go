package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/internal/secret"
)

// Content is one piece of a tool's result. Text is set for text; Data and
// MIMEType for an image, a sound or an embedded file; URI alone (with MIMEType
// where known) for a link.
type Content struct {
	Text     string
	Data     []byte
	MIMEType string
	URI      string
}

// Result is what a tool call gave. Failed means that the tool itself reports a
// failure; its content says which. Cut means that content beyond the limit of
// one megabyte was left out.
type Result struct {
	Content    []Content
	Structured jsontext.Value
	Failed     bool
	Cut        bool
}

// Text returns the result's texts, joined by newlines.
func (r *Result) Text() string {
	var text string
	for _, c := range r.Content {
		if c.Text == "" {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += c.Text
	}
	return text
}

// CallTool calls a tool with args, a JSON object or nil, and waits for its
// result. Meanwhile progress, unless it is nil, is told what the server says of
// how far it is, from another goroutine. When ctx ends the server is told, and the call returns at once. A call
// that the server refuses is an error, as is the end of the connection; a tool
// that fails is a result.
func (s *Server) CallTool(ctx context.Context, name string, args jsontext.Value, progress func(Progress)) (*Result, error) {
	if len(args) == 0 {
		args = jsontext.Value("{}")
	}
	if !args.IsValid() || args.Kind() != '{' {
		return nil, errors.New("the arguments of a tool are a JSON object")
	}
	c, done, err := s.borrow()
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()

	params := &mcp.CallToolParams{Name: name, Arguments: args}
	if progress != nil {
		token := c.calling.begin(func(p Progress) {
			p.Message = without(s.bearer.get(), p.Message)
			progress(p)
		})
		defer c.calling.end(token)
		params.SetProgressToken(token)
	}
	res, err := c.session.CallTool(awaiting(ctx), params)
	for isStale(err, &s.bearer) {
		res, err = c.session.CallTool(awaiting(ctx), params)
	}
	if ch, ok := errors.AsType[*challenge](err); ok {
		err = s.authError(ctx, c, ch)
	}
	if err != nil {
		return nil, s.callError(ctx, name, err)
	}
	return toResult(res, s.bearer.get()), nil
}

// isStale reports whether a call was refused with a token that is no longer the
// server's. It was not carried out, so it can be made again.
func isStale(err error, b *bearer) bool {
	ch, refused := errors.AsType[*challenge](err)
	return refused && !ch.token.Equal(b.get())
}

// callError turns what the SDK says about a failed call into what a person can use.
func (s *Server) callError(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if auth, ok := errors.AsType[*AuthError](err); ok {
		return auth
	}
	if errors.Is(err, errForbidden) {
		return fmt.Errorf("call %s: %w", name, errForbidden)
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		return fmt.Errorf("%s refused the call of %s: %s", s.cfg.Name, name, cleanLine(s.redact.String(refused.Message), 500))
	}
	if errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.EOF) {
		return fmt.Errorf("call %s: %w", name, errGone)
	}
	return fmt.Errorf("call %s: %s", name, cleanLine(s.redact.String(err.Error()), 500))
}

// toResult bounds what a tool gave. The token that the call was made with is not
// in it, whatever the tool repeats.
func toResult(res *mcp.CallToolResult, token secret.Value) *Result {
	out := &Result{Failed: res.IsError}
	left := maxResultBytes
	for _, c := range res.Content {
		piece, ok := toContent(c)
		if !ok {
			continue
		}
		piece.Text, piece.URI = without(token, piece.Text), without(token, piece.URI)
		if size := len(piece.Text) + len(piece.Data) + len(piece.URI); size > left {
			out.Cut = true
			if piece.Text == "" || left < 16 {
				continue // half an image is none
			}
			piece.Text = cut(piece.Text, left)
		}
		left -= len(piece.Text) + len(piece.Data) + len(piece.URI)
		out.Content = append(out.Content, piece)
	}
	if res.StructuredContent != nil {
		if all := boundedJSON(res.StructuredContent, maxResultBytes); all != nil {
			out.Structured = jsontext.Value(without(token, string(all)))
		}
		out.Cut = out.Cut || out.Structured == nil
	}
	return out
}

// without returns a text of a server without a token.
func without(token secret.Value, text string) string {
	if token.IsZero() || text == "" {
		return text
	}
	return strings.ReplaceAll(text, token.Reveal(), secret.Redacted)
}

func toContent(c mcp.Content) (Content, bool) {
	switch c := c.(type) {
	case *mcp.TextContent:
		return Content{Text: c.Text}, true
	case *mcp.ImageContent:
		return Content{Data: c.Data, MIMEType: c.MIMEType}, true
	case *mcp.AudioContent:
		return Content{Data: c.Data, MIMEType: c.MIMEType}, true
	case *mcp.ResourceLink:
		return Content{URI: c.URI, MIMEType: c.MIMEType}, true
	case *mcp.EmbeddedResource:
		if r := c.Resource; r != nil && r.Blob != nil {
			return Content{Data: r.Blob, MIMEType: r.MIMEType}, true
		} else if r != nil {
			return Content{Text: r.Text}, true
		}
	}
	return Content{}, false
}
