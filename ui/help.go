package ui

import (
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// newHelp is the help of a context, made from the key map that is in force.
func newHelp(r *Root, c Context) *notice {
	return &notice{root: r, title: "Keys of the " + string(c), text: func(w int) []string {
		s := r.styles
		rows := slices.DeleteFunc(r.opt.Keys.in(c), func(b Binding) bool {
			return slices.ContainsFunc(r.can(), func(a action) bool { return a.id == b.Action && !a.offered() })
		})
		wide := 0
		for _, b := range rows {
			wide = max(wide, ansi.StringWidth(b.labels()))
		}
		wide = min(wide, max(w/3, 4))
		var out []string
		for _, b := range rows {
			text := wrap(b.Help, max(w-wide-2, 8))
			for i, l := range text {
				key := pad("", wide, "")
				if i == 0 {
					key = s.Key.Render(pad(b.labels(), wide, s.Glyphs.Ellipsis))
				}
				out = append(out, ansi.Truncate(key+"  "+s.Text.Render(l), w, ""))
			}
		}
		for _, p := range about(c) {
			out = append(out, "")
			for _, l := range wrap(p, w) {
				out = append(out, s.Muted.Render(l))
			}
		}
		return out
	}}
}

// about says what no key can.
func about(c Context) []string {
	if c != InList {
		return nil
	}
	return []string{
		"Typing searches what was said, titles and ids at once: all words must match, the last one as a beginning. " +
			"\"a phrase\", -without, one OR other. To begin a query with ? or : type a space first.",
		"One row is one conversation, whatever compression made of it: § segments, ⑂ branches, ↳ subagents. " +
			"Rows stand in the order of their last activity. " +
			"Other than in the classic picker, q and d are letters like all others, and ids are whole.",
		"Ctrl+X, then a letter, does everything that keys do.",
	}
}
