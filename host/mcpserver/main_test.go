package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// modeVar makes the test binary act as one of the servers of the tests.
const modeVar = "MCPSERVER_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVar); mode != "" {
		actAs(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// self is the configuration of a stdio server that is this binary in a mode.
func self(t *testing.T, mode string) Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Name: mode, Command: exe, Env: map[string]string{modeVar: mode, "PLAIN": "kept", "GORACE": "atexit_sleep_ms=0"}}
}

func actAs(mode string) {
	switch mode {
	case "plain":
		serve(&mcp.StdioTransport{})
	case "noisy":
		fmt.Println("Welcome to the noisy server!")
		fmt.Println(`["not","a","message"]`)
		serve(&mcp.StdioTransport{})
	case "exits":
		fmt.Fprintln(os.Stderr, "reading configuration")
		fmt.Fprintln(os.Stderr, "\x1b[31mfatal:\x1b[0m no database at localhost:5432")
		os.Exit(3)
	case "tells":
		fmt.Fprintln(os.Stderr, "cannot sign in with "+os.Getenv("SOME_API_KEY"))
		os.Exit(4)
	case "mute":
		fmt.Fprintln(os.Stderr, "waiting for the moon")
		select {}
	case "shouts":
		fmt.Print(strings.Repeat("x", 2*maxMessageBytes))
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		child("sleeper", false)
		child("leaver", true)
		go serve(&mcp.StdioTransport{})
		select {}
	case "leaver": // leads a session of its own, and has a child there
		signal.Ignore(syscall.SIGTERM)
		child("sleeper", false)
		select {}
	case "sleeper":
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "parent": // ends at once, and leaves a child that holds its pipes
		child("sleeper", false)
		serve(&mcp.StdioTransport{})
	}
}

// child starts this binary in a mode, with our pipes.
func child(mode string, leave bool) {
	exe, _ := os.Executable()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), modeVar+"="+mode)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = ownSession(leave)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
}

type textArgs struct {
	Text string `json:"text"`
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// testServer is an MCP server with a tool for each thing that can happen to a call.
func testServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	tool := func(name string, f func(context.Context, textArgs) (*mcp.CallToolResult, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "the tool " + name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "test.echo"}},
			func(ctx context.Context, _ *mcp.CallToolRequest, in textArgs) (*mcp.CallToolResult, any, error) {
				res, err := f(ctx, in)
				return res, nil, err
			})
	}
	tool("test.echo", func(_ context.Context, in textArgs) (*mcp.CallToolResult, error) { return text(in.Text), nil })
	tool("test.env", func(_ context.Context, in textArgs) (*mcp.CallToolResult, error) {
		return text(os.Getenv(in.Text)), nil
	})
	tool("test.fail", func(context.Context, textArgs) (*mcp.CallToolResult, error) {
		return nil, errors.New("the tool failed")
	})
	tool("test.die", func(_ context.Context, in textArgs) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, in.Text)
		os.Exit(7)
		return nil, nil
	})
	tool("test.flood", func(context.Context, textArgs) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: strings.Repeat("é", maxResultBytes)},
			&mcp.TextContent{Text: "more"},
			&mcp.ImageContent{Data: make([]byte, 100), MIMEType: "image/png"},
		}}, nil
	})
	tool("test.kinds", func(context.Context, textArgs) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "one"},
			&mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"},
			&mcp.ResourceLink{URI: "file:///a", Name: "a", MIMEType: "text/plain"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x:y", Text: "two"}},
		}}, nil
	})
	tool("test.grow", func(context.Context, textArgs) (*mcp.CallToolResult, error) {
		s.AddTool(&mcp.Tool{Name: "test.new", InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("new"), nil })
		return text("grown"), nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "test.steps"}, func(ctx context.Context, req *mcp.CallToolRequest, _ textArgs) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			<-time.After(50 * time.Millisecond) // progress that comes with the result may be lost
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(i), Total: 3, Message: fmt.Sprint("step ", i),
			})
		}
		<-time.After(300 * time.Millisecond)
		return text("done"), nil, nil
	})
	// Waits until the call is cancelled, and then touches the named file.
	tool("test.wait", func(ctx context.Context, in textArgs) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, os.WriteFile(in.Text, []byte("cancelled"), 0o600)
	})
	return s
}

func serve(t mcp.Transport) { _ = testServer().Run(context.Background(), t) }

// launch returns a server whose changes come on the channel, closed at the end of the test.
func launch(t *testing.T, cfg Config) (*Server, <-chan State) {
	t.Helper()
	states := make(chan State, 100)
	var s *Server
	made := make(chan struct{})
	s = New(cfg, func() {
		<-made
		states <- s.State()
	})
	close(made)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s, states
}

func settle(t *testing.T, what <-chan struct{}) {
	t.Helper()
	select {
	case <-what:
	case <-time.After(20 * time.Second):
		t.Fatal("a request was not settled within 20 s")
	}
}

// await waits until a state of the kind is announced.
func await(t *testing.T, states <-chan State, want Kind) State {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case st := <-states:
			if st.Kind == want {
				return st
			}
		case <-late:
			t.Fatalf("%v was not announced within 20 s", want)
		}
	}
}

func wantKind(t *testing.T, s *Server, want Kind) {
	t.Helper()
	if st := s.State(); st.Kind != want {
		t.Fatalf("state is %v (%v), want %v", st.Kind, st.Err, want)
	}
}

// ready starts the server and fails the test if it does not become ready.
func ready(t *testing.T, s *Server) {
	t.Helper()
	settle(t, s.Start())
	wantKind(t, s, Ready)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}
