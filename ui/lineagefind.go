package ui

import (
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// treeFind looks for words in a tree, in what is folded too.
type treeFind struct {
	of    *lineage
	query query.Query
	match *match.Matcher // nil while nothing is looked for
	hits  []int          // rows of the full tree

	prompt  prompt
	typing  bool
	earlier query.Query
	before  string // the session that was current
}

// begin opens the line to type in.
func (f *treeFind) begin() tea.Cmd {
	f.prompt, f.typing, f.earlier, f.before = newPrompt(""), true, f.query, f.of.current().ID
	f.of.relayout()
	return nil
}

func (f *treeFind) end() {
	f.typing = false
	f.of.relayout()
}

func (f *treeFind) height() int {
	if f.typing {
		return 1
	}
	return 0
}

func (f *treeFind) update(msg tea.Msg) tea.Cmd {
	if !f.typing {
		return nil
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			f.end()
			if f.prompt.empty() {
				f.seek(f.earlier)
			}
			return nil
		case "esc", "ctrl+g":
			f.end()
			f.seek(f.earlier)
			return f.back()
		}
	}
	if !f.prompt.update(msg) {
		return nil
	}
	f.seek(query.Parse(f.prompt.sought(), true))
	if len(f.hits) == 0 {
		return f.back()
	}
	k := sort.SearchInts(f.hits, f.of.place[f.before])
	return f.of.visit(f.hits[k%len(f.hits)])
}

// back goes to where the reader was before typing.
func (f *treeFind) back() tea.Cmd {
	if i, ok := f.of.place[f.before]; ok {
		return f.of.visit(i)
	}
	return nil
}

// seek makes a query the one that is looked for.
func (f *treeFind) seek(q query.Query) {
	f.query, f.match = q, nil
	if !q.FiltersOnly() {
		f.match = match.NewMatcher(q.Groups)
	}
	f.look()
	clear(f.of.cache)
}

// look finds the rows that match: by what they say, by id, source, model and
// kind.
func (f *treeFind) look() {
	f.hits = f.hits[:0]
	if f.match == nil {
		return
	}
	for i, r := range f.of.full {
		n := r.Node
		texts := []string{n.Title, n.Preview, n.ID, n.Source, n.Model, n.EndReason, kindName(n)}
		for k, t := range texts {
			texts[k] = CleanLine(t)
		}
		if f.match.Match(strings.Join(texts, " ")) {
			f.hits = append(f.hits, i)
		}
	}
}

// step goes to the next hit in a direction; after the last comes the first.
func (f *treeFind) step(dir int) tea.Cmd {
	l := f.of
	switch {
	case f.match == nil:
		return l.sh.Say("nothing is looked for: " + l.env.Keys.find(InLineage, Find).label() + " finds in this tree")
	case len(f.hits) == 0:
		return l.sh.Say("no hits in this tree")
	}
	at := l.place[l.current().ID]
	k := sort.SearchInts(f.hits, at)
	switch {
	case dir < 0:
		k--
	case k < len(f.hits) && f.hits[k] == at:
		k++
	}
	return l.visit(f.hits[(k+len(f.hits))%len(f.hits)])
}

// status tells how many hits there are, and which this is.
func (f *treeFind) status() string {
	switch {
	case f.match == nil:
		return ""
	case len(f.hits) == 0:
		return "no hits"
	}
	if n := f.of.current(); n != nil {
		at := f.of.place[n.ID]
		if k := sort.SearchInts(f.hits, at); k < len(f.hits) && f.hits[k] == at {
			return "hit " + count(k+1) + " / " + count(len(f.hits))
		}
	}
	return some(len(f.hits), "hit", "hits")
}

// line draws what is typed.
func (f *treeFind) line(w int) string {
	s := f.of.sh.Styles()
	text, _ := f.prompt.draw(w - 3)
	left := s.Key.Render(" /") + s.Text.Render(text)
	right := f.status()
	if room := w - ansi.StringWidth(left) - ansi.StringWidth(right) - 2; room > 0 {
		return pad(left, w-ansi.StringWidth(right)-1, "") + s.Faint.Render(right)
	}
	return ansi.Truncate(left, w, "")
}

func (l *lineage) Claims(tea.KeyPressMsg) bool { return l.find.typing }

func (l *lineage) Cursor() *tea.Cursor {
	if !l.find.typing || l.layout.h < 1 {
		return nil
	}
	_, col := l.find.prompt.draw(l.layout.w - 3)
	return tea.NewCursor(min(2+col, max(l.layout.w-1, 0)), l.layout.h-1)
}
