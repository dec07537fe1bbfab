package compare

import (
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

// maxPath is how many bytes of a path are kept.
const maxPath = 1 << 10

// Written gives the file that a call writes, "" where it writes none: the name of the tool
// says that it writes, and an argument names a file.
func Written(c model.ToolCall) string {
	name := strings.ToLower(c.Name)
	writes := false
	for _, verb := range []string{"write", "edit", "patch", "replace", "create_file", "insert", "append"} {
		writes = writes || strings.Contains(name, verb)
	}
	if !writes {
		return ""
	}
	for field, value := range pyjson.Fields(strings.TrimSpace(c.Arguments)) {
		switch strings.ToLower(field) {
		case "path", "file_path", "filepath", "file", "filename", "file_name", "target_file", "notebook_path":
			if strings.HasPrefix(value, `"`) {
				return strings.Clone(pyjson.String(value, maxPath))
			}
		}
	}
	return ""
}
