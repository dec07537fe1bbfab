package docs

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// promised are the packages whose exported names docs/library.md promises to keep.
var promised = []string{"store", "store/sessiondb", "model", "model/query"}

// released matches the heading of a release in the changelog, from which on the promise
// holds.
var released = regexp.MustCompile(`(?m)^## \[\d+\.\d+\.\d+`)

// The exported names of the library are those of the record. Adding some is fine; from
// the first release on, one that goes or changes has to be in the changelog.
func TestTheAPIIsThatOfTheRecord(t *testing.T) {
	root := sourcetree.Root(t)
	now := exported(t, root)
	path := filepath.Join(root, "internal/docs/testdata/api.txt")
	recorded, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	old := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(recorded), "\r\n", "\n")), "\n")
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, unreleased, _ := strings.Cut(string(changes), "## [Unreleased]")
	unreleased, _, _ = strings.Cut(unreleased, "\n## [")
	broken := false
	for _, line := range old {
		name, _, _ := strings.Cut(line, " ")
		if line == "" || slices.Contains(now, line) || *update && (!released.Match(changes) || strings.Contains(unreleased, name)) {
			continue
		}
		broken = true
		t.Errorf("gone or changed: %s\n\tRestore it. If that cannot be, name %s under Unreleased, Changed or Removed, in CHANGELOG.md, and run go test ./internal/docs -update", line, name)
	}
	if *update && !broken {
		if err := os.WriteFile(path, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, line := range now {
		if !slices.Contains(old, line) {
			t.Errorf("new: %s\n\tRecord it by go test ./internal/docs -update", line)
		}
	}
}

// exported describes every exported name of the promised packages in a line, with the
// name first.
func exported(t *testing.T, root string) (all []string) {
	t.Helper()
	module, files := exportData(t, root)
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	qualified := func(p *types.Package) string { return strings.TrimPrefix(p.Path(), module+"/") }
	for _, name := range promised {
		p, err := from.Import(module + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range p.Scope().Names() {
			o := p.Scope().Lookup(id)
			if !o.Exported() {
				continue
			}
			full := name + "." + id
			switch o := o.(type) {
			case *types.Const:
				all = append(all, fmt.Sprintf("%s const %s", full, types.TypeString(o.Type(), qualified)))
			case *types.TypeName:
				all = append(all, typeLines(full, o, qualified)...)
			default:
				all = append(all, fmt.Sprintf("%s %s", full, types.TypeString(unnamed(o.Type()), qualified)))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// exportData compiles the promised packages and returns the name of the module, and for
// each package that they need the file with its types.
func exportData(t *testing.T, root string) (module string, files map[string]string) {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{with .Module}}{{if .Main}}{{.Path}}{{end}}{{end}}"}
	for _, name := range promised {
		args = append(args, "./"+name)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	files = map[string]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		files[fields[0]] = fields[1]
		if fields[2] != "" {
			module = fields[2]
		}
	}
	return module, files
}

// typeLines describes a type with its exported fields and methods, those of the type that
// it is another name for too.
func typeLines(full string, o *types.TypeName, qualified types.Qualifier) (lines []string) {
	at := types.Unalias(o.Type())
	kind := "type"
	switch u := at.Underlying().(type) {
	case *types.Struct:
		kind = "struct"
		for f := range u.Fields() {
			if f.Exported() {
				lines = append(lines, fmt.Sprintf("%s.%s field %s", full, f.Name(), types.TypeString(unnamed(f.Type()), qualified)))
			}
		}
	case *types.Interface:
		kind = "interface"
	default:
		kind += " " + types.TypeString(unnamed(u), qualified)
	}
	lines = append(lines, full+" "+kind)
	methods := types.NewMethodSet(at)
	if !types.IsInterface(at) {
		methods = types.NewMethodSet(types.NewPointer(at))
	}
	for m := range methods.Methods() {
		if m.Obj().Exported() {
			lines = append(lines, fmt.Sprintf("%s.%s method %s", full, m.Obj().Name(), types.TypeString(unnamed(m.Type()), qualified)))
		}
	}
	return lines
}

// unnamed returns the type of a function without the names of its parameters, which may
// change; other types as they are.
func unnamed(t types.Type) types.Type {
	f, ok := t.(*types.Signature)
	if !ok {
		return t
	}
	without := func(all *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range all.Variables() {
			vars = append(vars, types.NewVar(token.NoPos, nil, "", unnamed(v.Type())))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, without(f.Params()), without(f.Results()), f.Variadic())
}
