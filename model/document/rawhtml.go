package document

import (
	"regexp"
	"strings"
)

// fenceInContainer finds a fence on the line of a list marker or a quotation.
var fenceInContainer = regexp.MustCompile("(?m)^[ \t]*(?:[-+*>]|[0-9]+[.)]).*?(?:```|~~~)")

// escapeHTML writes Markdown in which no HTML is left outside of code, so that a viewer
// that does not clean it runs and loads nothing that a conversation says. What only may be
// code, such as an indented block or code over several lines, is escaped too, and
// shows the escape.
func (m *markdown) escapeHTML(s string) {
	if !strings.Contains(s, "<") {
		m.put(s)
		return
	}
	var open fence
	unsure := false
	loose := false // backticks of this paragraph may begin code over several lines
	trustIndented := !fenceInContainer.MatchString(s)
	for line := range strings.Lines(s) {
		f, isFence := fenceOf(line)
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) == "" {
			loose = false
		}
		isFence = isFence && f.indent == spaces && spaces <= 3
		switch {
		case open.n > 0 && strings.TrimSpace(line) != "" && spaces < open.indent:
			// The code has ended if it was in a list, else not: nothing counts as code from here.
			open, unsure = fence{}, true
			m.put(escapeHTMLLine(line, &loose))
		case open.n > 0:
			m.put(line)
			if isFence && open.closedBy(f) {
				open = fence{}
			}
		case isFence && !unsure && (spaces == 0 || trustIndented) && (f.mark == '~' || !strings.Contains(f.info, "`")):
			open = f
			m.put(line)
		default:
			// Whether this is a fence cannot be told, so neither can whether the next one ends it.
			unsure = unsure || isFence && spaces > 0 && !trustIndented
			m.put(escapeHTMLLine(line, &loose))
		}
	}
}

// escapeHTMLLine is escapeHTML for one line outside of blocks of code. Once backticks are
// loose, nothing more counts as code: they have no partner in their line, or the line may
// be one of a table, whose cells end inside of code too.
func escapeHTMLLine(line string, loose *bool) string {
	var out strings.Builder
	table := strings.Contains(line, "|")
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line):
			switch line[i+1] {
			case '<':
				out.WriteString("&lt;")
				i += 2
				continue
			case '\\', '`':
				out.WriteString(line[i : i+2])
				i += 2
				continue
			}
			out.WriteByte(c)
			i++
		case c == '`':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			end := closingTicks(line[i+n:], n)
			if end < 0 || *loose || table {
				*loose = true
				out.WriteString(line[i : i+n])
				i += n
				continue
			}
			out.WriteString(line[i : i+n+end+n])
			i += n + end + n
		case c == '<' && beginsHTML(line[i+1:]):
			out.WriteString("&lt;")
			i++
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String()
}

// closingTicks returns the index of the next run of exactly n backticks, -1 if there is none.
func closingTicks(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		k := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if k == n {
			return i
		}
		i += k
	}
	return -1
}

// beginsHTML reports whether what follows a "<" makes it markup. Links to the web and
// mail addresses do not count.
func beginsHTML(rest string) bool {
	if rest == "" {
		return false
	}
	if lower := strings.ToLower(rest[:min(len(rest), len("https://"))]); strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "mailto:") {
		return false
	}
	c := rest[0] | 0x20
	return 'a' <= c && c <= 'z' || rest[0] == '/' || rest[0] == '!' || rest[0] == '?'
}
