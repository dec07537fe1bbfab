package lineage

import (
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// finder is the search in a tree. It finds folded sessions too.
type finder struct {
	of    *Screen
	query query.Query
	match *match.Matcher // nil without a search
	hits  []int          // rows of the full tree

	prompt  kit.Prompt
	typing  bool
	earlier query.Query
	before  string // the session that was current
}

// begin opens the prompt. It also opens while the tree is still being read: the letters after
// the slash would be taken for actions.
func (f *finder) begin() tea.Cmd {
	f.prompt = kit.NewPrompt("")
	f.typing = true
	f.earlier = f.query
	f.before = f.of.id
	if n := f.of.Current(); n != nil {
		f.before = n.ID
	}
	f.of.relayout()
	return nil
}

func (f *finder) end() {
	f.typing = false
	f.of.relayout()
}

func (f *finder) height() int {
	if f.typing {
		return 1
	}
	return 0
}

func (f *finder) update(msg tea.Msg) tea.Cmd {
	if !f.typing {
		return nil
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			f.end()
			if f.prompt.Empty() {
				f.seek(f.earlier)
			}
			return nil
		case "esc", "ctrl+g":
			f.end()
			f.seek(f.earlier)
			return f.back()
		}
	}
	if !f.prompt.Update(msg) {
		return nil
	}
	f.seek(query.Parse(f.prompt.SearchText(), true))
	return f.nearest()
}

// nearest goes to the first hit at or after where the reader was before typing, or back
// there where there is none.
func (f *finder) nearest() tea.Cmd {
	if len(f.hits) == 0 {
		return f.back()
	}
	k := sort.SearchInts(f.hits, f.of.fullIndex[f.before])
	return f.of.Visit(f.hits[k%len(f.hits)])
}

// back goes to where the reader was before typing.
func (f *finder) back() tea.Cmd {
	if i, ok := f.of.fullIndex[f.before]; ok {
		return f.of.Visit(i)
	}
	return nil
}

// seek sets the query and finds its rows.
func (f *finder) seek(q query.Query) {
	f.query, f.match = q, nil
	if !q.FiltersOnly() {
		f.match = match.NewMatcher(q.Groups)
	}
	f.findRows()
	clear(f.of.cache)
}

// findRows finds the rows whose title, preview, id, source, model, end reason or kind
// match.
func (f *finder) findRows() {
	f.hits = f.hits[:0]
	if f.match == nil {
		return
	}
	for i, r := range f.of.full {
		n := r.Node
		texts := []string{n.Title, n.Preview, n.ID, n.Source, n.Model, n.EndReason, kindName(n)}
		for k, t := range texts {
			texts[k] = kit.CleanLine(t)
		}
		if f.match.Match(strings.Join(texts, " ")) {
			f.hits = append(f.hits, i)
		}
	}
}

// step goes to the next hit in a direction; after the last comes the first.
func (f *finder) step(dir int) tea.Cmd {
	s := f.of
	switch {
	case f.match == nil:
		return s.sh.Refuse("no search yet: " + s.env.Keys.Find(shell.InLineage, shell.Find).KeyText() + " finds in this tree")
	case len(f.hits) == 0:
		return s.sh.Refuse("no matches in this tree")
	}
	at := s.fullIndex[s.Current().ID]
	k := sort.SearchInts(f.hits, at)
	switch {
	case dir < 0:
		k--
	case k < len(f.hits) && f.hits[k] == at:
		k++
	}
	return s.Visit(f.hits[(k+len(f.hits))%len(f.hits)])
}

// status returns the number of hits and which one is current.
func (f *finder) status() string {
	switch {
	case f.match == nil, f.of.tree == nil:
		return ""
	case len(f.hits) == 0:
		return "no matches"
	}
	if n := f.of.Current(); n != nil {
		at := f.of.fullIndex[n.ID]
		if k := sort.SearchInts(f.hits, at); k < len(f.hits) && f.hits[k] == at {
			return "match " + kit.Count(k+1) + " of " + kit.Count(len(f.hits))
		}
	}
	return kit.Plural(len(f.hits), "match", "matches")
}

// line draws the prompt in w columns.
func (f *finder) line(w int) string {
	s := f.of.sh.Styles()
	text, _ := f.prompt.Draw(s.Cells, w-3)
	left := s.Key.Render(" /") + s.Text.Render(text)
	right := f.status()
	if room := w - s.Cells.StringWidth(left) - s.Cells.StringWidth(right) - 2; room > 0 {
		return s.Cells.Pad(left, w-s.Cells.StringWidth(right)-1, "") + s.Faint.Render(right)
	}
	return s.Cells.Truncate(left, w, "")
}

// Claims reports whether keys are input of the prompt.
func (s *Screen) Claims(tea.KeyPressMsg) bool { return s.find.typing }

// Cursor is the terminal's cursor in the prompt, nil while it is closed.
func (s *Screen) Cursor() *tea.Cursor {
	if !s.find.typing || s.layout.h < 1 {
		return nil
	}
	_, col := s.find.prompt.Draw(s.sh.Styles().Cells, s.layout.w-3)
	return tea.NewCursor(min(2+col, max(s.layout.w-1, 0)), s.layout.h-1)
}
