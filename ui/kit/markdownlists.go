package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Glamour writes the paragraphs of a list item without anything between them, begins all
// but the first line of an item at the edge, and ends a nested list, a quote and a
// definition with a blank line of their own. The first two are mended in the source: the
// text of a paragraph may contain line breaks and spaces as character references. Blank
// lines are taken out of the result.

// joined marks the text of an item that Glamour would put a blank line before, because the
// item above it ends in a nested list. It takes no column.
const joined = "\u2064"

// indentation is the source of n spaces at the beginning of a line. The last one is a real
// space, because a link and emphasis may begin after one.
func indentation(n int) string { return strings.Repeat("&#32;", n-1) + " " }

// itemOf returns the list item that a block is directly in, nil if there is none.
func itemOf(n ast.Node) *ast.ListItem {
	if n.Parent() == nil {
		return nil
	}
	item, _ := n.Parent().(*ast.ListItem)
	return item
}

// markWidth is how many columns the mark of an item takes, a box of a task included.
func markWidth(item *ast.ListItem) int {
	if beginsWithBox(item) {
		return len("[x] ")
	}
	list := item.Parent().(*ast.List)
	if !list.IsOrdered() {
		return len("* ")
	}
	number := list.Start
	for n := item.PreviousSibling(); n != nil; n = n.PreviousSibling() {
		number++
	}
	width := len("0. ")
	for ; number > 9; number /= 10 {
		width++
	}
	return width
}

// beginsWithBox reports whether an item is a task.
func beginsWithBox(item ast.Node) bool {
	first := item.FirstChild()
	return first != nil && first.FirstChild() != nil && first.FirstChild().Kind() == extast.KindTaskCheckBox
}

// separateParagraph puts a blank line before a paragraph of a list item, unless it is the
// first.
func (v *visitor) separateParagraph(n *ast.Paragraph) {
	if item := itemOf(n); item != nil && n.PreviousSibling() != nil && n.Lines().Len() > 0 {
		v.edits = append(v.edits, edit{n.Lines().At(0).Start, 0, "&#10;&#10;" + indentation(markWidth(item))})
	}
}

// joinCodeLines puts the code of a code span on one line if it is in a list item, because code
// cannot be indented.
func (v *visitor) joinCodeLines(n *ast.CodeSpan) {
	if blockOf(n) == nil || itemOf(blockOf(n)) == nil {
		return
	}
	for c := n.FirstChild(); c != nil && c.NextSibling() != nil; c = c.NextSibling() {
		t, isText := c.(*ast.Text)
		next, follows := c.NextSibling().(*ast.Text)
		if !isText || !follows || t.Segment.Len() == 0 {
			continue
		}
		if end := t.Segment.Stop - 1; v.src[end] == '\n' {
			v.edits = append(v.edits, edit{end, next.Segment.Start - end, " "})
		}
	}
}

// blockOf returns the block that an inline node is in.
func blockOf(n ast.Node) ast.Node {
	for n = n.Parent(); n != nil && n.Type() != ast.TypeBlock; n = n.Parent() {
	}
	return n
}

// indentContinuation indents the line after a text in a list item as far as its first line.
func (v *visitor) indentContinuation(t *ast.Text) {
	if !t.SoftLineBreak() && !t.HardLineBreak() {
		return
	}
	block := blockOf(t)
	if block == nil {
		return
	}
	item := itemOf(block)
	if item == nil {
		return
	}
	for i := range block.Lines().Len() {
		if at := block.Lines().At(i).Start; at >= t.Segment.Stop {
			v.edits = append(v.edits, edit{at, 0, indentation(markWidth(item))})
			return
		}
	}
}

// markJoined marks an item whose neighbor above ends in a nested list.
func (v *visitor) markJoined(item *ast.ListItem) {
	above, first := item.PreviousSibling(), item.FirstChild()
	if above == nil || above.LastChild() == nil || above.LastChild().Kind() != ast.KindList || first == nil ||
		first.Kind() != ast.KindTextBlock && first.Kind() != ast.KindParagraph || first.Lines().Len() == 0 || strings.Contains(v.src, joined) {
		return
	}
	at, mark := first.Lines().At(0).Start, "&#x2064; "
	if beginsWithBox(item) {
		at, mark = at+len("[x] "), "&#x2064;"
	}
	v.edits = append(v.edits, edit{at, 0, mark})
	v.joined = true
}

// gap is a run of two or more blank lines in code, by the lines around it.
type gap struct{ above, below string }

// noteGaps adds the gaps of a block of code.
func (src *source) noteGaps(lines *text.Segments) {
	above, blank := "", 0
	for i := range lines.Len() {
		s := lines.At(i)
		l := strings.TrimSpace(src.src[s.Start:s.Stop])
		if l == "" {
			blank++
			continue
		}
		if blank > 1 {
			src.gaps = append(src.gaps, gap{above, l})
		}
		above, blank = l, 0
	}
}

// isCodeGap reports whether the lines around a run of blank lines are those of a gap in code.
// Either of them may be a part of a line, since long ones are wrapped or cut.
func (src *source) isCodeGap(above, below string) bool {
	above, below = bare(above), strings.TrimRight(bare(below), "….")
	for _, g := range src.gaps {
		if strings.HasPrefix(g.below, below) && (strings.HasSuffix(g.above, above) || strings.HasPrefix(g.above, strings.TrimRight(above, "…."))) {
			return true
		}
	}
	return false
}

// bare is a line without styles, space and the bars of quotes.
func bare(l string) string { return strings.Trim(ansi.Strip(l), " │|") }

// squeezeBlankLines leaves one of every run of blank lines outside of code, the one in the
// fewest quotes, and none at either end.
func (src *source) squeezeBlankLines(lines []string) []string {
	bars := func(l string) (n int, ok bool) {
		if l = ansi.Strip(l); l != "" && strings.Trim(l, " │|") == "" && (!src.tabular || l[0] != ' ') {
			return len(strings.Fields(l)), true
		}
		return 0, l == ""
	}
	out := lines[:0]
	for i := 0; i < len(lines); {
		least, ok := bars(lines[i])
		if !ok {
			out = append(out, lines[i])
			i++
			continue
		}
		end, keep := i+1, i
		for ; end < len(lines); end++ {
			n, ok := bars(lines[end])
			if !ok {
				break
			}
			if n < least {
				least, keep = n, end
			}
		}
		switch {
		case i == 0 || end == len(lines):
		case end-i > 1 && src.isCodeGap(lines[i-1], lines[end]):
			out = append(out, lines[i:end]...)
		default:
			out = append(out, lines[keep])
		}
		i = end
	}
	return out
}
