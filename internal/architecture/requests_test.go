package architecture

import (
	"go/ast"
	"slices"
	"testing"
)

// A request without a case in the root would be dropped without a word.
func TestTheRootHasACaseForEveryRequest(t *testing.T) {
	var requests, cases []string
	files := repository(t)
	for _, d := range files["ui/shell/requests.go"].parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "request" {
			requests = append(requests, f.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	ast.Inspect(files["ui/do.go"].parsed, func(n ast.Node) bool {
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
