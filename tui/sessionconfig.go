package tui

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/prompt"
)

// maxChoices bounds what is offered for one field of a new session.
const maxChoices = 500

// The fields of a new session besides the provider and the directory: the model, and what the host lets be configured, whose
// names stand behind configField.
const (
	modelField  = "model"
	configField = "config "
)

// modelChoice is the field for the model, if the agent has any.
func modelChoice(agent *protocol.AgentInfo) (f prompt.SessionField, ok bool) {
	if agent == nil {
		return f, false
	}
	f = prompt.SessionField{
		ID: modelField, Label: safetext.Const("Model"), Note: safetext.Const("goes with each message"),
		Options: []prompt.SessionOption{{Name: safetext.Const("the agent's own choice")}},
	}
	for _, model := range agent.Models[:min(len(agent.Models), maxChoices)] {
		if model.Usable() && model.ID != "" {
			f.Options = append(f.Options, prompt.SessionOption{ID: model.ID, Name: clean(cmp.Or(model.Name, model.ID)), Note: modelNote(model)})
		}
	}
	return f, len(f.Options) > 1
}

func modelNote(model *protocol.SessionModelInfo) safetext.Text {
	if model.MaxContextWindow == nil || *model.MaxContextWindow <= 0 {
		return safetext.Text{}
	}
	return own(fmt.Sprintf("%.0f tokens", *model.MaxContextWindow))
}

// configChoice is the field for something that can be configured.
func configChoice(p *protocol.ConfigProperty, value protocol.Raw) prompt.SessionField {
	f := prompt.SessionField{ID: configField + p.Name, Label: clean(cmp.Or(p.Title, p.Name)), Note: clean(p.Description)}
	if p.Required {
		f.Label = safetext.Concat(f.Label, safetext.Const(" (needed)"))
	}
	if value == nil {
		value = p.Default
	}
	switch {
	case len(p.Enum) > 0 && !p.EnumDynamic:
		f.Options = enumOptions(p)
		f.Value = string(value)
	case p.Type == protocol.ConfigBoolean:
		f.Options = []prompt.SessionOption{{ID: "true", Name: safetext.Const("yes")}, {ID: "false", Name: safetext.Const("no")}}
		f.Value = string(value)
	default:
		f.Typed = true
		f.Value = typedValue(value)
		f.Note = joinNotes(f.Note, wanted(p))
	}
	if !f.Typed && (!p.Required || value == nil) {
		f.Options = append([]prompt.SessionOption{{Name: safetext.Const("not set")}}, f.Options...)
	}
	return f
}

func enumOptions(p *protocol.ConfigProperty) []prompt.SessionOption {
	options := make([]prompt.SessionOption, 0, len(p.Enum))
	for i, value := range p.Enum[:min(len(p.Enum), maxChoices)] {
		o := prompt.SessionOption{ID: string(value), Name: clean(p.Label(i))}
		if i < len(p.EnumDescriptions) {
			o.Note = clean(p.EnumDescriptions[i])
		}
		options = append(options, o)
	}
	return options
}

// typedValue is a value as a person types it: a text as it is, all else as JSON.
func typedValue(value protocol.Raw) string {
	var text string
	if value.Kind() == '"' && protocol.Unmarshal(value, &text) == nil {
		return text
	}
	if value.Kind() == 'n' {
		return ""
	}
	return string(value)
}

// wanted says what a typed value has to be.
func wanted(p *protocol.ConfigProperty) safetext.Text {
	words := ""
	switch {
	case p.Type == protocol.ConfigNumber:
		words = "a number"
	case isTextList(p):
		words = "texts with commas between them"
	case p.Type == protocol.ConfigArray || p.Type == protocol.ConfigObject:
		words = "as JSON"
	}
	return own(words)
}

func joinNotes(a, b safetext.Text) safetext.Text {
	if a.Empty() || b.Empty() {
		return safetext.Concat(a, b)
	}
	return safetext.Concat(b, safetext.Const(": "), a)
}

func isTextList(p *protocol.ConfigProperty) bool {
	return p.Type == protocol.ConfigArray && p.Items != nil && p.Items.Type == protocol.ConfigString && len(p.Items.Enum) == 0
}

// readValue makes a value of what was typed or chosen; nil for none.
func readValue(p *protocol.ConfigProperty, text string) (protocol.Raw, error) {
	what := cmp.Or(p.Title, p.Name)
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	switch {
	case len(p.Enum) > 0 && !p.EnumDynamic, p.Type == protocol.ConfigBoolean:
		return protocol.Raw(text), nil // one of the options
	case p.Type == protocol.ConfigNumber:
		text = strings.TrimSpace(text)
		if _, err := strconv.ParseFloat(text, 64); err != nil || !jsontext.Value(text).IsValid() {
			return nil, fmt.Errorf("%s: %.60q is no number", what, text)
		}
		return protocol.Raw(text), nil
	case isTextList(p) && !strings.HasPrefix(strings.TrimSpace(text), "["):
		var list []string
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
		return protocol.Marshal(list)
	case p.Type == protocol.ConfigArray || p.Type == protocol.ConfigObject:
		if !jsontext.Value(text).IsValid() {
			return nil, fmt.Errorf("%s: that is no JSON", what)
		}
		return protocol.Raw(text), nil
	}
	return protocol.Marshal(text)
}

// offer is what the host lets be configured of a session that is to be made.
type offer struct {
	properties []*protocol.ConfigProperty // those that a person can set
	values     map[string]protocol.Raw
}

func offerOf(c *protocol.Config) offer {
	o := offer{values: c.Values}
	for _, p := range c.Properties() {
		if !p.ReadOnly {
			o.properties = append(o.properties, p)
		}
	}
	return o
}

// wrongValue is a value that is not taken, and the field that it is in.
type wrongValue struct {
	field string
	err   error
}

// config are the values for a session: those that the host worked out, with what the person chose. chosen tells what that is.
// Of what is wrong, the first is told. Without check everything that can be read is taken.
func (o offer) config(chosen func(field string) (string, bool), check bool) (map[string]protocol.Raw, *wrongValue) {
	values := maps.Clone(o.values)
	if values == nil {
		values = map[string]protocol.Raw{}
	}
	for _, p := range o.properties {
		field := configField + p.Name
		if text, ok := chosen(field); ok {
			value, err := readValue(p, text)
			switch {
			case err != nil && check:
				return nil, &wrongValue{field, err}
			case err != nil:
				continue
			case value == nil:
				delete(values, p.Name)
			default:
				values[p.Name] = value
			}
		}
		if err := p.Check(values[p.Name]); err != nil {
			if check {
				return nil, &wrongValue{field, err}
			}
			delete(values, p.Name)
		}
	}
	return values, nil
}
