package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// A cell, and the type in it.
const (
	cellWidth  = 9
	cellHeight = 20
	baseline   = 15
	fontSize   = 15
)

// canvas gathers the styles of a picture while its rows are drawn.
type canvas struct {
	scheme  Scheme
	classes []string // declarations, by the number of the class
}

// class returns the name of the class with these declarations. It has small letters
// only; names with capital ones belong to the window.
func (c *canvas) class(declarations string) string {
	n := slices.Index(c.classes, declarations)
	if n < 0 {
		n = len(c.classes)
		c.classes = append(c.classes, declarations)
	}
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('a'+(n-1)%26)) + name
	}
	return name
}

// colorPaths gathers the paths of a row by color, in the order of their first use.
type colorPaths struct {
	colors []string
	paths  map[string]*strings.Builder
}

func (p *colorPaths) of(color string) *strings.Builder {
	if p.paths == nil {
		p.paths = map[string]*strings.Builder{}
	}
	if p.paths[color] == nil {
		p.colors = append(p.colors, color)
		p.paths[color] = &strings.Builder{}
	}
	return p.paths[color]
}

// row draws the cells of a line: grounds, then lines, then text.
func (c *canvas) row(y int, cells []uv.Cell, cursor Cursor) string {
	var fills, lines colorPaths
	var text strings.Builder
	looks := make([]look, len(cells))
	for x, cell := range cells {
		looks[x] = c.scheme.look(cell.Style)
		if cell.Width == 0 && x > 0 { // behind a wide character
			looks[x] = looks[x-1]
		}
	}
	if cursor.Shown && cursor.Y == y && cursor.X < len(cells) {
		l := &looks[cursor.X]
		switch cursor.Shape {
		case Block:
			ground := cmp.Or(l.ground, c.scheme.Background)
			l.ground, l.ink = c.scheme.Foreground, ground
		case Underline:
			rectangle(lines.of(c.scheme.Foreground), cursor.X*cellWidth, y*cellHeight+cellHeight-3, cellWidth, 2)
		case Bar:
			rectangle(lines.of(c.scheme.Foreground), cursor.X*cellWidth, y*cellHeight, 2, cellHeight)
		}
	}
	for x := 0; x < len(cells); {
		n := 1
		for x+n < len(cells) && looks[x+n] == looks[x] {
			n++
		}
		left := x * cellWidth
		top := y * cellHeight
		width := n * cellWidth
		if looks[x].ground != "" {
			rectangle(fills.of(looks[x].ground), left, top, width, cellHeight)
		}
		if looks[x].under {
			rectangle(lines.of(looks[x].ink), left, top+baseline+2, width, 1)
		}
		if looks[x].struck {
			rectangle(lines.of(looks[x].ink), left, top+baseline-5, width, 1)
		}
		c.run(&text, &lines, x, y, cells[x:x+n], looks[x])
		x += n
	}
	var out strings.Builder
	for _, color := range fills.colors { // sharp, so that the grounds of two lines touch at any scale
		fmt.Fprintf(&out, `<path class="%s G" d="%s"/>`, c.class("fill:"+color), fills.paths[color])
	}
	for _, color := range lines.colors {
		fmt.Fprintf(&out, `<path class="%s" d="%s"/>`, c.class("fill:"+color), lines.paths[color])
	}
	return out.String() + text.String()
}

func rectangle(path *strings.Builder, x, y, w, h int) {
	fmt.Fprintf(path, "M%d %dh%dv%dh-%dz", x, y, w, h, w)
}

// run draws cells of one look: text in pieces that are pinned to their columns, and
// the characters that frames are made of as shapes, which join in every font.
func (c *canvas) run(text *strings.Builder, lines *colorPaths, x, y int, cells []uv.Cell, l look) {
	declarations := "fill:" + l.ink
	if l.bold {
		declarations += ";font-weight:700"
	}
	if l.italic {
		declarations += ";font-style:italic"
	}
	for i := 0; i < len(cells); {
		content := cells[i].Content
		if content == "" || content == " " {
			i++
			continue
		}
		if n := repeated(cells[i:], "─"); n > 0 {
			rectangle(lines.of(l.ink), (x+i)*cellWidth, y*cellHeight+cellHeight/2, n*cellWidth, 1)
			i += n
			continue
		}
		if draw, ok := shapes[content]; ok {
			draw(lines.of(l.ink+opacity[content]), (x+i)*cellWidth, y*cellHeight)
			i++
			continue
		}
		if plain(content) {
			n := words(cells[i:])
			fmt.Fprintf(text, `<text class="%s" x="%d" y="%d"`, c.class(declarations), (x+i)*cellWidth, y*cellHeight+baseline)
			if n > 1 {
				fmt.Fprintf(text, ` textLength="%d"`, n*cellWidth)
			}
			text.WriteString(">")
			for _, cell := range cells[i : i+n] {
				text.WriteString(escaped(blank(cell.Content)))
			}
			text.WriteString("</text>")
			i += n
			continue
		}
		// Monospaced fonts lack the character: it comes from another font, whatever its width there.
		// Each one stands alone, because viewers disagree about several places in one text.
		middle := 2*(x+i)*cellWidth + cells[i].Width*cellWidth // doubled
		fmt.Fprintf(text, `<text class="%s M" x="%s" y="%d">%s</text>`, c.class(declarations), halves(middle), y*cellHeight+baseline, escaped(content))
		i += max(cells[i].Width, 1)
	}
}

// halves writes half of a number.
func halves(n int) string {
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", n/2, n%2*5), ".0")
}

// repeated counts the cells that begin with the same character.
func repeated(cells []uv.Cell, content string) int {
	n := 0
	for n < len(cells) && cells[n].Content == content {
		n++
	}
	return n
}

// words counts the cells up to the next two blanks, or to a character that is drawn
// in another way.
func words(cells []uv.Cell) int {
	n := 0
	for i, cell := range cells {
		switch {
		case blank(cell.Content) == " ":
			if i > n {
				return n
			}
		case plain(cell.Content):
			n = i + 1
		default:
			return n
		}
	}
	return n
}

// blank returns the text of a cell, which may never have been written to.
func blank(content string) string {
	if content == "" {
		return " "
	}
	return content
}

// plain reports whether every monospaced font has a character, in its own width.
func plain(content string) bool {
	r, size := utf8.DecodeRuneInString(content)
	if size != len(content) {
		return false
	}
	return r > ' ' && r < 0x7f || r >= 0xa1 && r < 0x250 && r != 0xad || strings.ContainsRune("–—‘’“”…", r)
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escaped writes text for XML.
func escaped(s string) string { return escapes.Replace(s) }
