package protocol

import (
	"fmt"
	"slices"
	"strings"
)

// maxTemplateBytes bounds a URI template and what comes of it.
const maxTemplateBytes = 16 << 10

// TemplateVariables are the names of the variables of a URI template, in order.
func TemplateVariables(template string) ([]string, error) {
	var names []string
	err := walkTemplate(template, func(string) {}, func(e expression) {
		for _, name := range e.names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	})
	return names, err
}

// ExpandTemplate puts values into a URI template (RFC 6570). Of its expressions
// the plain one and the query ones are known here: {name}, {?name,other} and
// {&name}, which is what hosts use; others are an error, since a guess would name
// another resource. A variable without a value is left out.
func ExpandTemplate(template string, values map[string]string) (URI, error) {
	var out strings.Builder
	err := walkTemplate(template, func(literal string) { out.WriteString(literal) }, func(e expression) {
		lead := e.lead
		for _, name := range e.names {
			value, ok := values[name]
			if !ok {
				continue
			}
			out.WriteString(lead)
			if e.named {
				out.WriteString(name)
				out.WriteByte('=')
			}
			writeEscaped(&out, value)
			lead = e.between
		}
	})
	switch {
	case err != nil:
		return "", err
	case out.Len() > maxTemplateBytes:
		return "", fmt.Errorf("the URI template %.100q makes too long a URI", template)
	}
	return URI(out.String()), nil
}

// expression is what stands in braces: what it begins with once there is a value,
// what stands between two, and whether each goes with its name.
type expression struct {
	lead, between string
	named         bool
	names         []string
}

func walkTemplate(template string, literal func(string), expand func(expression)) error {
	bad := func(why string) error { return fmt.Errorf("URI template %.100q: %s", template, why) }
	if len(template) > maxTemplateBytes {
		return bad("too long")
	}
	rest := template
	for {
		text, after, found := strings.Cut(rest, "{")
		if strings.Contains(text, "}") {
			return bad("a brace is closed that was not opened")
		}
		literal(text)
		if !found {
			return nil
		}
		inside, tail, closed := strings.Cut(after, "}")
		e, ok := parseExpression(inside)
		if !closed || !ok {
			return bad("there is an expression that is not understood")
		}
		expand(e)
		rest = tail
	}
}

func parseExpression(s string) (expression, bool) {
	e := expression{between: ","}
	switch {
	case strings.HasPrefix(s, "?"):
		e = expression{lead: "?", between: "&", named: true}
		s = s[1:]
	case strings.HasPrefix(s, "&"):
		e = expression{lead: "&", between: "&", named: true}
		s = s[1:]
	}
	e.names = strings.Split(s, ",")
	for _, name := range e.names {
		if !isVariable(name) {
			return e, false
		}
	}
	return e, true
}

func isVariable(name string) bool {
	for _, c := range []byte(name) {
		if c != '_' && c != '.' && !isAlphanumeric(c) {
			return false
		}
	}
	return name != ""
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// writeEscaped writes a value with everything escaped that is not unreserved.
func writeEscaped(out *strings.Builder, s string) {
	for _, c := range []byte(s) {
		if isAlphanumeric(c) || strings.IndexByte("-._~", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(out, "%%%02X", c)
		}
	}
}

// The variables of a changeset's template.
const (
	VarTurn         = "turnId"
	VarOriginalTurn = "originalTurnId"
	VarModifiedTurn = "modifiedTurnId"
	VarLevel        = "level" // of the channel of logs
)

// Needs says what a changeset's channel is about: nothing more than the catalogue
// entry itself, a turn, or two turns. Entries with other variables are not ok, and
// are to be passed over.
func (c *Changeset) Needs() (variables []string, ok bool) {
	names, err := TemplateVariables(c.URITemplate)
	if err != nil {
		return nil, false
	}
	switch len(names) {
	case 0:
		return nil, true
	case 1:
		return names, names[0] == VarTurn
	case 2:
		return names, slices.Contains(names, VarOriginalTurn) && slices.Contains(names, VarModifiedTurn)
	}
	return nil, false
}

// MayReview reports whether files of the changeset can be marked as reviewed.
func (c *Changeset) MayReview() bool { return c.Capabilities != nil && c.Capabilities.Review != nil }
