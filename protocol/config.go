package protocol

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// What is looked at of a schema that a host sends.
const (
	maxConfigProperties = 1000
	maxConfigDepth      = 8
)

// The types of a [ConfigProperty].
const (
	ConfigString  = "string"
	ConfigNumber  = "number"
	ConfigBoolean = "boolean"
	ConfigArray   = "array"
	ConfigObject  = "object"
)

// ConfigProperty is one thing that can be configured.
type ConfigProperty struct {
	Name     string
	Required bool
	configMembers
	Items      *ConfigProperty   // array
	Properties []*ConfigProperty // object
}

// configMembers are the members of a property's schema that need no second look.
type configMembers struct {
	Type             string   `json:"type"`
	Title            string   `json:"title"`
	Description      string   `json:"description"`
	Default          Raw      `json:"default"`
	Enum             []Raw    `json:"enum"` // strings, numbers, booleans, null
	EnumLabels       []string `json:"enumLabels"`
	EnumDescriptions []string `json:"enumDescriptions"`
	ReadOnly         bool     `json:"readOnly"`
	EnumDynamic      bool     `json:"enumDynamic"`    // values are asked for with sessionConfigCompletions
	SessionMutable   bool     `json:"sessionMutable"` // may change in a session that is there
	MinItems         *float64 `json:"minItems"`       // array, from 1.0
	MaxItems         *float64 `json:"maxItems"`
}

// Properties are what can be configured, in the host's order.
func (c *Config) Properties() []*ConfigProperty {
	if c == nil {
		return nil
	}
	return ConfigProperties(c.Schema)
}

// ConfigProperties reads a schema: what can be configured, in the host's order.
// What cannot be read is passed over.
func ConfigProperties(schema Raw) []*ConfigProperty {
	left := maxConfigProperties
	return configProperties(schema, maxConfigDepth, &left)
}

func configProperties(schema Raw, depth int, left *int) []*ConfigProperty {
	var object struct {
		Properties Raw      `json:"properties"`
		Required   []string `json:"required"`
	}
	if depth == 0 || schema == nil || Unmarshal(schema, &object) != nil {
		return nil
	}
	var list []*ConfigProperty
	eachMember(object.Properties, func(name string, value Raw) bool {
		if *left--; *left < 0 {
			return false
		}
		if p := configProperty(name, value, depth, left); p != nil {
			p.Required = slices.Contains(object.Required, name)
			list = append(list, p)
		}
		return true
	})
	return list
}

func configProperty(name string, schema Raw, depth int, left *int) *ConfigProperty {
	p := &ConfigProperty{Name: name}
	if Unmarshal(schema, &p.configMembers) != nil {
		return nil
	}
	var inner struct {
		Items Raw `json:"items"`
	}
	if p.Type == ConfigArray && Unmarshal(schema, &inner) == nil && inner.Items != nil && depth > 1 {
		p.Items = configProperty("", inner.Items, depth-1, left)
	}
	if p.Type == ConfigObject {
		p.Properties = configProperties(schema, depth-1, left)
	}
	return p
}

// eachMember goes through an object in its order until f has enough.
func eachMember(object Raw, f func(name string, value Raw) bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(object), lastWins)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil || !f(key, value.Clone()) {
			return
		}
	}
}

// Label is the label of a value of Enum, or the value as it is written.
func (p *ConfigProperty) Label(i int) string {
	if i < len(p.EnumLabels) && p.EnumLabels[i] != "" {
		return p.EnumLabels[i]
	}
	if s, ok := readAs[string](p.Enum[i]); ok {
		return s
	}
	return string(p.Enum[i])
}

// Check says in words for a person what is wrong with a value; nil if nothing is,
// as far as can be told here.
func (p *ConfigProperty) Check(value Raw) error {
	what := p.Title
	if what == "" {
		what = p.Name
	}
	switch {
	case value == nil || value.Kind() == 'n' && !p.allows(value):
		if p.Required {
			return fmt.Errorf("%s: a value is needed", what)
		}
		return nil
	case len(p.Enum) > 0 && !p.EnumDynamic && !p.allows(value):
		return fmt.Errorf("%s: %.60s is none of the values there are", what, value)
	case len(p.Enum) == 0 && p.Type != "" && !hasType(value, p.Type):
		return fmt.Errorf("%s: %.60s is not of the type %s", what, value, p.Type)
	case p.Type == ConfigArray:
		return p.checkItems(what, value)
	}
	return nil
}

func (p *ConfigProperty) checkItems(what string, value Raw) error {
	var items []Raw
	if Unmarshal(value, &items) != nil {
		return fmt.Errorf("%s: %.60s is no list", what, value)
	}
	switch n := float64(len(items)); {
	case p.MinItems != nil && n < *p.MinItems:
		return fmt.Errorf("%s: at least %v entries are needed, there are %v", what, *p.MinItems, n)
	case p.MaxItems != nil && n > *p.MaxItems:
		return fmt.Errorf("%s: at most %v entries are allowed, there are %v", what, *p.MaxItems, n)
	}
	if p.Items == nil {
		return nil
	}
	for i, item := range items {
		if err := p.Items.Check(item); err != nil {
			return fmt.Errorf("%s, entry %d%w", what, i+1, err)
		}
	}
	return nil
}

func (p *ConfigProperty) allows(value Raw) bool {
	return slices.ContainsFunc(p.Enum, func(e Raw) bool { return alike(e, value) })
}

// hasType reports whether a value is of a type of a schema; unknown types are not
// judged.
func hasType(value Raw, typ string) bool {
	switch typ {
	case ConfigString:
		return value.Kind() == '"'
	case ConfigNumber:
		return value.Kind() == '0'
	case ConfigBoolean:
		return value.Kind() == 't' || value.Kind() == 'f'
	case ConfigArray:
		return value.Kind() == '['
	case ConfigObject:
		return value.Kind() == '{'
	}
	return true
}
