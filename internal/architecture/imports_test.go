// Package architecture tests how the code is laid out: what packages import, and that
// the documents name what exists.
package architecture

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// arrows lists the packages of this module that each package may import. They go
// down only, as drawn in CONTRIBUTING.md. A * stands for any package of a folder that
// has no row of its own.
var arrows = map[string][]string{
	"": {"internal/buildinfo", "internal/cli", "ui/shell"},

	"internal/cli": {
		"internal/buildinfo",
		"internal/cli/answer", "internal/cli/env", "internal/cli/export", "internal/cli/fault",
		"internal/cli/help", "internal/cli/hermes", "internal/cli/output", "internal/cli/plain",
		"internal/cli/print", "internal/cli/program", "internal/cli/state",
		"model", "model/compare", "model/document", "model/query", "model/redact", "store", "store/federation",
		"store/live", "theme", "ui", "ui/kit", "ui/running", "ui/shell",
	},
	"internal/cli/program": {
		"internal/cli/env", "internal/cli/fault", "internal/cli/hermes", "internal/cli/output",
	},
	"internal/cli/plain": {
		"internal/cli/fault", "internal/cli/output", "internal/cli/print", "model", "model/query", "store",
		"ui/dialog", "ui/kit", "ui/shell",
	},
	"internal/cli/print": {
		"internal/cli/answer", "internal/cli/export", "internal/cli/fault", "internal/cli/output", "model",
		"model/compare", "model/files", "model/match", "model/prose", "model/pyjson", "model/query",
		"model/redact", "model/usage", "store", "theme", "ui/kit",
	},
	"internal/cli/hermes": {
		"internal/cli/env", "internal/cli/fault", "internal/cli/output", "internal/cli/state", "model",
	},
	"internal/cli/state": {
		"internal/cli/env", "internal/cli/fault", "model", "model/pyjson", "model/query", "model/redact", "store",
		"theme", "ui/shell",
	},
	"internal/cli/help": {
		"internal/cli/fault", "internal/cli/output", "model/query", "model/usage", "store",
	},
	"internal/cli/fault": {"internal/cli/answer", "model", "model/analysis", "store", "ui/kit"},
	"internal/cli/export": {
		"internal/cli/output", "model", "model/document", "model/query", "model/redact", "store", "ui/kit",
	},
	"internal/cli/output": {"internal/cli/env", "theme/cells", "theme", "ui/kit"},
	"internal/cli/env":    {},
	"internal/cli/answer": {"model", "model/files", "model/pyjson", "model/usage"},

	"ui":          {"theme/cells", "ui/*", "model", "model/query", "model/document", "theme"},
	"ui/*":        {"theme/cells", "ui/shell", "ui/kit", "model", "model/*", "theme"}, // a screen
	"ui/querybar": {"ui/shell", "ui/kit", "model/query"},
	"ui/preview":  {"theme/cells", "ui/shell", "ui/kit", "model", "model/query", "model/match", "theme"},
	"ui/list":     {"theme/cells", "ui/querybar", "ui/preview", "ui/running", "ui/shell", "ui/kit", "model", "model/prose", "model/query", "model/match", "model/document", "theme"},
	"ui/running":  {"model", "model/query"},
	"ui/shell":    {"theme/cells", "ui/kit", "model", "model/files", "model/usage", "model/query", "model/match", "theme"},
	"ui/kit":      {"theme/cells", "model", "model/prose", "model/query", "model/match", "model/pyjson", "model/document", "theme"},
	"ui/uitest":   {"theme", "ui/shell", "ui/kit", "model", "model/files", "model/usage", "model/query", "model/match", "internal/sourcetree"},
	"theme":       {"theme/cells"},
	"theme/cells": {},

	"store": {
		"store/sessiondb", "store/search", "store/demo", "store/ddl", "store/internal/upkeep", "store/internal/trash", "store/internal/transfer",
		"store/internal/edits", "store/internal/transcript", "store/internal/transcriptfiles", "store/internal/snapshot", "store/internal/salvage", "store/internal/db", "model", "model/files", "model/usage", "model/query", "model/pyjson",
	},
	"store/internal/transcriptfiles": {"store/sessiondb", "store/internal/transfer", "store/internal/db", "model", "model/query", "model/match", "model/pyjson"},

	"store/live":                  {"store", "model", "model/files", "model/usage", "model/query"},
	"store/federation":            {"store", "store/live", "model", "model/files", "model/usage", "model/query"},
	"store/sessiondb":             {"store/internal/edits", "store/internal/snapshot", "store/internal/db", "model", "model/usage", "model/query", "model/pyjson"},
	"store/search":                {"store/search/snippet", "model/analysis", "store/search/scriptborders", "store/search/unindexed", "store/search/closest", "store/search/fts", "store/search/ftsquery", "store/search/textfacts", "store/search/filecalls", "store/search/failures", "store/internal/sessionroles", "store/internal/snapshot", "store/internal/db", "model", "model/files", "model/query", "model/match", "model/prose", "model/pyjson", "store/internal/idset"},
	"store/search/ftsquery":       {"store/search/fts", "model/match", "model/pyjson"},
	"store/search/unindexed":      {"store/search/fts", "model/match", "store/internal/idset"},
	"store/search/scriptborders":  {"store/search/fts", "model/match", "store/internal/idset"},
	"store/search/filecalls":      {"store/search/fts", "store/internal/db", "model", "model/files", "store/internal/idset"},
	"store/search/failures":       {"store/search/fts", "store/search/ftsquery", "store/internal/db", "model", "store/internal/idset"},
	"store/search/textfacts":      {"store/search/fts", "store/internal/snapshot", "store/internal/db", "store/internal/idset"},
	"store/search/snippet":        {"store/internal/db", "model", "model/query", "model/match", "model/prose"},
	"store/search/closest":        {"model", "model/query", "model/match", "model/analysis", "store/internal/idset"},
	"store/search/fts":            {"store/internal/btree", "store/internal/idset"},
	"store/internal/idset":        {},
	"store/internal/upkeep":       {"store/search/fts", "store/ddl", "store/internal/snapshot", "store/internal/salvage", "store/internal/db", "model", "model/pyjson"},
	"store/internal/trash":        {"store/internal/transfer", "store/internal/snapshot", "store/internal/db", "model", "model/query", "model/pyjson"},
	"store/internal/transfer":     {"store/internal/snapshot", "store/internal/salvage", "store/internal/db", "model", "model/pyjson"},
	"store/internal/edits":        {"store/internal/snapshot", "store/internal/db", "model"},
	"store/internal/transcript":   {"store/internal/snapshot", "store/internal/db", "model", "model/files", "model/pyjson"},
	"store/internal/btree":        {},
	"store/internal/sessiontable": {"model"},
	"store/internal/salvage":      {"store/ddl", "store/internal/btree", "store/internal/db", "model"},
	"store/internal/sessionroles": {"store/internal/db", "model", "model/query"},
	"store/internal/snapshot":     {"store/internal/sessionroles", "store/internal/sessiontable", "store/internal/salvage", "store/internal/btree", "store/internal/db", "model", "model/usage", "model/query", "model/match", "model/analysis", "model/pyjson", "store/internal/idset"},
	"store/internal/db":           {"store/internal/btree", "store/ddl", "model", "model/query", "model/pyjson"},
	"store/internal/faultvfs":     {},
	"store/demo":                  {"store/ddl", "model", "model/pyjson"},
	"store/ddl":                   {},

	"model":          {"model/match", "model/pyjson"},
	"model/query":    {"model", "model/match"},
	"model/files":    {"model", "model/match", "model/pyjson"},
	"model/prose":    {"model", "model/pyjson"},
	"model/compare":  {"model", "model/files"},
	"model/match":    {},
	"model/analysis": {"model/match"},
	"model/pyjson":   {},
	"model/document": {"model", "model/prose", "model/redact"},
	"model/redact":   {"model", "model/pyjson"},
	"model/usage":    {"model"},

	"internal/manpages":        {"internal/buildinfo", "internal/cli", "internal/cli/print"},
	"internal/testing/corpus":  {"store", "store/ddl", "model", "internal/fixtures"},
	"internal/testing/picture": {},
	"internal/buildinfo":       {},
	"internal/docs":            {},
	"internal/e2e":             {},
	"internal/fixtures":        {},
	"internal/campaign":        {},
	"internal/cputime":         {},
	"internal/sourcetree":      {},
	"internal/architecture":    {},
}

// owners lists the folders that may import an external package or those below it.
var owners = map[string][]string{
	"charm.land/bubbletea/v2": {"ui", "internal/cli"}, // cli runs the program
	"charm.land/bubbles/v2":   {"ui", "theme"},
	"charm.land/lipgloss/v2":  {"ui", "theme"},
	"charm.land/glamour/v2":   {"ui", "theme"},
	"database/sql":            {"store", "internal/testing", "internal/fixtures"},
	"modernc.org/sqlite":      {"store", "internal/testing", "internal/fixtures"},
	"github.com/spf13/cobra":  {"internal/cli", "internal/manpages"}, // which are made of the commands
	"os/exec":                 {"internal/cli", "internal/fixtures"},

	"github.com/blevesearch/snowballstem": {"model"},
	"github.com/BurntSushi/toml":          {"internal/cli"},
	"net/http":                            {},
}

// placeOf returns the path of a package in the module and the top folder that it is in;
// below internal, the folder has two parts, such as internal/cli.
func placeOf(module, importPath string) (place, path string) {
	path = strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	place, rest, _ := strings.Cut(path, "/")
	if place == "internal" {
		inner, _, _ := strings.Cut(rest, "/")
		place += "/" + inner
	}
	return place, path
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// anyIn stands for any package beside one.
func anyIn(folder string) string { return path.Dir(folder) + "/*" }

// Packages import only what arrows allows.
func TestPackagesImportOnlyWhatArrowsAllows(t *testing.T) {
	module := sourcetree.Module(t)
	out := list(t, "-json=ImportPath,Standard,Imports", "./...")
	var ours []goPackage
	standard := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		standard[p.ImportPath] = p.Standard
		if within(p.ImportPath, module) {
			ours = append(ours, p)
		}
	}
	if len(ours) < len(arrows) {
		t.Fatalf("go list found only %d of our packages", len(ours))
	}
	for _, p := range ours {
		folder, name := placeOf(module, p.ImportPath)
		allowed, known := arrows[name]
		if !known {
			allowed, known = arrows[anyIn(name)]
		}
		if !known {
			t.Errorf("%s is a package without a row in arrows (imports_test.go): add one, with what it may import", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if within(i, module) {
				if _, target := placeOf(module, i); !slices.Contains(allowed, target) && !slices.Contains(allowed, anyIn(target)) {
					t.Errorf("%s imports %s, which its row in arrows (imports_test.go) does not have", p.ImportPath, i)
				}
				continue
			}
			if folder == "model" && !standard[i] && !within(i, "github.com/blevesearch/snowballstem") {
				t.Errorf("%s imports %s: the model knows the standard library only, and a stemmer, which is as pure", p.ImportPath, i)
			}
			for what, folders := range owners {
				if within(i, what) && !slices.Contains(folders, folder) {
					t.Errorf("%s imports %s, which belongs to %q", p.ImportPath, i, folders)
				}
			}
		}
		if folder == "model" {
			for _, i := range p.Imports {
				if slices.Contains([]string{"os", "io/fs", "net", "syscall", "os/user", "path/filepath"}, i) {
					t.Errorf("%s imports %s: the model does no I/O", p.ImportPath, i)
				}
			}
		}
	}
}

// Packages for tests and benchmarks are not part of the program.
func TestTheProgramHasNoTestPackages(t *testing.T) {
	module, deps := sourcetree.Module(t), strings.Fields(list(t, "."))
	if !slices.Contains(deps, module+"/store") {
		t.Fatal("go list does not name the store")
	}
	for _, d := range deps {
		if d == "testing" || within(d, module+"/internal/testing") || within(d, module+"/internal/fixtures") {
			t.Errorf("the program holds %s", d)
		}
	}
}

// list returns what go list says of packages of the module and of all that they need.
func list(t *testing.T, args ...string) string {
	t.Helper()
	sourcetree.Dependent(t)
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, args...)...)
	cmd.Dir = sourcetree.Root(t)
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Logf("%s", exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	return string(out)
}

// within reports whether a package is root or lies below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }
