package list

import (
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// The notices of the list: how many rows there are, what is wrong with the
// database, and what is shown instead of rows when there are none.

// counts returns texts with the number of results, their order and what is hidden,
// from the longest to the shortest. at is the number of the current row among
// them, 0 for none; moving on does not change the width of a text.
func counts(f *fetch, r *results, keys shell.Keys, ellipsis string, at int) []string {
	awaited := r.closestAwaited(f)
	if f.late() && !awaited {
		doing := "reading"
		if f.asked.searching() {
			doing = "searching"
		}
		return []string{doing + ellipsis}
	}
	if !r.ready || r.err != nil || r.found.uncounted {
		return nil // the first page comes without totals
	}
	found := r.found
	total, close := found.total+found.closest.inForms, found.closest.count-found.closest.inForms
	number, pad := kit.Count(total), ""
	if at > 0 {
		pad = strings.Repeat(" ", len(number)-len(kit.Count(at)))
		number = kit.Count(at) + "/" + number
	}
	n := number + " " + scopeName(r.shown.List.Scope, total)
	hits, near := "", ""
	hidden := hiddenNote(r, keys)
	if hidden != "" {
		hidden = " · " + hidden
	}
	brief := strings.TrimSuffix(hidden, " "+keys.Find(shell.InList, shell.Hidden).KeyText())
	if r.shown.searching() && found.hits > 0 {
		hits = " · " + kit.Plural(found.hits, "match", "matches")
	}
	switch {
	case close > 0:
		near = " · " + kit.Count(close) + " close"
	case awaited && f.late():
		near = " · searching" + ellipsis
	}
	order := ""
	if len(found.items) > 1 {
		order = " · " + orderNote(r.shown.List.SortOrder())
	}
	// The order says more than what is counted, but for another scope. A search has a heading.
	short := n + hits + near + hidden
	if !r.shown.searching() && r.shown.List.Scope == model.ScopeConversations && r.marks.count() == "" {
		short = number + order + hidden
	}
	all := []string{n + hits + near + order + hidden, short, n + hits + near + hidden, n + near + hidden, number + near + hidden, number + near + brief, number + brief, number}
	if total == 0 && near != "" {
		near = strings.TrimPrefix(near, " · ")
		all = []string{n + " · " + near + hidden, near + hidden, near + brief, near}
	}
	if m := r.marks.count(); m != "" {
		var longer []string
		if back := keys.Find(shell.InList, shell.Back).KeyText(); back != "" {
			for _, text := range all[:min(len(all), 5)] {
				longer = append(longer, m+" · "+back+" clears · "+text)
			}
		}
		for i := range all {
			all[i] = m + " · " + all[i]
		}
		all = append(append(longer, all...), m, kit.Count(len(r.marks.roots)))
	}
	for i := range all {
		all[i] = pad + all[i]
	}
	return all
}

// hiddenNote says how much is hidden, and the key that shows it or hides it again; "" where
// there is nothing to say.
func hiddenNote(r *results, keys shell.Keys) string {
	key := keys.Find(shell.InList, shell.Hidden).KeyText()
	switch {
	case r.found.hidden > 0:
		return kit.Count(r.found.hidden) + " hidden " + key
	case r.shown.List.Scope == model.ScopeAll:
		return "none hidden " + key
	}
	return ""
}

// position gives the number of the current row, from 1, when it was chosen and not all rows
// that are counted are in sight; 0 where they are, and on the closest ones, which are not counted.
func (r *results) position() int {
	first, last := r.rows.InView()
	if at := r.rows.Selected + 1; r.chosenByHand && at <= r.found.total && (first > 0 || last < r.found.total-1) {
		return at
	}
	return 0
}

// notice is the text in the place of rows, nil when there are rows to show.
// late says that they have been awaited long enough to say so, and moves how often the bar
// beside that has moved; banner is what is drawn above.
func notice(s *theme.Styles, env *shell.Env, r *results, late bool, moves, w int, banner []string) []string {
	var out []string
	para := func(render func(...string) string, text string) {
		for _, line := range s.Cells.Wrap(text, max(w-4, 1)) {
			out = append(out, "  "+render(line))
		}
	}
	switch {
	case r.err != nil:
		out = append(out, "")
		para(s.Bad.Render, s.Glyphs.Failed+" The conversations could not be read")
		out = append(out, "")
		why := shell.Explain(s.Cells, r.err, max(w-4, 1))
		// A banner that ends with the same command has said what helps.
		said := len(banner) > 0 && strings.Contains(banner[len(banner)-1], why[len(why)-1])
		if said {
			cause, _ := shell.Advice(r.err)
			why = s.Cells.Wrap(cause, max(w-4, 1))
		}
		for _, line := range why {
			out = append(out, "  "+s.Text.Render(line))
		}
		if env.Where != "" && !said {
			para(s.Muted.Render, kit.CleanLine(env.Where))
		}
		out = append(out, "")
		key := env.Keys.Find(shell.InList, shell.Reload).KeyText()
		para(s.Muted.Render, key+" retries")
	case !r.ready:
		out = append(out, "")
		if late {
			out = append(out, shell.WaitingLines(s, w, "reading the conversations", moves)...)
		}
	case len(r.found.items) > 0:
		return nil
	case !r.whole(): // all that was read has left
		out = append(out, "")
		if late {
			out = append(out, shell.WaitingLines(s, w, "reading more", moves)...)
		}
	case r.found.hidden > 0:
		out = append(out, "")
		if r.shown.narrowed() {
			para(s.Text.Render, "No matches here for “"+strings.TrimSpace(r.shown.Query.Text)+"”.")
		} else {
			para(s.Text.Render, "No conversations here.")
		}
		para(s.Muted.Render, hiddenNote(r, env.Keys))
	case r.shown.narrowed():
		out = append(out, "")
		if r.found.closest.unquoted > 0 {
			para(s.Text.Render, "without the quotes: "+kit.Count(r.found.closest.unquoted))
		}
		para(s.Muted.Render, "No matches. "+r.shown.Query.Advice(model.During(r.shown.Query.Text, r.found.closest.spans))+" · "+env.Keys.Find(shell.InList, shell.Back).KeyText()+" clears")
	default:
		out = append(out, "")
		para(s.Text.Render, "No conversations yet.")
		para(s.Muted.Render, "Start one with: hermes. To look around first, run: hermes-sessions --demo")
		if env.Where != "" {
			out = append(out, "")
			para(s.Faint.Render, kit.CleanLine(env.Where))
		}
	}
	return out
}

// tinyLines is what is left of the list where nothing else fits: the title of
// the current row, in h lines of w columns.
func tinyLines(s *theme.Styles, r *results, w, h int) []string {
	text := s.Spell("reading…")
	it := r.current()
	switch {
	case r.err != nil:
		text = kit.CleanLine(r.err.Error())
	case it != nil:
		text = kit.SpanText(it.TitleSpans)
	case r.ready && r.whole():
		text = "nothing here"
	}
	lines := s.Cells.Wrap(text, w)
	return lines[:min(len(lines), h)]
}
