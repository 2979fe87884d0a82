package host

import (
	"context"
	"errors"
	"slices"

	"ahptui/host/worktree"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// invokeOperation does something with a changeset. It takes the lock itself.
func (h *Host) invokeOperation(ctx context.Context, _ *conn, p *protocol.InvokeChangesetOperationParams) (any, *jsonrpc.Error) {
	c, change, failure := h.beginOperation(p)
	if failure != nil {
		return nil, failure
	}
	message, err := c.operate(ctx, p.OperationID, change)
	h.mu.Lock()
	defer h.mu.Unlock()
	done := &protocol.ChangesetOperationStatusChanged{OperationID: p.OperationID, Status: protocol.OperationIdle}
	if err != nil {
		done.Status = protocol.OperationError
		done.Error = &protocol.ErrorInfo{ErrorType: "operation-failed", Message: firstLine(err.Error(), 300)}
	}
	h.apply(c.uri, done, nil)
	h.refresh(c)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: done.Error.Message}
	}
	return &protocol.InvokeChangesetOperationResult{Message: protocol.Plain(message)}, nil
}

// beginOperation finds out what is to be done with what, and says that it is under
// way. There is no change where all of them are meant. It takes the lock itself.
func (h *Host) beginOperation(p *protocol.InvokeChangesetOperationParams) (*changeset, *worktree.Change, *jsonrpc.Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.channels[p.Channel].(*changeset)
	if !ok {
		return nil, nil, notFound(p.Channel)
	}
	i := slices.IndexFunc(c.state.Operations, func(o *protocol.ChangesetOperation) bool { return o.ID == p.OperationID })
	if i < 0 {
		return nil, nil, invalid("the changeset has no operation %s", firstLine(p.OperationID, 100))
	}
	op, scope := c.state.Operations[i], protocol.OperationOnChangeset
	if p.Target != nil {
		scope = p.Target.Kind
	}
	if !slices.Contains(op.Scopes, scope) {
		return nil, nil, invalid("%s is not for a target of kind %s", op.Label, firstLine(scope, 50))
	}
	var change *worktree.Change
	if p.Target != nil {
		if change = c.changeOf(p.Target.Resource); change == nil {
			return nil, nil, &jsonrpc.Error{Code: protocol.CodeNotFound, Message: "the changeset has no such file"}
		}
	}
	if op.Status == protocol.OperationRunning {
		return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: op.Label + " is under way already"}
	}
	h.apply(c.uri, &protocol.ChangesetOperationStatusChanged{OperationID: op.ID, Status: protocol.OperationRunning}, nil)
	return c, change, nil
}

// changeOf is the change of a file, by either of its sides.
func (c *changeset) changeOf(uri protocol.URI) *worktree.Change {
	for _, f := range c.state.Files {
		for _, side := range []*protocol.FileVersion{f.Edit.Before, f.Edit.After} {
			if side != nil && (side.URI == uri || side.Content.URI == uri) {
				return c.changes[f.ID]
			}
		}
	}
	return nil
}

// operate carries an operation out. It takes no lock.
func (c *changeset) operate(ctx context.Context, id string, change *worktree.Change) (done string, err error) {
	path, what := "", "all changes"
	if change != nil {
		path, what = change.ID(), change.ID()
	}
	switch id {
	case opStage:
		return "Staged " + what, c.tree.Stage(ctx, path)
	case opUnstage:
		return "Unstaged " + what, c.tree.Unstage(ctx, path)
	case opDiscard:
		return "Discarded the changes of " + what, c.tree.Discard(ctx, change)
	}
	return "", errors.New("there is no such operation")
}
