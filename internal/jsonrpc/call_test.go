package jsonrpc

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestCallResults(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, handlerFuncs{}, Options{})
		go func() {
			for _, answer := range []string{
				`"result":{"n":5,"n":6,"t":"\ud83d","more":1}`, `"result":null`, `"result":{ "as" : "sent" }`, `"result":{}`,
				`"result":[1]`, `"error":{"code":-32601,"message":"Method not found: m\n  at x","data":[1]}`,
			} {
				msg, err := p.other.Read(t.Context())
				if err != nil {
					return
				}
				var call struct {
					ID jsontext.Value `json:"id"`
				}
				if err := decodeResult(msg, &call); err != nil {
					t.Error(err)
				}
				p.say(`{"id":` + string(call.ID) + `,` + answer + `}`)
			}
		}()
		type object struct {
			N int    `json:"n"`
			T string `json:"t"`
		}
		var first, second object
		var asSent jsontext.Value
		ctx := t.Context()
		for i, call := range []error{
			p.Call(ctx, "m", nil, &first), p.Call(ctx, "m", nil, &second), p.Call(ctx, "m", nil, &asSent), p.Call(ctx, "m", nil, nil),
		} {
			if call != nil {
				t.Errorf("call %d: %v", i, call)
			}
		}
		if want := (object{6, "\uFFFD"}); first != want || second != (object{}) || string(asSent) != `{ "as" : "sent" }` {
			t.Errorf("results %+v, %+v, %s", first, second, asSent)
		}
		if err := p.Call(ctx, "m", nil, &second); err == nil || errors.Is(err, ErrClosed) {
			t.Errorf("a result of another type: err = %v", err)
		}
		err := p.Call(ctx, "m", nil, nil)
		refusal, ok := errors.AsType[*Error](err)
		if !ok || err.Error() != "m: Method not found: m (-32601)" {
			t.Fatalf("refused call: %v", err)
		}
		if diff := cmp.Diff(&Error{Code: -32601, Message: "Method not found: m\n  at x", Data: raw("[1]")}, refusal); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCallDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, handlerFuncs{}, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		called := make(chan error, 1)
		go func() { called <- p.Call(ctx, "slow", nil, nil) }()
		p.hear(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
		err := <-called
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrClosed) || time.Since(start) != 10*time.Second {
			t.Errorf("Call = %v after %v", err, time.Since(start))
		}
		if p.forget(1) {
			t.Error("the call is still pending")
		}
		p.say(`{"id":1,"result":"late"}`)
		var result string
		go func() { called <- p.Call(t.Context(), "next", nil, &result) }()
		p.hear(`{"jsonrpc":"2.0","id":2,"method":"next"}`)
		p.say(`{"id":1,"result":"again"}`)
		p.say(`{"id":2,"result":"right"}`)
		if err := <-called; err != nil || result != "right" {
			t.Errorf("the next call = %q, %v", result, err)
		}
		if err := p.Call(ctx, "never sent", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Call after the deadline = %v", err)
		}
		if err := p.Notify("after", nil); err != nil {
			t.Error(err)
		}
		p.hear(`{"jsonrpc":"2.0","method":"after"}`)
	})
}

func TestCallThatCannotBeEncoded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, handlerFuncs{}, Options{})
		if err := p.Call(t.Context(), "m", func() {}, nil); err == nil || errors.Is(err, ErrClosed) {
			t.Errorf("Call = %v", err)
		}
		if err := p.Notify("m", raw("{")); err == nil || errors.Is(err, ErrClosed) {
			t.Errorf("Notify = %v", err)
		}
		if err := p.Go("m", raw("{"), func(jsontext.Value, error) { t.Error("called") }); err == nil {
			t.Error("Go: no error")
		}
	})
}

// A subscription's answer must be in place when the first action that follows it is handled.
func TestGoKeepsTheOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var order []string
		p := run(t, handlerFuncs{notification: func(method string, _ jsontext.Value) { order = append(order, method) }}, Options{})
		for i := range 3 {
			name := "answer " + strconv.Itoa(i+1)
			if err := p.Go("subscribe", nil, func(result jsontext.Value, err error) {
				if _, refused := errors.AsType[*Error](err); refused != (i == 1) || (result == nil) != (i == 1) {
					t.Errorf("%s: %s, %v", name, result, err)
				}
				order = append(order, name)
			}); err != nil {
				t.Error(err)
			}
		}
		for i := range 3 {
			p.hear(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i+1) + `,"method":"subscribe"}`)
		}
		for _, text := range []string{
			`{"method":"a"}`, `{"id":3,"result":{}}`, `{"method":"b"}`, `{"id":1,"result":null}`, `{"id":2,"error":{"code":1}}`, `{"method":"c"}`,
		} {
			p.say(text)
		}
		synctest.Wait()
		if want := []string{"a", "answer 3", "b", "answer 1", "answer 2", "c"}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
	})
}

// Two peers call each other at the same time from many goroutines; answers come in any order.
func TestCallsConcurrently(t *testing.T) {
	t.Parallel()
	var answering sync.WaitGroup
	echo := handlerFuncs{request: func(req *Request) { answering.Go(func() { req.Reply(req.Params) }) }}
	a, b := Pipe()
	peers := []*Peer{New(a, echo, Options{}), New(b, echo, Options{})}
	for _, p := range peers {
		go func() { _ = p.Run(t.Context()) }()
	}
	var calling sync.WaitGroup
	for _, p := range peers {
		for g := range 8 {
			calling.Go(func() {
				for i := range 100 {
					want := g*1000 + i
					var list []int
					if err := p.Call(t.Context(), "echo", []int{want}, &list); err != nil || !slices.Equal(list, []int{want}) {
						t.Errorf("call %d = %v, %v", want, list, err)
					}
				}
			})
		}
	}
	calling.Wait()
	answering.Wait()
	for _, p := range peers {
		p.Close()
	}
	for _, p := range peers {
		<-p.Done()
	}
}
