package mcpserver

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is what a server says of one of its tools.
type Tool struct {
	Name        string
	Title       string // empty when the server gives none
	Description string
	InputSchema jsontext.Value // a JSON Schema object; nil when too large to keep
	ReadOnly    bool           // the server says that calls change nothing
	Destructive bool           // the server does not say that calls only add
	Meta        jsontext.Value // the tool's _meta object; nil when there is none
}

// listTools asks for all pages of the tool list.
func listTools(ctx context.Context, session *mcp.ClientSession) ([]Tool, error) {
	if init := session.InitializeResult(); init == nil || init.Capabilities == nil || init.Capabilities.Tools == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	var tools []Tool
	var params mcp.ListToolsParams
	for range maxToolPages {
		page, err := session.ListTools(ctx, &params)
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", err)
		}
		for _, t := range page.Tools {
			if t != nil && t.Name != "" && len(tools) < maxTools {
				tools = append(tools, toTool(t))
			}
		}
		if page.NextCursor == "" || len(tools) >= maxTools {
			break
		}
		params.Cursor = page.NextCursor
	}
	return tools, nil
}

func toTool(t *mcp.Tool) Tool {
	out := Tool{
		Name:        cut(t.Name, 256),
		Title:       cut(t.Title, 256),
		Description: cut(t.Description, maxDescriptionBytes),
		InputSchema: boundedJSON(t.InputSchema, maxSchemaBytes),
		Destructive: true,
	}
	if len(t.Meta) > 0 {
		out.Meta = boundedJSON(t.Meta, maxSchemaBytes)
	}
	if a := t.Annotations; a != nil {
		out.ReadOnly = a.ReadOnlyHint
		out.Destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
		if out.Title == "" {
			out.Title = cut(a.Title, 256)
		}
	}
	return out
}

// boundedJSON encodes a decoded JSON value, or returns nil when it is absent or
// longer than limit bytes.
func boundedJSON(v any, limit int) jsontext.Value {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil || len(data) > limit {
		return nil
	}
	return data
}
