package picture

import (
	"bytes"
	"fmt"
	"strings"
)

// The window around the cells.
const (
	padding = 14
	bar     = 34
)

// fonts are common monospaced fonts. Whichever a viewer has, columns hold.
const fonts = `ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace`

// Draw returns a picture of a screen as SVG.
func Draw(s Screen, scheme Scheme, description string) []byte {
	c := &canvas{scheme: scheme}
	var body strings.Builder
	for y, cells := range s.Rows {
		if row := c.row(y, cells, s.Cursor); row != "" {
			body.WriteString(row + "\n")
		}
	}
	return c.window(len(s.Rows[0]), len(s.Rows), description, "", title(s.Title, len(s.Rows[0])), body.String())
}

// title writes the title of the window.
func title(text string, columns int) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(`<text class="W M" x="%d" y="19">%s</text>`, (columns*cellWidth+2*padding)/2, escaped(text)) + "\n"
}

// window puts drawn rows into a window.
func (c *canvas) window(columns, rows int, description, style, title, body string) []byte {
	w, h := columns*cellWidth+2*padding, rows*cellHeight+bar+padding
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", w, h, w, h)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>\ntext{font:%dpx %s;font-variant-ligatures:none}\n.M{text-anchor:middle}\n.G{shape-rendering:crispEdges}\n.W{fill:%s;font-size:13px}\n", escaped(description), fontSize, fonts, c.scheme.FrameText)
	for i, declarations := range c.classes {
		fmt.Fprintf(&out, ".%s{%s}\n", c.class(c.classes[i]), declarations)
	}
	fmt.Fprintf(&out, "%s</style>\n", style)
	fmt.Fprintf(&out, `<rect x=".5" y=".5" width="%d" height="%d" rx="9" fill="%s"/>`+"\n", w-1, h-1, c.scheme.Background)
	fmt.Fprintf(&out, `<path d="M.5 %dV9.5a9 9 0 0 1 9-9H%d.5a9 9 0 0 1 9 9V%dz" fill="%s"/>`+"\n", bar-6, w-10, bar-6, c.scheme.Frame)
	fmt.Fprintf(&out, `<rect x=".5" y=".5" width="%d" height="%d" rx="9" fill="none" stroke="%s"/>`+"\n", w-1, h-1, c.scheme.Edge)
	for i, color := range []string{"#ec6a5e", "#f4bf4f", "#61c554"} {
		fmt.Fprintf(&out, `<circle cx="%d" cy="14.5" r="5.5" fill="%s"/>`, 18+19*i, color)
	}
	fmt.Fprintf(&out, "\n%s<g transform=\"translate(%d %d)\">\n%s</g>\n</svg>\n", title, padding, bar, body)
	return out.Bytes()
}
