package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// respondFunc is a Responder.
type respondFunc func(ctx context.Context, method string, params protocol.Raw) (any, error)

func (f respondFunc) Respond(ctx context.Context, method string, params protocol.Raw) (any, error) {
	return f(ctx, method, params)
}

// ask sends a request as the host does and tells what came of it.
func (h *testHost) ask(method string, params any) <-chan string {
	h.mu.Lock()
	defer h.mu.Unlock()
	answer := make(chan string, 1)
	err := h.conns[len(h.conns)-1].Go(method, params, func(result rawValue, err error) {
		var e *jsonrpc.Error
		switch {
		case errors.As(err, &e):
			answer <- fmt.Sprint(e.Code)
		case err != nil:
			answer <- "none"
		default:
			answer <- string(result)
		}
	})
	h.must(err)
	return answer
}

// TestResponder: who answers the host's requests is asked for each, on whichever
// channel, and for none that an MCP server's channel carries.
func TestResponder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.judge = nil // the answers are made up
		h.opened(Options{Patience: 3 * time.Second, Requests: respondFunc(func(ctx context.Context, method string, _ protocol.Raw) (any, error) {
			switch method {
			case "resourceRead":
				return map[string]string{"data": "text"}, nil
			case "resourceWrite":
				return nil, fmt.Errorf("write: %w", &jsonrpc.Error{Code: protocol.CodeConflict})
			case "resourceDelete":
				return nil, errors.New("no")
			case "slow":
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return nil, fmt.Errorf("%s: %w", method, errors.ErrUnsupported)
		})})
		for method, want := range map[string]string{
			"resourceRead": `{"data":"text"}`, "resourceWrite": "-32011", "resourceDelete": "-32603", "resourceList": "-32009",
			"createResourceWatch": "-32009", "x": "-32601", "slow": "-32603",
		} {
			began := time.Now()
			got := <-h.ask(method, nil)
			if took := time.Since(began); got != want || took > 3*time.Second {
				t.Errorf("%s: %s after %v", method, got, took)
			}
		}
		if got := <-h.ask("resourceRead", map[string]string{"channel": "mcp://h/1"}); got != "-32601" && got != "-32009" {
			t.Errorf("on the channel of an MCP server: %s", got)
		}
	})
}

// TestRequestFlood: requests beyond what is answered at once are refused at once,
// and none outlives its connection.
func TestRequestFlood(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		var running atomic.Int32
		c := h.opened(Options{Retry: true, Limits: Limits{Requests: 3}, Requests: respondFunc(func(ctx context.Context, _ string, _ protocol.Raw) (any, error) {
			running.Add(1)
			defer running.Add(-1)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})})
		var answers []<-chan string
		for range 500 {
			answers = append(answers, h.ask("resourceRead", nil))
		}
		synctest.Wait()
		got := map[string]int{}
		for _, a := range answers {
			select {
			case code := <-a:
				got[code]++
			default:
				got["waits"]++
			}
		}
		if diff := cmp.Diff(map[string]int{"-32603": 497, "waits": 3}, got); diff != "" || running.Load() != 3 {
			t.Errorf("%d run, answers (-want +got):\n%s", running.Load(), diff)
		}
		h.cutAll()
		synctest.Wait()
		if n := running.Load(); n != 0 {
			t.Errorf("%d requests outlive their connection", n)
		}
		sleep(time.Second)
		if v := c.View().Connection; v.Phase != Connected {
			t.Errorf("%+v", v)
		}
	})
}

// TestStubbornResponder: a connection does not end before those who answer on it.
func TestStubbornResponder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		var running atomic.Int32
		c := New(Options{Dial: h.dial, Requests: respondFunc(func(context.Context, string, protocol.Raw) (any, error) {
			running.Add(1)
			defer running.Add(-1)
			<-time.After(3 * time.Second)
			return nil, nil
		})})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		h.ask("resourceRead", nil)
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil || running.Load() != 0 {
			t.Errorf("Run: %v, %d run", err, running.Load())
		}
		h.cutAll()
	})
}

// TestDeafHost: a host that asks and does not read the answers loses the
// connection.
func TestDeafHost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ours, theirs := jsonrpc.Pipe()
		c := New(Options{
			Dial:   func(context.Context) (jsonrpc.Transport, error) { return theirs, nil },
			Limits: Limits{QueuedFrames: 100},
		})
		ended := make(chan error, 1)
		go func() { ended <- c.Run(t.Context()) }()
		asked := 0
		for ; asked < 1000; asked++ {
			if ours.Write(t.Context(), fmt.Appendf(nil, `{"id":%d,"method":"resourceRead"}`, asked)) != nil {
				break
			}
			synctest.Wait()
		}
		if err := <-ended; !errors.Is(err, jsonrpc.ErrSlowPeer) || asked > 110 {
			t.Errorf("Run: %v after %d requests", err, asked)
		}
	})
}

// TestDispatchToADeafHost: what could not be sent any more does not show.
func TestDispatchToADeafHost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		deaf := &deafTransport{}
		c := New(Options{Limits: Limits{QueuedFrames: 5}, Dial: func(ctx context.Context) (jsonrpc.Transport, error) {
			inner, err := h.dial(ctx)
			deaf.Transport = inner
			return deaf, err
		}})
		ended := make(chan error, 1)
		go func() { ended <- c.Run(t.Context()) }()
		c.Open(sessionURI, protocol.SessionKind)
		synctest.Wait()
		deaf.deaf.Store(true)
		c.update(func(s *store) { // before the end of the connection is noticed
			for i := range 20 {
				if _, err := c.dispatch(sessionURI, retitle(fmt.Sprint(i))); err != nil {
					if !errors.Is(err, ErrNotConnected) || len(s.channels[sessionURI].pending) != i {
						t.Errorf("%d: %v, %d are pending", i, err, len(s.channels[sessionURI].pending))
					}
					return
				}
			}
			t.Error("all were sent")
		})
		if err := <-ended; !errors.Is(err, jsonrpc.ErrSlowPeer) {
			t.Errorf("Run: %v", err)
		}
		h.cutAll()
	})
}

// deafTransport takes nothing more once it is deaf.
type deafTransport struct {
	jsonrpc.Transport
	deaf atomic.Bool
}

func (d *deafTransport) Write(ctx context.Context, msg []byte) error {
	if d.deaf.Load() {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return d.Transport.Write(ctx, msg)
}

// TestMalformed: what cannot be read may have been an action, so what is open is
// read anew.
func TestMalformed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		h.mu.Lock()
		state, ok := h.states[sessionURI].(*protocol.SessionState)
		if !ok {
			t.Fatal("no session")
		}
		fresh := *state
		fresh.Title = "what the unreadable action said"
		h.states[sessionURI] = &fresh
		h.mu.Unlock()
		for range 3 {
			h.sayRaw(t, `{"method":"action","params":{"channel":"test:/s",`)
		}
		synctest.Wait()
		if got := title(c.View()); got != fresh.Title {
			t.Errorf("title %q", got)
		}
		if diff := cmp.Diff([]NoticeKind{NoticeMalformed}, kinds(c.View().Notices)); diff != "" {
			t.Errorf("notices (-want +got):\n%s", diff)
		}
		// An action whose form is wrong concerns its channel alone.
		h.heard(c)
		h.tell("action", jsontext.Value(`{"channel":"test:/s","serverSeq":"next","action":{"type":"session/titleChanged","title":"x"}}`))
		h.tell("action", jsontext.Value(`{"channel":"elsewhere:/","serverSeq":"next","action":{}}`))
		h.tell("action", jsontext.Value(`["x"]`))
		synctest.Wait()
		if frames := h.heard(c); len(frames) != 1 || !strings.Contains(frames[0], `"subscribe","params":{"channel":"test:/s"`) {
			t.Errorf("asked %q", frames)
		}
		h.sayRaw(t, `{"id":null,"error":{"code":-32700,"message":"Parse error"}}`) // of ours
		synctest.Wait()
		if v := c.View(); v.Connection.Phase != Connected || len(v.Notices) != 1 {
			t.Errorf("%+v, %v", v.Connection, kinds(v.Notices))
		}
	})
}
