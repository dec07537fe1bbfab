package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
)

// footer is the bottom line: a toast while there is one, else hints at the actions
// that are possible, which are none of the screen's while a dialog takes the keys. It is
// shortened, and never wraps.
func (r *Root) footer() string {
	if t := r.toast; t.text != "" {
		style, mark := r.styles.Chip, " "
		if t.bad {
			style, mark = r.styles.Danger, " "+r.styles.Glyphs.Failed+" "
		}
		room := r.w - r.styles.Cells.StringWidth(mark) - 1
		text := shortenQuoted(r.styles, t.text, room)
		if t.bad {
			text = wholeClauses(r.styles, text, room)
		}
		return style.Render(r.styles.Cells.Truncate(mark+text+" ", r.w, r.styles.Glyphs.Ellipsis))
	}
	if r.changes.jobs.told() {
		line, _ := r.changes.jobs.line(r.w)
		return r.styles.Cells.Truncate(line, r.w, "")
	}
	if len(r.dialogs) > 0 {
		return ""
	}
	if typing(r.top()) {
		return r.styles.Cells.Truncate(" "+r.hintText("enter", "done")+r.between()+r.hintText("esc", "cancel"), r.w, "")
	}
	var texts []string
	for _, h := range r.placedHints() {
		texts = append(texts, h.text)
	}
	return " " + strings.Join(texts, r.between())
}

// hintText draws a hint: a key, and what it does.
func (r *Root) hintText(key, does string) string {
	return r.styles.Key.Render(r.styles.Spell(shell.KeyText(key))) + " " + r.styles.Muted.Render(does)
}

// between stands between two hints.
func (r *Root) between() string { return r.styles.Faint.Render(r.styles.Spell(" · ")) }

// wholeClauses cuts a sentence that is wider than w columns between clauses, if the first one
// fits: the beginning of another one says little.
func wholeClauses(st *theme.Styles, text string, w int) string {
	shorter := text
	for st.Cells.StringWidth(shorter) > w {
		end := max(strings.LastIndex(shorter, "; "), strings.LastIndex(shorter, ": "), strings.LastIndex(shorter, ", "))
		if end < 0 {
			return text
		}
		shorter = shorter[:end]
	}
	return shorter
}

// shortenQuoted shortens the title in a sentence that is wider than w columns: what comes
// after it, often the key that undoes, says more than the end of a title.
func shortenQuoted(st *theme.Styles, text string, w int) string {
	least := 6 // columns of a title by which it is known
	before, title, open := strings.Cut(text, "“")
	end := strings.LastIndex(title, "”")
	if !open || end < 0 {
		return text
	}
	room := st.Cells.StringWidth(title[:end]) + w - st.Cells.StringWidth(text)
	if name := strings.LastIndexAny(title[:end], `/\`); name >= 0 { // of a path, the end says more
		room = max(room, st.Cells.StringWidth(title[name:end])+1)
		if over := st.Cells.StringWidth(title[:end]) - room; over > 0 {
			title = st.Cells.TruncateLeft(title[:end], over+1, st.Glyphs.Ellipsis) + title[end:]
		}
		return before + "“" + title
	}
	return before + "“" + st.Cells.Truncate(title[:end], max(room, least), st.Glyphs.Ellipsis) + title[end:]
}

// mostHints is how many hints the footer has: seven verbs, and help.
const mostHints = 8

// placedHints returns the hints that fit, with their columns.
func (r *Root) placedHints() []hint {
	hints := r.hints()
	for len(hints) > 0 {
		x := 1
		for i := range hints {
			hints[i].x = x
			x += hints[i].wide + 3
		}
		if x-2 <= r.w && len(hints) <= mostHints {
			break
		}
		// The last hints are dropped last: the way back, the menu of actions, and help.
		last := 3
		if n := len(hints); n > 3 && hints[n-3].action == shell.Back {
			last = 4
		}
		cut := max(len(hints)-last, 0)
		hints = append(hints[:cut:cut], hints[cut+1:]...)
	}
	return hints
}

// hint is a drawn hint.
type hint struct {
	action shell.Action
	text   string
	x      int // column that it begins in
	wide   int
}

// typing reports whether every key belongs to a text input of the screen, which no action
// can be reached from.
func typing(s shell.Screen) bool {
	return s.Claims(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl})
}

// hints names the footer's actions that are possible now, each with a key that is not typed
// now. A drawn hint is kept for the frames that follow.
func (r *Root) hints() (hints []hint) {
	top := r.top()
	if typing(top) {
		return nil
	}
	can := r.can()
	for _, b := range r.opt.Keys.In(top.Context()) {
		if b.Place != shell.InFooter || !slices.ContainsFunc(can, func(a shell.Handler) bool { return a.Action == b.Action && a.Why == "" }) {
			continue
		}
		key := b.KeyText()
		if i := slices.IndexFunc(b.Keys, func(k string) bool { return !top.Claims(shell.Press(k)) }); i >= 0 {
			key = b.Keys[i]
		}
		of := drawnHint{top.Context(), b.Action, key}
		h, ok := r.drawn[of]
		if !ok {
			h = hint{b.Action, r.hintText(key, r.hintOf(b)), 0, 0}
			h.wide = r.styles.Cells.StringWidth(h.text)
			r.drawn[of] = h
		}
		hints = append(hints, h)
	}
	return hints
}

// drawnHint is what a hint is drawn for.
type drawnHint struct {
	in     shell.Context
	action shell.Action
	key    string
}

// hintOf names an action in a word or two. If a script waits for an id, Enter
// picks it instead of resuming.
func (r *Root) hintOf(b shell.Binding) string {
	if r.opt.Choose && b.Action == shell.Resume {
		return "choose"
	}
	return b.Hint
}
