package architecture

import (
	"go/ast"
	"path"
	"strings"
	"testing"
)

// mayPlug lists the packages that may put functions of their own into a struct of a package of
// the store or the model that they use: none. The arrow that such a field draws goes up, and no
// import shows it. What a package needs of the packages around it comes to New, or with a call.
//
// A function that the caller handed in, such as a clock, is passed on, and the Options of a call
// are made for it. In ui, a widget asks the screen that holds it for its lines.
var mayPlug = map[string]bool{}

// plugs returns the exported fields of structs of a file that are functions, apart from those of
// types named Options.
func plugs(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		of, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := of.Type.(*ast.StructType)
		if !ok || strings.HasSuffix(of.Name.Name, "Options") {
			return true
		}
		for _, f := range fields.Fields.List {
			if _, ok := f.Type.(*ast.FuncType); !ok {
				continue
			}
			for _, name := range f.Names {
				if name.IsExported() {
					names = append(names, name.Name)
				}
			}
		}
		return true
	})
	return names
}

// plugged returns the fields that a function sets to anything but one of its parameters, or those
// of the functions around it.
func plugged(file *ast.File) (names []string) {
	parameters := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			parameters = map[string]bool{}
			for _, f := range n.Type.Params.List {
				for _, name := range f.Names {
					parameters[name.Name] = true
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				field, ok := left.(*ast.SelectorExpr)
				if !ok || len(n.Rhs) != len(n.Lhs) {
					continue
				}
				if handed, ok := n.Rhs[i].(*ast.Ident); ok && (parameters[handed.Name] || handed.Name == "nil") {
					continue
				}
				names = append(names, field.Sel.Name)
			}
		}
		return true
	})
	return names
}

// Below the screens, no package gets functions from one that imports it by way of fields.
func TestNoPackagePlugsFunctionsIntoOneBelow(t *testing.T) {
	below := func(folder string) bool { return within(folder, "store") || within(folder, "model") }
	files := repository(t)
	owners := map[string][]string{} // field → folders whose structs have it
	for name, file := range files {
		if file.parsed == nil || strings.HasSuffix(name, "_test.go") || !below(path.Dir(name)) {
			continue
		}
		for _, field := range plugs(file.parsed) {
			owners[field] = append(owners[field], path.Dir(name))
		}
	}
	if len(owners["Clock"]) == 0 {
		t.Fatal("the clock of the database is no function: this test reads nothing")
	}
	for name, file := range files {
		if file.parsed == nil || strings.HasSuffix(name, "_test.go") || !below(path.Dir(name)) || mayPlug[path.Dir(name)] {
			continue
		}
		for _, field := range plugged(file.parsed) {
			for _, owner := range owners[field] {
				if owner != path.Dir(name) && importsFolder(file.parsed, owner) {
					t.Errorf("%s puts a function into the field %s of %s, a package that it imports: hand it to New, or with the call", name, field, owner)
				}
			}
		}
	}
}

// importsFolder reports whether a file imports a package of the module.
func importsFolder(file *ast.File, folder string) bool {
	for _, i := range file.Imports {
		if strings.HasSuffix(strings.Trim(i.Path.Value, `"`), "/"+folder) {
			return true
		}
	}
	return false
}
