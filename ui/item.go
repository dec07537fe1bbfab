package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
)

// item is a conversation as the list shows it: every text is safe to draw.
// Only ids are as stored, because they are handed on. It is small, because a
// whole history may be on the list, and shares the rest with the answer.
type item struct {
	*model.Conversation
	heading string       // over the row; "" where the one above holds
	title   []match.Span // with what matched marked
	dim     bool         // the title is not one, but the preview or the id
	best    *model.Hit   // of a search, else nil
	hits    int          // of a search
	marked  bool
}

// asked is a question of the list to the library.
type asked struct {
	query query.Query
	list  query.ListOptions
}

// searching reports whether it is more than a listing.
func (a asked) searching() bool { return !a.query.FiltersOnly() }

// narrowed reports whether something was typed that not all rows match.
func (a asked) narrowed() bool { return a.searching() || len(a.query.Filters) > 0 }

// same reports whether b asks the same thing, apart from how much of it.
func (a asked) same(b asked) bool {
	return a.query.Text == b.query.Text && a.list.Scope == b.list.Scope && a.list.Order == b.list.Order &&
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
	notes    []model.HealthNote
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
		f = found{total: r.Conversations, hits: r.Hits, hidden: r.HiddenHits, hiddenIn: r.HiddenScope, partial: len(r.Matches) < r.Conversations, hints: r.Hints}
		mark := match.NewMatcher(a.query.Groups).Mark
		f.items = make([]item, len(r.Matches))
		for i := range r.Matches {
			m := &r.Matches[i]
			m.Best = cleanHit(m.Best)
			it := newItem(&m.Conversation)
			it.best, it.hits = &m.Best, m.Hits
			it.title = mark(spanText(it.title))
			f.items[i] = it
		}
		if r.IndexNote != "" {
			f.notes = append(f.notes, model.HealthNote{Message: CleanLine(r.IndexNote)})
		}
	} else {
		p, err := lib.Conversations(ctx, a.list)
		if err != nil {
			return found{}, err
		}
		f = found{total: p.Total, hidden: p.OutOfScope, partial: p.TotalsSkipped || len(p.Conversations) < p.Total, glance: p.TotalsSkipped, hints: p.FilterHints}
		f.items = make([]item, len(p.Conversations))
		for i := range p.Conversations {
			f.items[i] = newItem(&p.Conversations[i])
		}
	}
	for _, n := range lib.Notes() {
		f.notes = append(f.notes, model.HealthNote{Kind: n.Kind, Message: CleanLine(n.Message), Remedy: CleanLine(n.Remedy)})
	}
	f.widest = widestColumns(f.items)
	arrange(f.items, a, model.NewDateGroups(clock()))
	return f, nil
}

// newItem makes a conversation safe to draw, in its place.
func newItem(c *model.Conversation) item {
	cleanConversation(c)
	title, dim := titleOf(c)
	return item{Conversation: c, title: []match.Span{{Text: title}}, dim: dim}
}

// cleanHit makes a hit safe to draw. Pieces are cleaned one by one, so that
// marks stay where they are.
func cleanHit(h model.Hit) model.Hit {
	h.Role, h.ToolName = CleanLine(h.Role), CleanLine(h.ToolName)
	out := make(match.Snippet, 0, len(h.Snippet))
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
func arrange(items []item, a asked, cal model.DateGroups) {
	if a.list.Order == query.ByActivity {
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
func front(it *item, cal model.DateGroups) int {
	return int(min(cal.OfConversation(*it.Conversation), model.GroupToday))
}

// headingOf names the rows among which an item stands.
func headingOf(it *item, a asked, cal model.DateGroups) string {
	switch a.list.Order {
	case query.ByActivity:
		return cal.OfConversation(*it.Conversation).String()
	case query.ByStart:
		return "Started " + strings.ToLower(cal.OfTime(it.RootStartedAt).String())
	}
	return sortName(a.list.Order)
}

func sortName(s query.Order) string {
	switch s {
	case query.ByRelevance:
		return "Best first"
	case query.ByTitle:
		return "By title"
	case query.ByMessages:
		return "By messages"
	case query.ByCost:
		return "By cost"
	case query.ByStart:
		return "By start"
	}
	return "By activity"
}

// scopeName is what the rows of a scope are called.
func scopeName(s model.Scope, n int) string {
	switch s {
	case model.ScopeAutomation:
		return "in automation"
	case model.ScopeSubagents:
		if n == 1 {
			return "subagent"
		}
		return "subagents"
	case model.ScopeArchived:
		return "archived"
	case model.ScopeAll:
		return "in all"
	}
	if n == 1 {
		return "conversation"
	}
	return "conversations"
}
