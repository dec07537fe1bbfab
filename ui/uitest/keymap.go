package uitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
		rows[i].Keys, rows[i].Aliases = slices.Clone(rows[i].Keys), slices.Clone(rows[i].Aliases)
	}
	return rows
}

// keymap caches the rows of keymap.go.
var keymap struct {
	sync.Mutex
	rows []shell.Binding
}

// readBindings parses keymap.go, which cannot be imported: the calls of bindings, each with a
// context and tables of rows, or functions that return one.
func readBindings(t testing.TB) (all []shell.Binding) {
	t.Helper()
	root := sourcetree.Root(t)
	names := constants(t, filepath.Join(root, "ui/shell/actions.go"), filepath.Join(root, "ui/shell/keys.go"))
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "keymap.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]ast.Expr{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && len(f.Body.List) == 1 {
			if out, ok := f.Body.List[0].(*ast.ReturnStmt); ok {
				if table, ok := out.Results[0].(*ast.CompositeLit); ok {
					tables[f.Name.Name] = table.Elts
				}
			}
		}
	}
	places := map[string]shell.Place{"footer": shell.InFooter, "onPage": shell.OnPage, "noFooter": shell.Searched}
	constant := func(e ast.Expr) string { return names[e.(*ast.SelectorExpr).Sel.Name] }
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "bindings" {
			return true
		}
		context := shell.Context(constant(call.Args[0]))
		var rows []ast.Expr
		for _, arg := range call.Args[1:] {
			if table, ok := arg.(*ast.CompositeLit); ok {
				rows = append(rows, table.Elts...)
			} else {
				rows = append(rows, tables[arg.(*ast.CallExpr).Fun.(*ast.Ident).Name]...)
			}
		}
		for _, e := range rows {
			row := e.(*ast.CompositeLit).Elts
			action := shell.Action(constant(row[0]))
			if slices.ContainsFunc(all, func(b shell.Binding) bool { return b.Context == context && b.Action == action }) {
				continue
			}
			keys, aliases, _ := strings.Cut(unquote(t, row[1]), "|")
			all = append(all, shell.Binding{
				Context: context, Action: action, Keys: strings.Fields(keys), Aliases: strings.Fields(aliases),
				Letter: unquote(t, row[2]), Hint: unquote(t, row[3]), Place: places[row[4].(*ast.Ident).Name], Help: unquote(t, row[5]),
			})
		}
		return false
	})
	return all
}

// constants returns the values of the string constants of Go files, and the names of actions.
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
				value := v.Values[0]
				if row, ok := value.(*ast.CallExpr); ok && len(row.Args) > 0 {
					value = row.Args[0]
				}
				if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
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
