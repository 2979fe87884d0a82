package jsonrpc

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// maxHandshakeBytes bounds what is read before the handshake is over: certificates and the headers of one answer, for which
// the WebSocket library has no limit of its own.
const maxHandshakeBytes = 256 << 10

var errHandshakeTooLarge = errors.New("the answer to the handshake is too large")

// maxHeldBytes is how much is held back for one write. Many small messages so take few system calls.
const maxHeldBytes = 64 << 10

// trackedConn notes when bytes arrive, bounds what arrives during a handshake, and can hold back what is written.
type trackedConn struct {
	net.Conn
	born     time.Time
	lastRead atomic.Int64 // nanoseconds after born
	budget   int          // bytes that may still be read, while limited
	limited  bool         // changed only while nobody reads
	onRead   func()       // is told before anything is waited for; nil, or set while nobody reads

	writeMu sync.Mutex
	holding bool
	held    []byte
}

func newTrackedConn(c net.Conn) *trackedConn { return &trackedConn{Conn: c, born: time.Now()} }

// Read implements [net.Conn].
func (c *trackedConn) Read(b []byte) (int, error) {
	if c.limited && c.budget <= 0 {
		return 0, errHandshakeTooLarge
	}
	if c.onRead != nil {
		c.onRead()
	}
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.budget -= n
		c.lastRead.Store(int64(time.Since(c.born)))
	}
	return n, err
}

// hold says whether what is written from now on may wait for what is written next.
func (c *trackedConn) hold(on bool) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	c.holding = on
}

// Write implements [net.Conn].
func (c *trackedConn) Write(b []byte) (int, error) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	if !c.holding && len(c.held) == 0 {
		return c.Conn.Write(b)
	}
	c.held = append(c.held, b...)
	if c.holding && len(c.held) < maxHeldBytes {
		return len(b), nil
	}
	_, err := c.Conn.Write(c.held)
	c.held = c.held[:0]
	if cap(c.held) > 2*maxHeldBytes {
		c.held = nil
	}
	if err != nil {
		return 0, err
	}
	return len(b), nil
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
