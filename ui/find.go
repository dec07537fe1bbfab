package ui

import (
	"context"
	"sort"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
)

// search is what is looked for in a transcript: at first the query of the
// list, later what is typed after the slash.
type search struct {
	of    *transcript
	query model.Query
	gen   int // of the query, so that lines with old marks are not shown
	read  *flight[model.Query, []int64]
	ids   []int64 // messages that match
	known bool    // ids answers query
	hits  []int   // their positions
	at    int     // of hits, -1 when the reader is somewhere else
	wait  int     // a step to take when the hits have come

	prompt  prompt
	typing  bool
	before  place // where the reader was
	earlier model.Query
}

// place is where a reader is.
type place struct{ sel, top, skip int }

func newSearch(t *transcript, q model.Query) search {
	lib, id := t.root.opt.Library, t.conv.ID
	return search{of: t, query: q, at: -1, read: newFlight(t.root.ctx, func(ctx context.Context, q model.Query) ([]int64, error) {
		hits, err := lib.Hits(ctx, q, id)
		ids := make([]int64, 0, len(hits))
		for _, h := range hits {
			if h.MessageID != 0 {
				ids = append(ids, h.MessageID)
			}
		}
		return ids, err
	})}
}

func (s *search) start() tea.Cmd {
	if s.query.Empty() {
		return nil
	}
	return s.read.ask(s.query)
}

// look makes a query the one that is looked for.
func (s *search) look(q model.Query) tea.Cmd {
	if q.Text == s.query.Text {
		return nil
	}
	s.query, s.ids, s.hits, s.known, s.at = q, nil, nil, false, -1
	s.gen++
	s.of.pen = s.of.newPen()
	s.of.rows.settle()
	if q.Empty() {
		return nil
	}
	return s.read.ask(q)
}

// begin opens the line to type in.
func (s *search) begin() tea.Cmd {
	s.prompt, s.typing, s.earlier = newPrompt(""), true, s.query
	s.before = place{s.of.rows.sel, s.of.rows.top, s.of.rows.skip}
	s.of.resize(s.of.w, s.of.h)
	return nil
}

// end closes it.
func (s *search) end() {
	s.typing = false
	s.of.resize(s.of.w, s.of.h)
}

func (s *search) height() int {
	if s.typing {
		return 1
	}
	return 0
}

func (s *search) update(msg tea.Msg) tea.Cmd {
	t := s.of
	switch msg := msg.(type) {
	case landed[model.Query, []int64]:
		if msg.flight != s.read {
			return nil
		}
		ok, next := s.read.land(msg)
		if !ok || msg.query.Text != s.query.Text {
			return next
		}
		if msg.err != nil {
			s.wait = 0
			t.root.fail(msg.err)
			return next
		}
		s.ids, s.known = msg.answer, true
		s.place()
		return tea.Batch(next, s.arrived())
	case overdue[model.Query, []int64]:
		if msg.flight == s.read {
			s.read.wait(msg)
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
			if s.prompt.empty() {
				return s.look(s.earlier)
			}
			return t.moved()
		case "esc", "ctrl+g":
			cmd := s.look(s.earlier)
			s.end()
			t.then = nil
			t.rows.sel, t.rows.top, t.rows.skip = s.before.sel, s.before.top, s.before.skip
			t.rows.settle()
			return tea.Batch(cmd, t.moved())
		}
		return s.edit(msg)
	}
	return nil
}

// edit changes what is typed, and goes to the first hit from where the reader
// was.
func (s *search) edit(msg tea.Msg) tea.Cmd {
	if !s.prompt.update(msg) {
		return nil
	}
	q := model.ParseQuery(s.prompt.sought(), true)
	cmd := s.look(q)
	if q.Empty() {
		s.of.rows.sel, s.of.rows.top, s.of.rows.skip = s.before.sel, s.before.top, s.before.skip
		s.of.rows.settle()
	}
	return cmd
}

// place finds the positions of the hits, once both are known.
func (s *search) place() {
	if s.of.pages == nil {
		return
	}
	s.hits = s.hits[:0]
	for _, id := range s.ids {
		if i, ok := s.of.pages.index[id]; ok {
			s.hits = append(s.hits, i)
		}
	}
	sort.Ints(s.hits)
}

// arrived goes on when the hits have come.
func (s *search) arrived() tea.Cmd {
	if s.of.pages == nil {
		return nil
	}
	if s.typing {
		// The first hit from the place where the search began.
		if len(s.hits) == 0 {
			return nil
		}
		k := sort.SearchInts(s.hits, s.before.sel/2)
		if k == len(s.hits) {
			k = 0
		}
		return s.visit(k)
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
	case s.query.Empty():
		return t.root.say("nothing is looked for: " + t.root.opt.Keys.find(InTranscript, Find).label() + " finds in this conversation")
	case !s.known:
		s.wait = dir
		if s.read.settled() {
			return s.read.ask(s.query)
		}
		return nil
	case len(s.hits) == 0:
		return t.root.say("no hits in this conversation")
	}
	k := s.current()
	if k >= 0 {
		k += dir
	} else {
		// From between the hits, after the last comes the first.
		if k = sort.SearchInts(s.hits, t.rows.sel/2); dir < 0 {
			k--
		}
		k = (k + len(s.hits)) % len(s.hits)
	}
	switch {
	case k < 0:
		return t.root.say("this is the first hit")
	case k >= len(s.hits):
		return t.root.say("this is the last hit")
	}
	return s.visit(k)
}

// current gives the hit at which the reader is, or -1.
func (s *search) current() int {
	if s.at >= 0 && s.at < len(s.hits) && s.of.stands(s.hits[s.at]) == s.of.rows.sel/2 {
		return s.at
	}
	for k, i := range s.hits {
		if s.of.stands(i) == s.of.rows.sel/2 {
			return k
		}
	}
	return -1
}

// visit goes to a hit.
func (s *search) visit(k int) tea.Cmd {
	s.at = k
	i := s.hits[k]
	return s.of.jump(i, func() { s.of.arrive(i) })
}

// stands gives the position of the message under which another is shown: the
// result of a tool call stands under the call.
func (t *transcript) stands(i int) int {
	if c := t.pages.weave.Caller[i]; c >= 0 {
		return int(c)
	}
	return i
}

// status tells how many hits there are, and which this is.
func (s *search) status() string {
	switch {
	case s.query.Empty():
		return ""
	case !s.known:
		if s.read.late {
			return "searching" + s.of.root.styles.Glyphs.Ellipsis
		}
		return ""
	case len(s.hits) == 0:
		return "no hits"
	}
	if k := s.current(); k >= 0 {
		return "hit " + count(k+1) + " / " + count(len(s.hits))
	}
	return some(len(s.hits), "hit", "hits")
}

// line draws what is typed.
func (s *search) line(w int) string {
	st := s.of.root.styles
	text, _ := s.prompt.draw(w - 3)
	left := st.Key.Render(" /") + st.Text.Render(text)
	right := s.status()
	if room := w - ansi.StringWidth(left) - ansi.StringWidth(right) - 2; room > 0 {
		return pad(left, w-ansi.StringWidth(right)-1, "") + st.Faint.Render(right)
	}
	return ansi.Truncate(left, w, "")
}

func (t *transcript) claims(tea.KeyPressMsg) bool { return t.search.typing }

func (t *transcript) cursor() *tea.Cursor {
	if !t.search.typing || t.h < 1 {
		return nil
	}
	_, col := t.search.prompt.draw(t.w - 3)
	return tea.NewCursor(min(2+col, max(t.w-1, 0)), t.h-1)
}
