package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// item is a conversation as the list shows it: every text is safe to draw.
// Only ids are as stored, because they are handed on. It is small, because a
// whole history may be on the list, and shares the rest with the answer.
type item struct {
	*model.Conversation
	heading string       // over the row; "" where the one above holds
	title   []model.Span // with what matched marked
	dim     bool         // the title is not one, but the preview or the id
	best    *model.Hit   // of a search, else nil
	hits    int          // of a search
	marked  bool
}

// asked is a question of the list to the library.
type asked struct {
	query model.Query
	list  model.ListQuery
}

// searching reports whether it is more than a listing.
func (a asked) searching() bool { return !a.query.Empty() }

// narrowed reports whether something was typed that not all rows match.
func (a asked) narrowed() bool { return a.searching() || len(a.query.Filters) > 0 }

// same reports whether b asks the same thing, apart from how much of it.
func (a asked) same(b asked) bool {
	return a.query.Text == b.query.Text && a.list.Scope == b.list.Scope && a.list.Sort == b.list.Sort &&
		a.list.CWD == b.list.CWD && slices.Equal(a.list.Sources, b.list.Sources)
}

// found is the answer: rows in the order of the screen, and honest counts.
type found struct {
	items    []item
	total    int         // conversations in the scope
	hits     int         // matching messages in the scope
	hidden   int         // outside the scope: conversations, or hits of a search
	hiddenIn model.Scope // where most of the hits are, of a search
	partial  bool        // more conversations are there than were read
	glance   bool        // and nobody has counted them yet
	widest   columnWidths
	notes    []model.Note
	hints    []string // filters that the database can not answer
}

// readList asks the library and makes its answer ready to be drawn. It runs in
// a command.
func readList(ctx context.Context, lib Library, clock func() time.Time, a asked) (found, error) {
	var f found
	if a.searching() {
		r, err := lib.Search(ctx, a.query, a.list)
		if err != nil {
			return found{}, err
		}
		f = found{total: r.Conversations, hits: r.Hits, hidden: r.Hidden, hiddenIn: r.HiddenIn, partial: len(r.Matches) < r.Conversations, hints: r.Hints}
		mark := model.NewMatcher(a.query.Groups).Mark
		f.items = make([]item, len(r.Matches))
		for i := range r.Matches {
			m := &r.Matches[i]
			m.Best = cleanHit(m.Best)
			it := newItem(&m.Conversation)
			it.best, it.hits = &m.Best, m.Hits
			it.title = mark(spanText(it.title))
			f.items[i] = it
		}
		if r.Note != "" {
			f.notes = append(f.notes, model.Note{Message: CleanLine(r.Note)})
		}
	} else {
		p, err := lib.Conversations(ctx, a.list)
		if err != nil {
			return found{}, err
		}
		f = found{total: p.Total, hidden: p.Hidden, partial: p.Partial || len(p.Conversations) < p.Total, glance: p.Partial, hints: p.Hints}
		f.items = make([]item, len(p.Conversations))
		for i := range p.Conversations {
			f.items[i] = newItem(&p.Conversations[i])
		}
	}
	for _, n := range lib.Notes() {
		f.notes = append(f.notes, model.Note{Kind: n.Kind, Message: CleanLine(n.Message), Remedy: CleanLine(n.Remedy)})
	}
	f.widest = widestColumns(f.items)
	arrange(f.items, a, model.NewCalendar(clock()))
	return f, nil
}

// newItem makes a conversation safe to draw, in its place.
func newItem(c *model.Conversation) item {
	cleanConversation(c)
	title, dim := titleOf(c)
	return item{Conversation: c, title: []model.Span{{Text: title}}, dim: dim}
}

// cleanHit makes a hit safe to draw. Pieces are cleaned one by one, so that
// marks stay where they are.
func cleanHit(h model.Hit) model.Hit {
	h.Role, h.ToolName = CleanLine(h.Role), CleanLine(h.ToolName)
	out := make(model.Snippet, 0, len(h.Snippet))
	for _, s := range h.Snippet {
		if s.Text = cleanPiece(s.Text); s.Text != "" {
			out = append(out, s)
		}
	}
	h.Snippet = out
	return h
}

// hit is where reading begins: at what matched best, or nowhere.
func (it *item) hit() model.Hit {
	if it.best == nil {
		return model.Hit{}
	}
	return *it.best
}

// arrange puts the rows under their headings: pinned and running ones first
// where the order is by activity, and by day where it is by time.
func arrange(items []item, a asked, cal model.Calendar) {
	if a.list.Sort == model.ByActivity {
		slices.SortStableFunc(items, func(x, y item) int { return front(&x, cal) - front(&y, cal) })
	}
	last := ""
	for i := range items {
		if h := headingOf(&items[i], a, cal); h != last {
			items[i].heading, last = h, h
		}
	}
}

// front is smaller for what stands before the days where the order is by
// activity.
func front(it *item, cal model.Calendar) int {
	return int(min(cal.Of(*it.Conversation), model.UnderToday))
}

// headingOf names the rows among which an item stands.
func headingOf(it *item, a asked, cal model.Calendar) string {
	switch a.list.Sort {
	case model.ByActivity:
		return cal.Of(*it.Conversation).String()
	case model.ByStart:
		return "Started " + strings.ToLower(cal.Day(it.FirstAt).String())
	}
	return sortName(a.list.Sort)
}

func sortName(s model.Sort) string {
	switch s {
	case model.ByRelevance:
		return "Best first"
	case model.ByTitle:
		return "By title"
	case model.ByMessages:
		return "By messages"
	case model.ByCost:
		return "By cost"
	case model.ByStart:
		return "By start"
	}
	return "By activity"
}

// scopeName is what the rows of a scope are called.
func scopeName(s model.Scope, n int) string {
	switch s {
	case model.Automation:
		return "in automation"
	case model.Subagents:
		if n == 1 {
			return "subagent"
		}
		return "subagents"
	case model.Archived:
		return "archived"
	case model.Everything:
		return "in all"
	}
	if n == 1 {
		return "conversation"
	}
	return "conversations"
}
