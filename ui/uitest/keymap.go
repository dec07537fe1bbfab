package uitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"hermes-sessions/internal/sourcetree"
	"hermes-sessions/ui/shell"
)

// Keys returns the key map of the program, so that tests press the keys that users
// press and there is no second table.
func Keys(t testing.TB) shell.Keys {
	t.Helper()
	keys, err := shell.NewKeys(Bindings(t), shell.Searches)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// Bindings returns the table of keymap.go. The caller may change the rows.
func Bindings(t testing.TB) []shell.Binding {
	t.Helper()
	keymap.Lock()
	defer keymap.Unlock()
	if keymap.rows == nil {
		keymap.rows = readBindings(t)
	}
	rows := slices.Clone(keymap.rows)
	for i := range rows {
		rows[i].Keys = slices.Clone(rows[i].Keys)
	}
	return rows
}

// keymap caches the rows of keymap.go.
var keymap struct {
	sync.Mutex
	rows []shell.Binding
}

// readBindings parses keymap.go, which cannot be imported. It understands the
// syntax used there: literals of strings, string slices and true, and constants of
// Action and Context.
func readBindings(t testing.TB) []shell.Binding {
	t.Helper()
	root := sourcetree.Root(t)
	names := constants(t, filepath.Join(root, "ui/shell/actions.go"), filepath.Join(root, "ui/shell/keys.go"))
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "keymap.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []shell.Binding
	isTable := func(e ast.Expr) bool {
		list, ok := e.(*ast.ArrayType)
		if !ok {
			return false
		}
		of, ok := list.Elt.(*ast.SelectorExpr)
		return ok && of.Sel.Name == "Binding"
	}
	table := false // the next literals are rows
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncDecl); ok {
			table = false
		}
		row, ok := n.(*ast.CompositeLit)
		if ok && isTable(row.Type) {
			table = true
		}
		if !ok || !table || row.Type != nil || len(row.Elts) == 0 {
			return true
		}
		var b shell.Binding
		for _, e := range row.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				t.Fatalf("keymap.go: a row without field names: %v", row)
			}
			switch name := kv.Key.(*ast.Ident).Name; name {
			case "Context":
				b.Context = shell.Context(names[kv.Value.(*ast.SelectorExpr).Sel.Name])
			case "Action":
				b.Action = shell.Action(names[kv.Value.(*ast.SelectorExpr).Sel.Name])
			case "Keys":
				for _, k := range kv.Value.(*ast.CompositeLit).Elts {
					b.Keys = append(b.Keys, unquote(t, k))
				}
			case "Letter":
				b.Letter = unquote(t, kv.Value)
			case "Label":
				b.Label = unquote(t, kv.Value)
			case "Hint":
				b.Hint = unquote(t, kv.Value)
			case "Help":
				b.Help = unquote(t, kv.Value)
			case "Footer":
				b.Footer = kv.Value.(*ast.Ident).Name == "true"
			default:
				t.Fatalf("keymap.go: unknown field %s", name)
			}
		}
		out = append(out, b)
		return true
	})
	return out
}

// constants returns the values of the string constants of Go files.
func constants(t testing.TB, files ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					out[v.Names[0].Name] = unquote(t, lit)
				}
			}
			return true
		})
	}
	return out
}

func unquote(t testing.TB, e ast.Expr) string {
	t.Helper()
	s, err := strconv.Unquote(e.(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
