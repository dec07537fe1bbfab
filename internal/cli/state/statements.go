package state

import (
	"fmt"
	"strings"
)

// statement is a header or an entry of a TOML text: text[start:end]. What lies between
// statements is spaces and comments.
type statement struct {
	start, end int
	header     bool
	name       string // of a table: as it is written, without spaces; of an entry: its key
}

// byteOrderMark is what some editors of Windows write before a text.
const byteOrderMark = "\ufeff"

// statements splits a TOML text, which has been parsed without an error.
func statements(text string) (all []statement) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
			continue
		case i == 0 && strings.HasPrefix(text, byteOrderMark):
			i = len(byteOrderMark)
			continue
		case c == '#':
			i = lineEnd(text, i)
			continue
		}
		s := statement{start: i, header: text[i] == '['}
		if s.header {
			s.end = valueEnd(text, i)
			s.name = statementKey(strings.Trim(text[i:s.end], "[] \t\r"))
		} else {
			for i < len(text) && text[i] != '=' {
				i = skipString(text, i)
			}
			s.name = statementKey(text[s.start:i])
			for i++; i < len(text) && (text[i] == ' ' || text[i] == '\t'); i++ {
				continue
			}
			s.end = valueEnd(text, i)
		}
		i = max(s.end, s.start+1)
		all = append(all, s)
	}
	return all
}

// lineOf returns the line of the setting that an error begins with, 0 where it names none.
func lineOf(text, said string) (line int) {
	said = strings.TrimPrefix(said, `there is no setting "`)
	longest := 0
	for name, at := range settingLines(text) {
		rest, ok := strings.CutPrefix(said, name)
		if ok && len(name) > longest && strings.IndexAny(rest, ` :."`) == 0 {
			line, longest = at, len(name)
		}
	}
	return line
}

// settingLines returns the lines of settings and tables by their whole names.
func settingLines(text string) map[string]int {
	lines, in := map[string]int{}, ""
	for _, st := range statements(text) {
		name := st.name
		switch {
		case st.header:
			in = name
		case in != "":
			name = in + "." + name
		}
		lines[name] = 1 + strings.Count(text[:st.start], "\n")
	}
	return lines
}

// statementKey returns a key without the spaces and quotes around it.
func statementKey(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}

// lineEnd returns the end of the line that i is in.
func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// skipString returns the place behind the string that begins at i, or behind one byte.
func skipString(text string, i int) int {
	quote := text[i]
	if quote != '"' && quote != '\'' {
		return i + 1
	}
	end := text[i : i+1]
	if triple := strings.Repeat(end, 3); strings.HasPrefix(text[i:], triple) {
		end = triple
	}
	for i += len(end); i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case strings.HasPrefix(text[i:], end):
			for i += len(end); len(end) == 3 && i < len(text) && text[i] == quote; i++ {
				continue // quotes at the end of the text
			}
			return i
		}
	}
	return len(text)
}

// valueEnd returns the end of the value or header that begins at i: of its last byte that is
// no space.
func valueEnd(text string, i int) int {
	depth, end := 0, i
	for i < len(text) {
		c := text[i]
		switch {
		case c == '#' && depth == 0 || c == '\n' && depth == 0:
			return end
		case c == '#':
			i = lineEnd(text, i)
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		blank := strings.IndexByte(" \t\r\n", text[i]) >= 0
		if i = skipString(text, i); !blank {
			end = i
		}
	}
	return end
}

// quoted writes a text as a TOML string: without escapes where that is possible.
func quoted(text string) string {
	if strings.ContainsAny(text, `"\`) && !strings.Contains(text, "'") && strings.IndexFunc(text, control) < 0 {
		return "'" + text + "'"
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case control(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// control reports whether a character cannot stand in a TOML string.
func control(r rune) bool { return r < ' ' || r == 0x7f }
