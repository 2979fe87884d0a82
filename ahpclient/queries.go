package ahpclient

import (
	"context"
	"unicode/utf16"
	"unicode/utf8"

	"ahptui/protocol"
)

// Completion is a completion of a text: it replaces the bytes from Start to End,
// which are the cursor's place where nothing is replaced.
type Completion struct {
	*protocol.CompletionItem
	Start, End int
}

// Completions asks for completions of a message that somebody is writing, with the
// cursor before the byte of that number. The protocol counts UTF-16 units; that is
// dealt with here.
func (c *Client) Completions(ctx context.Context, chat protocol.URI, text string, cursor int) ([]Completion, error) {
	cursor = min(max(cursor, 0), len(text))
	result, err := call[protocol.CompletionsResult](ctx, c, "completions", &protocol.CompletionsParams{
		Channel: chat, Kind: protocol.CompletionsUserMessage, Text: text, Offset: units(text[:cursor]),
	})
	if err != nil {
		return nil, err
	}
	var list []Completion
	for _, item := range result.Items {
		x := Completion{CompletionItem: item, Start: cursor, End: cursor}
		if item.RangeStart != nil && item.RangeEnd != nil {
			x.Start, x.End = bytesOf(text, *item.RangeStart), bytesOf(text, *item.RangeEnd)
		}
		if x.Start <= x.End { // else it means nothing
			list = append(list, x)
		}
	}
	return list, nil
}

// units is the length of a text in UTF-16 units.
func units(text string) (n int) {
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// bytesOf is the length in bytes of a text's first UTF-16 units. Half a surrogate
// pair counts as none, what is beyond the text as all of it.
func bytesOf(text string, unit int) (n int) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if unit -= max(1, utf16.RuneLen(r)); unit < 0 {
			break
		}
		n += size
	}
	return n
}

// ResolveSessionConfig asks what can be configured in a session that is to be
// created: the schema, and the values that follow from those given.
func (c *Client) ResolveSessionConfig(ctx context.Context, params *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error) {
	p := *params
	p.Channel = protocol.RootChannel
	return call[protocol.ResolveSessionConfigResult](ctx, c, "resolveSessionConfig", &p)
}

// SessionConfigCompletions asks for the values that a property may have.
func (c *Client) SessionConfigCompletions(ctx context.Context, params *protocol.SessionConfigCompletionsParams) ([]*protocol.SessionConfigValue, error) {
	p := *params
	p.Channel = protocol.RootChannel
	result, err := call[protocol.SessionConfigCompletionsResult](ctx, c, "sessionConfigCompletions", &p)
	if err != nil {
		return nil, err
	}
	return result.Items, nil
}

// InvokeChangesetOperation does something with a changeset. What that does to it
// comes as its state.
func (c *Client) InvokeChangesetOperation(ctx context.Context, params *protocol.InvokeChangesetOperationParams) (*protocol.InvokeChangesetOperationResult, error) {
	return call[protocol.InvokeChangesetOperationResult](ctx, c, "invokeChangesetOperation", params)
}

// RunAutomation starts a run of an automation and names it. Asking again with the
// same requestID starts no second one (from 0.9).
func (c *Client) RunAutomation(ctx context.Context, automation protocol.URI, requestID string) (run protocol.URI, err error) {
	result, err := call[protocol.RunAutomationResult](ctx, c, "runAutomation", &protocol.RunAutomationParams{
		Channel: protocol.AutomationsChannel, Automation: automation, RequestID: requestID,
	})
	if err != nil {
		return "", err
	}
	return result.Resource, nil
}

// FetchAutomationRuns loads older runs of an automation into its state (from 0.9).
func (c *Client) FetchAutomationRuns(ctx context.Context, automation protocol.URI, cursor string) error {
	_, err := call[protocol.EmptyResult](ctx, c, "fetchAutomationRuns", &protocol.FetchAutomationRunsParams{
		Channel: protocol.AutomationsChannel, Automation: automation, Cursor: cursor,
	})
	return err
}

// AutomationTriggers asks which triggers there are for a session made so (from 0.9).
func (c *Client) AutomationTriggers(ctx context.Context, params *protocol.ListAutomationTriggerDefinitionsParams) ([]*protocol.AutomationTriggerDefinition, error) {
	p := *params
	p.Channel = protocol.RootChannel
	result, err := call[protocol.ListAutomationTriggerDefinitionsResult](ctx, c, "listAutomationTriggerDefinitions", &p)
	if err != nil {
		return nil, err
	}
	return result.Items, nil
}
