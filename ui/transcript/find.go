package transcript

import (
	"context"
	"slices"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// target is what a search in a transcript looks for, and the hits known so far. It
// begins as the query of the list; a pattern typed after the slash takes its place.
type target struct {
	query   query.Query
	pattern match.Pattern // typed after the slash; if not empty, it replaces the query
	ids     []int64       // messages that match the query
	hits    []int         // positions of those that match
	known   bool          // hits are all there are
}

func (t target) empty() bool { return t.pattern.Empty() && t.query.FiltersOnly() }

// marker finds the matches to highlight in a text. One goroutine uses it at a time.
type marker interface {
	Mark(text string) []match.Span
}

// marker makes the marker of a target, nil for an empty one.
func (t target) marker() marker {
	switch {
	case !t.pattern.Empty():
		return t.pattern
	case !t.query.FiltersOnly():
		return match.NewMatcher(t.query.Groups)
	}
	return nil
}

// search is the search in a transcript: its prompt, its hits, and the current one.
type search struct {
	of *Screen
	target
	generation int                               // of the target, so that lines with old marks are not shown
	read       *kit.Latest[query.Query, []int64] // answers the query
	todo       []int                             // positions not searched for the pattern yet, nearest first
	begun      time.Time                         // when the first of them was
	at         int                               // position of the current hit, -1 before one has been visited
	mark       int                               // index among the highlighted lines of its item
	wait       int                               // direction of a step to take once hits are known, 0 for none
	seeking    bool                              // the first hit of the pattern is gone to when it is found

	prompt  kit.Prompt
	typing  bool
	regex   bool  // what is typed is a regular expression
	wrong   error // why it is not valid
	before  place // where the reader was
	earlier target
}

// place is a position in the text: the current item, and the anchor of the window.
type place struct{ sel, top, skip int }

func newSearch(s *Screen, q query.Query) search {
	lib, id := s.env.Library, s.Conv.ID
	return search{of: s, target: target{query: q}, at: -1, read: kit.NewLatest(s.env.Context, func(ctx context.Context, q query.Query) ([]int64, error) {
		return lib.HitIDs(ctx, q, id)
	})}
}

func (s *search) start() tea.Cmd {
	if s.query.FiltersOnly() {
		return nil
	}
	return s.read.Ask(s.query)
}

// setTarget replaces the target. Hits of the former one are dropped, and the text is
// rendered again with the new highlights.
func (s *search) setTarget(t target) {
	s.target = t
	s.todo = nil
	s.at = -1
	s.generation++
	s.of.marks = s.generation
	s.of.renderer = s.of.newRenderer()
	s.of.rows.Settle()
}

// begin opens the prompt. It also opens while the conversation is still being read: refused,
// the letters after the slash would be taken for actions.
func (s *search) begin() tea.Cmd {
	s.prompt = kit.NewPrompt("")
	s.typing = true
	s.wrong = nil
	s.earlier = s.target
	s.before = s.of.place()
	s.of.Resize(s.of.w, s.of.h)
	return nil
}

// end closes the prompt.
func (s *search) end() {
	s.typing = false
	s.of.Resize(s.of.w, s.of.h)
}

func (s *search) update(msg tea.Msg) tea.Cmd {
	t := s.of
	switch msg := msg.(type) {
	case kit.Answer[query.Query, []int64]:
		if msg.From != s.read {
			return nil
		}
		ok, next := s.read.Take(msg)
		if !ok || !s.pattern.Empty() || msg.Query.Text != s.query.Text {
			return next
		}
		if msg.Err != nil {
			s.wait = 0
			t.sh.Fail(msg.Err)
			return next
		}
		s.ids, s.known = msg.Value, true
		s.locateHits()
		return tea.Batch(next, s.takePendingStep())
	case searchedSlice:
		if msg.of == t && msg.generation == s.generation && msg.pages == t.pages {
			return s.takeSlice(msg)
		}
	case tea.PasteMsg:
		if s.typing {
			return s.edit(msg)
		}
	case tea.KeyPressMsg:
		if !s.typing {
			return nil
		}
		switch msg.String() {
		case "enter":
			s.end()
			if s.prompt.Empty() || s.wrong != nil {
				return s.restore(s.earlier)
			}
			return t.moved()
		case "esc", "ctrl+g":
			cmd := s.restore(s.earlier)
			s.end()
			t.then = nil
			s.back()
			return tea.Batch(cmd, t.moved())
		case "alt+r":
			s.regex = !s.regex
			return s.searchTyped()
		}
		return s.edit(msg)
	}
	return nil
}

// restore makes an earlier target current again and reads its hits if they are unknown.
func (s *search) restore(t target) tea.Cmd {
	s.wrong, s.seeking = nil, false
	s.setTarget(t)
	s.locateHits() // the text may be another one since
	switch {
	case s.known || s.empty():
		return nil
	case s.pattern.Empty():
		return s.read.Ask(s.query)
	}
	return s.sweep(s.of.rows.Selected / 2)
}

// back returns the reader to where the search began.
func (s *search) back() {
	if s.of.pages != nil {
		s.of.back(s.before)
	}
}

// edit passes a key or a paste to the prompt and searches for the new text.
func (s *search) edit(msg tea.Msg) tea.Cmd {
	if !s.prompt.Update(msg) {
		return nil
	}
	return s.searchTyped()
}

// searchTyped searches for the typed text and goes to the first hit at or after the place
// where the search began. While the text is not a valid regular expression, the former
// hits stay.
func (s *search) searchTyped() tea.Cmd {
	p, err := match.NewPattern(s.prompt.Text(), s.regex)
	if s.wrong = err; err != nil {
		return nil
	}
	was := s.target
	s.setTarget(target{query: s.earlier.query, pattern: p})
	if s.seeking = !p.Empty(); p.Empty() {
		s.target = target{}
		s.back()
		return nil
	}
	if s.of.pages == nil {
		return nil
	}
	if was.known && p.Narrows(was.pattern) {
		from := s.before.sel / 2
		k := sort.SearchInts(was.hits, from)
		s.todo = slices.Concat(was.hits[k:], was.hits[:k])
		return s.next(sweepAtFirst)
	}
	return s.sweep(s.before.sel / 2)
}

// opened begins the search for a pattern that was typed before the conversation was read.
func (s *search) opened() tea.Cmd {
	s.before = s.of.place()
	if s.pattern.Empty() || s.of.rows.Len == 0 {
		return nil
	}
	return s.sweep(s.before.sel / 2)
}

// again searches for the pattern in a text that has replaced the former one: hits are positions.
func (s *search) again() tea.Cmd {
	for _, t := range []*target{&s.target, &s.earlier} {
		if !t.pattern.Empty() {
			t.hits, t.known = nil, false
		}
	}
	if s.pattern.Empty() {
		return nil
	}
	return s.sweep(s.of.rows.Selected / 2)
}

// locateHits turns the ids of the hits into positions, once ids and outline are both known.
func (s *search) locateHits() {
	if s.of.pages == nil || !s.pattern.Empty() {
		return
	}
	s.hits = s.hits[:0]
	for _, id := range s.ids {
		if i, ok := s.of.pages.index[id]; ok {
			s.hits = append(s.hits, i)
		}
	}
	sort.Ints(s.hits)
	s.hits = slices.Compact(s.hits) // a message and its copy are one hit
}

// takePendingStep takes the step that waited for hits.
func (s *search) takePendingStep() tea.Cmd {
	if s.of.pages == nil {
		return nil
	}
	dir := s.wait
	s.wait = 0
	if dir == 0 {
		return nil
	}
	return s.step(dir)
}

// step goes to the next hit in a direction.
func (s *search) step(dir int) tea.Cmd {
	t := s.of
	switch {
	case s.empty():
		return nil
	case !s.known && s.pattern.Empty():
		s.wait = dir
		if s.read.Settled() {
			return s.read.Ask(s.query)
		}
		return nil
	case len(s.hits) == 0 && s.known:
		if s.pattern.Empty() && t.FromList {
			return t.walk(dir, true)
		}
		return t.sh.Refuse("no matches in this conversation")
	}
	k := s.current()
	if k >= 0 {
		if s.nextMark(k, dir) {
			return t.moved()
		}
		for item := t.shownUnder(s.hits[k]); k >= 0 && k < len(s.hits) && t.shownUnder(s.hits[k]) == item; {
			k += dir
		}
	} else {
		// From between the hits, after the last comes the first.
		if k = sort.SearchInts(s.hits, t.rows.Selected/2); dir < 0 {
			k--
		}
		if s.known {
			k = (k + len(s.hits)) % len(s.hits)
		}
	}
	switch {
	case k >= 0 && k < len(s.hits):
		return s.visit(k, dir)
	case !s.known: // not every message has been searched yet
		s.wait = dir
		return nil
	case s.pattern.Empty() && t.FromList:
		return t.walk(dir, true)
	case k < 0:
		return t.sh.Refuse("this is the first match")
	}
	return t.sh.Refuse("this is the last match")
}

// nextMark goes to the next highlighted line of the current item, which shows hit k. It
// reports false if there is none. Tool results are shown below their calls, so the line
// may belong to another hit, which then becomes the current one.
func (s *search) nextMark(k, dir int) bool {
	t := s.of
	r := t.render(t.rows.Selected)
	mark := s.mark + dir
	if mark >= len(r.hits) && r.cut && !t.wholes[t.rows.Selected] {
		t.wholes[t.rows.Selected] = true
		r = t.renderWhole(t.rows.Selected)
	}
	if mark < 0 || mark >= len(r.hits) {
		return false
	}
	s.at, s.mark = s.hits[k], mark
	if i := t.messageOf(t.rows.Selected, r.hits[mark]); slices.Contains(s.hits, i) {
		s.at = i
	}
	t.show(t.rows.Selected, r.hits[s.mark], t.rows.Height/3)
	return true
}

// current returns the index of the hit that the current item shows, -1 for none.
func (s *search) current() int {
	here := func(i int) bool { return s.of.shownUnder(i) == s.of.rows.Selected/2 }
	if k := slices.Index(s.hits, s.at); k >= 0 && here(s.at) {
		return k
	}
	return slices.IndexFunc(s.hits, here)
}

// visit goes to hit k: to its first highlighted line, or with dir below 0 to its last.
func (s *search) visit(k, dir int) tea.Cmd {
	i := s.hits[k]
	s.at = i
	return s.of.jump(i, func() { s.mark = s.of.arrive(i, dir) })
}

// status returns the number of hits and which one is current, for the header: messages, as in
// the list. While the search goes on, an ellipsis follows the number.
func (s *search) status() string {
	more := ""
	switch {
	case s.wrong != nil:
		return "not a regular expression"
	case s.empty():
		return ""
	case !s.known:
		more = s.of.sh.Styles().Glyphs.Ellipsis
		if len(s.hits) == 0 {
			if s.read.Late || !s.pattern.Empty() {
				return "searching" + more
			}
			return ""
		}
	case len(s.hits) == 0 && s.pattern.Empty() && match.NewMatcher(s.query.Groups).Match(s.of.Title()):
		return "only the title matches"
	case len(s.hits) == 0 && s.pattern.Empty() && !slices.ContainsFunc(s.query.Groups, func(g match.Group) bool { return len(g.All) == 1 }):
		return "no message has all words"
	case len(s.hits) == 0:
		return "no matches"
	}
	if k := s.current(); k >= 0 {
		return "match " + kit.Count(k+1) + " of " + kit.Count(len(s.hits)) + more
	}
	return kit.Plural(len(s.hits), "match", "matches") + more
}

func (s *search) currentLine() int {
	k := s.current()
	if k < 0 {
		return -1
	}
	lines, mark := s.of.render(s.of.rows.Selected).hits, 0
	if s.hits[k] == s.at {
		mark = s.mark
	}
	if mark >= len(lines) {
		return -1
	}
	return lines[mark]
}

// line draws the prompt in w columns.
func (s *search) line(w int) string {
	st := s.of.sh.Styles()
	text, _ := s.prompt.Draw(st.Cells, w-len(s.slash())-1)
	left := st.Key.Render(s.slash()) + st.Text.Render(text)
	right := st.Spell(s.status()) + s.progress()
	if !s.regex && s.prompt.Empty() {
		right = "alt+r regular expression"
	}
	return inputLine(st, left, right, w)
}

// inputLine draws an input in w columns, with a note at the right edge if there is
// room for both.
func inputLine(st *theme.Styles, input, note string, w int) string {
	if st.Cells.StringWidth(input)+st.Cells.StringWidth(note)+2 < w {
		return st.Cells.Pad(input, w-st.Cells.StringWidth(note)-1, "") + st.Faint.Render(note)
	}
	return st.Cells.Truncate(input, w, "")
}

// slash is the label before the typed text.
func (s *search) slash() string {
	if s.regex {
		return " regex /"
	}
	return " /"
}

// Claims reports whether a key is input of the prompt or of a message number, or ends a
// find.
func (s *Screen) Claims(msg tea.KeyPressMsg) bool {
	return s.search.typing || s.takesNumberKey(msg) || s.endsFind(msg)
}

// endsFind reports whether a key closes boxes, and a find is what it closes here.
func (s *Screen) endsFind(msg tea.KeyPressMsg) bool {
	id, _ := s.env.Keys.Match(shell.InDialog, msg)
	return id == shell.Close && msg.Text == "" && !s.search.pattern.Empty()
}

// Cursor is the terminal's cursor in the prompt or number, nil while neither is open.
func (s *Screen) Cursor() *tea.Cursor {
	if s.footing() == 0 || s.h < 1 {
		return nil
	}
	lead, p := len(s.search.slash()), &s.search.prompt
	if s.numberInput.typing {
		return tea.NewCursor(min(len(goTo)+len(s.numberInput.digits), max(s.w-1, 0)), s.h-1)
	}
	_, col := p.Draw(s.sh.Styles().Cells, s.w-lead-1)
	return tea.NewCursor(min(lead+col, max(s.w-1, 0)), s.h-1)
}
