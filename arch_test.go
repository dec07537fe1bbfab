package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows is who may import whom of our own packages; one inside a place is named. cli names the words of
// model and the styles of theme because ui's options take them.
var arrows = map[string][]string{
	"":      {"cli", "ui"},
	"cli":   {"store", "ui", "model", "model/document", "theme"},
	"ui":    {"model", "theme"},
	"store": {"model"},
	"theme": {},
	"model": {},
}

// owners is who may import these packages of others, and those below them.
var owners = map[string][]string{
	"charm.land/bubbletea/v2":    {"ui", "cli"}, // cli runs the program
	"charm.land/bubbles/v2":      {"ui", "theme"},
	"charm.land/lipgloss/v2":     {"ui", "theme"},
	"charm.land/glamour/v2":      {"ui", "theme"},
	"database/sql":               {"store"},
	"modernc.org/sqlite":         {"store"},
	"github.com/spf13/cobra":     {"cli"},
	"os/exec":                    {"cli"},
	"github.com/BurntSushi/toml": {"cli"},
	"net/http":                   {},
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// The house stands as DESIGN.md and CONTRIBUTING.md draw it: an import that is
// not an arrow there fails here.
func TestImportsAreTheArrowsOfTheHouse(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var ours []goPackage
	standard := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		standard[p.ImportPath] = p.Standard
		if within(p.ImportPath, "hermes-sessions") {
			ours = append(ours, p)
		}
	}
	if len(ours) < len(arrows) {
		t.Fatalf("go list found only %d of our packages", len(ours))
	}
	for _, p := range ours {
		place := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "hermes-sessions"), "/")
		house, _, _ := strings.Cut(place, "/") // a package inside a place belongs to it
		allowed, known := arrows[house]
		if !known {
			t.Errorf("%s is no place of the house", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if within(i, "hermes-sessions") {
				target := strings.TrimPrefix(strings.TrimPrefix(i, "hermes-sessions"), "/")
				targetHouse, _, _ := strings.Cut(target, "/")
				if targetHouse != house && !slices.Contains(allowed, target) {
					t.Errorf("%s imports %s: there is no such arrow", p.ImportPath, i)
				}
				continue
			}
			if house == "model" && !standard[i] {
				t.Errorf("%s imports %s: the model knows the standard library only", p.ImportPath, i)
			}
			for what, who := range owners {
				if within(i, what) && !slices.Contains(who, house) {
					t.Errorf("%s imports %s, which belongs to %q", p.ImportPath, i, who)
				}
			}
		}
		if house == "model" {
			for _, i := range p.Imports {
				if slices.Contains([]string{"os", "io/fs", "net", "syscall", "os/user", "path/filepath"}, i) {
					t.Errorf("%s imports %s: the model does no I/O", p.ImportPath, i)
				}
			}
		}
	}
}

// What is made only for tests and benchmarks is not in the program.
func TestTheProgramHoldsNoTestTools(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "hermes-sessions/store") {
		t.Fatal("go list does not name the store")
	}
	for _, d := range deps {
		if d == "testing" || within(d, "hermes-sessions/store/corpus") || within(d, "hermes-sessions/store/packed") {
			t.Errorf("the program holds %s", d)
		}
	}
}

// within reports whether a package is root or lies below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }
