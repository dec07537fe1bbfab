package model

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"hermes-sessions/model/pyjson"
)

const (
	// maxObject is the length of the object of a tool call, in characters.
	maxObject = 120
	// maxObjectSource is how many bytes of an argument its object is made from.
	maxObjectSource = 1 << 10
	// maxObjectDepth is how deep the first string of an argument is looked for.
	maxObjectDepth = 4
	// maxCommandWords is how many elements of a command stored as a list are joined.
	maxCommandWords = 32
)

// objectKey is a kind of argument that says what a call works on: the names that such
// arguments have, and how one is written.
type objectKey struct {
	names  []string
	format func(tool, text string) string
}

// objectKeys are the kinds of arguments, the most telling first. An argument with another
// name counts if there is none of these.
var objectKeys = [...]objectKey{
	{[]string{"command", "cmd", "commands", "script"}, formatCommand},
	{[]string{"pattern", "regex", "glob", "glob_pattern"}, formatPattern},
	{[]string{"query", "q", "sql", "search_query", "search_term", "queries"}, formatText},
	{[]string{"url", "urls", "uri", "href", "image_url"}, formatAddress},
	{[]string{"file_path", "filepath", "path", "paths", "file", "filename", "file_name", "notebook_path", "target_file", "dir", "directory", "dir_path", "folder"}, formatPath},
	{[]string{"description", "subject", "title", "goal", "task"}, formatText},
	{[]string{"question", "prompt", "code"}, formatText},
}

// pathKey is the position of paths in objectKeys.
const pathKey = 4

// Object returns what a tool call works on, on one line: the command, the pattern, the
// query, the address or the name of the file among its arguments, else its first string.
// It is "" where there is none.
func (c ToolCall) Object() string {
	best := ""
	rank := len(objectKeys) + 1
	file := ""
	for name, value := range pyjson.Fields(strings.TrimSpace(c.Arguments)) {
		name = strings.ToLower(name)
		n := slices.IndexFunc(objectKeys[:], func(k objectKey) bool { return slices.Contains(k.names, name) })
		format := formatText
		if n < 0 {
			n = len(objectKeys)
		} else {
			format = objectKeys[n].format
		}
		if n >= rank && n != pathKey {
			continue
		}
		text := strings.TrimSpace(firstString(value, n == 0, maxObjectDepth))
		if text == "" || strings.HasSuffix(text, ":") { // a heading without what it heads
			continue
		}
		text = oneLine(format(c.Name, text))
		if n == pathKey {
			file = text
		}
		if n < rank {
			best, rank = text, n
		}
	}
	if rank == 0 && file != "" && !strings.ContainsAny(best, " /.-") {
		best = file // the command of an editor is a verb
	}
	return truncate(best, maxObject, "…")
}

// formatCommand leaves out the changes of folder before a command.
func formatCommand(_, text string) string {
	for strings.HasPrefix(text, "cd ") {
		_, rest, ok := strings.Cut(text, "&&")
		if !ok {
			break
		}
		text = strings.TrimSpace(rest)
	}
	return text
}

// formatPattern quotes what is looked for in texts, but not the pattern of a file name.
func formatPattern(tool, text string) string {
	if strings.Contains(strings.ToLower(tool), "glob") || strings.Contains(text, "**/") {
		return text
	}
	return `"` + text + `"`
}

// formatAddress leaves out the scheme of an address.
func formatAddress(_, text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		return rest
	}
	return text
}

// formatPath returns the last name of a path.
func formatPath(_, text string) string {
	text = strings.TrimSpace(text)
	name := strings.TrimRight(strings.ReplaceAll(text, `\`, "/"), "/")
	if name == "" || strings.ContainsAny(name, "\n") {
		return text
	}
	return path.Base(name)
}

func formatText(_, text string) string { return text }

// oneLine joins the lines of a text and makes every run of white space one space.
func oneLine(text string) string { return strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ") }

// firstString returns the first string in a JSON value, or with all the strings of a list
// joined, as a command is stored with its arguments.
func firstString(value string, all bool, depth int) string {
	if value == "" || depth == 0 {
		return ""
	}
	switch value[0] {
	case '"':
		return pyjson.String(value, maxObjectSource)
	case '{':
		for _, inner := range pyjson.Fields(value) {
			if text := firstString(inner, false, depth-1); text != "" {
				return text
			}
		}
	case '[':
		var words []string
		for element := range pyjson.Elements(value) {
			if w := firstString(element, false, depth-1); w != "" {
				words = append(words, w)
			}
			if len(words) > 0 && !all || len(words) == maxCommandWords {
				break
			}
		}
		if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
			words = words[2:] // what a shell was told to run: bash -lc "go test"
		}
		return strings.Join(words, " ")
	}
	return ""
}
