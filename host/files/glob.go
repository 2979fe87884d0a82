package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// The limits of patterns.
const (
	maxPatterns     = 100
	maxPatternBytes = 512
)

// Patterns match paths below a directory.
type Patterns []*regexp.Regexp

// CompilePatterns reads globs: * and ? stand for anything within a name, ** for
// any number of directories, {a,b} for a or b, and [abc] for a letter. They are
// relative to the directory that is looked at.
func CompilePatterns(globs []string) (Patterns, error) {
	if len(globs) > maxPatterns {
		return nil, fmt.Errorf("there are more than %d patterns", maxPatterns)
	}
	var list Patterns
	for _, glob := range globs {
		if len(glob) > maxPatternBytes {
			return nil, fmt.Errorf("a pattern is longer than %d bytes", maxPatternBytes)
		}
		re, err := regexp.Compile(globExpression(glob))
		if err != nil {
			return nil, errors.New("a pattern is not understood")
		}
		list = append(list, re)
	}
	return list, nil
}

// Match reports whether one of the patterns matches a path, which is relative.
func (l Patterns) Match(rel string) bool {
	rel = filepath.ToSlash(rel)
	for _, re := range l {
		if re.MatchString(rel) {
			return true
		}
	}
	return false
}

// globExpression is a glob as a regular expression. What cannot be read as a glob
// becomes one that does not compile.
func globExpression(glob string) string {
	var b strings.Builder
	b.WriteString("^(?s:")
	depth := 0
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "/**") && i+3 == len(glob): // the directory, too
			b.WriteString("(?:/.*)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			b.WriteString("(?:")
			depth++
		case c == '}' && depth > 0:
			b.WriteByte(')')
			depth--
		case c == ',' && depth > 0:
			b.WriteByte('|')
		case c == '[':
			end := strings.IndexByte(glob[i:], ']')
			if end < 0 {
				return "("
			}
			class := strings.Replace(glob[i+1:i+end], "!", "^", 1)
			b.WriteString("[" + strings.ReplaceAll(class, `\`, `\\`) + "]")
			i += end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	if depth > 0 {
		return "("
	}
	b.WriteString(")$")
	return b.String()
}
