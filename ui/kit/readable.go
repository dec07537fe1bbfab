package kit

import (
	"strings"

	"hermes-sessions/model/pyjson"
)

// MaxJSON is how many bytes of JSON are parsed for display.
const MaxJSON = 256 << 10

// FormatJSON writes JSON in readable form: an object as lines of "name: value", text
// with its own line breaks, nesting by two columns. A text that is not an
// object or a list stays as it is. Text inside JSON may hold escaped control bytes:
// it is cleaned once more.
func FormatJSON(s string) string {
	t := strings.TrimSpace(s)
	if t == "" || t[0] != '{' && t[0] != '[' || len(t) > MaxJSON {
		return s
	}
	v, err := pyjson.Parse(t)
	if err != nil {
		return s
	}
	if o, ok := v.(pyjson.Object); ok && len(o) == 0 {
		return ""
	}
	var b strings.Builder
	writeReadable(&b, v, 0)
	return strings.Trim(b.String(), "\n")
}

// writeReadable begins on the line of the name before it and ends without a
// line break.
func writeReadable(b *strings.Builder, v any, depth int) {
	indent := strings.Repeat("  ", min(depth, 12))
	switch v := v.(type) {
	case pyjson.Object:
		if compact(b, v) {
			return
		}
		for i, f := range v {
			// The first field of an element follows its dash.
			if i > 0 || depth > 0 && !strings.HasSuffix(b.String(), "- ") {
				b.WriteString("\n" + indent)
			}
			b.WriteString(CleanOutput(f.Name) + ":")
			if followsName(f.Value) {
				b.WriteString(" ")
			}
			writeReadable(b, f.Value, depth+1)
		}
	case []any:
		if compact(b, v) {
			return
		}
		for _, e := range v {
			b.WriteString("\n" + indent + "- ")
			writeReadable(b, e, depth+1)
		}
	case string:
		text := CleanOutput(v)
		if !strings.Contains(strings.TrimRight(text, "\n"), "\n") {
			b.WriteString(strings.TrimRight(text, "\n"))
			return
		}
		for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			b.WriteString("\n" + indent + l)
		}
	default:
		b.Write(pyjson.Append(nil, v))
	}
}

// followsName reports whether a value is written on the line of its name. A list decides
// that itself.
func followsName(v any) bool {
	switch v := v.(type) {
	case pyjson.Object:
		return len(v) == 0
	case []any:
		return false
	case string:
		return v != "" && !strings.Contains(strings.TrimRight(v, "\n"), "\n")
	}
	return true
}

// compact writes a list or an object inside another on one line, when it is
// short and holds nothing that has lines.
func compact(b *strings.Builder, v any) bool {
	switch v := v.(type) {
	case pyjson.Object:
		if len(v) == 0 {
			b.WriteString("{}")
		}
		return len(v) == 0
	case []any:
		for _, e := range v {
			switch e := e.(type) {
			case pyjson.Object, []any:
				return false
			case string:
				if strings.Contains(e, "\n") || len(v) > 1 && len(e) > 24 {
					return false
				}
			}
		}
		if len(v) > 8 {
			return false
		}
		line := Clean(string(pyjson.Append(nil, v)))
		if len(line) > 72 {
			return false
		}
		b.WriteString(" " + line)
		return true
	}
	return false
}
