// Command wording prints every string literal that a person may read, by file and
// line, for reading the program's language as a whole:
//
//	go run -C internal/tools ./wording            # all of it
//	go run -C internal/tools ./wording ui/dialog  # one folder
//
// Tests, SQL, import paths, struct tags and single words without a capital are left
// out.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	if err := os.Chdir("../.."); err != nil { // go run -C has begun in this module
		fmt.Fprintln(os.Stderr, "wording:", err)
		os.Exit(1)
	}
	folders := os.Args[1:]
	if len(folders) == 0 {
		folders = []string{"main.go", "keymap.go", "ui", "internal/cli", "store", "model", "theme"}
	}
	for _, folder := range folders {
		if err := printFolder(os.Stdout, folder); err != nil {
			fmt.Fprintln(os.Stderr, "wording:", err)
			os.Exit(1)
		}
	}
}

// printFolder prints the literals of all Go files below folder.
func printFolder(out io.Writer, folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if os.IsNotExist(err) {
				return nil
			}
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "uitest"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return printFile(out, path)
	})
}

func printFile(out io.Writer, path string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	line := 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // its tag is not text
			n.Tag = nil
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil || !forPeople(text) {
				return true
			}
			if line == 0 {
				fmt.Fprintf(out, "\n%s\n", path)
			}
			if at := files.Position(n.Pos()).Line; at != line {
				line = at
				fmt.Fprintf(out, "%5d  ", at)
			} else {
				fmt.Fprint(out, "       ")
			}
			fmt.Fprintln(out, strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n       "))
		}
		return true
	})
	return nil
}

var (
	sql        = regexp.MustCompile(`^\s*\(?(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|DROP|ALTER|PRAGMA|WITH|FROM|WHERE|AND|OR|BEGIN|ORDER|ATTACH|VALUES|COALESCE|CASE|EXISTS|NOT EXISTS|JOIN|LEFT|GROUP|LIMIT)\b`)
	identifier = regexp.MustCompile(`^[a-z0-9_.:/+*%=<>\-\[\]{}()$~@#!?,;&|^\\"']*$`)
	letters    = regexp.MustCompile(`\pL{2}`)
)

// forPeople tells text from keys, names of columns, formats and SQL.
func forPeople(text string) bool {
	return letters.MatchString(text) && !sql.MatchString(text) && !identifier.MatchString(text)
}
