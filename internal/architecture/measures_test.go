package architecture

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// What a reader can hold in the head: a package, a type and a function that
// outgrow it are to be cut at a noun.
const (
	maxPackageLines  = 5_000
	maxTypeMethods   = 60
	maxFunctionLines = 80
	maxBranches      = 30
)

// source is a Go file of the program, without those of tests.
type source struct {
	path  string // from the root of the module, with slashes
	lines int
	file  *ast.File
	at    *token.FileSet
}

// sources reads the Go files of the module. Tests count for nothing here.
func sources(t *testing.T) (all []source) {
	t.Helper()
	root := sourcetree.Root(t)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s := source{lines: bytes.Count(text, []byte("\n")), at: token.NewFileSet()}
		if s.file, err = parser.ParseFile(s.at, name, text, parser.SkipObjectResolution); err != nil {
			return err
		}
		if s.path, err = filepath.Rel(root, name); err != nil {
			return err
		}
		s.path = filepath.ToSlash(s.path)
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d Go files were found below %s", len(all), root)
	}
	return all
}

// The root says what the program is, and no more.
func TestTheRootHoldsTheProcessAndItsKeys(t *testing.T) {
	var names []string
	entries, err := os.ReadDir(sourcetree.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			names = append(names, e.Name())
		}
	}
	if want := []string{"keymap.go", "main.go"}; !slices.Equal(names, want) {
		t.Errorf("the root holds the Go files %v, want %v", names, want)
	}
}

func TestPackagesAndTypesStaySmall(t *testing.T) {
	lines, methods := map[string]int{}, map[string]int{}
	for _, s := range sources(t) {
		dir, _, _ := cutLast(s.path)
		lines[dir] += s.lines
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[dir+"."+receiver(f)]++
			}
		}
	}
	for dir, n := range lines {
		if n > maxPackageLines {
			t.Errorf("package %s has %d lines, more than %d: give a part of it that has a name a package of its own", dir, n, maxPackageLines)
		}
	}
	for name, n := range methods {
		if n > maxTypeMethods {
			t.Errorf("type %s has %d methods, more than %d: make those that need little of it functions, or give some a type of their own", name, n, maxTypeMethods)
		}
	}
}

// A function that is longer says in its doc comment why ("One function: …").
func TestFunctionsStayShort(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || strings.Contains(f.Doc.Text(), "One function:") {
				continue
			}
			n := s.at.Position(f.End()).Line - s.at.Position(f.Pos()).Line
			if n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, want at most %d or a reason", s.path, f.Name.Name, n, maxFunctionLines)
			}
			if n := branches(f.Body); n > maxBranches {
				t.Errorf("%s: %s has %d branches, want at most %d or a reason", s.path, f.Name.Name, n, maxBranches)
			}
		}
	}
}

// branches counts the ways that a function can go: conditions, cases, loops,
// and what && and || skip.
func branches(body *ast.BlockStmt) (n int) {
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CaseClause, *ast.CommClause:
			n++
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// receiver returns the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// cutLast cuts a path at its last slash; the root is ".".
func cutLast(path string) (dir, name string, found bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ".", path, false
	}
	return path[:i], path[i+1:], true
}
