package document

import (
	"strings"
)

// FenceBlock is a part of a Markdown text: a fenced code block, or the text between
// two of them.
type FenceBlock struct {
	Code bool
	Lang string // of code; "" if the fence names none
	Text string // of code: without the fences and their indentation
}

// Blocks splits Markdown at its code fences. A fence that is not closed extends to
// the end. Unlike in Markdown, a fence may be indented to any depth, as it is in
// nested lists. Empty text between fences is left out, empty code is not.
func Blocks(s string) []FenceBlock {
	var out []FenceBlock
	var code strings.Builder
	var open fence
	from, to := 0, 0 // the text before this line that is in no block yet
	flush := func() {
		if text := s[from:to]; strings.TrimSpace(text) != "" {
			out = append(out, FenceBlock{Text: text})
		}
	}
	at := 0
	for line := range strings.Lines(s) {
		at += len(line)
		f, isFence := fenceOf(line)
		switch {
		case open.n == 0 && isFence:
			flush()
			open = f
		case open.n == 0:
			to = at
		case isFence && open.closedBy(f):
			out = append(out, FenceBlock{Code: true, Lang: open.info, Text: strings.TrimSuffix(code.String(), "\n")})
			code.Reset()
			open = fence{}
			from, to = at, at
		default:
			code.WriteString(outdent(line, open.indent))
		}
	}
	if open.n > 0 {
		return append(out, FenceBlock{Code: true, Lang: open.info, Text: strings.TrimSuffix(code.String(), "\n")})
	}
	flush()
	return out
}

// fenceFor returns a fence of backticks that is longer than every run of them in code.
func fenceFor(code string) string {
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

// openFence returns the fence that closes the code block that is open at the end of a
// text, "" if none is open.
func openFence(s string) string {
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

// closedBy reports whether f closes the code block that open started.
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
	// More backticks after the first run: inline code, not a fence.
	return f, f.n >= 3 && (f.mark == '~' || !strings.Contains(after, "`"))
}

// outdent removes up to n characters of indentation.
func outdent(line string, n int) string {
	for n > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') {
		line, n = line[1:], n-1
	}
	return line
}
