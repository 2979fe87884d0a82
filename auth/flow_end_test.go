package auth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"ahptui/internal/secret"
)

// free fails the test when a port is still open.
func free(t *testing.T, redirectURI string) {
	t.Helper()
	u, err := url.Parse(redirectURI)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", u.Host)
	if err != nil {
		t.Errorf("the port is still taken: %v", err)
		return
	}
	l.Close()
}

// B34: whoever leaves is let go within 100 ms, whatever the flow waits for; the port is free then and nothing runs.
func TestCancelInEveryPhase(t *testing.T) {
	hang := func(entered chan<- struct{}) http.HandlerFunc {
		return func(_ http.ResponseWriter, r *http.Request) {
			entered <- struct{}{}
			<-r.Context().Done()
		}
	}
	for name, set := range map[string]func(w *world, entered chan<- struct{}){
		"resource": func(w *world, entered chan<- struct{}) {
			w.rsPaths["/.well-known/oauth-protected-resource/mcp"] = hang(entered)
		},
		"discovery": func(w *world, entered chan<- struct{}) {
			w.asPaths["/.well-known/oauth-authorization-server"] = hang(entered)
		},
		"registration": func(w *world, entered chan<- struct{}) { w.asPaths["/register"] = hang(entered) },
		"exchange":     func(w *world, entered chan<- struct{}) { w.asPaths["/token"] = hang(entered) },
		"consent":      func(*world, chan<- struct{}) {},
		"reach":        func(w *world, _ chan<- struct{}) { w.host.Loopback = false },
		"paste":        func(w *world, _ chan<- struct{}) { w.broker.config.Method = ByPaste },
		"device": func(w *world, entered chan<- struct{}) {
			byDevice(w)
			w.asPaths["/device_authorization"] = hang(entered)
		},
		"code": func(w *world, _ chan<- struct{}) { byDevice(w) },
		"poll": func(w *world, entered chan<- struct{}) {
			byDevice(w)
			w.asPaths["/token"] = hang(entered)
		},
		"client": func(w *world, _ chan<- struct{}) {
			w.broker.config.Interactive = true
			delete(w.metadata, "registration_endpoint")
		},
		"token": func(w *world, _ chan<- struct{}) {
			w.broker.config.Interactive, w.broker.config.Method = true, ByToken
		},
		"supply": func(w *world, entered chan<- struct{}) {
			w.broker.config.Supplies = map[string]Supply{w.resource: hangingSupply{entered}}
		},
		"browser": func(w *world, entered chan<- struct{}) {
			w.broker.config.Opener = openerFunc(func(ctx context.Context, _ string) error {
				entered <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			})
		},
	} {
		for how, leave := range map[string]func(*world, *Flow, context.CancelFunc){
			"cancel":  func(_ *world, f *Flow, _ context.CancelFunc) { f.Cancel() },
			"context": func(_ *world, _ *Flow, cancel context.CancelFunc) { cancel() },
			"close":   func(w *world, _ *Flow, _ context.CancelFunc) { w.broker.Close() },
		} {
			t.Run(name+" by "+how, func(t *testing.T) {
				w := newWorld(t)
				entered := make(chan struct{}, 10)
				set(w, entered)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				f := w.broker.Start(ctx, w.challenge())
				go func() {
					for e := range f.Events(t.Context()) {
						if need, ok := e.(NeedConsent); ok && name != "consent" {
							f.Answer(need.Question, Answer{Yes: true})
						} else if phase := phaseOf(e); phase == name {
							entered <- struct{}{}
						}
					}
				}()
				<-entered
				start := time.Now()
				leave(w, f, cancel)
				f.Wait()
				if took := time.Since(start); took > 100*time.Millisecond {
					t.Errorf("took %v", took)
				}
				events := slices.Collect(f.Events(t.Context()))
				if failed := failure(t, events); !errors.Is(failed, ErrCancelled) {
					t.Errorf("ended with %v", failed)
				}
				for _, e := range pick[Waiting](events) {
					free(t, e.RedirectURI)
				}
			})
		}
	}
}

// phaseOf is the phase that a flow is in after an event, where no server has a part in it.
func phaseOf(e Event) string {
	switch e.(type) {
	case NeedConsent:
		return "consent"
	case NeedReach:
		return "reach"
	case NeedClient:
		return "client"
	case NeedToken:
		return "token"
	case UserCode:
		return "code"
	case Waiting:
		return "paste"
	}
	return ""
}

func byDevice(w *world) {
	w.metadata["device_authorization_endpoint"] = w.as.URL + "/device_authorization"
	w.broker.config.Method = ByDevice
}

type hangingSupply struct{ entered chan<- struct{} }

func (s hangingSupply) Token(ctx context.Context) (secret.Value, error) {
	s.entered <- struct{}{}
	<-ctx.Done()
	return secret.Value{}, ctx.Err()
}

func (hangingSupply) String() string { return "a test" }

func TestNobodyComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = nil
	w.broker.callbackTime = 50 * time.Millisecond
	f, _, back := w.waiting(w.challenge())
	f.Wait()
	failed := failure(t, slices.Collect(f.Events(t.Context())))
	if failed.Step != StepAuthorization || !failed.Retryable || !errors.Is(failed, ErrAbandoned) || failed.Remedy == "" {
		t.Errorf("failure = %+v", failed)
	}
	free(t, back)
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = nil
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	f := w.broker.Start(ctx, w.challenge())
	events := w.drive(t.Context(), f)
	if failed := failure(t, events); errors.Is(failed, ErrCancelled) || !strings.Contains(failed.Error(), "too long") {
		t.Errorf("failure = %v", failed)
	}
}

func TestClosedBroker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.Close()
	w.broker.Close()
	f := w.broker.Start(t.Context(), w.challenge())
	f.Wait()
	if failed := failure(t, slices.Collect(f.Events(t.Context()))); !errors.Is(failed, ErrCancelled) || w.log() != nil {
		t.Errorf("failure = %v, requests %v", failed, w.log())
	}
}

// The reader of events may leave before the flow does.
func TestEventsEndWithTheirReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.broker.Start(t.Context(), w.challenge())
	for range f.Events(t.Context()) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := f.Event(ctx, 100); ok {
		t.Error("an event that is not there")
	}
	f.Cancel()
	f.Wait()
}
