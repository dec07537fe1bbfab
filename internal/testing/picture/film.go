package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Frame is a screen of a film.
type Frame struct {
	Screen Screen
	Keys   string        // the keys that lead to this screen, shown beside the title
	Hold   time.Duration // how long the screen stands
}

// span is a part of a film: frames from begin up to but not including end.
type span struct{ begin, end int }

// Film draws frames as one animated picture, which begins again after the last. What
// stays the same from frame to frame, line by line, is drawn once. Viewers that do
// not animate, and readers who prefer no motion, see the last frame.
func Film(frames []Frame, scheme Scheme, description string) []byte {
	c := &canvas{scheme: scheme}
	first := frames[0].Screen
	columns, rows := len(first.Rows[0]), len(first.Rows)
	parts := map[span]*strings.Builder{}
	var spans []span
	add := func(piece func(f Frame) string) {
		for begin := 0; begin < len(frames); {
			text, end := piece(frames[begin]), begin+1
			for end < len(frames) && piece(frames[end]) == text {
				end++
			}
			if text != "" {
				s := span{begin, end}
				if parts[s] == nil {
					parts[s] = &strings.Builder{}
					spans = append(spans, s)
				}
				parts[s].WriteString(text + "\n")
			}
			begin = end
		}
	}
	add(func(f Frame) string { return shifted(title(f.Screen.Title, columns)) })
	add(func(f Frame) string { return shifted(c.keys(f.Keys, columns)) })
	for y := range rows {
		add(func(f Frame) string { return c.row(y, f.Screen.Rows[y], f.Screen.Cursor) })
	}

	slices.SortFunc(spans, func(a, b span) int {
		if a.begin != b.begin {
			return a.begin - b.begin
		}
		return a.end - b.end
	})
	var total time.Duration
	starts := make([]time.Duration, 0, len(frames)+1)
	for _, f := range frames {
		starts = append(starts, total)
		total += f.Hold
	}
	starts = append(starts, total)
	percent := func(frame int) string {
		s := strconv.FormatFloat(float64(starts[frame])*100/float64(total), 'f', 3, 64)
		return strings.TrimRight(strings.TrimRight(s, "0"), ".") + "%"
	}
	var style, body strings.Builder
	fmt.Fprintf(&style, ".F{visibility:hidden;animation:%sms step-end infinite}\n.L{visibility:visible}\n", strconv.FormatInt(total.Milliseconds(), 10))
	for i, s := range spans {
		if s == (span{0, len(frames)}) {
			fmt.Fprintf(&body, "<g>\n%s</g>\n", parts[s])
			continue
		}
		class := fmt.Sprintf("F F%d", i)
		if s.end == len(frames) {
			class += " L"
		}
		fmt.Fprintf(&body, "<g class=\"%s\">\n%s</g>\n", class, parts[s])
		fmt.Fprintf(&style, ".F%d{animation-name:F%d}@keyframes F%d{", i, i, i)
		if s.begin > 0 {
			style.WriteString("0%{visibility:hidden}")
		}
		fmt.Fprintf(&style, "%s{visibility:visible}", percent(s.begin))
		if s.end < len(frames) {
			fmt.Fprintf(&style, "%s{visibility:hidden}", percent(s.end))
		}
		style.WriteString("}\n")
	}
	style.WriteString("@media (prefers-reduced-motion:reduce){.F{animation:none}}\n")
	return c.window(columns, rows, description, style.String(), "", body.String())
}

// keys draws the pressed keys to the right of the title.
func (c *canvas) keys(text string, columns int) string {
	if text == "" {
		return ""
	}
	width := 8*utf8.RuneCountInString(text) + 14
	left := columns*cellWidth + 2*padding - width - 6
	return fmt.Sprintf(`<rect class="%s" x="%d.5" y="4.5" width="%d" height="20" rx="5"/><text class="%s M" style="font-size:13px" x="%d" y="19">%s</text>`,
		c.class("fill:none;stroke:"+c.scheme.FrameText), left, width, c.class("fill:"+c.scheme.Foreground), left+width/2, escaped(text))
}

// shifted moves a drawing from the place of the cells to that of the window.
func shifted(drawn string) string {
	if drawn == "" {
		return ""
	}
	return fmt.Sprintf(`<g transform="translate(-%d -%d)">%s</g>`, padding, bar, strings.TrimSpace(drawn))
}
