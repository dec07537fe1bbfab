package document

import (
	"strings"
)

// FenceBlock is a part of a message written in Markdown: code between fences, or
// the text around it.
type FenceBlock struct {
	Code bool
	Lang string // of code, "" where the fence names none
	Text string // without fences and their indentation; text as it stands
}

// Blocks splits Markdown at its code fences. A fence that is never closed
// holds all that follows. Unlike in Markdown a fence may be indented to any
// depth: in a list it is. Empty text between fences is left out, empty code is
// not.
func Blocks(s string) []FenceBlock {
	var out []FenceBlock
	var text, code strings.Builder
	var open fence
	flush := func() {
		if strings.TrimSpace(text.String()) != "" {
			out = append(out, FenceBlock{Text: text.String()})
		}
		text.Reset()
	}
	for line := range strings.Lines(s) {
		f, isFence := fenceOf(line)
		switch {
		case open.n == 0 && isFence:
			flush()
			open = f
		case open.n == 0:
			text.WriteString(line)
		case isFence && open.closedBy(f):
			out = append(out, FenceBlock{Code: true, Lang: open.info, Text: strings.TrimSuffix(code.String(), "\n")})
			code.Reset()
			open = fence{}
		default:
			code.WriteString(outdent(line, open.indent))
		}
	}
	if open.n > 0 {
		out = append(out, FenceBlock{Code: true, Lang: open.info, Text: strings.TrimSuffix(code.String(), "\n")})
	}
	flush()
	return out
}

// Fence gives a fence of backticks that is longer than any in the code.
func Fence(code string) string {
	longest, n := 2, 0
	for i := range len(code) {
		if code[i] != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return strings.Repeat("`", longest+1)
}

// OpenFence gives the fence that would close the code at the end of a text, ""
// where none is open.
func OpenFence(s string) string {
	var open fence
	for line := range strings.Lines(s) {
		f, isFence := fenceOf(line)
		switch {
		case isFence && open.n == 0:
			open = f
		case isFence && open.closedBy(f):
			open = fence{}
		}
	}
	if open.n == 0 {
		return ""
	}
	return strings.Repeat(" ", open.indent) + strings.Repeat(string(open.mark), open.n)
}

// fence is a line that opens or closes code.
type fence struct {
	mark   byte
	n      int
	indent int
	info   string // the language
}

// closedBy reports whether another fence ends the code that this one began.
func (open fence) closedBy(f fence) bool { return f.mark == open.mark && f.n >= open.n && f.info == "" }

func fenceOf(line string) (fence, bool) {
	rest := strings.TrimLeft(line, " \t")
	f := fence{indent: len(line) - len(rest)}
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return f, false
	}
	f.mark = rest[0]
	after := strings.TrimLeft(rest, string(f.mark))
	f.n = len(rest) - len(after)
	if words := strings.Fields(after); len(words) > 0 {
		f.info = words[0]
	}
	// Backticks behind backticks are code inside a line.
	return f, f.n >= 3 && (f.mark == '~' || !strings.Contains(after, "`"))
}

// outdent takes the indentation of a fence off a line of its code.
func outdent(line string, n int) string {
	for n > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') {
		line, n = line[1:], n-1
	}
	return line
}
