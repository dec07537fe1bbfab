package list

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Item is a conversation as the list shows it: every text is safe to draw.
// Only ids are as stored, because they are handed on. It is small, because a
// whole history may be on the list, and shares the rest with the answer.
type Item struct {
	*model.Conversation
	running    *model.Running // what it does, nil where it does not run or that is not known yet
	expires    string         // when Hermes deletes it, "" unless that is soon
	Heading    string         // over the row; "" where the one above holds
	TitleSpans []match.Span   // with what matched marked
	dim        bool           // the title is not one, but the preview or the id
	found      *model.Match   // of a search, else nil
	Hits       int            // of a search
	marked     bool
	noted      string // the tags and the note of the user
	bookmarked bool   // messages have bookmarks or notes
	unread     bool   // there are messages that came after it was last read here
}

// RowsQuery is what the list asks the library for: the conversations that match a query.
type RowsQuery struct {
	Query query.Query
	List  query.ListOptions
}

// searching reports whether it is more than a listing.
func (q RowsQuery) searching() bool { return !q.Query.FiltersOnly() }

// narrowed reports whether the query leaves conversations out.
func (q RowsQuery) narrowed() bool { return q.searching() || len(q.Query.Filters) > 0 }

// same reports whether other asks for the same rows, apart from how much of it.
func (q RowsQuery) same(other RowsQuery) bool {
	return q.Query.Text == other.Query.Text && q.List.Scope == other.List.Scope && q.List.Order == other.List.Order &&
		q.List.CWD == other.List.CWD && slices.Equal(q.List.Sources, other.List.Sources)
}

// rowsAnswer is the library's answer: rows in the order of the screen, and counts.
type rowsAnswer struct {
	items       []Item
	total       int     // conversations in the scope
	hits        int     // matching messages in the scope
	hidden      int     // conversations outside the scope
	partial     bool    // there are more conversations than items has
	uncounted   bool    // total and the other counts are not known yet
	closest     closest // the conversations closest to the query, at the end of items
	notes       []model.HealthNote
	searchNotes int      // how many of the notes, the first ones, are about the index of the search
	hints       []string // filters that the database cannot answer
	noFolders   bool     // no row has a folder, and no conversation of the database where all were counted
}

// readList asks the library and makes its answer ready to be drawn. It runs in a
// command and may take as long as the search does.
func readList(ctx context.Context, lib shell.Library, clock func() time.Time, q RowsQuery) (rowsAnswer, error) {
	var a rowsAnswer
	if q.searching() {
		r, err := lib.Search(ctx, q.Query, q.List)
		if err != nil {
			return rowsAnswer{}, err
		}
		a = rowsAnswer{
			total: r.Conversations, hits: r.Hits, hidden: r.HiddenConversations,
			partial: r.RowsOnly || len(r.Matches) < r.Conversations+r.Close, uncounted: r.RowsOnly, hints: r.Hints, closest: newClosest(&r),
		}
		mark, markClose := match.NewMatcher(q.Query.Groups).Mark, match.NewMatcher(r.CloseGroups).Mark
		a.items = make([]Item, len(r.Matches))
		for i := range r.Matches {
			m := &r.Matches[i]
			m.Best = kit.CleanHit(m.Best)
			it := newItem(&m.Conversation)
			it.found, it.Hits = m, m.Hits
			if m.Close {
				cleanMissing(m)
				it.TitleSpans = markClose(kit.SpanText(it.TitleSpans))
			} else {
				it.TitleSpans = mark(kit.SpanText(it.TitleSpans))
			}
			a.items[i] = it
		}
		if r.IndexNote != "" {
			a.notes = append(a.notes, model.HealthNote{Message: kit.CleanLine(r.IndexNote)})
		}
	} else {
		p, err := lib.Conversations(ctx, q.List)
		if err != nil {
			return rowsAnswer{}, err
		}
		a = rowsAnswer{total: p.Total, hidden: p.OutOfScope, partial: p.TotalsSkipped || len(p.Conversations) < p.Total, uncounted: p.TotalsSkipped, hints: p.FilterHints}
		a.items = make([]Item, len(p.Conversations))
		for i := range p.Conversations {
			a.items[i] = newItem(&p.Conversations[i])
		}
	}
	a.noFolders = !slices.ContainsFunc(a.items, func(it Item) bool { return it.CWD != "" })
	// The first page of a large file comes before all sessions are read and must not wait for that.
	if a.noFolders && !q.searching() && !a.uncounted {
		folders, err := lib.FieldValues(ctx, query.FieldCWD)
		a.noFolders = err == nil && len(folders) == 0
	}
	a.searchNotes = len(a.notes)
	a.notes = a.healthNotes(lib.Notes())
	arrange(a.items, q, model.NewDateGroups(clock()))
	return a, nil
}

// healthNotes returns the note of the search on its index, if there is one, and then what is
// otherwise wrong with the database.
func (a *rowsAnswer) healthNotes(notes []model.HealthNote) []model.HealthNote {
	out := slices.Clone(a.notes[:a.searchNotes])
	for _, n := range notes {
		if a.searchNotes > 0 && strings.HasPrefix(n.Kind, "fts-") {
			out[0].Remedy = n.Remedy // of the same index, of which the search says more
			continue
		}
		out = append(out, model.HealthNote{Kind: n.Kind, Message: kit.CleanLine(n.Message), Remedy: n.Remedy})
	}
	return out
}

// newItem makes a conversation safe to draw, in its place.
func newItem(c *model.Conversation) Item {
	kit.CleanConversation(c)
	title, dim := kit.TitleOf(c)
	return Item{Conversation: c, TitleSpans: []match.Span{{Text: title}}, dim: dim}
}

// hit is where reading begins: at what matched best, or nowhere.
func (it *Item) hit() model.Hit {
	if it.found == nil {
		return model.Hit{}
	}
	return it.found.Best
}

// title is the title of the row, "" where there is none.
func (it *Item) title() string {
	if it == nil {
		return ""
	}
	return kit.SpanText(it.TitleSpans)
}

// conversation is that of the row, nil where there is none.
func (it *Item) conversation() *model.Conversation {
	if it == nil {
		return nil
	}
	return it.Conversation
}

// arrange puts the rows under their headings: pinned and running ones first
// where the order is by activity, and by day where it is by time. The closest ones
// stay at the end.
func arrange(items []Item, q RowsQuery, cal model.DateGroups) {
	if q.List.SortOrder() == query.ByActivity {
		sort.SliceStable(items[:withAllWords(items)], func(i, j int) bool { return activityRank(&items[i], cal) < activityRank(&items[j], cal) })
	}
	last := ""
	for i := range items {
		if h := headingOf(&items[i], q, cal); h != last {
			items[i].Heading, last = h, h
		}
	}
}

// activityRank is smaller for rows that come before the days where the order is by
// activity.
func activityRank(it *Item, cal model.DateGroups) int {
	return int(min(cal.OfConversation(*it.Conversation), model.GroupToday))
}

// headingOf returns the heading of the rows that an item belongs to.
func headingOf(it *Item, q RowsQuery, cal model.DateGroups) string {
	if it.isClose() {
		return it.tierHeading(q.List.Order)
	}
	switch q.List.SortOrder() {
	case query.ByExpiry:
		return cal.HeadingOfExpiry(it.ExpiresAt)
	case query.ByActivity:
		return cal.Heading(*it.Conversation)
	case query.ByStart:
		return "Started · " + cal.HeadingOfTime(it.RootStartedAt)
	}
	return "" // the first line says the order
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
	case query.ByExpiry:
		return "Soonest first"
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
	}
	if n == 1 {
		return "conversation"
	}
	return "conversations"
}
