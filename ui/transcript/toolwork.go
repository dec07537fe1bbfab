package transcript

import (
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/ui/kit"
)

// call draws a tool call: its name and how long it took, then its arguments.
func (s *buffer) call(c model.ToolCall, took string, whole bool) {
	name := c.Name
	if name == "" {
		name = "unknown"
	}
	name = s.styles.Tool.Bold(true).Render(name)
	if took != "" {
		took = s.styles.Faint.Render("  " + took)
	}
	if args, change, ok := replacing(c.Arguments); ok {
		s.add(s.styles.Cells.Truncate("  "+name+took, s.width, s.styles.Glyphs.Ellipsis))
		if args != "" {
			s.text(args, 4, "", s.styles.Muted, whole)
		}
		s.diff(change, 4, "", whole)
		return
	}
	args := kit.FormatJSON(c.Arguments)
	if args != "" && !strings.Contains(args, "\n") && s.styles.Cells.StringWidth(name)+s.styles.Cells.StringWidth(args)+s.styles.Cells.StringWidth(took)+4 <= s.width {
		s.add("  " + name + "  " + s.styles.Muted.Render(args) + took)
		return
	}
	s.add(s.styles.Cells.Truncate("  "+name+took, s.width, s.styles.Glyphs.Ellipsis))
	if args != "" {
		s.text(args, 4, "", s.styles.Muted, whole)
	}
}

// replacing parses the arguments of a call that replaces text in a file. change is the
// replacement as a diff; args are the other arguments. ok is false for any other call.
func replacing(arguments string) (args, change string, ok bool) {
	if len(arguments) > kit.MaxJSON || !strings.Contains(arguments, `"old_str`) {
		return "", "", false
	}
	v, err := pyjson.Parse(arguments)
	o, isObject := v.(pyjson.Object)
	if err != nil || !isObject {
		return "", "", false
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
			for l := range strings.SplitSeq(strings.TrimSuffix(kit.CleanOutput(text), "\n"), "\n") {
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
		return "", "", false
	}
	if len(others) > 0 {
		args = kit.FormatJSON(string(pyjson.Append(nil, others)))
	}
	return args, strings.TrimSuffix(b.String(), "\n"), true
}

// result draws the result of a tool call.
func (s *buffer) result(m *model.Message, whole bool) {
	bar := s.styles.Glyphs.Bar + " "
	if m.Failed() {
		s.add("  " + s.styles.Bad.Render(s.styles.Cells.Truncate(s.styles.Glyphs.Failed+" failed", max(1, s.width-2), "")))
	}
	if m.DecodeError != "" {
		s.add("  " + s.styles.Warn.Render(s.styles.Cells.Truncate("shown as stored: "+m.DecodeError, max(1, s.width-2), s.styles.Glyphs.Ellipsis)))
	}
	for _, name := range m.Content.Media {
		s.add("  " + s.styles.Muted.Render(s.styles.Cells.Truncate(model.MediaLabel(name), max(1, s.width-2), s.styles.Glyphs.Ellipsis)))
	}
	body, rest := output(m.Content.Text)
	body = strings.Trim(strings.TrimRight(body, "\n "), "\n")
	switch {
	case body == "" && rest == "" && len(m.Content.Media) == 0:
		s.add(s.styles.Faint.Render(s.styles.Cells.Truncate("  (empty result)", s.width, "")))
	case body == "":
	case isDiff(body):
		s.diff(body, 2, bar, whole)
	default:
		s.text(body, 2, bar, s.styles.Text, whole)
	}
	if rest != "" {
		s.text(rest, 2, bar, s.styles.Faint, whole)
	}
}

// bodies are the fields of a JSON result that hold the output of a program or the content
// of a file. The other fields describe it.
var bodies = [...]string{"output", "stdout", "content", "diff", "result", "text"}

// output splits a result into its body, as a terminal or a file would show it, and the
// other fields as readable JSON.
func output(text string) (body, rest string) {
	t := strings.TrimSpace(text)
	if !strings.HasPrefix(t, "{") || len(t) > kit.MaxJSON {
		return kit.FormatJSON(text), ""
	}
	v, err := pyjson.Parse(t)
	o, isObject := v.(pyjson.Object)
	if err != nil || !isObject {
		return kit.FormatJSON(text), ""
	}
	for _, name := range bodies {
		i := slices.IndexFunc(o, func(f pyjson.Field) bool { return f.Name == name })
		if i < 0 {
			continue
		}
		s, isText := o[i].Value.(string)
		if !isText || s == "" {
			continue
		}
		if others := slices.Delete(slices.Clone(o), i, i+1); len(others) > 0 {
			rest = kit.FormatJSON(string(pyjson.Append(nil, others)))
		}
		return kit.CleanOutput(s), rest
	}
	return kit.FormatJSON(text), ""
}

// isDiff reports whether a text is a unified diff.
func isDiff(text string) bool {
	head := text[:min(len(text), 4096)]
	return strings.HasPrefix(head, "diff --git ") || strings.HasPrefix(head, "@@ -") ||
		strings.HasPrefix(head, "--- ") && strings.Contains(head, "\n+++ ") || strings.Contains(head, "\n@@ -") && strings.Contains(head, "\n+++ ")
}

// diff draws a diff: removed and added lines have a color besides their sign.
func (s *buffer) diff(text string, indent int, bar string, whole bool) {
	plain, gone, come := newLineStyle(s.styles.Text), newLineStyle(s.styles.Bad), newLineStyle(s.styles.Good)
	place, head := newLineStyle(s.styles.Key), newLineStyle(s.styles.Muted)
	s.styledText(text, indent, bar, whole, func(l string) lineStyle {
		switch {
		case strings.HasPrefix(l, "+++ "), strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "diff "), strings.HasPrefix(l, "index "):
			return head
		case strings.HasPrefix(l, "@@"):
			return place
		case strings.HasPrefix(l, "+"):
			return come
		case strings.HasPrefix(l, "-"):
			return gone
		}
		return plain
	})
}
