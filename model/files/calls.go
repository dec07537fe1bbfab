// Package files says which files a tool call reads, writes and edits, by its arguments,
// and which of them a pattern of the filter file: means.
//
// The tools are those of Hermes (read_file, write_file, patch) and of other agents, by
// what their names and arguments have in common. A command of a shell is not taken
// apart: what it does to files cannot be told from its text.
//
//	calls.go    the files of a tool call
//	patch.go    the files of a patch, and the lines that an edit changes
//	file.go     what the calls of a conversation do to each file
//	path.go     paths relative to a folder
//	pattern.go  the filter file:, and the words that narrow its search down
package files

import (
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

// Action is what a tool call does to a file.
type Action uint8

// The actions.
const (
	Read  Action = iota
	Write        // all of it: created, replaced, deleted or moved
	Edit         // a part of it
)

// Use is what a tool call does to one file.
type Use struct {
	Path           string // as the call names it
	Action         Action
	Added, Removed int // lines, as far as the arguments have them
}

// maxPath is how long a path may be, in bytes.
const maxPath = 4096

// pathArguments are the arguments that name a file, or a list of files. Those that name a
// folder, such as dir, are left out.
var pathArguments = []string{
	"path", "file_path", "filepath", "file", "filename", "file_name", "notebook_path", "target_file", "absolute_path",
	"relative_path", "paths", "files", "file_paths",
}

// patchArguments are the arguments that may hold a patch of several files.
var patchArguments = []string{"patch", "diff", "input", "command", "cmd"}

// ArgumentNames returns words of which every tool call with a file has one: the names of the
// arguments that name files or hold patches.
func ArgumentNames() []string { return append(slices.Clone(pathArguments), "patch", "diff") }

// arguments are the arguments of a tool call, as far as they are about files.
type arguments struct {
	paths, patches             []string
	old, new, content          string
	hasOld, hasNew, hasContent bool
	hunks                      string   // a diff without headers, of one file
	edits                      []string // stored edits of one file
	verb                       string   // the command of an editor
}

// Of returns what a tool call does to files, each file once.
func Of(c model.ToolCall) []Use {
	tool := strings.ToLower(c.Name)
	a := parse(strings.TrimSpace(c.Arguments))
	var uses []Use
	for _, patch := range a.patches {
		uses = append(uses, patchUses(patch)...)
	}
	if len(uses) > 0 || looksForFiles(tool) {
		return uses
	}
	one := Use{Action: a.action(tool)}
	switch {
	case one.Action == Read:
	case a.hasOld || a.hasNew:
		one.Added, one.Removed = changedLines(a.old, a.new)
	case len(a.edits) > 0:
		for _, stored := range a.edits {
			e := parse(stored)
			added, removed := changedLines(e.old, e.new)
			one.Added, one.Removed = one.Added+added, one.Removed+removed
		}
	case a.hunks != "":
		for line := range strings.SplitSeq(a.hunks, "\n") {
			one.countLine(line)
		}
	case a.hasContent:
		one.Added = len(splitLines(a.content))
	}
	for _, path := range a.paths {
		if path = cleanPath(path); path == "" {
			continue
		}
		one.Path = path
		uses = append(uses, one)
	}
	return uses
}

// parse reads the arguments of a call, or of one of its edits.
func parse(stored string) (a arguments) {
	if isPatch(stored) && !strings.HasPrefix(stored, "{") {
		if strings.HasPrefix(stored, `"`) {
			stored = pyjson.String(stored, len(stored))
		}
		return arguments{patches: []string{stored}}
	}
	for name, value := range pyjson.Fields(stored) {
		text := func() string { return pyjson.String(value, len(value)) }
		switch name = strings.ToLower(name); name {
		case "old_string", "old_str", "old_text", "search":
			a.old, a.hasOld = text(), true
		case "new_string", "new_str", "new_text", "replace", "replacement":
			a.new, a.hasNew = text(), true
		case "content", "contents", "file_text", "file_content":
			a.content, a.hasContent = text(), strings.HasPrefix(value, `"`)
		case "edits":
			for edit := range pyjson.Elements(value) {
				a.edits = append(a.edits, edit)
			}
		}
		if slices.Contains(pathArguments, name) {
			a.paths = append(a.paths, pathsIn(value)...)
		}
		if slices.Contains(patchArguments, name) {
			a.addPatch(name, value)
		}
	}
	return a
}

// addPatch adds a stored argument if it is a patch, also as the last word of a command,
// or notes the command of an editor.
func (a *arguments) addPatch(name, value string) {
	if strings.HasPrefix(value, "[") {
		for word := range pyjson.Elements(value) {
			if isPatch(word) {
				value = word
			}
		}
	}
	switch {
	case isPatch(value), (name == "patch" || name == "diff") && strings.Contains(value, "+++ "):
		a.patches = append(a.patches, pyjson.String(value, len(value)))
	case (name == "patch" || name == "diff") && strings.HasPrefix(value, `"@@`):
		a.hunks = pyjson.String(value, len(value))
	case name == "command":
		a.verb = pyjson.String(value, 20)
	}
}

// action returns what a tool does to the files that its arguments name.
func (a *arguments) action(tool string) Action {
	switch a.verb {
	case "view":
		return Read
	case "create", "delete":
		return Write
	case "str_replace", "insert", "undo_edit":
		return Edit
	}
	switch {
	case a.hasOld && a.hasNew, len(a.edits) > 0, a.hunks != "":
		return Edit
	case containsAny(tool, "read", "view", "open"):
		return Read
	case containsAny(tool, "edit", "patch", "replace", "insert", "append"):
		return Edit
	case a.hasContent, containsAny(tool, "write", "create", "save", "delete", "remove", "move", "rename"):
		return Write
	}
	return Read
}

// looksForFiles reports whether a tool looks for files, or lists them: its path is the
// folder where it begins.
func looksForFiles(tool string) bool {
	return tool == "ls" || containsAny(tool, "search", "grep", "glob", "find", "list", "director", "folder", "tree")
}

// containsAny reports whether the name of a tool contains one of some texts.
func containsAny(tool string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(tool, p) })
}

// pathsIn returns the paths in a stored argument: a string, or a list of strings or of
// objects with a path.
func pathsIn(value string) (paths []string) {
	switch {
	case strings.HasPrefix(value, `"`):
		return []string{pyjson.String(value, maxPath+4)}
	case strings.HasPrefix(value, "["):
		for element := range pyjson.Elements(value) {
			if !strings.HasPrefix(element, "[") {
				paths = append(paths, pathsIn(element)...)
			}
		}
	case strings.HasPrefix(value, "{"):
		for name, inner := range pyjson.Fields(value) {
			if strings.HasPrefix(inner, `"`) && slices.Contains(pathArguments, strings.ToLower(name)) {
				paths = append(paths, pathsIn(inner)...)
			}
		}
	}
	return paths
}

// cleanPath returns the path in an argument, "" where it names no file.
func cleanPath(path string) string {
	path = strings.TrimSpace(path)
	if rest, ok := strings.CutPrefix(path, "file://"); ok {
		path = rest
	}
	if len(path) > maxPath || strings.ContainsAny(path, "\n\x00") || strings.Contains(path, "://") || strings.Trim(path, `./\`) == "" {
		return ""
	}
	return path
}
