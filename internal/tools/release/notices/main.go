// Notices prints the licenses of the modules that a program is linked with, which it
// reads from the module cache:
//
//	go list -deps -json=Module,Standard . | go run -C internal/tools ./release/notices "$(go env GOROOT)" >THIRD-PARTY-NOTICES
//
// Answers of go list for several systems may follow each other.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go list -deps -json=Module,Standard PACKAGE | notices GOROOT")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	err := write(out, os.Stdin, os.Args[1])
	if err = errors.Join(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// module is what go list says of the module of a package.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// modules reads the modules, by path, of packages as go list prints them.
func modules(in io.Reader) (map[string]module, error) {
	all := map[string]module{}
	for d := json.NewDecoder(in); ; {
		var p struct{ Module *module }
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the answer of go list: %w", err)
		}
		m := p.Module
		if m == nil || m.Main {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		all[m.Path] = *m
	}
}

// licenseFile matches the names of files that have a license, or part of one.
var licenseFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

// write prints the notices of the modules that go list has named on in.
func write(out io.Writer, in io.Reader, goroot string) error {
	all, err := modules(in)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("go list names no modules")
	}
	all["Go"] = module{Path: "The Go programming language and its standard library", Dir: goroot}
	fmt.Fprintf(out, "hermes-sessions contains the following software, under these licenses.\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := all[name]
		files, err := licensesOf(m)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s\n%s\n", strings.Repeat("=", 80), strings.TrimSpace(m.Path+" "+m.Version))
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(m.Dir, file))
			if err != nil {
				return fmt.Errorf("read the license of %s: %w", m.Path, err)
			}
			fmt.Fprintf(out, "\n--- %s\n\n%s\n", file, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		}
	}
	return nil
}

func licensesOf(m module) (files []string, err error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, fmt.Errorf("look for the license of %s: %w", m.Path, err)
	}
	for _, e := range entries {
		if !e.IsDir() && licenseFile.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
			files = append(files, e.Name())
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s %s has no license in %s", m.Path, m.Version, m.Dir)
	}
	return files, nil
}
