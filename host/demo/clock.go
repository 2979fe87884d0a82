package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const maxWait = time.Hour

type (
	zoneArgs struct {
		Zone string `json:"zone,omitempty" jsonschema:"an IANA time zone such as Europe/Berlin; UTC when absent"`
	}
	untilArgs struct {
		Time string `json:"time" jsonschema:"a time as in RFC 3339, such as 2030-01-31T12:00:00Z"`
	}
	waitArgs struct {
		Seconds float64 `json:"seconds" jsonschema:"how long to wait, at most an hour"`
	}
	clockTime struct {
		Time string `json:"time"`
	}
	duration struct {
		Seconds float64 `json:"seconds"`
	}
)

// newClockServer makes a clock whose waits end with life.
func newClockServer(life context.Context) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "clock", Title: "Clock", Version: "1.0.0"}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "clock.now", Description: "Tell the time.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, in zoneArgs) (*mcp.CallToolResult, clockTime, error) {
			zone, err := time.LoadLocation(in.Zone)
			if err != nil {
				return nil, clockTime{}, fmt.Errorf("there is no time zone %q", in.Zone)
			}
			now := time.Now().In(zone).Format(time.RFC3339)
			return text(now), clockTime{now}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "clock.until", Description: "Tell how long it is until a time.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, in untilArgs) (*mcp.CallToolResult, duration, error) {
			then, err := time.Parse(time.RFC3339, in.Time)
			if err != nil {
				return nil, duration{}, fmt.Errorf("%q is no time as in RFC 3339", in.Time)
			}
			left := time.Until(then).Round(time.Second)
			return text(left.String()), duration{left.Seconds()}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "clock.wait", Description: "Wait, and then tell the time.", Annotations: readOnly},
		func(ctx context.Context, req *mcp.CallToolRequest, in waitArgs) (*mcp.CallToolResult, clockTime, error) {
			d := time.Duration(in.Seconds * float64(time.Second))
			if d < 0 || d > maxWait {
				return nil, clockTime{}, fmt.Errorf("a wait takes 0 to %.0f seconds", maxWait.Seconds())
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(life, cancel)()
			if err := wait(ctx, req, d); err != nil {
				return nil, clockTime{}, err
			}
			now := time.Now().UTC().Format(time.RFC3339)
			return text(now), clockTime{now}, nil
		})
	return s
}

// wait waits for d, and tells every second how long it has waited.
func wait(ctx context.Context, req *mcp.CallToolRequest, d time.Duration) error {
	token := req.Params.GetProgressToken()
	for waited := time.Duration(0); waited < d; waited += time.Second {
		if token != nil {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // nobody has to listen
				ProgressToken: token, Progress: waited.Seconds(), Total: d.Seconds(), Message: "seconds have passed",
			})
		}
		if err := pause(ctx, min(time.Second, d-waited)); err != nil {
			return err
		}
	}
	return nil
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sessionTimeout is how long the clock remembers a client that says nothing.
const sessionTimeout = time.Hour

// A clock is the clock server on a loopback port of its own.
type clock struct {
	url    string
	http   *http.Server
	server *mcp.Server
	cancel context.CancelFunc // ends the waits
	ended  chan struct{}
}

// startClock serves the clock over streamable HTTP.
func startClock() (*clock, error) {
	life, cancel := context.WithCancel(context.Background())
	ln, err := new(net.ListenConfig).Listen(life, "tcp", "127.0.0.1:0")
	if err != nil {
		cancel()
		return nil, fmt.Errorf("listen for the clock: %w", err)
	}
	server := newClockServer(life)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout})
	c := &clock{
		url: "http://" + ln.Addr().String() + "/mcp",
		http: &http.Server{
			Handler:           http.NewCrossOriginProtection().Handler(handler),
			ReadHeaderTimeout: 10 * time.Second,
		},
		server: server,
		cancel: cancel,
		ended:  make(chan struct{}),
	}
	go func() {
		defer close(c.ended)
		_ = c.http.Serve(ln) // ends with close
	}()
	return c, nil
}

// close ends the clock and its sessions at once.
func (c *clock) close(ctx context.Context) error {
	c.cancel()
	err := c.http.Close()
	for session := range c.server.Sessions() {
		_ = session.Close() // its client is gone
	}
	select {
	case <-c.ended:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	return err
}
