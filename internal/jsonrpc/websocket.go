package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// DefaultMaxMessageBytes is the default bound of a message that comes over a WebSocket: 128 MiB. It is somewhat above the
	// 100 MiB that VS Code's agent host takes.
	DefaultMaxMessageBytes = 128 << 20
	// defaultMessageTimeout lets the largest message come at 0.75 MB/s.
	defaultMessageTimeout = 3 * time.Minute

	// closeTimeout bounds each step of the closing handshake.
	closeTimeout = time.Second
	// pongInterval is the shortest time between two pongs. Of the pings that come faster only the last is answered, as RFC
	// 6455, section 5.5.3, allows.
	pongInterval = 100 * time.Millisecond
	// pongTimeout bounds the writing of a pong. Beyond, nothing can be written to this connection any more, so it is long.
	pongTimeout = 30 * time.Second

	readBufferBytes  = 64 << 10
	writeBufferBytes = 32 << 10
	// scratchBytes is the size up to which messages are read into one buffer and copied out of it in their own size.
	scratchBytes = 64 << 10
)

var (
	// ErrMessageTooLarge says that a message was larger than the limit of the transport.
	ErrMessageTooLarge = errors.New("message too large")
	// ErrSlowMessage says that a message took too long from its first to its last byte.
	ErrSlowMessage = errors.New("message came too slowly")
)

// CloseError says that the other side closed the WebSocket in good order.
type CloseError struct {
	Code   int    // RFC 6455, section 7.4; 1005 when the peer gave none
	Reason string // the peer's words, as they came
}

// Error returns the code and the printable part of the reason.
func (e *CloseError) Error() string {
	if reason := printable(e.Reason); reason != "" {
		return fmt.Sprintf("the peer closed the connection: %s (%d)", reason, e.Code)
	}
	return fmt.Sprintf("the peer closed the connection (%d)", e.Code)
}

// WebSocket is a [Transport] over a WebSocket connection (RFC 6455): one message in one text message, never compressed. Binary
// messages are taken as text. [Dial] and [Upgrader.Upgrade] make it.
type WebSocket struct {
	ws             *websocket.Conn
	conn           *trackedConn
	maxMessage     int64
	messageTimeout time.Duration

	readMu   sync.Mutex // held while reading
	readErr  error      // ends reading for good
	scratch  []byte
	underWay bool // a message has begun
	timed    bool // and reading it has a deadline
	readEnd  watch

	deadlineMu  sync.Mutex
	interrupted bool // the deadline of reading stays in the past

	writeMu  sync.Mutex // held while writing
	writeEnd watch

	pings     chan string // the ping to answer next
	closing   chan struct{}
	ponging   chan struct{} // closed when the goroutine that answers pings has ended
	closeOnce sync.Once
}

func newWebSocket(ws *websocket.Conn, conn *trackedConn, maxMessage int64, messageTimeout time.Duration) *WebSocket {
	w := &WebSocket{
		ws:             ws,
		conn:           conn,
		maxMessage:     maxMessage,
		messageTimeout: messageTimeout,
		scratch:        make([]byte, scratchBytes),
		pings:          make(chan string, 1),
		closing:        make(chan struct{}),
		ponging:        make(chan struct{}),
	}
	if w.maxMessage == 0 {
		w.maxMessage = DefaultMaxMessageBytes
	}
	if w.messageTimeout == 0 {
		w.messageTimeout = defaultMessageTimeout
	}
	conn.onRead = w.timeMessage
	ws.SetPingHandler(w.notePing)
	go w.answerPings()
	return w
}

// LastRead returns when the last byte of any kind came, or when the connection was made.
func (w *WebSocket) LastRead() time.Time { return w.conn.LastRead() }

// Read implements [Transport]. A message above the limit ends the connection with close code 1009 and ErrMessageTooLarge;
// one that drips, with ErrSlowMessage.
func (w *WebSocket) Read(ctx context.Context) ([]byte, error) {
	w.readMu.Lock()
	defer w.readMu.Unlock()
	if w.readErr != nil {
		return nil, w.readErr
	}
	w.readEnd.over(ctx, w.interruptRead)
	msg, err := w.readMessage()
	if err != nil {
		w.readErr = w.explain(ctx, err)
		return nil, w.readErr
	}
	return msg, nil
}

func (w *WebSocket) readMessage() ([]byte, error) {
	_, r, err := w.ws.NextReader()
	if err != nil {
		return nil, err
	}
	w.underWay = true
	msg, err := w.readBody(r)
	w.underWay = false
	if w.timed {
		w.timed = false
		w.setReadDeadline(time.Time{})
	}
	if errors.Is(err, ErrMessageTooLarge) {
		w.sendClose(websocket.CloseMessageTooBig)
	}
	return msg, err
}

// timeMessage gives a message that has begun, and did not come in one piece, its time. A message that is there already costs
// none.
func (w *WebSocket) timeMessage() {
	if w.underWay && !w.timed {
		w.timed = true
		w.setReadDeadline(time.Now().Add(w.messageTimeout))
	}
}

// readBody reads one message. What is counted are the bytes that r delivers, whatever stands behind it.
func (w *WebSocket) readBody(r io.Reader) ([]byte, error) {
	buf := w.scratch
	n := 0
	for {
		m, err := r.Read(buf[n:])
		n += m
		switch {
		case int64(n) > w.maxMessage:
			return nil, fmt.Errorf("%w: more than %d bytes", ErrMessageTooLarge, w.maxMessage)
		case errors.Is(err, io.EOF):
			if len(buf) == scratchBytes {
				return bytes.Clone(buf[:n]), nil
			}
			return buf[:n], nil
		case err != nil:
			return nil, err
		case n == len(buf):
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// setReadDeadline sets the deadline of reading unless reading was interrupted.
func (w *WebSocket) setReadDeadline(t time.Time) {
	w.deadlineMu.Lock()
	defer w.deadlineMu.Unlock()
	if !w.interrupted {
		_ = w.ws.SetReadDeadline(t) // a closed connection fails the read itself
	}
}

// interruptRead makes the read that is under way fail, and all later ones.
func (w *WebSocket) interruptRead() {
	w.deadlineMu.Lock()
	defer w.deadlineMu.Unlock()
	w.interrupted = true
	_ = w.ws.SetReadDeadline(time.Unix(1, 0)) // a closed connection fails the read itself
}

// explain turns an error of the library into one of ours.
func (w *WebSocket) explain(ctx context.Context, err error) error {
	select {
	case <-w.closing:
		return ErrClosed
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		if closed.Code == websocket.CloseAbnormalClosure {
			return fmt.Errorf("the connection was cut: %w", io.ErrUnexpectedEOF)
		}
		return &CloseError{Code: closed.Code, Reason: closed.Text}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return fmt.Errorf("%w: not complete after %v", ErrSlowMessage, w.messageTimeout)
	}
	return err
}

// Write implements [Transport]. When ctx ends while it waits, the connection is cut: half a message has been sent.
func (w *WebSocket) Write(ctx context.Context, msg []byte) error { return w.write(ctx, msg, false) }

// WriteMore is Write for a message behind which another one follows at once.
func (w *WebSocket) WriteMore(ctx context.Context, msg []byte) error { return w.write(ctx, msg, true) }

func (w *WebSocket) write(ctx context.Context, msg []byte, more bool) error {
	w.writeMu.Lock()
	defer w.writeMu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.writeEnd.over(ctx, func() { _ = w.conn.Close() })
	w.conn.hold(more)
	return w.ws.WriteMessage(websocket.TextMessage, msg)
}

// Close implements [Transport]: it sends a closing frame, lets what is under way from the other side run out for a second at
// most, so that the frame is not lost to a reset, and closes the connection.
func (w *WebSocket) Close() error {
	w.closeOnce.Do(func() {
		close(w.closing)
		w.interruptRead()
		if w.sendClose(websocket.CloseNormalClosure) && closeWrite(w.ws.NetConn()) == nil {
			w.drain()
		}
		_ = w.conn.Close() // nothing is left that could be lost
		<-w.ponging
		w.unwatch()
	})
	return nil
}

// unwatch lets go of the contexts. Neither reading nor writing goes on any more.
func (w *WebSocket) unwatch() {
	w.readMu.Lock()
	defer w.readMu.Unlock()
	w.writeMu.Lock()
	defer w.writeMu.Unlock()
	w.readEnd.leave()
	w.writeEnd.leave()
}

// watch does something once a context is done. A context that is watched again and again costs no more than once.
type watch struct {
	ctx  context.Context //nolint:containedctx // only to be recognised
	stop func() bool
}

// over lets f be called once ctx is done, instead of the context before.
func (w *watch) over(ctx context.Context, f func()) {
	if w.ctx == ctx {
		return
	}
	w.leave()
	w.ctx, w.stop = ctx, context.AfterFunc(ctx, f)
}

func (w *watch) leave() {
	if w.stop != nil {
		w.stop()
	}
	w.ctx, w.stop = nil, nil
}

// sendClose reports whether the other side was sent a closing frame, now or before.
func (w *WebSocket) sendClose(code int) bool {
	frame := websocket.FormatCloseMessage(code, "")
	err := w.ws.WriteControl(websocket.CloseMessage, frame, time.Now().Add(closeTimeout))
	return err == nil || errors.Is(err, websocket.ErrCloseSent)
}

// drain reads until the other side has closed the connection too.
func (w *WebSocket) drain() {
	w.readMu.Lock() // the read that was interrupted is over in a moment
	defer w.readMu.Unlock()
	if err := w.conn.SetReadDeadline(time.Now().Add(closeTimeout)); err == nil {
		_, _ = io.Copy(io.Discard, w.ws.NetConn()) // that it ends is all that matters
	}
}

// notePing leaves a ping to be answered, in place of one that still waits.
func (w *WebSocket) notePing(data string) error {
	select {
	case <-w.pings:
	default:
	}
	w.pings <- data // only the reading goroutine sends, so there is room
	return nil
}

// answerPings sends pongs, not too many, without holding up the reading goroutine.
func (w *WebSocket) answerPings() {
	defer close(w.ponging)
	for {
		select {
		case data := <-w.pings:
			// An error is that of the connection, which reading or writing comes upon too.
			_ = w.ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(pongTimeout))
		case <-w.closing:
			return
		}
		select {
		case <-time.After(pongInterval):
		case <-w.closing:
			return
		}
	}
}
