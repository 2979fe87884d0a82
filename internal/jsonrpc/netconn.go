package jsonrpc

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// maxHandshakeBytes bounds what is read before the handshake is over: certificates and the headers of one answer, for which
// the WebSocket library has no limit of its own.
const maxHandshakeBytes = 256 << 10

var errHandshakeTooLarge = errors.New("the answer to the handshake is too large")

// trackedConn notes when bytes arrive, and bounds what arrives during a handshake.
type trackedConn struct {
	net.Conn
	born     time.Time
	lastRead atomic.Int64 // nanoseconds after born
	budget   int          // bytes that may still be read, while limited
	limited  bool         // changed only while nobody reads
}

func newTrackedConn(c net.Conn) *trackedConn { return &trackedConn{Conn: c, born: time.Now()} }

// Read implements [net.Conn].
func (c *trackedConn) Read(b []byte) (int, error) {
	if c.limited && c.budget <= 0 {
		return 0, errHandshakeTooLarge
	}
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.budget -= n
		c.lastRead.Store(int64(time.Since(c.born)))
	}
	return n, err
}

// LastRead returns when the last bytes came, or when the connection was made.
func (c *trackedConn) LastRead() time.Time { return c.born.Add(time.Duration(c.lastRead.Load())) }

// CloseWrite tells the other side that nothing more comes, where the connection can.
func (c *trackedConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
