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
	expires    string       // when Hermes deletes it, "" unless that is soon
	Heading    string       // over the row; "" where the one above holds
	TitleSpans []match.Span // with what matched marked
	dim        bool         // the title is not one, but the preview or the id
	found      *model.Match // of a search, else nil
	Hits       int          // of a search
	marked     bool
	noted      string // the tags and the note of the user
	unread     bool   // there are messages that came after it was last read here
}

// Question is what the list asks the library for: conversations that match a query.
type Question struct {
	Query query.Query
	List  query.ListOptions
}

// Searching reports whether it is more than a listing.
func (a Question) Searching() bool { return !a.Query.FiltersOnly() }

// narrowed reports whether the query leaves conversations out.
func (a Question) narrowed() bool { return a.Searching() || len(a.Query.Filters) > 0 }

// same reports whether b asks the same thing, apart from how much of it.
func (a Question) same(b Question) bool {
	return a.Query.Text == b.Query.Text && a.List.Scope == b.List.Scope && a.List.Order == b.List.Order &&
		a.List.CWD == b.List.CWD && slices.Equal(a.List.Sources, b.List.Sources)
}

// Answer is what the library has answered: rows in the order of the screen, and counts.
type Answer struct {
	Items       []Item
	Total       int         // conversations in the scope
	hits        int         // matching messages in the scope
	hidden      int         // outside the scope: conversations, or hits of a search
	hiddenIn    model.Scope // where most of the hits are, of a search
	partial     bool        // there are more conversations than Items has
	uncounted   bool        // Total and the other counts are not known yet
	closest     closest     // the conversations closest to the query, at the end of Items
	notes       []model.HealthNote
	searchNotes int      // how many of the notes, the first ones, are about the index of the search
	hints       []string // filters that the database cannot answer
	noFolders   bool     // no row has a folder, and no conversation of the database where all were counted
}

// readList asks the library and makes its answer ready to be drawn. It runs in a
// command and may take as long as the search does.
func readList(ctx context.Context, lib shell.Library, clock func() time.Time, a Question) (Answer, error) {
	var f Answer
	if a.Searching() {
		r, err := lib.Search(ctx, a.Query, a.List)
		if err != nil {
			return Answer{}, err
		}
		f = Answer{
			Total: r.Conversations, hits: r.Hits, hidden: r.HiddenHits, hiddenIn: r.HiddenScope,
			partial: r.RowsOnly || len(r.Matches) < r.Conversations+r.Close, uncounted: r.RowsOnly, hints: r.Hints, closest: newClosest(&r),
		}
		mark, markClose := match.NewMatcher(a.Query.Groups).Mark, match.NewMatcher(r.CloseGroups).Mark
		f.Items = make([]Item, len(r.Matches))
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
			f.Items[i] = it
		}
		if r.IndexNote != "" {
			f.notes = append(f.notes, model.HealthNote{Message: kit.CleanLine(r.IndexNote)})
		}
	} else {
		p, err := lib.Conversations(ctx, a.List)
		if err != nil {
			return Answer{}, err
		}
		f = Answer{Total: p.Total, hidden: p.OutOfScope, partial: p.TotalsSkipped || len(p.Conversations) < p.Total, uncounted: p.TotalsSkipped, hints: p.FilterHints}
		f.Items = make([]Item, len(p.Conversations))
		for i := range p.Conversations {
			f.Items[i] = newItem(&p.Conversations[i])
		}
	}
	f.noFolders = !slices.ContainsFunc(f.Items, func(it Item) bool { return it.CWD != "" })
	// The first page of a large file comes before all sessions are read and must not wait for that.
	if f.noFolders && !a.Searching() && !f.uncounted {
		folders, err := lib.FieldValues(ctx, query.FieldCWD)
		f.noFolders = err == nil && len(folders) == 0
	}
	f.searchNotes = len(f.notes)
	f.notes = f.healthNotes(lib.Notes())
	arrange(f.Items, a, model.NewDateGroups(clock()))
	return f, nil
}

// healthNotes returns the note of the search on its index, if there is one, and then what is
// wrong with the database besides.
func (f *Answer) healthNotes(notes []model.HealthNote) []model.HealthNote {
	out := slices.Clone(f.notes[:f.searchNotes])
	for _, n := range notes {
		if f.searchNotes > 0 && strings.HasPrefix(n.Kind, "fts-") {
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
func arrange(items []Item, a Question, cal model.DateGroups) {
	if a.List.SortOrder() == query.ByActivity {
		sort.SliceStable(items[:withAllWords(items)], func(i, j int) bool { return activityRank(&items[i], cal) < activityRank(&items[j], cal) })
	}
	last := ""
	for i := range items {
		if h := headingOf(&items[i], a, cal); h != last {
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
func headingOf(it *Item, a Question, cal model.DateGroups) string {
	if it.isClose() {
		return closestHeading
	}
	switch a.List.SortOrder() {
	case query.ByExpiry:
		return cal.HeadingOfExpiry(it.ExpiresAt)
	case query.ByActivity:
		return cal.Heading(*it.Conversation)
	case query.ByStart:
		return "Started · " + cal.HeadingOfTime(it.RootStartedAt)
	}
	return sortName(a.List.Order)
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
