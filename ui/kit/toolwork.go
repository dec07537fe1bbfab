package kit

import (
	"slices"
	"strings"

	"hermes-sessions/model/document"
	"hermes-sessions/model/pyjson"
)

// Replacement parses the arguments of a call that changes text in a file, by the old and
// the new text or by a diff. args are the other arguments. ok is false for any other call.
func Replacement(arguments string) (args string, change document.Change, ok bool) {
	if len(arguments) > MaxJSON || !strings.Contains(arguments, `"old_str`) && !strings.Contains(arguments, `"diff"`) && !strings.Contains(arguments, `"patch"`) {
		return "", change, false
	}
	v, err := pyjson.Parse(arguments)
	o, isObject := v.(pyjson.Object)
	if err != nil || !isObject {
		return "", change, false
	}
	for i, f := range o {
		text, isText := f.Value.(string)
		if !isText || f.Name != "diff" && f.Name != "patch" {
			continue
		}
		if headers := document.IsDiff(text); headers || hasSigns(text) {
			change = document.Change{Diff: strings.TrimSuffix(CleanOutput(text), "\n"), Signs: !headers}
			return otherArguments(slices.Delete(slices.Clone(o), i, i+1)), change, true
		}
	}
	var others pyjson.Object
	var b strings.Builder
	sides := 0
	for _, side := range []struct{ name, mark string }{{"old_str", "-"}, {"new_str", "+"}} {
		for _, f := range o {
			text, isText := f.Value.(string)
			if !isText || f.Name != side.name && f.Name != side.name+"ing" {
				continue
			}
			sides++
			for l := range strings.SplitSeq(strings.TrimSuffix(CleanOutput(text), "\n"), "\n") {
				if text != "" {
					b.WriteString(side.mark + l + "\n")
				}
			}
		}
	}
	for _, f := range o {
		if _, isText := f.Value.(string); !isText || strings.TrimSuffix(f.Name, "ing") != "old_str" && strings.TrimSuffix(f.Name, "ing") != "new_str" {
			others = append(others, f)
		}
	}
	if sides != 2 {
		return "", change, false
	}
	return otherArguments(others), document.Change{Diff: strings.TrimSuffix(b.String(), "\n"), Signs: true}, true
}

// hasSigns reports whether a text is a diff without headers: each of its lines begins with a
// sign or a space, and one is added or removed.
func hasSigns(text string) bool {
	changed := false
	for l := range strings.Lines(text) {
		if !strings.ContainsRune(" +-\n", rune(l[0])) {
			return false
		}
		changed = changed || l[0] == '+' || l[0] == '-'
	}
	return changed
}

// otherArguments formats the arguments that are not part of a change, "" for none.
func otherArguments(o pyjson.Object) string {
	if len(o) == 0 {
		return ""
	}
	return FormatJSON(string(pyjson.Append(nil, o)))
}

// Bodies are the fields of a JSON result that hold the output of a program or the content
// of a file. The other fields describe it.
var Bodies = [...]string{"output", "stdout", "content", "diff", "result", "text"}

// ToolOutput splits a result into its body, as a terminal or a file would show it, and the
// other fields as readable JSON. Fields beside a body that say nothing are left out: no error,
// an exit code of 0.
func ToolOutput(text string) (body, rest string) {
	t := strings.TrimSpace(text)
	if !strings.HasPrefix(t, "{") || len(t) > MaxJSON {
		return FormatJSON(text), ""
	}
	v, err := pyjson.Parse(t)
	o, isObject := v.(pyjson.Object)
	if err != nil || !isObject {
		return FormatJSON(text), ""
	}
	enclosed := false // there is a field for a body
	for _, name := range Bodies {
		i := slices.IndexFunc(o, func(f pyjson.Field) bool { return f.Name == name })
		if i < 0 {
			continue
		}
		s, isText := o[i].Value.(string)
		enclosed = enclosed || isText
		if !isText || s == "" {
			continue
		}
		if others := slices.DeleteFunc(slices.Delete(slices.Clone(o), i, i+1), saysNothing); len(others) > 0 {
			rest = FormatJSON(string(pyjson.Append(nil, others)))
		}
		return FormatJSON(CleanOutput(s)), rest
	}
	if enclosed {
		if o = slices.DeleteFunc(slices.Clone(o), saysNothing); len(o) == 0 {
			return "", ""
		}
		text = string(pyjson.Append(nil, o))
	}
	return FormatJSON(text), ""
}

// saysNothing reports whether a field beside the body of a result says only that all went well.
func saysNothing(f pyjson.Field) bool {
	return f.Value == nil || f.Value == "" || f.Name == "exit_code" && f.Value == pyjson.Int("0")
}
