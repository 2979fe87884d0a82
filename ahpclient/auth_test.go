package ahpclient

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// TestAuthRequired: the refusal for want of a sign-in names what it is for, in
// whichever form the host says so, whatever was asked.
func TestAuthRequired(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"resource":"https://r"},`, 3*maxResources), ",")
	for name, test := range map[string]struct {
		data string
		want []string
	}{
		"object":       {`{"resources":[{"resource":"https://a"},{"resource":"https://b","scopes_supported":["x"]}]}`, []string{"https://a", "https://b"}},
		"bare array":   {`[{"resource":"https://a"}]`, []string{"https://a"}},
		"none":         {"", nil},
		"null":         {"null", nil},
		"empty":        {`{}`, nil},
		"nulls":        {`[null,{"resource":"https://a"},null]`, []string{"https://a"}},
		"other things": {`{"resources":"https://a"}`, nil},
		"a number":     {`7`, nil},
		"many":         {`[` + many + `]`, strings.Fields(strings.Repeat("https://r ", maxResources))},
	} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			refuse := func(_ *hostConn, req *jsonrpc.Request) {
				req.Fail(&jsonrpc.Error{Code: protocol.CodeAuthRequired, Message: "Sign in\n at stack", Data: jsontext.Value(test.data)})
			}
			c := h.opened(Options{})
			h.answerWith("createSession", refuse)
			_, err := c.CreateSession(t.Context(), "test", "")
			var needed *AuthRequiredError
			if !errors.As(err, &needed) || err.Error() != "createSession: Sign in (-32007)" {
				t.Fatalf("CreateSession: %v", err)
			}
			var got []string
			for _, r := range needed.Resources {
				got = append(got, r.Resource)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
			var refused *jsonrpc.Error
			if !errors.As(err, &refused) || refused.Code != protocol.CodeAuthRequired {
				t.Errorf("it does not wrap the refusal: %v", err)
			}
			// Once somebody has signed in, the same goes well.
			h.answerWith("createSession", nil)
			if _, err := c.CreateSession(t.Context(), "test", ""); err != nil {
				t.Error(err)
			}
			h.answerWith("subscribe", refuse)
			c.Open("test:/other", protocol.SessionKind)
			synctest.Wait()
			if err := c.View().Channels["test:/other"].Err; !errors.As(err, &needed) {
				t.Errorf("subscribe: %v", err)
			}
		})
		bubbleRun(t, name+" at initialize", func(t *testing.T) {
			h := newTestHost(t)
			h.answerWith("initialize", func(_ *hostConn, req *jsonrpc.Request) {
				req.Fail(&jsonrpc.Error{Code: protocol.CodeAuthRequired, Data: jsontext.Value(test.data)})
			})
			_, ended := h.run(Options{})
			var needed *AuthRequiredError
			if err := <-ended; !errors.As(err, &needed) || len(needed.Resources) != len(test.want) {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

// TestAuthFacts: what is known of the host's resources, over all that can happen
// to it.
func TestAuthFacts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.states[protocol.RootChannel] = decodeState(t, protocol.RootKind, `{"agents":[
			{"provider":"a","protectedResources":[{"resource":"https://both"},{"resource":"https://nice","required":false}]},
			{"provider":"b","protectedResources":[{"resource":"https://both","required":false}]}]}`)
		h.answerWith("authenticate", func(_ *hostConn, req *jsonrpc.Request) { req.Reply(struct{}{}) })
		c := h.opened(Options{Retry: true})
		began := time.Now()
		expect := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			var got []string
			for _, a := range c.View().Auth {
				text := fmt.Sprintf("%s %v", strings.TrimPrefix(a.Resource.Resource, "https://"), a.Agents)
				if !a.Required {
					text += " optional"
				}
				if !a.Asked.IsZero() {
					text += fmt.Sprintf(" asked %v %s", a.Asked.Sub(began), a.Reason)
				}
				if !a.Handed.IsZero() {
					text += fmt.Sprintf(" handed %v", a.Handed.Sub(began))
				}
				if a.Before {
					text += " before"
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		hand := func(resource, token string) {
			t.Helper()
			if err := c.Authenticate(t.Context(), &protocol.AuthenticateParams{Channel: protocol.RootChannel, Resource: resource, Token: token}); err != nil {
				t.Error(err)
			}
		}
		expect("what the agents say", "both [a b]", "nice [a] optional")
		h.tell("auth/required", jsontext.Value(`{"channel":"ahp-root://","resource":"https://other"}`))
		h.tell("auth/required", jsontext.Value(`{"channel":"ahp-root://","resource":{"resource":"https://both"},"reason":"expired"}`))
		expect("the host asks", "both [a b] asked 0s expired", "nice [a] optional", "other [] asked 0s ")
		sleep(time.Second)
		hand("https://both", "t")
		hand("https://third", "t")
		expect("two are handed over", "both [a b] handed 1s", "nice [a] optional", "other [] asked 0s ", "third [] handed 1s")
		same := c.View().Auth
		h.act(sessionURI, `{"type":"session/titleChanged","title":"x"}`)
		synctest.Wait()
		if again := c.View().Auth; &again[0] != &same[0] {
			t.Error("nothing has changed, and yet it is not the same")
		}
		h.cutAll()
		expect("cut", "both [a b] before", "nice [a] optional", "third [] before")
		sleep(time.Second)
		expect("connected again", "both [a b] before", "nice [a] optional", "third [] before")
		hand("https://both", "t")
		hand("https://third", "") // revoked
		expect("handed over again", "both [a b] handed 2s before", "nice [a] optional", "third []")
		h.act(protocol.RootChannel, `{"type":"root/agentsChanged","agents":[{"provider":"a","protectedResources":[null,{"resource":"https://nice"}]}]}`)
		expect("the agents change", "both [] handed 2s before", "nice [a]", "third []")
		for i := range 3 * maxResources {
			h.tell("auth/required", map[string]any{"resource": fmt.Sprintf("https://flood/%03d", i)})
			sleep(time.Millisecond)
		}
		h.tell("auth/required", map[string]any{"resource": "https://large", "x": strings.Repeat("x", maxMetadata)})
		synctest.Wait()
		if n := len(c.View().Auth); n != maxResources+1 {
			t.Errorf("after a flood %d are held", n)
		}
	})
}
