package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// CodeBlock is a code block of a document, as it was written.
type CodeBlock struct {
	Language string // as the author named it, "" if not
	Code     string
}

// CodeBlocks are the code blocks of source in their order, as many as most.
func (r *Renderer) CodeBlocks(source string, most int) []CodeBlock {
	raw := []byte(source)
	var found []CodeBlock
	walk := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
			return ast.WalkContinue, nil
		case len(found) == most:
			return ast.WalkStop, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			found = append(found, CodeBlock{string(n.Language(raw)), string(n.Lines().Value(raw))})
		case *ast.CodeBlock:
			found = append(found, CodeBlock{"", string(n.Lines().Value(raw))})
		}
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(r.parser.Parse(text.NewReader(raw)), walk) // walk returns no error
	return found
}
