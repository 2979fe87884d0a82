package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tickets is what the archive holds.
func tickets() map[string]string {
	return map[string]string{
		"ACME-101": "Sign-in fails for accounts with a plus sign in the address. Closed: the address is escaped now.",
		"ACME-114": "The redirect after sign-in goes to the start page. Closed as fixed in 2.1; opened again in 2.3.",
		"ACME-120": "Exported reports have the wrong time zone. Closed: reports are in UTC.",
	}
}

type ticketArgs struct {
	ID string `json:"id" jsonschema:"the ticket's number, such as ACME-114"`
}

type ticket struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func newArchiveServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "archive", Title: "Archive", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{
		Name: "archive.get", Description: "Read a closed ticket.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
	}, func(_ context.Context, _ *mcp.CallToolRequest, in ticketArgs) (*mcp.CallToolResult, ticket, error) {
		all := tickets()
		body, ok := all[strings.ToUpper(strings.TrimSpace(in.ID))]
		if !ok {
			var known []string
			for id := range all {
				known = append(known, id)
			}
			slices.Sort(known)
			return nil, ticket{}, fmt.Errorf("there is no ticket %q; there are %s", in.ID, strings.Join(known, ", "))
		}
		return text(in.ID + ": " + body), ticket{in.ID, body}, nil
	})
	return s
}
