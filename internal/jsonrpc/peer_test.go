package jsonrpc

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func raw(text string) jsontext.Value { return jsontext.Value(text) }

// handlerFuncs is a handler made of two functions, either of which may be nil.
type handlerFuncs struct {
	notification func(method string, params jsontext.Value)
	request      func(req *Request)
}

func (h handlerFuncs) Notification(method string, params jsontext.Value) {
	if h.notification != nil {
		h.notification(method, params)
	}
}

func (h handlerFuncs) Request(req *Request) {
	if h.request != nil {
		h.request(req)
	}
}

// running is a peer under Run and the bare other end of its pipe.
type running struct {
	*Peer
	t     *testing.T
	other Transport
	stop  context.CancelFunc
}

func run(t *testing.T, h Handler, opts Options) *running {
	t.Helper()
	mine, other := Pipe()
	r := &running{Peer: New(mine, h, opts), t: t, other: other}
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { _ = r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-r.Done()
	})
	return r
}

// say sends a message as the other side.
func (r *running) say(text string) {
	r.t.Helper()
	if err := r.other.Write(r.t.Context(), []byte(text)); err != nil {
		r.t.Errorf("say %s: %v", text, err)
	}
}

// hear expects the next message that the other side gets.
func (r *running) hear(want string) {
	r.t.Helper()
	got, err := r.other.Read(r.t.Context())
	if err != nil {
		r.t.Errorf("hear: %v, want %s", err, want)
	} else if string(got) != want {
		r.t.Errorf("hear\n got %s\nwant %s", got, want)
	}
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// logger is a handler that notes what comes.
type logger struct{ lines []string }

func (l *logger) Notification(method string, params jsontext.Value) {
	l.lines = append(l.lines, method+" "+string(params))
}

func (l *logger) Request(req *Request) {
	l.lines = append(l.lines, string(req.id)+" "+req.Method+" "+string(req.Params))
}

func TestIncomingMessagesInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log logger
		var problems []string
		p := run(t, &log, Options{OnProtocolError: func(err error) { problems = append(problems, err.Error()) }})
		for _, text := range []string{
			`{"jsonrpc":"2.0","method":"a","params":{"n":1,"n":2}}`,
			`{"id":1,"method":"b"}`,
			`{"id":"x","method":"c","params":{}}`,
			`42`, `[]`, `[{"method":"batch"}]`, `{"jsonrpc":"2.0"}`, `{"id":{},"method":"d"}`, `{"id":99,"result":{}}`, `{"id":"s","result":1}`,
			`{not json`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
			`{"id":null,"result":1}`,
			`{"params":` + strings.Repeat("[", 200_000),
			`{"method":"e"}`,
		} {
			p.say(text)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{`a {"n":1,"n":2}`, "1 b ", `"x" c {}`, "e "}, log.lines); diff != "" {
			t.Errorf("handled (-want +got):\n%s", diff)
		}
		want := []string{
			"malformed message: no JSON at byte 2", "Parse error (-32700)", "malformed message: too much: levels of nesting, the limit is 512",
		}
		if diff := cmp.Diff(want, problems); diff != "" {
			t.Errorf("protocol errors (-want +got):\n%s", diff)
		}
	})
}

func TestHostAnswersMalformed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, &logger{}, Options{AnswerMalformed: true})
		p.say(`{not json`)
		p.hear(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		p.say(`[]`)
		p.say(`nonsense`)
		p.hear(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
	})
}

func TestRequestIsAnsweredOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		requests := make(chan *Request, 10)
		p := run(t, handlerFuncs{request: func(req *Request) { requests <- req }}, Options{})
		answer := func(request, want string, how func(*Request)) {
			t.Helper()
			p.say(request)
			req := <-requests
			how(req)
			req.Reply("again")
			req.Fail(&Error{Code: 1})
			p.hear(want)
		}
		answer(`{"id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"result":null}`, func(r *Request) { r.Reply(nil) })
		answer(`{"id":"x\u0041","method":"m"}`, `{"jsonrpc":"2.0","id":"x\u0041","result":{}}`, func(r *Request) { r.Reply(struct{}{}) })
		answer(`{"id":1.0,"method":"m"}`, `{"jsonrpc":"2.0","id":1.0,"result":{"raw" : 1}}`, func(r *Request) { r.Reply(raw(`{"raw" : 1}`)) })
		answer(`{"id":null,"method":"m"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32009,"message":"no"}}`,
			func(r *Request) { r.Fail(&Error{Code: -32009, Message: "no"}) })
		answer(`{"id":2,"method":"m"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"m"}}`,
			func(r *Request) { r.Fail(&Error{Code: 5, Message: "m", Data: raw("{")}) })
		answer(`{"id":2,"method":"m"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":""}}`, func(r *Request) { r.Fail(nil) })

		p.say(`{"id":3,"method":"odd"}`)
		(<-requests).Reply(make(chan int))
		got, err := p.other.Read(t.Context())
		if err != nil || !strings.HasPrefix(string(got), `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"encode the result of odd: `) {
			t.Errorf("a result that cannot be encoded: %s, %v", got, err)
		}

		p.say(`{"id":4,"method":"late"}`)
		late := <-requests
		p.stop()
		<-p.Done()
		late.Reply(nil) // nobody is there: nothing must happen
	})
}

func TestIDsOfBothSidesMayBeEqual(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, handlerFuncs{request: func(req *Request) { req.Reply("theirs") }}, Options{})
		var ours string
		called := make(chan error, 1)
		go func() { called <- p.Call(t.Context(), "m", nil, &ours) }()
		p.hear(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		p.say(`{"id":1,"method":"theirs"}`)
		p.hear(`{"jsonrpc":"2.0","id":1,"result":"theirs"}`)
		p.say(`{"id":1,"result":"ours"}`)
		if err := <-called; err != nil || ours != "ours" {
			t.Errorf("Call = %q, %v", ours, err)
		}
	})
}

func TestTapSeesAllInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var seen []string
		tap := func(dir Direction, msg []byte) { seen = append(seen, []string{"<", ">"}[dir]+string(msg)) }
		p := run(t, handlerFuncs{request: func(req *Request) { req.Reply(true) }}, Options{Tap: tap})
		called := make(chan error, 1)
		go func() { called <- p.Call(t.Context(), "m", nil, nil) }()
		p.hear(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		p.say(`{"id":1,"result":1}`)
		if err := <-called; err != nil {
			t.Error(err)
		}
		p.say(`nonsense`)
		p.say(`{"id":7,"method":"r"}`)
		p.hear(`{"jsonrpc":"2.0","id":7,"result":true}`)
		synctest.Wait()
		want := []string{
			`>{"jsonrpc":"2.0","id":1,"method":"m"}`, `<{"id":1,"result":1}`, `<nonsense`, `<{"id":7,"method":"r"}`,
			`>{"jsonrpc":"2.0","id":7,"result":true}`,
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("tap (-want +got):\n%s", diff)
		}
	})
}

func TestLastRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		p := run(t, &logger{}, Options{})
		<-time.After(time.Minute)
		if got := p.LastRead().Sub(start); got != 0 {
			t.Errorf("LastRead before the first message is %v after the start", got)
		}
		p.say("anything")
		<-time.After(time.Minute)
		if got := p.LastRead().Sub(start); got != time.Minute {
			t.Errorf("LastRead is %v after the start, want 1m", got)
		}
	})
}

func TestEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(p *running)
		want error // besides ErrClosed
	}{
		"the other side closes": {func(p *running) { _ = p.other.Close() }, io.EOF},
		"the context ends":      {func(p *running) { p.stop() }, context.Canceled},
		"Close":                 {func(p *running) { p.Close(); p.Close() }, ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := run(t, &logger{}, Options{})
				if err := p.Err(); err != nil {
					t.Errorf("Err before the end = %v", err)
				}
				var told []int
				for i := range 3 {
					if err := p.Go("m", nil, func(result jsontext.Value, err error) {
						if !errors.Is(err, ErrClosed) || result != nil {
							t.Errorf("call %d: %s, %v", i, result, err)
						}
						told = append(told, i)
					}); err != nil {
						t.Error(err)
					}
				}
				called := make(chan error, 1)
				go func() { called <- p.Call(t.Context(), "waiting", nil, nil) }()
				synctest.Wait()
				tt.end(p)
				err := <-called
				if !errors.Is(err, ErrClosed) || !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "waiting: connection closed") {
					t.Errorf("pending Call = %v, want ErrClosed and %v", err, tt.want)
				}
				<-p.Done()
				if err := p.Err(); !errors.Is(err, ErrClosed) || !errors.Is(err, tt.want) {
					t.Errorf("Err = %v, want ErrClosed and %v", err, tt.want)
				}
				if tt.want == ErrClosed && p.Err() != ErrClosed { //nolint:errorlint // the very value is promised
					t.Errorf("Err after Close = %v", p.Err())
				}
				if !slices.Equal(told, []int{0, 1, 2}) {
					t.Errorf("callbacks told in the order %v", told)
				}
				if err := p.Notify("n", nil); !errors.Is(err, ErrClosed) || !errors.Is(err, tt.want) {
					t.Errorf("Notify afterwards = %v", err)
				}
				if err := p.Go("m", nil, func(jsontext.Value, error) { t.Error("called though Go failed") }); !errors.Is(err, ErrClosed) {
					t.Errorf("Go afterwards = %v", err)
				}
				if err := p.Call(t.Context(), "m", nil, nil); !errors.Is(err, ErrClosed) {
					t.Errorf("Call afterwards = %v", err)
				}
				if _, err := p.other.Read(t.Context()); err == nil {
					t.Error("the transport is still open")
				}
			})
		})
	}
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p *running
		p = run(t, handlerFuncs{request: func(req *Request) {
			req.Fail(&Error{Code: -32005, Message: "version"})
			_ = p.Notify("bye", nil)
			p.Close()
		}}, Options{})
		p.say(`{"id":1,"method":"initialize"}`)
		p.hear(`{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"version"}}`)
		p.hear(`{"jsonrpc":"2.0","method":"bye"}`)
		if _, err := p.other.Read(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("after the last message: %v, want EOF", err)
		}
	})
}

func TestCloseDoesNotWaitForever(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, &logger{}, Options{})
		if err := p.Notify("n", nil); err != nil {
			t.Error(err)
		}
		start := time.Now()
		p.Close()
		<-p.Done()
		if d := time.Since(start); d != flushTimeout {
			t.Errorf("took %v, want %v", d, flushTimeout)
		}
	})
}

func TestCloseBeforeRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		mine, _ := Pipe()
		p := New(mine, &logger{}, Options{})
		p.Close()
		if err := p.Run(t.Context()); err != ErrClosed { //nolint:errorlint // the very value is promised
			t.Errorf("Run = %v", err)
		}
	})
}
