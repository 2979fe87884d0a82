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
						need, isConsent := e.(NeedConsent)
						_, isReach := e.(NeedReach)
						switch {
						case isConsent && name != "consent":
							f.Answer(need.Question, Answer{Yes: true})
						case isConsent, isReach:
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

func TestNobodyComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = nil
	w.broker.callbackTime = 50 * time.Millisecond
	f, _, back := w.waiting(w.challenge())
	f.Wait()
	failed := failure(t, slices.Collect(f.Events(t.Context())))
	if failed.Step != StepAuthorization || !failed.Retryable || !strings.Contains(failed.Error(), "nobody came back") {
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
