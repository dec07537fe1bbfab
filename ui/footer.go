package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// footer is the bottom line: a toast while there is one, else hints at what
// can be done. It shortens and never wraps.
func (r *Root) footer() string {
	if t := r.toast; t.text != "" {
		style, mark := r.styles.Text, " "
		if t.bad {
			style, mark = r.styles.Bad, " "+r.styles.Glyphs.Failed+" "
		}
		return style.Render(ansi.Truncate(mark+t.text, r.w, r.styles.Glyphs.Ellipsis))
	}
	hints := r.hints()
	for len(hints) > 0 {
		if line := strings.Join(hints, "  "); ansi.StringWidth(line)+2 <= r.w {
			return " " + line
		}
		// What stands last, help, goes last.
		cut := max(len(hints)-2, 0)
		hints = append(hints[:cut:cut], hints[cut+1:]...)
	}
	return ""
}

// hints names the footer's actions that can be done now.
func (r *Root) hints() []string {
	can := map[Action]bool{}
	for _, a := range r.can() {
		can[a.id] = a.why == ""
	}
	var out []string
	for _, b := range r.opt.Keys.in(r.top().context()) {
		if b.Footer && can[b.Action] {
			out = append(out, r.styles.Key.Render(b.label())+" "+r.styles.Muted.Render(b.Hint))
		}
	}
	return out
}
