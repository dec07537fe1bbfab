package export

import (
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// footnotes are those of one text. Their labels stay as they were written, because prose
// may refer to "note 3". Goldmark has an extension for them, which drops a footnote that
// no mark leads to.
type footnotes struct {
	texts int // with footnotes so far, so that ids differ between the messages of a page
	notes []footnote
}

type footnote struct {
	id, label, body string
	marks           int // drawn so far
}

// take takes the definitions of footnotes out of Markdown and returns the rest. Those in
// code, lists and quotes stay where they are.
func (f *footnotes) take(src string) string {
	f.notes = f.notes[:0]
	if !strings.Contains(src, "[^") {
		return src
	}
	var rest, blank strings.Builder
	fence, within := "", false
	for line := range strings.Lines(src) {
		words := strings.TrimLeft(line, " ")
		indent := len(line) - len(words)
		label, behind, defines := definition(words)
		switch {
		case fence == "" && indent < 4 && defines && f.find(label) == nil:
			if len(f.notes) == 0 {
				f.texts++
			}
			id := "f" + strconv.Itoa(f.texts) + "-" + strconv.Itoa(len(f.notes)+1)
			f.notes = append(f.notes, footnote{id: id, label: label, body: behind})
			within = true
		case within && strings.TrimSpace(line) == "":
			blank.WriteString(line)
			continue
		case within && (indent >= 4 || blank.Len() == 0 && fenceOf(words) == ""):
			f.notes[len(f.notes)-1].body += blank.String() + line[min(indent, 4):]
		default:
			within = false
			rest.WriteString(blank.String() + line)
			mark := fenceOf(words)
			switch {
			case indent >= 4:
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.TrimSpace(strings.TrimLeft(words, fence[:1])) == "":
				fence = ""
			}
		}
		blank.Reset()
	}
	return rest.String() + blank.String()
}

// definition splits the first line of a definition.
func definition(line string) (label, behind string, ok bool) {
	if label, ok = strings.CutPrefix(line, "[^"); !ok {
		return "", "", false
	}
	label, behind, ok = strings.Cut(label, "]:")
	return label, strings.TrimLeft(behind, " "), ok && isLabel(label)
}

func isLabel(s string) bool {
	return s != "" && len(s) < 100 && !strings.ContainsAny(s, " \t\n[]^")
}

// fenceOf returns the characters that begin or end a block of code, or "".
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

func (f *footnotes) find(label string) *footnote {
	for i := range f.notes {
		if f.notes[i].label == label {
			return &f.notes[i]
		}
	}
	return nil
}

// Trigger implements parser.InlineParser.
func (f *footnotes) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser: the mark of a footnote becomes a link to it.
func (f *footnotes) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(f.notes) == 0 || len(line) < 4 || line[1] != '^' {
		return nil
	}
	label, _, closed := strings.Cut(string(line[2:min(len(line), 102)]), "]")
	n := f.find(label)
	if !closed || n == nil {
		return nil
	}
	block.Advance(len("[^]") + len(label))
	n.marks++
	mark := ast.NewRawHTML() // a node for something inline
	mark.SetAttributeString(isMark, [...]string{n.id, n.id + "-" + strconv.Itoa(n.marks), label})
	return mark
}

// isMark is the attribute of a node that is the mark of a footnote: the id of the footnote,
// its own, and the label.
const isMark = "footnote"

// markHTML writes a node that is a mark. A link cannot have another one in its text.
func markHTML(n ast.Node) (out string, ok bool) {
	value, _ := n.AttributeString(isMark)
	m, ok := value.([3]string)
	if !ok {
		return "", false
	}
	text := html.EscapeString(m[2])
	for p := n.Parent(); p != nil; p = p.Parent() {
		if k := p.Kind(); k == ast.KindLink || k == ast.KindImage {
			return `<sup id="` + m[1] + `">` + text + "</sup>", true
		}
	}
	return `<sup id="` + m[1] + `"><a href="#` + m[0] + `">` + text + "</a></sup>", true
}

// list writes the footnotes, each with a link to its first mark.
func (f *footnotes) list(render func(string) (string, bool)) (string, bool) {
	bodies := make([]string, len(f.notes))
	for i := range f.notes { // all of them first: they may have marks too
		body, ok := render(f.notes[i].body)
		if !ok {
			return "", false
		}
		bodies[i] = body
	}
	var b strings.Builder
	for i := range f.notes {
		n := &f.notes[i]
		label := html.EscapeString(n.label)
		if n.marks > 0 {
			label = `<a href="#` + n.id + `-1">` + label + "</a>"
		}
		b.WriteString(`<div class="footnote" id="` + n.id + "\">\n" + label + ". " + bodies[i] + "</div>\n")
	}
	return b.String(), true
}
