package host

import (
	"context"
	"time"

	"ahptui/internal/jsonrpc"
)

const (
	// laterTimeout bounds a request that is answered later.
	laterTimeout = 30 * time.Second
	// maxLater bounds those of a connection that are under way, and atOnce those of
	// the host that are being carried out.
	maxLater = 256
	atOnce   = 4
)

// later decodes the parameters of a request and sends what handle makes of them,
// from a goroutine of its own and without the lock: it is for what takes its time.
// It runs under the lock itself.
func later[P any](req *jsonrpc.Request, c *conn, handle func(context.Context, *conn, *P) (any, *jsonrpc.Error)) {
	p := new(P)
	if failure := decodeParams(req, p); failure != nil {
		req.Fail(failure)
		return
	}
	if c.later >= maxLater {
		req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests are under way"})
		return
	}
	c.later++
	h := c.host
	h.work.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, laterTimeout)
		defer cancel()
		result, failure := h.whenFree(ctx, func() (any, *jsonrpc.Error) { return handle(ctx, c, p) })
		h.mu.Lock()
		defer h.mu.Unlock() // so that the answer and what follows it keep their order
		c.later--
		if failure != nil {
			req.Fail(failure)
			return
		}
		req.Reply(result)
	})
}

// whenFree does something when its turn has come.
func (h *Host) whenFree(ctx context.Context, f func() (any, *jsonrpc.Error)) (any, *jsonrpc.Error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
		return f()
	case <-ctx.Done():
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the host is too busy"}
	}
}
