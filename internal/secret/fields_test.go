package secret

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plainFields are the fields that hold a secret as plain text and may: what is sent and received is text at last.
var plainFields = []string{
	"cli.ready.Token",                            // what serve prints for who is to connect
	"host.authenticateParams.Token",              // received
	"internal/oauthserver.Client.Secret",         // the demo's and the tests' server keeps its own
	"internal/testkit.AgentHost.Token",           // a test's
	"protocol.AuthenticateParams.Token",          // sent
	"protocol.CreateSessionParams.ProgressToken", // none: it names a request
	"protocol.McpOAuthClient.ClientSecret",       // received
	"protocol.ProgressParams.ProgressToken",      // none: it names a request
}

// T24: no struct keeps a secret as plain text, but where it is sent or received.
func TestT24FieldsOfSecretsAreValues(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`(?i)(token|secret|password|verifier|credential)s?$`)
	var found []string
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range structure.Fields.List {
				for _, id := range field.Names {
					if name.MatchString(id.Name) && isText(field.Type) {
						found = append(found, dir+"."+spec.Name.Name+"."+id.Name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range found {
		if !slices.Contains(plainFields, field) {
			t.Errorf("%s is plain text: a secret is a secret.Value", field)
		}
	}
	for _, field := range plainFields {
		if !slices.Contains(found, field) {
			t.Errorf("%s is plain text no more: take it off the list", field)
		}
	}
}

// isText reports a type that prints what it holds: a string, bytes, or several, or a pointer to one.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "string" || e.Name == "byte"
	case *ast.StarExpr:
		return isText(e.X)
	case *ast.ArrayType:
		return isText(e.Elt)
	case *ast.MapType:
		return isText(e.Value)
	}
	return false
}
