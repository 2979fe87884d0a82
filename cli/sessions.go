package cli

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// sessionRow is a session as `sessions ls` prints it.
type sessionRow struct {
	URI      protocol.URI `json:"uri"`
	Title    string       `json:"title"`
	Provider string       `json:"provider"`
	Status   []string     `json:"status"`
	Chats    int          `json:"chats"`
	Blocked  int          `json:"blocked"`
}

func (a *app) sessionsCommand() *cobra.Command {
	ls := &cobra.Command{
		Use: "ls", Short: "List the host's sessions", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(cmd.Context(), a.listSessions)
		},
	}
	var dir, provider, message string
	var yes bool
	create := &cobra.Command{
		Use: "new", Short: "Create a session, and send it a first message if one is given", Args: cobra.NoArgs,
		Example: "  ahptui sessions new --dir . --message 'run the tests'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			uri, err := fileURI(dir)
			if err != nil {
				return usageError(err)
			}
			return a.withClient(cmd.Context(), func(ctx context.Context, c *ahpclient.Client) error {
				return a.newSession(ctx, c, newSession{provider, uri, message, yes})
			})
		},
	}
	create.Flags().StringVar(&dir, "dir", "", "the working directory")
	create.Flags().StringVar(&provider, "provider", "", "the agent to use (default: the host's choice)")
	create.Flags().StringVar(&message, "message", "", "the first message")
	create.Flags().BoolVar(&yes, "yes", false, "where the host wants a sign-in first, let it have a token without asking")
	return group("sessions", "List and create sessions", ls, create)
}

func (a *app) listSessions(ctx context.Context, client *ahpclient.Client) error {
	v, uris, err := a.openSessions(ctx, client, "")
	if err != nil {
		return err
	}
	rows := []sessionRow{}
	for _, uri := range uris {
		if summary := v.Summary(uri); summary != nil {
			rows = append(rows, rowOfSession(v, summary))
		}
	}
	if a.json {
		return printJSON(a.Out, rows)
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TITLE\tPROVIDER\tSTATUS\tCHATS\tBLOCKED\tURI")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", safetext.Clean(r.Title, 60), safetext.Clean(r.Provider, 20),
			strings.Join(r.Status, " "), r.Chats, r.Blocked, line(string(r.URI)))
	}
	return w.Flush()
}

func rowOfSession(v *ahpclient.View, summary *protocol.SessionSummary) sessionRow {
	row := sessionRow{URI: summary.Resource, Title: summary.Title, Provider: summary.Provider, Status: summary.Status.Words()}
	state := v.Session(summary.Resource)
	if state == nil { // the host has it in its list and cannot open it
		return row
	}
	row.Status = summary.Status.WithActivity(state.Activity()).Words()
	for _, chat := range state.Chats {
		if chat.Interactivity != protocol.InteractivityHidden {
			row.Chats++
		}
	}
	row.Blocked = len(v.BlockedIn(summary.Resource))
	return row
}

// newSession is what sessions new is to make.
type newSession struct {
	provider string
	dir      protocol.URI
	message  string
	yes      bool // to a token for the host
}

func (a *app) newSession(ctx context.Context, client *ahpclient.Client, wanted newSession) error {
	var uri protocol.URI
	err := a.signedIn(ctx, client, "createSession", wanted.yes, func() (err error) {
		uri, err = client.CreateSession(ctx, wanted.provider, wanted.dir)
		return err
	})
	if err != nil {
		return err
	}
	if wanted.message != "" {
		if err := a.firstMessage(ctx, client, uri, wanted.message); err != nil {
			return err
		}
	}
	if a.json {
		return printJSON(a.Out, struct {
			URI protocol.URI `json:"uri"`
		}{uri})
	}
	_, err = fmt.Fprintln(a.Out, line(string(uri)))
	return err
}

// firstMessage sends a message on the session's default chat. A host may keep a
// session in creation until then.
func (a *app) firstMessage(ctx context.Context, client *ahpclient.Client, session protocol.URI, text string) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	chatOf := func(v *ahpclient.View) protocol.URI {
		if s := v.Session(session); s != nil {
			return s.MainChat()
		}
		return ""
	}
	v, err := client.Await(ctx, func(v *ahpclient.View) bool { return chatOf(v) != "" })
	if err != nil {
		return fmt.Errorf("the new session got no chat: %w", err)
	}
	chat := chatOf(v)
	client.Open(chat, protocol.ChatKind)
	// A host may miss to echo what comes before it has answered the subscription.
	if _, err = client.Await(ctx, func(v *ahpclient.View) bool { return v.Chat(chat) != nil }); err != nil {
		return fmt.Errorf("the new session's chat did not open: %w", err)
	}
	ticket, err := client.Dispatch(chat, protocol.StartTurn(v.Connection.Version.Sent(), uuid.NewString(), text, time.Now()))
	if err != nil {
		return err
	}
	outcome, err := ticket.Wait(ctx)
	if err != nil {
		return err
	}
	if code := outcomeCode(outcome.Kind); code != exitDone {
		return fail(code, "the session exists: "+string(session), "the message was %s: %s", outcome.Kind, outcome.Reason)
	}
	return nil
}

// fileURI is the file: URI of a folder; "" stays "".
func fileURI(dir string) (protocol.URI, error) {
	if dir == "" {
		return "", nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("directory %s: %w", dir, err)
	}
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") { // C:/...
		path = "/" + path
	}
	return protocol.URI((&url.URL{Scheme: "file", Path: path}).String()), nil
}
