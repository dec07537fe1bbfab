// Package prose writes stored text as a person reads it on one line: without the marks
// of Markdown, and of JSON the string that matters.
//
//	Line      the beginning of a text: a prompt in an outline
//	Inline    a text that is one line already: a preview, a piece of a snippet
//	Excerpt   the surroundings of a place in a text, which a snippet is cut from
//	Lines     the same of what a tool reads or writes: the lines of the place alone
//
// What looks like markup inside code stays. Nothing here cuts to a width.
package prose

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line writes a text on one line. Runs of white space become one space.
func Line(text string) string { return joined(strip(text, 0, 0, false)) }

// Inline writes a text that has no line breaks, such as a preview, in which they have
// become spaces. Spaces at either end stay.
func Inline(text string) string {
	// Few texts have either, and a list asks for all of its rows.
	if strings.Contains(text, "#") {
		text = inlineHeading.ReplaceAllString(text, "$1")
	}
	if strings.Contains(text, "```") || strings.Contains(text, "~~~") {
		text = inlineFence.ReplaceAllString(text, "")
	}
	return stripInline(text)
}

var (
	inlineHeading = regexp.MustCompile(`(^\s*|\s\s)#{1,6}\s+`)
	inlineFence   = regexp.MustCompile("(?:```|~~~)[a-zA-Z0-9+#-]*(?:$|\\s+)")
)

// joined makes every run of white space one space.
func joined(text string) string { return strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ") }

// The surroundings of a place that [Excerpt] gives, in bytes.
const (
	before = 300
	after  = 500
)

// Excerpt returns the surroundings of the bytes from to to of a text, without markup and
// on several lines. Of JSON it gives the string that has these bytes.
func Excerpt(text string, from, to int) string {
	if value, at, end, ok := enclosing(text, from, to); ok {
		return Excerpt(value, at, end)
	}
	start, end := lineBefore(text, from), lineAfter(text, to)
	part := text[start:end]
	if looksLikeJSON(text) {
		return flatten(part)
	}
	return strip(part, from-start, to-start, inFence(text[:start]))
}

// Lines returns the lines of a text that the bytes from to to are in, cut far from these,
// without markup, escapes of a terminal and the numbers that a tool puts before the
// lines of a file. Of JSON it gives lines of the string that has these bytes.
func Lines(text string, from, to int) string {
	if value, at, end, ok := enclosing(text, from, to); ok {
		return Lines(value, at, end)
	}
	if looksLikeJSON(text) {
		return Excerpt(text, from, to)
	}
	start, end := lineBefore(text, from), lineAfter(text, to)
	if n := strings.LastIndexByte(text[start:from], '\n'); n >= 0 {
		start += n + 1
	}
	if n := strings.IndexByte(text[to:end], '\n'); n >= 0 {
		end = to + n
	}
	part := escapeSequence.ReplaceAllString(text[start:end], "")
	return strip(gutter.ReplaceAllString(part, ""), 0, 0, inFence(text[:start]))
}

var (
	escapeSequence = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	gutter         = regexp.MustCompile(`(?m)^[ \t]*[0-9]+(?:→|\t|[ ]?[|│] ?)`)
)

// lineBefore returns the beginning of the line that a place is in, or of a character nearer
// to it.
func lineBefore(text string, at int) int {
	start := max(0, at-before)
	if start == 0 {
		return 0
	}
	if n := strings.IndexByte(text[start:max(start, at-before/2)], '\n'); n >= 0 {
		return start + n + 1
	}
	for start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	return start
}

// lineAfter returns the end of a line behind a place, or of a character nearer to it.
func lineAfter(text string, at int) int {
	end := at + after
	if end >= len(text) {
		return len(text)
	}
	if n := strings.LastIndexByte(text[at+after/2:end], '\n'); n >= 0 {
		return at + after/2 + n
	}
	for end > at && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// inFence reports whether a block of code is open at the end of a text.
func inFence(text string) bool {
	n := strings.Count(text, "\n```")
	if strings.HasPrefix(text, "```") {
		n++
	}
	return n%2 == 1
}

// strip takes the marks of Markdown out of a text. The language of a block of code goes
// with them, unless the byte at from or the one before to is in it. fenced says that the text
// begins inside such a block. Snippets are cut at every key of a search, so no line is
// matched by regular expressions.
func strip(text string, from, to int, fenced bool) string {
	var b strings.Builder
	b.Grow(len(text))
	end := -1
	for line := range strings.SplitSeq(text, "\n") {
		start := end + 1
		end = start + len(line)
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fenced = !fenced
			if from == to || (from < start || from >= end) && (to <= start || to > end) {
				continue
			}
			b.WriteString(strings.Trim(trimmed, "`~ "))
		case fenced:
			b.WriteString(line)
		case isRule(trimmed):
			continue
		default:
			b.WriteString(stripInline(cellsOf(stripPrefix(trimmed))))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// isRule reports whether a line is a horizontal rule, the underline of a heading or the
// line below the head of a table.
func isRule(line string) bool {
	if len(line) < 3 {
		return false
	}
	switch line[0] {
	case '|', ':':
		return strings.Contains(line, "--") && strings.Trim(line, "|:- ") == ""
	case '-', '*', '_', '=':
		return strings.Trim(line, line[:1]+" ") == "" && strings.Count(line, line[:1]) >= 3 ||
			line[0] == '-' && strings.Contains(line, "|") && strings.Trim(line, "|:- ") == ""
	}
	return false
}

// stripPrefix takes the marks of quotes, headings and lists from the front of a line.
func stripPrefix(line string) string {
	for strings.HasPrefix(line, ">") {
		line = strings.TrimLeft(line[1:], " ")
	}
	if rest := strings.TrimLeft(line, "#"); len(rest) < len(line) && len(line)-len(rest) <= 6 && strings.HasPrefix(rest, " ") {
		if text := strings.TrimRight(rest, "#"); strings.HasSuffix(text, " ") {
			rest = text
		}
		return rest
	}
	if len(line) > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ' {
		line = line[2:]
		for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
			line = strings.TrimPrefix(line, box)
		}
	}
	return line
}

// cellsOf writes the row of a table with middle dots between its cells.
func cellsOf(line string) string {
	trimmed := strings.TrimSpace(line)
	if len(trimmed) < 2 || trimmed[0] != '|' || trimmed[len(trimmed)-1] != '|' {
		return line
	}
	var cells []string
	for cell := range strings.SplitSeq(trimmed[1:len(trimmed)-1], "|") {
		if cell = strings.TrimSpace(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	return strings.Join(cells, " · ")
}

var link = regexp.MustCompile(`!?\[([^\]\n]+)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)`)

// stripInline takes the marks of Markdown out of a line. What is in a span of code stays
// as it is, without the marks around it.
func stripInline(line string) string {
	if !strings.ContainsAny(line, "*`[~\\_") {
		return line
	}
	var b strings.Builder
	for line != "" {
		open := strings.IndexByte(line, '`')
		if open < 0 {
			b.WriteString(stripMarks(line))
			break
		}
		ticks := len(line[open:]) - len(strings.TrimLeft(line[open:], "`"))
		mark := line[open : open+ticks]
		length := strings.Index(line[open+ticks:], mark)
		b.WriteString(stripMarks(line[:open]))
		if length < 0 { // its end is not in this piece
			line = line[open+ticks:]
			continue
		}
		b.WriteString(line[open+ticks : open+ticks+length])
		line = line[open+2*ticks+length:]
	}
	return b.String()
}

// stripMarks takes marks out of a text without code.
func stripMarks(text string) string {
	if !strings.ContainsAny(text, `*[~\_`) {
		return text
	}
	if strings.Contains(text, "](") {
		text = link.ReplaceAllString(text, "$1")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "**", ""), "~~", "")
	return unescapeBreaks(stripEmphasis(text))
}

// stripEmphasis takes single stars around words out of a text: *so*, but not 2 * 3 or *ptr.
func stripEmphasis(text string) string {
	if strings.Count(text, "*") < 2 {
		return text
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '*')
		if open < 0 {
			break
		}
		length := strings.IndexByte(text[open+1:], '*')
		if length < 0 {
			break
		}
		end := open + 1 + length
		inner := text[open+1 : end]
		if inner != "" && inner == strings.TrimSpace(inner) && !wordAt(text[:open], true) && !wordAt(text[end+1:], false) {
			b.WriteString(text[:open])
			b.WriteString(inner)
			text = text[end+1:]
			continue
		}
		b.WriteString(text[:end])
		text = text[end:]
	}
	b.WriteString(text)
	return b.String()
}

// wordAt reports whether a text ends, or begins, with a letter, a digit or an underscore.
func wordAt(text string, end bool) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if end {
		r, _ = utf8.DecodeLastRuneInString(text)
	}
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// unescapeBreaks writes a space for a line break or tab that is stored as a backslash and
// a letter, except in the paths of Windows.
func unescapeBreaks(text string) string {
	if !strings.Contains(text, `\`) || strings.Contains(text, `:\`) || strings.HasPrefix(text, `\\`) {
		return text
	}
	return breaks.Replace(text)
}

var breaks = strings.NewReplacer(`\r\n`, " ", `\n`, " ", `\t`, " ", `\r`, " ")
