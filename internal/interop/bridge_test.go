package interop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/ahpclient"
	"ahptui/host"
	"ahptui/host/mcpserver"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// The bridge is the client that the conformance suite runs against its server. The server's partner is the embedded host,
// and who signs in is the program itself, as a client of that host: all that passes between the two passes over a real
// connection.

const (
	bridgeTime = 25 * time.Second
	bridged    = protocol.URI("bridge:/session")
	serverName = "suite"
	hostToken  = "a token for the host that the bridge starts"
)

// suiteContext is what the suite says beside the URL.
type suiteContext struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// bridge has the suite's server used as far as it lets itself be used.
func bridge(serverURL string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), bridgeTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	calls := make(chan error, 1)
	h, err := startHost(serverURL, calls)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	address, err := h.Listen("127.0.0.1:0", secret.New(hostToken))
	if err != nil {
		return err
	}
	p, err := newPerson(ctx, address, dir)
	if err != nil {
		return err
	}
	return p.watch(ctx, address, func() { h.StartTurn(bridged, "Use every tool") }, calls)
}

// startHost starts a host with the suite's server in its one session. Its agent uses every tool, and says by calls how
// that went.
func startHost(serverURL string, calls chan<- error) (*host.Host, error) {
	config := mcpserver.Config{Name: serverName, URL: serverURL}
	var said suiteContext
	if text := os.Getenv(suiteVar); text != "" {
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			return nil, fmt.Errorf("%s: %w", suiteVar, err)
		}
	}
	if said.ClientID != "" {
		config.OAuthClient = &protocol.McpOAuthClient{ClientID: said.ClientID, ClientSecret: said.ClientSecret}
	}
	h := host.New(host.Options{Info: protocol.Implementation{Name: "bridge"}})
	h.AddAgent(&protocol.AgentInfo{Provider: "bridge", DisplayName: "Bridge"}, host.AgentFunc(func(ctx context.Context, t *host.Turn) error {
		err := useTools(ctx, t)
		calls <- err
		return err
	}))
	h.AddSession(host.SessionSpec{
		URI: bridged, Chat: "bridge:/chat", Provider: "bridge", Title: "Bridge",
		Servers: []host.ServerSpec{{ID: serverName, URI: "bridge:/" + serverName, Config: config}},
	})
	return h, nil
}

func useTools(ctx context.Context, t *host.Turn) error {
	for _, server := range t.Servers() {
		for _, tool := range server.Tools {
			args, err := arguments(tool.InputSchema)
			if err != nil {
				return fmt.Errorf("%s: %w", tool.Name, err)
			}
			out, err := t.Call(ctx, host.Call{Server: server.ID, Tool: tool.Name, Args: args, Consented: true})
			if err = errors.Join(err, out.Err); err != nil {
				return fmt.Errorf("%s: %w", tool.Name, err)
			}
		}
	}
	return nil
}

// arguments are such that a tool takes them: a value of its type for each that it has.
func arguments(schema jsontext.Value) (jsontext.Value, error) {
	var object struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, err
	}
	args := map[string]any{}
	for name, property := range object.Properties {
		switch property.Type {
		case "string":
			args[name] = "text"
		case "number", "integer":
			args[name] = 7
		}
	}
	return json.Marshal(args)
}

// person is who signs in, with the program and a browser.
type person struct {
	args    []string
	env     []string
	browser *browser
	by      string  // a flag: the way to sign in
	told    []event // of the last sign-in
}

// newPerson keeps tokens in a file, since each sign-in is a process of its own.
func newPerson(ctx context.Context, address, dir string) (*person, error) {
	tokenFile := filepath.Join(dir, "host-token")
	if err := os.WriteFile(tokenFile, []byte(hostToken), 0o600); err != nil {
		return nil, err
	}
	p := &person{
		browser: newBrowser(),
		args:    []string{"--url", address, "--token-file", tokenFile, "--json"},
		by:      "--no-browser",
		env:     append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), bridgeVar+"="),
	}
	if config := os.Getenv(configVar); config != "" {
		p.args = append(p.args, "--config", config)
	}
	out, err := p.program(ctx, "auth", "store", "file").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return p, nil
}

func (p *person) program(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Getenv(programVar), append(args, p.args...)...)
	cmd.Env, cmd.Stderr = p.env, nil
	return cmd
}

// watch looks at the host as any client does: it starts the turn once the server is there, signs in when something asks for
// that, and is done when the turn is.
func (p *person) watch(ctx context.Context, address string, use func(), calls <-chan error) error {
	client := ahpclient.New(ahpclient.Options{URL: address, Token: secret.New(hostToken), Info: protocol.Implementation{Name: "bridge"}})
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- client.Run(running) }()
	defer func() { stop(); <-ended }()
	client.Open(bridged, protocol.SessionKind)
	used, again := false, 0
	for {
		var asks bool
		if _, err := client.Await(ctx, func(v *ahpclient.View) bool {
			s := v.Session(bridged)
			if s == nil {
				return false
			}
			kind := protocol.Servers(s)[0].StateKind()
			asks = len(v.BlockedIn(bridged)) > 0
			return asks || len(calls) > 0 || kind == protocol.McpError || kind == protocol.McpReady && !used
		}); err != nil {
			return err
		}
		switch {
		case asks:
			// A server may ask for something else once it has what it asked for. The person looks at that, and once more only.
			if err := p.signIn(ctx); errors.Is(err, errAsksAgain) && again == 0 {
				again++
			} else if err != nil {
				return err
			}
		case used:
			return <-calls
		default:
			if s := client.View().Session(bridged); protocol.Servers(s)[0].StateKind() == protocol.McpError {
				return errors.New(protocol.Servers(s)[0].State.Error.Message)
			}
			use()
			used = true
		}
	}
}

// event is what the program tells of a sign-in.
type event struct {
	Event           string   `json:"event"`
	URL             string   `json:"url"`
	VerificationURI string   `json:"verification_uri_complete"`
	Scopes          []string `json:"scopes"`
	Error           string   `json:"error"`
	Step            string   `json:"step"`
}

// errAsksAgain says that the host has the token, and wants another one.
var errAsksAgain = errors.New("the host asks again")

// signIn runs the program, and opens what it says is to be opened.
func (p *person) signIn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bridgeTime)
	defer cancel()
	cmd := p.program(ctx, append([]string{"mcp", "login", serverName, "--yes"}, p.by)...)
	p.told = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	why := p.browse(ctx, out)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("sign in: %w: %w", err, why)
	}
	return nil
}

// browse opens addresses until there are no more, and returns why the sign-in failed, if it did.
func (p *person) browse(ctx context.Context, out io.Reader) (why error) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		p.told = append(p.told, e)
		switch e.Event {
		case "open_url":
			if err := p.browser.visit(ctx, e.URL); err != nil {
				fmt.Fprintln(os.Stderr, err) // what the browser cannot open, nobody comes back from
			}
		case "user_code":
			if err := p.browser.visit(ctx, e.VerificationURI); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		case "failed":
			why = fmt.Errorf("%s: %s", e.Step, e.Error)
			if e.Step == "host" {
				why = errAsksAgain
			}
		}
	}
	return why
}
