package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// What a screen or a style may not do cannot be seen on the screen: look at
// the files, or at the clock, or make a style of its own.
func TestScreensAndStylesKeepToThemselves(t *testing.T) {
	t.Parallel()
	names := map[string]map[string]string{
		"../ui": {
			"time.Now": "the clock is handed in", "time.Sleep": "the loop never blocks",
			"context.Background": "the context is handed in", "context.TODO": "the context is handed in",
			"lipgloss.NewStyle": "styles are made in theme", "lipgloss.Color": "colors are named in theme",
			"tea.KeyMsg": "releases are key messages too", "tea.Sequence": "a test cannot follow it", "fmt.Print": "the screen is not a log",
			"fmt.Println": "the screen is not a log", "fmt.Printf": "the screen is not a log",
		},
		"../theme": {"time.Now": "a palette has no time", "lipgloss.HasDarkBackground": "the caller asks the terminal"},
	}
	imports := []string{"os", "os/exec", "io/fs", "io/ioutil", "path/filepath", "net", "net/http", "database/sql", "log", sourcetree.Module(t) + "/store", sourcetree.Module(t) + "/internal/cli"}
	for dir, forbidden := range names {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, file, src, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range tree.Imports {
				path, _ := strconv.Unquote(i.Path.Value)
				for _, bad := range imports {
					if path == bad {
						t.Errorf("%s imports %s", file, path)
					}
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if pkg, ok := n.X.(*ast.Ident); ok && pkg.Obj == nil {
						if why, bad := forbidden[pkg.Name+"."+n.Sel.Name]; bad {
							t.Errorf("%s: %s.%s: %s", fset.Position(n.Pos()), pkg.Name, n.Sel.Name, why)
						}
					}
				case *ast.FuncDecl:
					if n.Name.Name == "init" && n.Recv == nil {
						t.Errorf("%s: an init function", fset.Position(n.Pos()))
					}
				}
				return true
			})
		}
	}
}
