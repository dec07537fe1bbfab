package state

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
)

// Reference is a settings file that says what each setting is for, and changes nothing: what is
// set in it is behind a #, and a comment behind a # and a space.
//
//go:embed config.toml
var Reference string

// SettingsFile returns the path of the settings file: the one that is named, else config.toml in
// the user's folder.
func SettingsFile(named string, environ env.Vars) (string, error) {
	folder := environ.ConfigFolder()
	switch {
	case named == "none":
		return "", fault.Usage("--config=none names no file")
	case named != "":
		return named, nil
	case folder == "":
		return "", &fault.Fault{Kind: "settings", Code: 1, Message: "the environment names no folder for settings", Remedy: "name a file with --config FILE"}
	default:
		return filepath.Join(folder, "config.toml"), nil
	}
}

// InitSettings writes the reference as a new settings file. One that is there stays, and is an
// error of [fs.ErrExist].
func InitSettings(file string) error {
	if _, err := os.Lstat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = &fs.PathError{Op: "write", Path: file, Err: fs.ErrExist}
		}
		return fmt.Errorf("write the settings: %w", err)
	}
	return ReplaceFile(file, []byte(Reference), false)
}

// Comments returns what the reference says of each setting and table by its name.
func Comments() map[string]string {
	all, said := map[string]string{}, ""
	for line := range strings.Lines(Reference) {
		line = strings.TrimSpace(line)
		text, comment := strings.CutPrefix(line, "# ")
		switch {
		case comment:
			said += " " + text
		case strings.HasPrefix(line, "#[") && said != "":
			name, _, _ := strings.Cut(strings.Trim(line, "#[]"), ".")
			all[name] = strings.TrimSpace(said)
			said = ""
		case strings.HasPrefix(line, "#") && said != "":
			name, _, _ := strings.Cut(line[1:], " ")
			all[name] = strings.TrimSpace(said)
			said = ""
		case line == "":
			said = ""
		}
	}
	return all
}

// SchemaID is the name of the schema of the settings.
const SchemaID = "urn:hermes-sessions:schema:config"

// Schema returns the JSON Schema of a settings file, for editors.
func Schema() map[string]any {
	text := map[string]any{"type": "string"}
	list := map[string]any{"type": "array", "items": text}
	schema := object(reflect.TypeFor[Settings](), map[string]any{
		"keys":    table(table(map[string]any{"anyOf": []any{text, list}})),
		"queries": table(map[string]any{"anyOf": []any{text, closed(map[string]any{"query": text, "scope": text, "sort": words(orders())}, "query")}}),
	})
	properties := schema["properties"].(map[string]any)
	for _, c := range (Settings{}).choices() {
		properties[c.name] = words(c.words)
	}
	colors := map[string]any{"base": words(Themes())}
	for _, role := range theme.Roles() {
		colors[role] = map[string]any{"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}
	}
	properties["themes"] = table(closed(colors))
	properties["theme"] = map[string]any{"type": "string", "examples": Themes()} // or one of the user's own
	properties["columns"] = map[string]any{"type": "array", "items": words(shell.Columns()), "uniqueItems": true}
	own := properties["commands"].(map[string]any)["additionalProperties"].(map[string]any)
	own["required"] = []string{"run"}
	parts := own["properties"].(map[string]any)
	parts["then"], parts["screens"] = words(thens), map[string]any{"type": "array", "items": words(commandsOn)}
	comments := Comments()
	for name, p := range properties {
		p.(map[string]any)["description"] = comments[name]
	}
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["$id"] = SchemaID
	schema["title"] = "Settings of hermes-sessions"
	return schema
}

// object returns the schema of a table that a type reads; special has that of fields whose type
// does not say it.
func object(t reflect.Type, special map[string]any) map[string]any {
	properties := map[string]any{}
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("toml")
		if name == "" || name == "-" {
			continue
		}
		if s := special[name]; s != nil {
			properties[name] = s
		} else {
			properties[name] = valueSchema(t.Field(i).Type)
		}
	}
	return closed(properties)
}

// valueSchema returns the schema of a value that a type reads.
func valueSchema(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return valueSchema(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": valueSchema(t.Elem())}
	case reflect.Map:
		return table(valueSchema(t.Elem()))
	case reflect.Struct:
		return object(t, nil)
	}
	return map[string]any{"type": "string"}
}

// closed returns the schema of a table with these keys and no others.
func closed(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// table returns the schema of a table with any keys.
func table(of map[string]any) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": of}
}

// words returns the schema of one of a few words.
func words(of []string) map[string]any { return map[string]any{"type": "string", "enum": of} }

// choice is a setting that is one of a few words.
type choice struct {
	name, value string
	words       []string
}

// choices are the settings that are one of a few words.
func (s Settings) choices() []choice {
	return []choice{{"preset", s.Preset, presets}, {"theme", s.Theme, s.themes()}, {"motion", s.Motion, motions}, {"order", s.Order, orders()}, {"after-resume", s.AfterResume, afterResume}}
}
