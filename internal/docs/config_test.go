package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"hermes-sessions/internal/cli/state"
	"hermes-sessions/internal/sourcetree"
)

// The schema of the settings says what the program reads: it has each setting with what the
// reference says of it, and the examples of the manual fit it.
func TestSchemaOfTheSettings(t *testing.T) {
	text, err := json.MarshalIndent(state.Schema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "schemas/config.json", append(text, '\n'))
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if schema["$id"] != state.SchemaID {
		t.Errorf("$id is %v", schema["$id"])
	}
	for _, page := range []string{"settings.md", "commands.md"} {
		manual, err := os.ReadFile(filepath.Join(sourcetree.Root(t), "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(manual), "```toml\n")[1:] {
			example, _, _ := strings.Cut(part, "```")
			var v map[string]any
			if _, err := toml.Decode(example, &v); err != nil {
				t.Errorf("%s, example %d: %v", page, i+1, err)
				continue
			}
			if why := unfit(schema, v, ""); why != "" {
				t.Errorf("%s, example %d: %s", page, i+1, why)
			}
		}
	}
	for wrong, why := range map[string]string{
		"columns = [\"ages\"]": "columns", "[themes.mine]\nbase = \"pink\"": "themes.mine.base", "[themes.mine]\naccnt = \"#000000\"": "themes.mine.accnt", "mouse = 1": "mouse", "colour = 1": "colour", "[commands.x]\nkey = \"f6\"": "commands.x", "[commands.x]\nrun = \"ls\"\nthen = \"stay\"": "commands.x.then",
		"[keys.list]\ncopy = 3": "keys.list.copy", "[queries]\nx = {scope = \"all\"}": "queries.x", "hermes-args = [1]": "hermes-args",
	} {
		var v map[string]any
		if _, err := toml.Decode(wrong, &v); err != nil {
			t.Fatal(err)
		}
		if got := unfit(schema, v, ""); !strings.Contains(got, why) {
			t.Errorf("%s: %q, want %s", wrong, got, why)
		}
	}
}

// unfit says where a value does not fit a schema that has only the words of ours, "" where it does.
func unfit(schema map[string]any, v any, at string) string {
	if either, ok := schema["anyOf"].([]any); ok {
		for _, s := range either {
			if unfit(s.(map[string]any), v, at) == "" {
				return ""
			}
		}
		return at
	}
	switch v := v.(type) {
	case map[string]any:
		if schema["type"] != "object" {
			return at
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if v[name.(string)] == nil {
				return at + " lacks " + name.(string)
			}
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, value := range v {
			s, ok := properties[name].(map[string]any)
			if !ok {
				if s, ok = schema["additionalProperties"].(map[string]any); !ok {
					return at + "." + name
				}
			}
			if why := unfit(s, value, at+"."+name); why != "" {
				return why
			}
		}
	case []any:
		if schema["type"] != "array" {
			return at
		}
		for _, value := range v {
			if why := unfit(schema["items"].(map[string]any), value, at); why != "" {
				return why
			}
		}
	case bool:
		if schema["type"] != "boolean" {
			return at
		}
	case string:
		if words, ok := schema["enum"].([]any); schema["type"] != "string" || ok && !containsAny(words, v) {
			return at
		}
	default:
		return at
	}
	return ""
}

func containsAny(words []any, v string) bool {
	for _, w := range words {
		if w == v {
			return true
		}
	}
	return false
}
