// Modulepath gives the module the path under which it is published:
//
//	go run -C internal/tools ./release/modulepath <host>/<owner>/hermes-sessions
//
// It writes the path into go.mod, into the go.mod of this module, into the imports of every Go file, into the
// settings of the linter and, in place of the words <host>/<owner>/hermes-sessions,
// into the documents and descriptions for packagers. Nothing else names the module.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// placeholder stands for the path of the module in documents.
const placeholder = "<host>/<owner>/hermes-sessions"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run -C internal/tools ./release/modulepath "+placeholder)
		os.Exit(2)
	}
	if err := rename(filepath.Join("..", ".."), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "modulepath:", err)
		os.Exit(1)
	}
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)
	validPath  = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+$`)
)

// rename changes the path of the module that lies in a folder.
func rename(root, path string) error {
	if !validPath.MatchString(path) {
		return fmt.Errorf("%q is no path of a module: it looks like %s", path, placeholder)
	}
	mod := filepath.Join(root, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	m := moduleLine.FindSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s names no module", mod)
	}
	r := renaming{from: string(m[1]), to: path}
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(e.Name(), ".") && name != root
		if e.IsDir() {
			if e.Name() == "testdata" || hidden && e.Name() != ".github" {
				return filepath.SkipDir
			}
			return nil
		}
		if name == mod {
			return nil // the last, so that a renaming that was interrupted can be repeated
		}
		return r.file(name)
	})
	if err != nil {
		return fmt.Errorf("rename %s to %s: %w", r.from, r.to, err)
	}
	text = moduleLine.ReplaceAll(text, []byte("module "+path))
	if err := os.WriteFile(mod, text, 0o644); err != nil {
		return fmt.Errorf("rename %s to %s: %w", r.from, r.to, err)
	}
	return nil
}

// renaming is a change of the path of a module.
type renaming struct{ from, to string }

// file changes one file, in which the path may stand.
func (r renaming) file(name string) error {
	var change func([]byte) ([]byte, error)
	base := filepath.Base(name)
	switch {
	case filepath.Ext(name) == ".go":
		change = r.imports
	case base == "go.mod":
		change = r.requirement
	case base == ".golangci.yml":
		change = func(text []byte) ([]byte, error) {
			return bytes.ReplaceAll(text, []byte("module-path: "+r.from), []byte("module-path: "+r.to)), nil
		}
	case filepath.Ext(name) == ".md", strings.HasSuffix(name, ".yml"), strings.HasSuffix(name, ".yaml"),
		strings.HasSuffix(name, ".nix"), strings.HasPrefix(base, "PKGBUILD"):
		change = func(text []byte) ([]byte, error) {
			text = bytes.ReplaceAll(text, []byte(placeholder), []byte(r.to))
			// Variables that the linker sets, and examples of Go programs in the documents.
			text = bytes.ReplaceAll(text, []byte(`-X `+r.from+"/"), []byte(`-X `+r.to+"/"))
			return bytes.ReplaceAll(text, []byte(`"`+r.from+"/"), []byte(`"`+r.to+"/")), nil
		}
	default:
		return nil
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := change(old)
	if err != nil || bytes.Equal(text, old) {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// requirement changes the go.mod of a module below, which names its own path and the one that it requires.
func (r renaming) requirement(text []byte) ([]byte, error) {
	named := regexp.MustCompile(`(?m)^((?:module|require|replace)?\s*)` + regexp.QuoteMeta(r.from) + `([/\s])`)
	return named.ReplaceAll(text, []byte("${1}"+r.to+"${2}")), nil
}

// imports changes the imports of a Go file.
func (r renaming) imports(text []byte) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []byte
	done := 0
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		rest, ours := strings.CutPrefix(path, r.from)
		if !ours || rest != "" && rest[0] != '/' {
			continue
		}
		from, to := files.Position(i.Path.Pos()).Offset, files.Position(i.Path.End()).Offset
		out = append(out, text[done:from]...)
		out = strconv.AppendQuote(out, r.to+rest)
		done = to
	}
	if done == 0 {
		return text, nil
	}
	// In a block with others, the new path may sort elsewhere.
	return format.Source(append(out, text[done:]...))
}
