package tui

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// operatePatience bounds how long a host may take to do something with changes.
const operatePatience = time.Minute

// operation is something that can be done with changes, with what it is done to.
type operation struct {
	set    protocol.URI
	op     *protocol.ChangesetOperation
	target *protocol.ChangesetOperationTarget // nil: all of the changeset
	name   string
	id     string
}

// whyNoOperation says why nothing can be done with the changes, or "".
func (m *Model) whyNoOperation() safetext.Text {
	if why := m.whyNoFile(); !why.Empty() {
		return why
	}
	if len(m.changesState().Operations) == 0 {
		return safetext.Const("the host offers nothing to be done with these changes: it may not let files be written")
	}
	return m.offline()
}

// operations are all that can be done with the file, the change in it that is seen,
// and the changeset.
func (m *Model) operations() []operation {
	c, _ := m.changeset()
	s, f := m.changesState(), m.selectedFile()
	if s == nil || f == nil {
		return nil
	}
	var resource protocol.URI
	if before, after := versions(f); after != nil {
		resource = after.URI
	} else if before != nil {
		resource = before.URI
	}
	var list []operation
	add := func(op *protocol.ChangesetOperation, scope, what string, target *protocol.ChangesetOperationTarget) {
		if slices.Contains(op.Scopes, scope) {
			list = append(list, operation{c.uri, op, target, op.Label + ": " + what, scope + " " + op.ID})
		}
	}
	for _, op := range s.Operations[:min(len(s.Operations), maxChangesets)] {
		if first, last, ok := m.middle.changes.view.Seen(); ok {
			lines := &protocol.TextRange{Start: protocol.TextPosition{Line: first - 1}, End: protocol.TextPosition{Line: last}}
			add(op, protocol.OperationOnRange, "lines "+strconv.Itoa(first)+" to "+strconv.Itoa(last),
				&protocol.ChangesetOperationTarget{Kind: protocol.OperationOnRange, Resource: resource, Side: "after", Range: lines})
		}
		add(op, protocol.OperationOnResource, m.fileName(f), &protocol.ChangesetOperationTarget{Kind: protocol.OperationOnResource, Resource: resource})
		add(op, protocol.OperationOnChangeset, "all files", nil)
	}
	return list
}

// whyNotOperate says why an operation cannot be carried out now, or "".
func whyNotOperate(op *protocol.ChangesetOperation) safetext.Text {
	switch op.Status {
	case protocol.OperationRunning:
		return safetext.Const("under way")
	case protocol.OperationDisabled:
		return safetext.Const("the host does not let it be done now")
	case protocol.OperationIdle, protocol.OperationError:
	}
	return safetext.Text{}
}

// openOperations lists what can be done.
func (m *Model) openOperations() {
	m.find(func() prompt.FinderInput {
		in := prompt.FinderInput{Title: safetext.Const("Do with the changes"), Submit: "do it", Empty: safetext.Const("there is nothing to be done any more")}
		for _, o := range m.operations() {
			item := prompt.FinderItem{ID: o.id, Name: clean(o.name), Note: clean(o.op.Description), Off: whyNotOperate(o.op)}
			if o.op.Error != nil {
				item.Note = own("failed: " + o.op.Error.Message)
			}
			in.Items = append(in.Items, item)
		}
		return in
	}, func(id string) tea.Cmd {
		for _, o := range m.operations() {
			if o.id == id {
				return m.beginOperation(o)
			}
		}
		return nil
	})
}

// beginOperation carries an operation out, once the person has said yes to what the
// host wants to be asked.
func (m *Model) beginOperation(o operation) tea.Cmd {
	if why := whyNotOperate(o.op); !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return nil
	}
	if o.op.Confirmation.IsZero() {
		return m.operate(o)
	}
	in := prompt.PickInput{
		Title: clean(o.name), Text: []safetext.Text{clean(o.op.Confirmation.String()), own("It is about " + m.fileNameIn(o) + ".")},
		Options: []safetext.Text{clean(o.op.Label)},
	}
	m.pick(func() prompt.PickInput { return in }, func(int) tea.Cmd { return m.operate(o) })
	return nil
}

// fileNameIn is what an operation is done with.
func (m *Model) fileNameIn(o operation) string {
	if o.target == nil {
		return "all files"
	}
	return m.relative(o.target.Resource)
}

// operationMsg tells what became of an operation.
type operationMsg struct {
	name   string
	result *protocol.InvokeChangesetOperationResult
	err    error
}

func (m *Model) operate(o operation) tea.Cmd {
	host := m.conn.Host
	params := &protocol.InvokeChangesetOperationParams{Channel: o.set, OperationID: o.op.ID, Target: o.target}
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, operatePatience)
		defer cancel()
		result, err := host.InvokeChangesetOperation(ctx, params)
		return operationMsg{o.name, result, err}
	})
}

// operationDone tells what became of an operation, in the host's words.
func (m *Model) operationDone(msg operationMsg) {
	switch {
	case msg.err != nil:
		m.tell(status.Problem, msg.name+" was not done: "+msg.err.Error())
	case msg.result != nil && !msg.result.Message.IsZero():
		m.tell(status.Success, msg.result.Message.String())
	default:
		m.tell(status.Success, msg.name+" is done")
	}
	if msg.result != nil && msg.result.FollowUp != nil {
		m.tell(status.Info, "the host has more to it at "+string(msg.result.FollowUp.Content.URI))
	}
}
