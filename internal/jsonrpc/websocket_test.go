package jsonrpc

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"ahptui/internal/secret"
)

// serve runs an upgrader on loopback. It returns its URL and the connections that were made.
func serve(t *testing.T, u *Upgrader) (wsURL string, conns <-chan *WebSocket) {
	t.Helper()
	made := make(chan *WebSocket, 10)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w, err := u.Upgrade(rw, r); err == nil {
			t.Cleanup(func() { _ = w.Close() })
			made <- w
		}
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http"), made
}

// dial connects with our own client.
func dial(t *testing.T, wsURL string, o DialOptions) *WebSocket {
	t.Helper()
	w, err := Dial(t.Context(), wsURL, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// pair returns the two ends of one connection, the client's first.
func pair(t *testing.T, u *Upgrader, o DialOptions) (client, server *WebSocket) {
	t.Helper()
	wsURL, conns := serve(t, u)
	return dial(t, wsURL, o), <-conns
}

// withForeign returns our server's end and the client's end as another implementation has it.
func withForeign(t *testing.T, u *Upgrader) (foreign *websocket.Conn, server *WebSocket) {
	t.Helper()
	wsURL, conns := serve(t, u)
	foreign, _, err := websocket.DefaultDialer.DialContext(t.Context(), wsURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = foreign.Close() })
	return foreign, <-conns
}

func writeMessage(t *testing.T, w Transport, msg []byte) {
	t.Helper()
	if err := w.Write(t.Context(), msg); err != nil {
		t.Errorf("write: %v", err)
	}
}

func readMessage(t *testing.T, w Transport, want []byte) {
	t.Helper()
	got, err := w.Read(t.Context())
	if err != nil {
		t.Errorf("read: %v", err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("read %d bytes %.40q, want %d bytes %.40q", len(got), got, len(want), want)
	}
}

func TestWebSocketCarriesMessages(t *testing.T) {
	t.Parallel()
	client, server := pair(t, &Upgrader{}, DialOptions{})
	for _, size := range []int{0, 1, 425, scratchBytes - 1, scratchBytes, scratchBytes + 1, 5 << 20} {
		msg := bytes.Repeat([]byte("é"), size/2+1)[:size]
		for _, ends := range [][2]*WebSocket{{client, server}, {server, client}} {
			done := make(chan struct{})
			go func() {
				defer close(done)
				writeMessage(t, ends[0], msg)
			}()
			readMessage(t, ends[1], msg)
			<-done
		}
	}
}

func TestWebSocketMessagesAreTheCallers(t *testing.T) {
	t.Parallel()
	client, server := pair(t, &Upgrader{}, DialOptions{})
	writeMessage(t, client, []byte("first"))
	writeMessage(t, client, []byte("other"))
	first, err := server.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	readMessage(t, server, []byte("other"))
	if string(first) != "first" {
		t.Errorf("the first message became %q", first)
	}
}

func TestWebSocketTakesFragmentsAndBinary(t *testing.T) {
	t.Parallel()
	foreign, server := withForeign(t, &Upgrader{})
	for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
		fw, err := foreign.NextWriter(kind)
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Repeat([]byte("fragment "), 10_000) // far more than the foreign end's buffer
		if _, err := fw.Write(want); err != nil {
			t.Fatal(err)
		}
		if err := fw.Close(); err != nil {
			t.Fatal(err)
		}
		readMessage(t, server, want)
	}
	writeMessage(t, server, []byte("{}"))
	if kind, msg, err := foreign.ReadMessage(); err != nil || kind != websocket.TextMessage || string(msg) != "{}" {
		t.Errorf("sent %d %q, %v; want a text message", kind, msg, err)
	}
}

func TestWebSocketMessageTooLarge(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	for name, write := range map[string]func(c *websocket.Conn, msg []byte) error{
		"one frame": func(c *websocket.Conn, msg []byte) error {
			prepared, err := websocket.NewPreparedMessage(websocket.TextMessage, msg)
			if err != nil {
				return err
			}
			return c.WritePreparedMessage(prepared)
		},
		"fragments": func(c *websocket.Conn, msg []byte) error { return c.WriteMessage(websocket.TextMessage, msg) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			foreign, server := withForeign(t, &Upgrader{MaxMessageBytes: limit})
			if err := write(foreign, bytes.Repeat([]byte("x"), limit)); err != nil {
				t.Fatal(err)
			}
			readMessage(t, server, bytes.Repeat([]byte("x"), limit))
			if err := write(foreign, bytes.Repeat([]byte("x"), limit+1)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := server.Read(t.Context()); !errors.Is(err, ErrMessageTooLarge) || !strings.Contains(err.Error(), "100000 bytes") {
					t.Errorf("read = %v, want ErrMessageTooLarge", err)
				}
			}
			if _, _, err := foreign.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
				t.Errorf("the other end got %v, want close code 1009", err)
			}
		})
	}
}

// A frame that announces more than anybody will send costs what was sent, not what was announced.
func TestWebSocketHugeAnnouncement(t *testing.T) {
	t.Parallel()
	foreign, server := withForeign(t, &Upgrader{})
	header := binary.BigEndian.AppendUint64([]byte{0x81, 0xff}, 1<<62)
	if _, err := foreign.NetConn().Write(append(header, "maskonly this"...)); err != nil {
		t.Fatal(err)
	}
	_ = foreign.Close()
	if _, err := server.Read(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read = %v, want an unexpected end", err)
	}
}

func TestWebSocketNeverCompresses(t *testing.T) {
	t.Parallel()
	wsURL, conns := serve(t, &Upgrader{})
	dialer := websocket.Dialer{EnableCompression: true}
	foreign, answer, err := dialer.DialContext(t.Context(), wsURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if got := answer.Header.Values("Sec-Websocket-Extensions"); len(got) > 0 {
		t.Errorf("the server agreed to %q", got)
	}
	server := <-conns
	compressed := []byte{0xc1, 0x80, 0, 0, 0, 0} // a text frame with the bit of permessage-deflate
	if _, err := foreign.NetConn().Write(compressed); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "RSV1") {
		t.Errorf("read of a compressed frame = %v", err)
	}
	if _, _, err := foreign.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseProtocolError) {
		t.Errorf("the other end got %v, want close code 1002", err)
	}
}

func TestWebSocketCutsWhatDrips(t *testing.T) {
	t.Parallel()
	foreign, server := withForeign(t, &Upgrader{MessageTimeout: 100 * time.Millisecond})
	// Waiting for a message is not bounded, only its arrival.
	read := make(chan error, 1)
	go func() {
		_, err := server.Read(t.Context())
		read <- err
	}()
	select {
	case err := <-read:
		t.Fatalf("an idle connection ended: %v", err)
	case <-time.After(250 * time.Millisecond):
	}
	dripping := make(chan struct{})
	go func() {
		defer close(dripping)
		conn := foreign.NetConn()
		_, err := conn.Write([]byte{0x81, 0xfe, 0xff, 0xff, 0, 0, 0, 0})
		for err == nil {
			_, err = conn.Write([]byte("x"))
			<-time.After(5 * time.Millisecond)
		}
	}()
	if err := <-read; !errors.Is(err, ErrSlowMessage) {
		t.Errorf("read = %v, want ErrSlowMessage", err)
	}
	_ = server.Close()
	<-dripping
}

func TestWebSocketAnswersPings(t *testing.T) {
	t.Parallel()
	foreign, server := withForeign(t, &Upgrader{})
	born := server.LastRead()
	reading := make(chan error, 1)
	go func() {
		_, err := server.Read(t.Context())
		reading <- err
	}()
	const pings = 1000
	for i := range pings {
		if err := foreign.WriteControl(websocket.PingMessage, fmt.Append(nil, i), time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	pongs := 0
	foreign.SetPongHandler(func(data string) error {
		if pongs++; data == fmt.Sprint(pings-1) {
			return errors.New("the last ping was answered")
		}
		return nil
	})
	if _, _, err := foreign.ReadMessage(); err == nil || err.Error() != "the last ping was answered" {
		t.Errorf("waiting for pongs: %v", err)
	}
	if pongs > pings/10 {
		t.Errorf("%d pings got %d pongs", pings, pongs)
	}
	if !server.LastRead().After(born) {
		t.Error("pings are no sign of life")
	}
	_ = server.Close()
	<-reading
}

func TestWebSocketCloses(t *testing.T) {
	t.Parallel()
	client, server := pair(t, &Upgrader{}, DialOptions{})
	reading := make(chan error, 1)
	go func() {
		_, err := client.Read(t.Context())
		reading <- err
	}()
	start := time.Now()
	closed := make(chan error, 1)
	go func() { closed <- server.Close() }()
	var reason *CloseError
	if err := <-reading; !errors.As(err, &reason) || reason.Code != websocket.CloseNormalClosure {
		t.Errorf("the other end read %v, want close code 1000", err)
	}
	_ = client.Close()
	if err := <-closed; err != nil {
		t.Errorf("Close = %v", err)
	}
	if d := time.Since(start); d >= closeTimeout {
		t.Errorf("closing took %v though both ends agreed", d)
	}
	for _, w := range []*WebSocket{client, server} {
		if err := w.Close(); err != nil {
			t.Errorf("second Close = %v", err)
		}
		if err := w.Write(t.Context(), []byte("{}")); err == nil {
			t.Error("Write after Close: no error")
		}
		if _, err := w.Read(t.Context()); err == nil {
			t.Error("Read after Close: no error")
		}
	}
}

func TestWebSocketBothCloseAtOnce(t *testing.T) {
	t.Parallel()
	client, server := pair(t, &Upgrader{}, DialOptions{})
	start := time.Now()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = client.Close()
	}()
	_ = server.Close()
	<-closed
	if d := time.Since(start); d >= closeTimeout {
		t.Errorf("closing took %v", d)
	}
}

func TestWebSocketClosesOnASilentPeer(t *testing.T) {
	t.Parallel()
	_, server := withForeign(t, &Upgrader{})
	start := time.Now()
	_ = server.Close()
	if d := time.Since(start); d < closeTimeout/2 || d > 4*closeTimeout {
		t.Errorf("closing took %v, want about %v", d, closeTimeout)
	}
}

// What was written before closing arrives, although the other end goes on sending and a reset would destroy it.
func TestWebSocketCloseLosesNothing(t *testing.T) {
	t.Parallel()
	foreign, server := withForeign(t, &Upgrader{})
	flooding := make(chan struct{})
	go func() {
		defer close(flooding)
		var err error
		for err == nil {
			err = foreign.WriteMessage(websocket.TextMessage, make([]byte, 1000))
		}
	}()
	readMessage(t, server, make([]byte, 1000))
	for range 100 {
		writeMessage(t, server, []byte("last words"))
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = server.Close()
	}()
	for i := range 100 {
		if _, msg, err := foreign.ReadMessage(); err != nil || string(msg) != "last words" {
			t.Fatalf("message %d = %q, %v", i, msg, err)
		}
	}
	if _, _, err := foreign.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the end = %v, want close code 1000", err)
	}
	_ = foreign.Close()
	<-flooding
	<-closed
}

func TestWebSocketReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	foreign, server := withForeign(t, &Upgrader{})
	ctx, cancel := context.WithCancelCause(t.Context())
	reading := make(chan error, 1)
	go func() {
		_, err := server.Read(ctx)
		reading <- err
	}()
	cause := errors.New("enough")
	cancel(cause)
	if err := <-reading; !errors.Is(err, cause) {
		t.Errorf("read = %v, want the cause", err)
	}
	if _, err := server.Read(t.Context()); err == nil {
		t.Error("a later read: no error")
	}
	writeMessage(t, server, []byte("still writing"))
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = server.Close()
	}()
	if _, msg, err := foreign.ReadMessage(); err != nil || string(msg) != "still writing" {
		t.Errorf("the other end got %q, %v", msg, err)
	}
	if _, _, err := foreign.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the other end got %v, want close code 1000", err)
	}
	_ = foreign.Close()
	<-closed
}

// An interrupted read stays interrupted, although the next message has begun and sets a deadline of its own.
func TestWebSocketReadStaysInterrupted(t *testing.T) {
	t.Parallel()
	foreign, server := withForeign(t, &Upgrader{})
	whole, begun := []byte{0x81, 0x82, 0, 0, 0, 0, '{', '}'}, []byte{0x81, 0x82, 0, 0, 0, 0, '{'}
	if _, err := foreign.NetConn().Write(append(whole, begun...)); err != nil {
		t.Fatal(err)
	}
	readMessage(t, server, []byte("{}"))
	server.interruptRead()
	read := make(chan error, 1)
	go func() {
		_, err := server.Read(t.Context())
		read <- err
	}()
	select {
	case err := <-read:
		if err == nil {
			t.Error("half a message was read")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the read waits for the rest of the message")
	}
}

func TestPeerOverWebSocketThatIsNotRead(t *testing.T) {
	t.Parallel()
	_, server := withForeign(t, &Upgrader{})
	p := New(server, &logger{}, Options{WriteTimeout: 300 * time.Millisecond})
	some := raw(`"` + strings.Repeat("x", 256<<10) + `"`)
	for range 100 { // more than the buffers of the system hold
		if err := p.Notify("n", some); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	if err := p.Run(t.Context()); !errors.Is(err, ErrSlowPeer) {
		t.Errorf("Run = %v, want ErrSlowPeer", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
}

// A host that takes smaller messages than we send closes with 1009; that is what the person must read.
func TestPeerOverWebSocketSaysWhyItWasClosed(t *testing.T) {
	t.Parallel()
	client, server := pair(t, &Upgrader{MaxMessageBytes: 1000}, DialOptions{})
	host := New(server, &logger{}, Options{})
	go func() { _ = host.Run(t.Context()) }()
	p := New(client, &logger{}, Options{})
	go func() { _ = p.Run(t.Context()) }()
	err := p.Call(t.Context(), "m", raw(`"`+strings.Repeat("x", 8<<20)+`"`), nil)
	<-p.Done()
	<-host.Done()
	if reason, ok := errors.AsType[*CloseError](err); !ok || reason.Code != websocket.CloseMessageTooBig {
		t.Errorf("Call = %v, want close code 1009", err)
	}
	if !errors.Is(host.Err(), ErrMessageTooLarge) {
		t.Errorf("the host's end = %v", host.Err())
	}
}

func TestCloseErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  CloseError
		want string
	}{
		{CloseError{Code: 1001}, "the peer closed the connection (1001)"},
		{CloseError{Code: 1008, Reason: "go \x1b[2Jaway\nnow"}, "the peer closed the connection: go �[2Jaway (1008)"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("Error = %q, want %q", got, tt.want)
		}
	}
}

func TestWebSocketOverTLS(t *testing.T) {
	t.Parallel()
	conns := make(chan *WebSocket, 1)
	u := &Upgrader{Token: secret.New(canary)}
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w, err := u.Upgrade(rw, r); err == nil {
			conns <- w
		}
	}))
	defer server.Close()
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	wsURL := "wss" + strings.TrimPrefix(server.URL, "https") + "/?tkn=" + url.QueryEscape(canary)
	client := dial(t, wsURL, DialOptions{TLSConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}})
	host := <-conns
	writeMessage(t, client, []byte("hello"))
	readMessage(t, host, []byte("hello"))
	start := time.Now()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = host.Close()
	}()
	if _, err := client.Read(t.Context()); err == nil {
		t.Error("no end")
	}
	_ = client.Close()
	<-closed
	if d := time.Since(start); d >= closeTimeout {
		t.Errorf("closing took %v", d)
	}
}

func TestWebSocketOverUnixSocket(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/s"
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("this system has no unix sockets: %v", err)
	}
	u := &Upgrader{Token: secret.New(canary)}
	conns := make(chan *WebSocket, 1)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w, err := u.Upgrade(rw, r); err == nil {
			conns <- w
		}
	})}
	serving := make(chan struct{})
	go func() {
		defer close(serving)
		_ = server.Serve(listener)
	}()
	client := dial(t, "ws://agent-host/", DialOptions{
		Token: secret.New(canary),
		NetDial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	})
	host := <-conns
	writeMessage(t, host, []byte("hello"))
	readMessage(t, client, []byte("hello"))
	_ = server.Close()
	<-serving
	_ = client.Close()
	_ = host.Close()
}
