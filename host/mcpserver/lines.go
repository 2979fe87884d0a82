package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errTooLong ends a connection whose peer sends a line beyond the limit.
var errTooLong = fmt.Errorf("a message is longer than %d bytes", maxMessageBytes)

// lineTransport speaks newline-delimited JSON-RPC over two pipes. It differs
// from the SDK's IOTransport in two points that matter with real processes: it
// passes over lines that are no JSON (banners, warnings of a package manager),
// and closing it leaves the process' stdout open, so that a server which still
// writes while it winds down is not killed by the pipe.
type lineTransport struct {
	in  io.Reader
	out io.WriteCloser
}

// Connect implements [mcp.Transport].
func (t *lineTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{
		out:      t.out,
		incoming: make(chan jsonrpc.Message),
		closed:   make(chan struct{}),
		read:     make(chan struct{}),
	}
	go c.readAll(t.in)
	return c, nil
}

// lineConn implements [mcp.Connection]. Its reading goroutine ends when the
// process' stdout does, which stopping the process sees to.
type lineConn struct {
	writeMu sync.Mutex
	out     io.WriteCloser

	incoming chan jsonrpc.Message
	closed   chan struct{}
	once     sync.Once
	read     chan struct{} // closed when reading has ended with readErr
	readErr  error
}

func (c *lineConn) readAll(in io.Reader) {
	defer close(c.read)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if msg := decodeLine(line); msg != nil {
			select {
			case c.incoming <- msg:
			case <-c.closed:
				c.readErr = io.EOF
				_, _ = io.Copy(io.Discard, r) // a full pipe would hold up the process' end
				return
			}
		}
		if err != nil {
			c.readErr = err
			return
		}
	}
}

// decodeLine returns the message in a line, or nil if there is none.
func decodeLine(line []byte) jsonrpc.Message {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return nil
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil
	}
	return msg
}

// readLine reads up to and including the next newline. With an error it
// returns what came before it.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxMessageBytes {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Read implements [mcp.Connection].
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-c.incoming:
		return msg, nil
	case <-c.read:
		return nil, c.readErr
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection].
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_, err = c.out.Write(append(data, '\n'))
	return err
}

// Close implements [mcp.Connection]. Closing stdin is how a client asks a
// server to end.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.out.Close()
}

// SessionID implements [mcp.Connection].
func (c *lineConn) SessionID() string { return "" }
