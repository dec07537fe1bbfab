package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// help is the page of a context's keys, made from the current key map. Typing filters the
// rows by words.
type help struct {
	notice
	context shell.Context
	can     func() []shell.Handler // all that may be done now
	input   kit.Prompt
}

// NewHelp makes the page of the keys of context c; can lists the actions possible now.
func NewHelp(sh shell.Shell, c shell.Context, can func() []shell.Handler) *help {
	h := &help{context: c, can: can, input: kit.NewPrompt("")}
	h.notice = *NewNotice(sh, "Keys of the "+string(c), h.Lines)
	return h
}

// Update filters the rows by the typed text, scrolls, and closes the box.
func (h *help) Update(msg tea.Msg) (bool, tea.Cmd) {
	if paste, ok := msg.(tea.PasteMsg); ok {
		h.filter(paste)
		return false, nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return h.notice.Update(msg)
	}
	keys := h.env.Keys
	id, known := keys.Match(shell.InDialog, key)
	again, _ := keys.Match(h.context, key)
	switch {
	case id == shell.Back && !h.input.Empty():
		h.input.Clear()
	case again == shell.Help && (key.Text == "" || h.input.Empty()):
		return true, nil
	case key.Text == "" && known:
		return h.notice.Update(msg)
	default:
		h.filter(msg)
	}
	return false, nil
}

func (h *help) filter(msg tea.Msg) {
	if h.input.Update(msg) {
		h.top = 0
	}
}

// Box draws the box for a window of w by hgt.
func (h *help) Box(w, hgt int) string {
	h.title = "Keys of the " + string(h.context) + h.sh.Styles().Faint.Render("  Search…")
	if !h.input.Empty() {
		h.title = "Keys of the " + string(h.context) + h.sh.Styles().Text.Render("  "+h.input.Text()+h.sh.Styles().Glyphs.Bar)
	}
	return h.notice.Box(w, hgt)
}

// Lines draws the rows that match the typed text, each with the reason why the
// action is not possible now, if there is one.
func (h *help) Lines(w int) []string {
	s := h.sh.Styles()
	can := h.can()
	against := func(b shell.Binding) string {
		if i := slices.IndexFunc(can, func(a shell.Handler) bool { return a.Action == b.Action }); i >= 0 {
			return can[i].Why
		}
		return ""
	}
	words := strings.Fields(strings.ToLower(h.input.Text()))
	rows := slices.DeleteFunc(h.env.Keys.In(h.context), func(b shell.Binding) bool {
		all := strings.ToLower(strings.Join([]string{b.KeyLabels(), strings.Join(b.Keys, " "), b.Hint, b.Help, string(b.Action)}, " "))
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) }) ||
			slices.ContainsFunc(can, func(a shell.Handler) bool { return a.Action == b.Action && !a.Offered() })
	})
	wide := 0
	for _, b := range rows {
		wide = max(wide, s.Cells.StringWidth(s.Spell(b.KeyLabels())))
	}
	wide = min(wide, max(w/3, 4))
	var out []string
	for _, b := range rows {
		text := s.Cells.Wrap(b.Help, max(w-wide-2, 8))
		for i, l := range text {
			key := s.Cells.Pad("", wide, "")
			if i == 0 {
				key = s.Key.Render(s.Cells.Pad(s.Spell(b.KeyLabels()), wide, s.Glyphs.Ellipsis))
			}
			out = append(out, s.Cells.Truncate(key+"  "+s.Text.Render(l), w, ""))
		}
		if why := against(b); why != "" {
			for _, l := range s.Cells.Wrap("Unavailable: "+kit.CleanLine(why), max(w-wide-2, 8)) {
				out = append(out, s.Cells.Truncate(s.Cells.Pad("", wide, "")+"  "+s.Faint.Render(l), w, ""))
			}
		}
	}
	if h.context == shell.InList {
		out = append(out, language(s, w, wide, words)...)
	}
	if len(words) > 0 {
		if len(out) == 0 {
			out = append(out, s.Muted.Render(s.Cells.Truncate("No matches", w, "")))
		}
		return out
	}
	for _, p := range about(h.context) {
		out = append(out, "")
		for _, l := range s.Cells.Wrap(p, w) {
			out = append(out, s.Muted.Render(l))
		}
	}
	return out
}

// language says what can be typed into the query, in lines of at most w
// columns, with the words themselves in a column of wide: the rows that have
// all of words.
func language(s *theme.Styles, w, wide int, words []string) []string {
	out := []string{"", s.Accent.Render(s.Cells.Truncate("Query syntax", w, ""))}
	head := len(out)
	wide = max(wide, min(12, w/3))
	row := func(typed, means string) {
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(typed+" "+means), w) }) {
			return
		}
		for i, l := range s.Cells.Wrap(means, max(w-wide-2, 8)) {
			key := s.Cells.Pad("", wide, "")
			if i == 0 {
				key = s.Key.Render(s.Cells.Pad(typed, wide, s.Glyphs.Ellipsis))
			}
			out = append(out, s.Cells.Truncate(key+"  "+s.Text.Render(l), w, ""))
		}
	}
	row("docker build", "both words, in one message")
	row("\"a phrase\"", "an exact phrase")
	row("-word", "not this word")
	row("one OR other", "either")
	row("begin*", "words with this prefix; the last word is always a prefix while you type")
	for _, f := range query.Fields() {
		means := f.Help
		if !f.OpenEnded {
			means += ": " + strings.Join(f.Values, ", ")
		}
		row(string(f.Field)+":", means)
	}
	switch {
	case len(words) > 0 && len(out) == head:
		return nil
	case len(words) > 0:
		return out
	}
	for _, l := range s.Cells.Wrap("All filters must match; of several sources, models, ids, roles, tools, folders or git branches, any one. "+
		"A leading minus negates a filter: -source:cron. Days are today, yesterday, 7d, 2w, 3mo, 1y, 2026, 2026-05 or 2026-05-03; "+
		"numbers may end in k or m. tab accepts the suggestion, shift+tab goes to the next one.", w) {
		out = append(out, s.Muted.Render(l))
	}
	return out
}

// about is the text below the keys of a context.
func about(c shell.Context) []string {
	if c == shell.InLineage {
		return []string{
			"Context compression splits a conversation into segments: §1, §2, …; resume continues at the newest one. " +
				"⇉ is a branch, ↳ a subagent; both are below the session they started from.",
			"Each row shows its own usage, and under Σ its usage including everything below it. " +
				"Costs: ~ estimated, ≥ partly unknown, ? unknown.",
		}
	}
	if c != shell.InList {
		return nil
	}
	return []string{
		"Typing searches messages, titles and ids. To start a query with ? or :, type a space first. " +
			"No input is an error: an unknown filter is searched as text.",
		"Each row is one conversation, with all segments that compression split it into: § segments, ⇉ branches, ↳ subagents. " +
			"Rows are ordered by last activity. " +
			"Unlike in Hermes's own picker, q and d are ordinary letters, and ids are shown in full.",
		"ctrl+x followed by a letter runs any action; : finds actions by name, as in :sort cost.",
	}
}
