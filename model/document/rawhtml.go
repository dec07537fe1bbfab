package document

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// fenceInContainer finds a fence on the line of a list marker or a quotation.
var fenceInContainer = regexp.MustCompile("(?m)^[ \t]*(?:[-+*>]|[0-9]+[.)]).*?(?:```|~~~)")

// disarm writes Markdown in which outside of code no HTML is left, no picture, and no link that
// does more than lead to the web, so that a viewer that does not clean it runs and loads nothing
// that a conversation says. What only may be code, such as an indented block or code over several
// lines, is escaped too, and shows the escape.
func (m *markdown) disarm(s string) {
	if !strings.Contains(s, "<") && !strings.Contains(s, "![") && !strings.Contains(s, "](") && !strings.Contains(s, "]:") {
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
			m.put(m.disarmLine(line, &loose))
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
			m.put(m.disarmLine(line, &loose))
		}
	}
}

// disarmLine is disarm for one line outside of blocks of code. Once backticks are
// loose, nothing more counts as code: they have no partner in their line, or the line may
// be one of a table, whose cells end inside of code too.
func (m *markdown) disarmLine(line string, loose *bool) string {
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
			case '\\', '`', '!', ']':
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
		case c == '!' && !m.pictures && strings.HasPrefix(line[i+1:], "["): // it becomes a link
			out.WriteString(`\!`)
			i++
		case c == ']' && leadsElsewhere(line[i+1:]):
			out.WriteString(`\]`)
			i++
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

// scheme matches what an address begins with, if it is no relative one.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.\-]*:`)

// leadsElsewhere reports whether what follows the "]" of a link, or of a definition of one, is an
// address that runs something or opens a file, such as javascript:. One that begins in the next
// line, which is rare, counts as such.
func leadsElsewhere(rest string) bool {
	if rest == "" || rest[0] != '(' && rest[0] != ':' {
		return false
	}
	const longest = 512 // of which no scheme is
	address := strings.TrimLeft(rest[1:min(len(rest), longest)], " \t\r\n<")
	if address == "" {
		return true
	}
	// A viewer decodes entities and leaves out backslashes and control characters.
	address = strings.Map(func(r rune) rune {
		if r == '\\' || unicode.IsControl(r) || unicode.In(r, unicode.Cf) {
			return -1
		}
		return r
	}, html.UnescapeString(address))
	found := strings.ToLower(scheme.FindString(strings.TrimLeft(address, " ")))
	return found != "" && found != "http:" && found != "https:" && found != "mailto:"
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
