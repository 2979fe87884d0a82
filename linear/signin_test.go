package linear

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/oauthserver"
	"ahptui/internal/testkit"
	"ahptui/protocol"
)

// trackerResource is what tokens are asked for. Nothing answers there.
const trackerResource = "http://127.0.0.1:1/mcp"

// signer types lines and hears others, with a real authorization server. Its clock
// stands still but for what is passed.
type signer struct {
	t      *testing.T
	host   *fakeHost
	server *oauthserver.Server
	in     *io.PipeWriter
	lines  chan string
	heard  []string
	ahead  atomic.Int64 // how far its clock is ahead
}

// signing starts a front end that can sign in, on a host on which a call waits.
func signing(t *testing.T) *signer {
	t.Helper()
	s := &signer{t: t, host: newHost(), lines: make(chan string, 1000)}
	var err error
	s.server, err = oauthserver.Start("127.0.0.1:0", oauthserver.Options{Scopes: map[string]string{"tracker:read": "read"}})
	if err != nil {
		t.Fatal(err)
	}
	broker := auth.NewBroker(auth.Config{Store: store.Open(t.Context(), store.Options{}), Interactive: true})
	in, typing := io.Pipe()
	out, writing := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	now := func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
	go func() {
		ended <- run(ctx, Options{
			Host: s.host, Name: "host", Auth: broker, Identity: auth.Host{ID: "ws://127.0.0.1:1/", Loopback: true}, In: in, Out: writing,
		}, now)
		_ = writing.Close()
	}()
	go func() { // ends with what is written
		defer close(s.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	s.in = typing
	t.Cleanup(func() {
		stop()
		_ = typing.Close()
		<-ended
		broker.Close()
		s.server.Close()
	})
	s.block("c1")
	return s
}

// block makes a call wait for access.
func (s *signer) block(id string) {
	s.host.call(id, "{}", "not-needed")
	s.host.act(chatA, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: id, Auth: &protocol.McpAuthRequirement{
		Reason: "required", RequiredScopes: []string{"tracker:read"},
		Resource: &protocol.ProtectedResourceMetadata{Resource: trackerResource, AuthorizationServers: []string{s.server.Issuer()}},
	}})
}

// until waits for a line that begins so, and returns the next one after it if that
// is wanted.
func (s *signer) until(begin string) string {
	s.t.Helper()
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("it ended without %q:\n%s", begin, strings.Join(s.heard, "\n"))
			}
			checkPlain(s.t, line)
			s.heard = append(s.heard, line)
			if strings.HasPrefix(line, begin) {
				return line
			}
		case <-time.After(testkit.Patience):
			s.t.Fatalf("no %q came:\n%s", begin, strings.Join(s.heard, "\n"))
		}
	}
}

// answers types an answer, once it counts. The front end is back from its question
// when it takes another line.
func (s *signer) answers(line string) {
	s.t.Helper()
	s.types("?")
	s.until("there is no command “?”")
	s.ahead.Add(int64(reading))
	s.types(line)
}

func (s *signer) types(line string) {
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// signIn goes through a sign-in by a code, up to the host.
func (s *signer) signIn() {
	s.t.Helper()
	s.until("choose: 1 grant access  2 cancel the call  3 later")
	s.answers("1")
	s.until("question: may the host have a token?")
	s.until("token for: " + trackerResource)
	s.until("scopes: tracker:read")
	s.until("choose: ")
	s.types("1")
	s.until(tooSoon)
	way := "1"
	if !strings.HasSuffix(s.find("way: "), methodWords(auth.ByDevice)) {
		way = s.numberOf("allow, " + methodWords(auth.ByDevice))
	}
	s.answers(way)
	s.until("open this address in a browser, on any machine:")
	address := s.until("http")
	s.until("and type this code there")
	code := s.until("")
	s.until("choose: 1 give it up")
	if _, err := testkit.AnswerForm(s.t.Context(), address+"?user_code="+code, "approve"); err != nil {
		s.t.Fatal(err)
	}
	s.until("handing the token to the host")
}

// find is the last line that begins so.
func (s *signer) find(begin string) string {
	for i := len(s.heard) - 1; i >= 0; i-- {
		if strings.HasPrefix(s.heard[i], begin) {
			return s.heard[i]
		}
	}
	s.t.Fatalf("no %q", begin)
	return ""
}

// numberOf is the number of a choice that was offered last.
func (s *signer) numberOf(words string) string {
	before, _, ok := strings.Cut(s.find("choose: "), " "+words)
	if !ok {
		s.t.Fatalf("%q is not offered: %s", words, s.find("choose: "))
	}
	return before[strings.LastIndex(before, " ")+1:]
}

// TestSignIn: access is granted by numbers alone, and what asks for the same later
// gets the token without a question.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := signing(t)
	s.signIn()
	s.until("the host has the token: tracker:read")
	if p := <-s.host.tokens; p.Resource != trackerResource {
		t.Errorf("a token for %s", p.Resource)
	}
	s.host.act(chatA, &protocol.ChatToolCallAuthResolved{TurnID: "t1", ToolCallID: "c1"})
	s.until("tool notes.add goes on")
	s.block("c2")
	s.until("handed the token for notes to the host, as you agreed before")
	<-s.host.tokens
	s.types("blocks")
	s.until("waiting 1: notes.add needs access")
	s.types("1")
	s.until("nothing is asked")
	s.host.act(chatA, &protocol.ChatToolCallAuthResolved{TurnID: "t1", ToolCallID: "c2"})
	s.until("tool notes.add goes on")
}

// TestSignInGivenUp: a sign-in can be left, and begun again.
func TestSignInGivenUp(t *testing.T) {
	t.Parallel()
	s := signing(t)
	s.until("choose: 1 grant access")
	s.answers("1")
	s.until("choose: 1 allow and sign in")
	s.types("giveup")
	s.until("the sign-in was given up")
	s.until("left waiting")
	s.types("blocks")
	s.until("waiting 1: notes.add needs access")
	s.types("answer 1")
	s.until("choose: 1 grant access")
	s.answers("1")
	s.until("choose: 1 allow and sign in  2 not now")
	s.answers("2")
	s.until("access was not granted")
	s.until("left waiting")
}

// TestSignInOvertaken: what went on without the sign-in ends it.
func TestSignInOvertaken(t *testing.T) {
	t.Parallel()
	s := signing(t)
	s.until("choose: 1 grant access")
	s.answers("1")
	s.until("choose: 1 allow and sign in")
	s.host.act(chatA, &protocol.ChatToolCallAuthResolved{TurnID: "t1", ToolCallID: "c1"})
	s.until("it does not wait for access any more")
	s.answers("1")
	s.until("nothing is asked")
}

// TestTokenRefused: what the host says to a token is told without the token.
func TestTokenRefused(t *testing.T) {
	t.Parallel()
	s := signing(t)
	s.host.change(func() { s.host.refuse = &jsonrpc.Error{Code: -32000, Message: "not for me"} })
	s.signIn()
	s.until("the host did not take the token: ")
	s.until("choose: 1 grant access")
}
