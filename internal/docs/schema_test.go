package docs

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/cli"
	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/sourcetree"
)

// documented is a JSON answer with its schema.
type documented struct {
	schema   string // name of the file
	commands string // that print it
	value    any    // of its type
}

var answers = []documented{
	{"list", "`list`, and the browser without a terminal", answer.Sessions{}},
	{"search", "`search`, and the browser with a query and without a terminal", answer.Search{}},
	{"search-messages", "`search --group message`", answer.Hits[answer.Hit]{}},
	{"show", "`show`, `show --format json`, each line of `export FILE.jsonl`", answer.Shown{}},
	{"lineage", "`lineage`", answer.Node{}},
	{"files", "`files`", answer.Files{}},
	{"notes", "`notes`", answer.Notes{}},
	{"notes-exported", "`notes export FILE`", answer.NotesExported{}},
	{"notes-imported", "`notes import`", answer.NotesImported{}},
	{"resume", "`resume`, with and without `--print`", answer.Resume{}},
	{"running", "`running`, each line of `running --watch`", answer.Running{}},
	{"stats", "`stats`", answer.Stats{}},
	{"compare", "`compare`", answer.Comparison{}},
	{"storage", "`storage`", answer.Storage{}},
	{"storage-several", "`storage` of several databases", answer.StorageOfSeveral{}},
	{"storage-compacted", "`storage --vacuum`, `storage --checkpoint`", answer.Compacted{}},
	{"stats-by", "`stats --by`", answer.UsageTable{}},
	{"doctor", "`doctor`", answer.Checkup{}},
	{"doctor-migrate", "`doctor --migrate`", answer.Migrated{}},
	{"doctor-salvage", "`doctor --salvage FILE`", answer.Salvaged{}},
	{"export", "`export FILE`", answer.Exported{}},
	{"import", "`import`", answer.Imported{}},
	{"rename", "`rename`", answer.Renamed{}},
	{"flag", "`pin`, `unpin`, `archive`, `unarchive`", answer.Flagged{}},
	{"delete", "`delete`", answer.Deleted{}},
	{"undo", "`undo`", answer.Undone{}},
	{"prune", "`prune`", answer.Pruned{}},
	{"prune-dry-run", "`prune --dry-run`", answer.Prunable{}},
	{"init-plugin", "`init plugin`", answer.Plugin{}},
	{"info", "`info`", answer.Info{}},
	{"config", "`config`, `config --check`", answer.Config{}},
	{"version", "`version`", answer.Build{}},
	{"error", "any command that fails, on standard error", answer.Failure{}},
	{"note", "any command with a note, on standard error", answer.Note{}},
}

// property is a key of an object.
type property struct {
	name, comment string
	schema        map[string]any
	optional      bool
}

// object is a type of the contract.
type object struct {
	name, comment string
	properties    []property
	open          bool // it may have more keys
}

// contract reads the types of package answer.
type contract struct {
	comments map[string]string // of "Type" and "Type.Field"
	types    map[string]reflect.Type
	objects  map[string]*object
}

func newContract(t *testing.T) *contract {
	t.Helper()
	c := &contract{comments: map[string]string{}, types: map[string]reflect.Type{}, objects: map[string]*object{}}
	files, err := filepath.Glob(filepath.Join(sourcetree.Root(t), "internal/cli/answer/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				c.addComments(d)
			}
		}
	}
	// Types that only a tag names.
	for _, v := range []any{answer.Session{}, answer.Match{}, answer.Hit{}, answer.UsageRow{}} {
		c.types[typeName(reflect.TypeOf(v))] = reflect.TypeOf(v)
	}
	return c
}

func (c *contract) addComments(d *ast.GenDecl) {
	for _, s := range d.Specs {
		s := s.(*ast.TypeSpec)
		c.comments[s.Name.Name] = oneLine(d.Doc.Text())
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			for _, n := range f.Names {
				c.comments[s.Name.Name+"."+n.Name] = oneLine(f.Comment.Text())
			}
		}
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// typeName returns the name of a type without the parameters.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// object returns a type of the contract, with all types that it needs.
func (c *contract) object(t reflect.Type) *object {
	name := typeName(t)
	if o := c.objects[name]; o != nil {
		return o
	}
	comment := c.comments[name]
	if rest, ok := strings.CutPrefix(comment, name+" "); ok {
		comment = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ") // of "Node is the answer of…"
	}
	o := &object{name: name, comment: strings.ToUpper(comment[:1]) + comment[1:]}
	c.objects[name] = o
	c.addFields(o, t)
	return o
}

func (c *contract) addFields(o *object, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if f.Type == reflect.TypeFor[answer.Open]() {
				o.open = true
			} else {
				c.addFields(o, f.Type)
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		schema, optional, _ := strings.Cut(f.Tag.Get("schema"), ",")
		o.properties = append(o.properties, property{
			name: name, comment: c.comments[typeName(t)+"."+f.Name],
			schema: c.schemaOf(f.Type, schema), optional: options == "omitempty" || optional == "optional",
		})
	}
}

// schemaOf returns the schema of a field, by its tag or by its type.
func (c *contract) schemaOf(t reflect.Type, tag string) map[string]any {
	if name, ok := strings.CutPrefix(tag, "[]"); ok {
		return map[string]any{"type": "array", "items": c.reference(c.types[name])}
	}
	switch {
	case tag == "any":
		return map[string]any{}
	case strings.Contains(tag, "|"):
		return map[string]any{"type": strings.Split(tag, "|")}
	case tag != "":
		panic("unknown tag " + tag)
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": c.schemaOf(t.Elem(), "")}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": c.schemaOf(t.Elem(), "")}
	case reflect.Struct:
		return c.reference(t)
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{c.reference(t.Elem()), map[string]any{"type": "null"}}}
	}
	panic(fmt.Sprint("no schema for ", t))
}

func (c *contract) reference(t reflect.Type) map[string]any {
	return map[string]any{"$ref": "#/$defs/" + c.object(t).name}
}

// needs returns the names of the types that a type refers to, itself first.
func (c *contract) needs(name string, found []string) []string {
	if slices.Contains(found, name) {
		return found
	}
	found = append(found, name)
	for _, p := range c.objects[name].properties {
		for _, n := range references(p.schema) {
			found = c.needs(n, found)
		}
	}
	return found
}

func references(v any) (names []string) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return []string{strings.TrimPrefix(ref, "#/$defs/")}
		}
		for _, key := range []string{"items", "anyOf", "additionalProperties"} {
			names = append(names, references(v[key])...)
		}
	case []any:
		for _, v := range v {
			names = append(names, references(v)...)
		}
	}
	return names
}

// file returns the JSON Schema of an answer.
func (c *contract) file(t *testing.T, d documented) []byte {
	t.Helper()
	root := c.object(reflect.TypeOf(d.value)).name
	defs := map[string]any{}
	for _, name := range c.needs(root, nil) {
		o := c.objects[name]
		properties, required := map[string]any{}, []string{}
		for _, p := range o.properties {
			s := map[string]any{}
			for k, v := range p.schema {
				s[k] = v
			}
			if p.comment != "" {
				s["description"] = p.comment
			}
			properties[p.name] = s
			if !p.optional {
				required = append(required, p.name)
			}
		}
		defs[name] = map[string]any{"type": "object", "description": o.comment, "properties": properties, "required": required}
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     fmt.Sprintf("urn:hermes-sessions:v%d:%s", answer.Version, d.schema), // the sources have no public home
		"title":   fmt.Sprintf("hermes-sessions --json, version %d: %s", answer.Version, strings.ReplaceAll(d.commands, "`", "")),
		"$ref":    "#/$defs/" + root,
		"$defs":   defs,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// typeWords says in a document what a schema is.
func typeWords(schema map[string]any) string {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	switch of := schema["type"].(type) {
	case string:
		switch of {
		case "array":
			return "list of " + typeWords(schema["items"].(map[string]any))
		case "object":
			return "object of " + typeWords(schema["additionalProperties"].(map[string]any))
		}
		return of
	case []string:
		return strings.Join(of, " or ")
	}
	if either, ok := schema["anyOf"].([]any); ok {
		return typeWords(either[0].(map[string]any)) + " or null"
	}
	return "any"
}

const jsonIntro = "# JSON output\n\n" + `<!-- Generated from internal/cli/answer by: go test ./internal/docs -update -->

With ` + "`--json`" + ` every command prints one JSON value on standard output, and each error or note as one line of JSON on
standard error. This is version %d of the contract (` + "`hermes-sessions version --json`" + `, key ` + "`json`" + `): keys may be
added, but none is renamed, removed or changed in type while the version stays the same. Ignore unknown keys.

* Text is raw and complete. Control characters are escaped (` + "`\\u001b`" + `).
* Times are seconds since 1970 (UTC) with a fraction, as in the database; the same instant is the same number in every
  answer. Costs are US dollars.
* Database rows have the names of their columns. Newer versions of Hermes have more columns, older ones fewer. Hermes does not
  enforce column types, so a damaged or foreign file may have other values.
* The order of keys means nothing. Lists are in the requested order.
* Exit codes: 0 done, 1 failed, nothing found (the lists of the answer are empty) or part of a damaged file
  is missing (with a note), 2 usage, 130 canceled.
* ` + "`completion`, `init` for a shell, `help`, `--help`, `--version`, `export -` and `notes export` without a file" + ` print their own format, whatever ` + "`--json`" + ` says.

The schemas are [JSON Schema](https://json-schema.org) files, one for each answer. The tests check real output of every
command against them.

| command | schema | answer |
|---|---|---|
`

// A command that is added gets a schema.
func TestEveryCommandHasASchema(t *testing.T) {
	var documented strings.Builder
	for _, d := range answers {
		documented.WriteString(d.commands)
	}
	for _, c := range cli.Commands().Commands() {
		name := c.Name()
		if own := []string{"browse", "completion", "init", "help"}; slices.Contains(own, name) {
			continue // these print an answer of another command, or text
		}
		if !strings.Contains(documented.String(), "`"+name) {
			t.Errorf("%s has no row in answers (schema_test.go): add it, and a run in TestCommandsKeepTheContract", name)
		}
	}
}

// The page and the schemas say what the types of package answer say.
func TestJSONPage(t *testing.T) {
	c := newContract(t)
	var page strings.Builder
	fmt.Fprintf(&page, jsonIntro, answer.Version)
	var names []string
	for _, d := range answers {
		o := c.object(reflect.TypeOf(d.value))
		file := fmt.Sprintf("schemas/v%d/%s.json", answer.Version, d.schema)
		generated(t, file, c.file(t, d))
		fmt.Fprintf(&page, "| %s | [%s.json](%s) | [%s](#%s) |\n", d.commands, d.schema, file, o.name, strings.ToLower(o.name))
		for _, n := range c.needs(o.name, nil) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	for _, n := range names {
		o := c.objects[n]
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n| key | type | |\n|---|---|---|\n", o.name, o.comment)
		for _, p := range o.properties {
			comment := p.comment
			if p.optional {
				comment = strings.TrimPrefix(comment+"; may be missing", "; ")
			}
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", p.name, typeWords(p.schema), comment)
		}
	}
	generated(t, "json.md", []byte(page.String()))
}

// check reports where a value is not as the contract says. Unlike a schema for
// scripts, it refuses keys that the contract does not have.
func (c *contract) check(t *testing.T, at string, schema map[string]any, v any) {
	t.Helper()
	if ref, ok := schema["$ref"].(string); ok {
		c.checkObject(t, at, c.objects[strings.TrimPrefix(ref, "#/$defs/")], v)
		return
	}
	if either, ok := schema["anyOf"].([]any); ok {
		if v != nil {
			c.check(t, at, either[0].(map[string]any), v)
		}
		return
	}
	types, ok := schema["type"].([]string)
	if one, is := schema["type"].(string); is {
		types, ok = []string{one}, true
	}
	if !ok {
		return
	}
	is := jsonType(v)
	if !slices.Contains(types, is) && !(is == "integer" && slices.Contains(types, "number")) {
		t.Errorf("%s is %s, not %v", at, is, types)
		return
	}
	if list, ok := v.([]any); ok {
		for i, item := range list {
			c.check(t, fmt.Sprintf("%s[%d]", at, i), schema["items"].(map[string]any), item)
		}
	}
	if values, ok := v.(map[string]any); ok {
		for key, item := range values {
			c.check(t, at+"."+key, schema["additionalProperties"].(map[string]any), item)
		}
	}
}

func (c *contract) checkObject(t *testing.T, at string, o *object, v any) {
	t.Helper()
	values, ok := v.(map[string]any)
	if !ok {
		t.Errorf("%s is no object", at)
		return
	}
	known := map[string]bool{}
	for _, p := range o.properties {
		known[p.name] = true
		if value, ok := values[p.name]; ok {
			c.check(t, at+"."+p.name, p.schema, value)
		} else if !p.optional {
			t.Errorf("%s has no %s", at, p.name)
		}
	}
	for key := range values {
		if !known[key] && !o.open {
			t.Errorf("%s has the key %s, which is not documented", at, key)
		}
	}
}

func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "object"
}
