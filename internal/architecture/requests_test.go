package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// parse reads a Go file of the module by its path from the root.
func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(sourcetree.Root(t), path), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A request without a case in the root would be dropped without a word.
func TestTheRootHasACaseForEveryRequest(t *testing.T) {
	var requests, cases []string
	for _, d := range parse(t, "ui/shell/requests.go").Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "request" {
			requests = append(requests, f.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	ast.Inspect(parse(t, "ui/do.go"), func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok {
			for _, e := range c.List {
				if name, ok := e.(*ast.SelectorExpr); ok {
					cases = append(cases, name.Sel.Name)
				}
			}
		}
		return true
	})
	if len(requests) < 20 {
		t.Fatalf("ui/shell/requests.go has only %d requests", len(requests))
	}
	for _, name := range requests {
		if !slices.Contains(cases, name) {
			t.Errorf("ui/do.go has no case for the request %s", name)
		}
	}
}
