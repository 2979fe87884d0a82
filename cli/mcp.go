package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// serverRow is an MCP server as `mcp ls` prints it.
type serverRow struct {
	Session        protocol.URI          `json:"session"`
	ID             string                `json:"id"`
	Name           string                `json:"name"`
	Container      string                `json:"container,omitzero"`
	Enabled        bool                  `json:"enabled"`
	Effective      bool                  `json:"effective"`
	State          protocol.McpStateKind `json:"state"`
	Reason         string                `json:"reason,omitzero"`
	RequiredScopes []string              `json:"requiredScopes,omitzero"`
	Resource       string                `json:"resource,omitzero"`
	Error          string                `json:"error,omitzero"`
}

func (a *app) mcpCommand() *cobra.Command {
	var session string
	ls := &cobra.Command{
		Use: "ls", Short: "List the MCP servers of the host's sessions", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(cmd.Context(), func(ctx context.Context, c *ahpclient.Client) error {
				return a.listServers(ctx, c, session)
			})
		},
	}
	ls.Flags().StringVar(&session, "session", "", "only this session's servers (its URI)")
	subs := []*cobra.Command{ls}
	for _, v := range verbs() {
		subs = append(subs, a.verbCommand(v))
	}
	subs = append(subs, a.loginCommand())
	return group("mcp", "List, start, stop, toggle and sign in to MCP servers", subs...)
}

func (a *app) listServers(ctx context.Context, client *ahpclient.Client, session string) error {
	v, uris, err := a.openSessions(ctx, client, session)
	if err != nil {
		return err
	}
	rows := []serverRow{}
	for _, s := range serversIn(v, uris) {
		rows = append(rows, rowOfServer(s.session, s.Server))
	}
	if a.json {
		return printJSON(a.Out, rows)
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tENABLED\tCONTAINER\tDETAIL\tSESSION")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", safetext.Clean(r.Name, 40), safetext.Clean(string(r.State), 20), onOff(r.Effective),
			safetext.Clean(r.Container, 30), safetext.Clean(r.detail(), 80), line(string(r.Session)))
	}
	return w.Flush()
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func (r serverRow) detail() string {
	switch {
	case r.Error != "":
		return r.Error
	case len(r.RequiredScopes) > 0:
		return r.Reason + ": " + strings.Join(r.RequiredScopes, " ")
	}
	return r.Reason
}

// sessionServer is a server with the session it belongs to.
type sessionServer struct {
	protocol.Server
	session protocol.URI
}

func serversIn(v *ahpclient.View, uris []protocol.URI) []sessionServer {
	var list []sessionServer
	for _, uri := range uris {
		if s := v.Session(uri); s != nil {
			for _, srv := range protocol.Servers(s) {
				list = append(list, sessionServer{srv, uri})
			}
		}
	}
	return list
}

func rowOfServer(session protocol.URI, s protocol.Server) serverRow {
	row := serverRow{Session: session, ID: s.ID, Name: s.Name, Enabled: s.On(), Effective: s.Effective(), State: s.StateKind()}
	if s.Container != nil {
		row.Container = s.Container.Name
	}
	if s.State == nil {
		return row
	}
	row.Reason, row.RequiredScopes = s.State.Reason, s.State.RequiredScopes
	if s.State.Resource != nil {
		row.Resource = s.State.Resource.Resource
	}
	if s.State.Error != nil {
		row.Error = s.State.Error.Message
	}
	return row
}

// verb is one way to act on a server.
type verb struct {
	name, short string
	// want is the state the verb means; "" means that the host's echo is enough.
	want   protocol.McpStateKind
	action func(protocol.Version, protocol.Server) protocol.Action
	// already tells that there is nothing to do.
	already func(protocol.Server) bool
}

func verbs() []verb {
	start := func(_ protocol.Version, s protocol.Server) protocol.Action {
		return &protocol.SessionMcpServerStartRequested{ID: s.ID}
	}
	stop := func(_ protocol.Version, s protocol.Server) protocol.Action {
		return &protocol.SessionMcpServerStopRequested{ID: s.ID}
	}
	toggle := func(on bool) func(protocol.Version, protocol.Server) protocol.Action {
		return func(v protocol.Version, s protocol.Server) protocol.Action {
			return protocol.Toggle(v, s.Customization, on)
		}
	}
	is := func(k protocol.McpStateKind) func(protocol.Server) bool {
		return func(s protocol.Server) bool { return s.StateKind() == k }
	}
	never := func(protocol.Server) bool { return false }
	return []verb{
		{"start", "Start a server", protocol.McpReady, start, is(protocol.McpReady)},
		{"stop", "Stop a server", protocol.McpStopped, stop, is(protocol.McpStopped)},
		{"restart", "Restart a server, or start it", protocol.McpReady, start, never},
		{"enable", "Switch a server on for its session", "", toggle(true), never},
		{"disable", "Switch a server off for its session", "", toggle(false), never},
	}
}

func (a *app) verbCommand(v verb) *cobra.Command {
	var session string
	var wait time.Duration
	cmd := &cobra.Command{
		Use: v.name + " NAME", Short: v.short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(cmd.Context(), func(ctx context.Context, c *ahpclient.Client) error {
				return a.act(ctx, c, v, args[0], session, wait)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "the session's URI, where several have a server of this name")
	cmd.Flags().DurationVar(&wait, "wait", 0, "wait this long for the state that the verb means")
	return cmd
}

// actResult is how a verb ended.
type actResult struct {
	Outcome ahpclient.OutcomeKind `json:"outcome"`
	Reason  string                `json:"reason,omitzero"`
	State   protocol.McpStateKind `json:"state"`
}

func (a *app) act(ctx context.Context, client *ahpclient.Client, v verb, name, session string, wait time.Duration) error {
	view, uris, err := a.openSessions(ctx, client, session)
	if err != nil {
		return err
	}
	target, err := pick(serversIn(view, uris), name)
	if err != nil {
		return err
	}
	if v.want == protocol.McpReady && !target.Effective() {
		return fail(exitFailed, "switch it on first: ahptui mcp enable "+name, "%s is switched off, nothing was sent", name)
	}
	if v.already(target.Server) {
		return a.printResult(actResult{ahpclient.Accepted, "it is so already", target.StateKind()}, exitDone)
	}
	version := view.Connection.Version.Sent()
	if v.want == "" && !protocol.CanToggle(version, target.Server) {
		return fail(exitFailed, "", "%s cannot be switched at protocol version %s, nothing was sent", name, version)
	}
	ticket, err := client.Dispatch(target.session, v.action(version, target.Server))
	if err != nil {
		return err
	}
	return a.follow(ctx, client, v, target, ticket, wait)
}

// follow waits for the ticket and then, if asked, for the state the verb means.
func (a *app) follow(ctx context.Context, client *ahpclient.Client, v verb, target sessionServer, ticket *ahpclient.Ticket, wait time.Duration) error {
	patience, cancel := context.WithTimeout(ctx, max(wait, a.timeout))
	defer cancel()
	outcome, err := ticket.Wait(patience)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		outcome = ahpclient.Outcome{Kind: ahpclient.Unknown, Reason: "the host did not answer in time"}
	}
	result := actResult{outcome.Kind, outcome.Reason, confirmedState(client.View(), target)}
	code := outcomeCode(outcome.Kind)
	if code != exitDone || wait <= 0 || v.want == "" {
		return a.printResult(result, code)
	}
	deadline, stop := context.WithTimeout(ctx, wait)
	defer stop()
	view, err := client.Await(deadline, func(view *ahpclient.View) bool { return settled(confirmedState(view, target), v.want) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	result.State = confirmedState(view, target)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		result.Reason = "the connection was lost: " + err.Error()
		return a.printResult(result, exitUnknown)
	}
	if result.State != v.want {
		code = exitFailed
		if result.State == protocol.McpAuthRequired {
			code = exitSignIn
		}
		result.Reason = whyNot(view, target, err)
	}
	return a.printResult(result, code)
}

// settled reports whether a state will not become the wanted one by itself.
func settled(state, want protocol.McpStateKind) bool {
	switch state {
	case want:
		return true
	case protocol.McpError, protocol.McpAuthRequired:
		return want == protocol.McpReady
	}
	return false
}

// confirmedState is the state that the host says, without our own guesses.
func confirmedState(v *ahpclient.View, target sessionServer) protocol.McpStateKind {
	if srv, ok := confirmedServer(v, target); ok {
		return srv.StateKind()
	}
	return ""
}

func confirmedServer(v *ahpclient.View, target sessionServer) (protocol.Server, bool) {
	c := v.Channels[target.session]
	if c == nil {
		return protocol.Server{}, false
	}
	state, ok := c.Confirmed.(*protocol.SessionState)
	if !ok {
		return protocol.Server{}, false
	}
	return protocol.ServerByID(state, target.ID)
}

func whyNot(v *ahpclient.View, target sessionServer, err error) string {
	srv, ok := confirmedServer(v, target)
	switch {
	case !ok:
		return "the server is not there any more"
	case srv.State != nil && srv.State.Error != nil:
		return srv.State.Error.Message
	case srv.StateKind() == protocol.McpAuthRequired:
		return "a person must sign in"
	case err != nil:
		return "not reached in time"
	}
	return ""
}

func (a *app) printResult(r actResult, code int) error {
	var err error
	if a.json {
		err = printJSON(a.Out, r)
	} else {
		text := fmt.Sprintf("%s, state %s", r.Outcome, r.State)
		if r.Reason != "" {
			text += ": " + r.Reason
		}
		_, err = fmt.Fprintln(a.Out, line(text))
	}
	if err != nil {
		return err
	}
	return reported(code)
}

// pick finds the one server of this name, or id.
func pick(servers []sessionServer, name string) (sessionServer, error) {
	var found []sessionServer
	for _, s := range servers {
		if s.Name == name || s.ID == name {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return sessionServer{}, fail(exitFailed, "list them with: ahptui mcp ls"+known(servers), "no session has an MCP server named %q", name)
	}
	candidates := make([]string, 0, len(found))
	for _, s := range found {
		candidates = append(candidates, string(s.session))
	}
	return sessionServer{}, fail(exitUsage, "choose one with --session: "+strings.Join(candidates, ", "), "%d sessions have an MCP server named %q", len(found), name)
}

func known(servers []sessionServer) string {
	var names []string
	for _, s := range servers {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (there are: " + strings.Join(names, ", ") + ")"
}
