package protocol

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// gen fills values of any protocol type at random. Ids come from a pool so small
// that actions hit, kinds and statuses are known ones with a stranger among them.
type gen struct{ t *rapid.T }

func (g gen) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func choose[T any](g gen, from ...T) T { return from[g.pick(len(from))] }

// fill sets v, which is the field of that name; depth bounds customizations.
func (g gen) fill(v reflect.Value, field string, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *Text:
		*p = g.text()
	case *StringOrMarkdown:
		text := g.text()
		*p = StringOrMarkdown{Text: text, Markdown: !text.IsZero() && g.pick(3) == 0}
	case *ToolInput:
		*p = choose(g, ToolInput{}, InputText("in"), ToolInput{Ref: &ContentRef{URI: "x:1"}})
	case *Raw:
		*p = g.raw(field)
	case *Status:
		*p = choose(g, StatusIdle, StatusError, StatusInProgress, StatusInputNeeded, StatusInputNeeded|StatusRead, StatusArchived|1<<20, 0)
	case *PartKind:
		*p = choose(g, PartMarkdown, PartReasoning, PartToolCall, PartToolCall, PartInputRequest, PartInputRequest, PartError, PartSystemNotification, "later")
	case *ToolCallStatus:
		*p = choose(g, ToolStreaming, ToolStreaming, ToolPendingConfirmation, ToolRunning, ToolAuthRequired, ToolPendingResultConfirmation, ToolCompleted, ToolCancelled, "later")
	case *CustomizationType:
		*p = choose(g, TypeMcpServer, TypeMcpServer, TypePlugin, TypeDirectory, "skill", "later")
	case *McpStateKind:
		*p = choose(g, McpStarting, McpReady, McpAuthRequired, McpError, McpStopped, "later")
	case *InputRequestKind:
		*p = choose(g, InputChat, InputConfirmation, InputClientExecution, InputAuthentication, "later")
	case *TurnState:
		*p = choose(g, "", TurnComplete, TurnCancelled, TurnError, TurnError)
	case *Lifecycle:
		*p = choose(g, LifecycleCreating, LifecycleReady, LifecycleFailed, LifecycleCreationFailed, "later")
	case *TerminalPartType:
		*p = choose(g, TerminalUnclassified, TerminalCommand, TerminalCommand, "later")
	case *ChangesetStatus:
		*p = choose(g, ChangesetComputing, ChangesetReady, ChangesetRecomputing, ChangesetError, ChangesetError, "later")
	case *OperationStatus:
		*p = choose(g, "", OperationIdle, OperationRunning, OperationError, OperationError, "later")
	case *URI:
		*p = choose(g, URI("u:a"), "u:b", "u:c", "")
	case *string:
		*p = g.string(field)
	default:
		g.fillKind(v, field, depth)
	}
}

func (g gen) fillKind(v reflect.Value, field string, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(g.pick(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(g.pick(100)))
	case reflect.Float64:
		v.SetFloat(choose(g, -5, 0, 1500, 1e300))
	case reflect.Pointer:
		if g.pick(4) == 0 || depth > 3 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		g.fill(v.Elem(), field, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			g.fill(v.Field(i), v.Type().Field(i).Name, depth+1)
		}
	case reflect.Slice:
		n := g.pick(4)
		if n == 3 || depth > 6 {
			return // absent
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			element := v.Index(i)
			if element.Kind() == reflect.Pointer { // never nil, as decoding has it
				element.Set(reflect.New(element.Type().Elem()))
				element = element.Elem()
			}
			g.fill(element, field, depth)
		}
	case reflect.Map:
		if g.pick(3) == 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range g.pick(3) {
			value := reflect.New(v.Type().Elem()).Elem()
			if value.Kind() == reflect.Pointer {
				value.Set(reflect.New(value.Type().Elem()))
				g.fill(value.Elem(), field, depth)
			} else {
				g.fill(value, "value", depth)
			}
			v.SetMapIndex(reflect.ValueOf(g.id()), value)
		}
	}
}

func (g gen) id() string { return choose(g, "a", "a", "b", "c") }

func (g gen) text() Text {
	switch g.pick(5) {
	case 0:
		return Text{}
	case 1:
		return NewText("x\xed\xa0\xbd")
	case 2:
		return NewText("\xed\xb8\x80\"\n")
	}
	return NewText("some text")
}

func (g gen) raw(field string) Raw {
	switch {
	case field == "Raw" || g.pick(3) == 0:
		return nil
	case field == "Extra":
		return Raw(`{"later":{"x":[1]}}`)
	case field == "Changes":
		return choose(g, Raw(`{"status":24}`), Raw(`{"title":"new","resource":"u:z","later":1}`), Raw(`{"activity":null}`), Raw(`{"status":"?"}`), Raw(`7`))
	}
	return choose(g, Raw(`{"a":1}`), Raw(`[1,"\ud83d"]`), Raw(`"x"`))
}

func (g gen) string(field string) string {
	switch field {
	case "ID", "TurnID", "PartID", "ToolCallID", "RequestID", "QuestionID", "ClientID", "SelectedOptionID", "CustomizationID", "Order",
		"CommandID", "FileID", "FileIDs", "Files", "OperationID", "AnnotationID", "EntryID":
		return g.id()
	case "QueuedMessageID":
		return choose(g, "", g.id())
	case "StartedAt", "ModifiedAt", "CreatedAt":
		return choose(g, "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.5+01:00", "", "yesterday")
	case "Kind":
		return choose(g, "session", "workspace", "global", "user", ContributorClient, ContributorMcp, "approve", PendingSteering, PendingQueued, "loading", "later")
	case "Status":
		return choose(g, TerminalRunning, TerminalEnded, "later")
	case "Response":
		return choose(g, "", "", ResponseAccept, "later")
	case "Confirmed":
		return choose(g, "", "user-action")
	}
	return choose(g, "", "words", "wörds <b>")
}

func genState(kind ChannelKind) *rapid.Generator[ChannelState] {
	return rapid.Custom(func(t *rapid.T) ChannelState {
		s := newState(kind)
		gen{t}.fill(reflect.ValueOf(s).Elem(), "", 0)
		return decodeState(t, kind, encodeState(t, s)) // as it comes over the wire
	})
}

func genAction(types ...string) *rapid.Generator[Action] {
	return rapid.Custom(func(t *rapid.T) Action {
		a := newAction(choose(gen{t}, types...))
		gen{t}.fill(reflect.ValueOf(a).Elem(), "", 0)
		raw, err := EncodeAction(a)
		if err != nil {
			t.Fatal(err)
		}
		return DecodeAction(raw) // as it comes over the wire
	})
}

func genProfile() *rapid.Generator[Profile] {
	return rapid.Custom(func(t *rapid.T) Profile {
		p := ProfileOf(choose(gen{t}, Offered()...))
		if (gen{t}).pick(2) == 0 {
			p = p.At(time.UnixMilli(9999))
		}
		return p
	})
}

// actionTypes lists the action types of a kind of channel.
func actionTypes(tb testing.TB, kind ChannelKind) []string {
	tb.Helper()
	var types []string
	for typ := range actionTable() {
		if KindOfAction(typ) == kind {
			types = append(types, typ)
		}
	}
	if len(types) == 0 {
		tb.Fatalf("no actions of %s found", kind)
	}
	slices.Sort(types)
	return types
}
