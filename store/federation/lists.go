package federation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/live"
)

// Conversations is [store.Store.Conversations] of all members, in one order.
func (f *Federation) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	if f.only != nil {
		return live.Ask(ctx, f.only, func(ctx context.Context, s *store.Store) (model.ConversationPage, error) {
			return s.Conversations(ctx, q)
		})
	}
	members, q := f.listed(q)
	if page, ok, err := f.newestPage(ctx, members, q); ok || err != nil {
		return page, err
	}
	part := q
	if q.FirstPage || q.RowsOnly {
		part.Limit = shareOf(q, len(members))
	}
	pages, err := f.pages(ctx, members, part)
	if err != nil {
		return model.ConversationPage{}, err
	}
	all := mergedPage(members, pages, q)
	listed := map[string]int{}
	for _, c := range all.Conversations {
		listed[c.Profile]++
	}
	more := unfinished(members, part, q, listed)
	if len(more) == 0 {
		return all, nil
	}
	rest, err := f.pages(ctx, more, q)
	if ctx.Err() != nil {
		return model.ConversationPage{}, err
	}
	maps.Copy(pages, rest) // a member that fails only now keeps its first rows
	return mergedPage(members, pages, q), nil
}

// newestPage returns the first page of the list by activity. It asks each member for times
// first, and then only for the conversations since the time at which the page of all ends. ok
// is false where that is no page, and each must be asked for a share of it.
func (f *Federation) newestPage(ctx context.Context, members []*member, q query.ListOptions) (page model.ConversationPage, ok bool, err error) {
	if len(members) < 2 || !q.NewestRows() {
		return page, false, nil
	}
	answers, err := gather(ctx, f, members, func(ctx context.Context, _ *member, s *store.Store) ([]time.Time, error) {
		return store.NewestActivity(ctx, s, 2*shareOf(q, len(members)))
	})
	if err != nil {
		return page, false, ctx.Err()
	}
	var times []int64
	for _, newest := range answers {
		for _, at := range newest {
			times = append(times, at.Unix())
		}
	}
	// A page of one database begins as far back: some sessions are not listed by themselves.
	end := 2 * q.Limit * 3 / 4
	if len(times) <= end {
		return page, false, nil
	}
	slices.Sort(times)
	q.ActiveSince = time.Unix(times[len(times)-1-end], 0)
	pages, err := f.pages(ctx, members, q)
	if err != nil {
		return page, false, ctx.Err()
	}
	page = mergedPage(members, pages, q)
	ok = len(page.Conversations) == q.Limit && !slices.ContainsFunc(page.Conversations, func(c model.Conversation) bool { return !c.LastActive.After(q.ActiveSince) })
	return page, ok, nil
}

// shareOf returns how many rows of a page each of n members is asked for first. Those that
// are [unfinished] are asked again.
func shareOf(q query.ListOptions, n int) int {
	if q.Offset > 0 {
		return q.Limit
	}
	return min(q.Limit, max(3*q.Limit/max(n, 1), 8))
}

// unfinished returns the members that were asked for a part of a page and may have more on
// it: all rows of the part are there. listed has the rows on the page by the member's name.
func unfinished(members []*member, part, page query.ListOptions, listed map[string]int) (more []*member) {
	for _, m := range members {
		if part.Limit != page.Limit && listed[m.name] >= part.Limit {
			more = append(more, m)
		}
	}
	return more
}

func (f *Federation) pages(ctx context.Context, members []*member, q query.ListOptions) (map[*member]model.ConversationPage, error) {
	return gather(ctx, f, members, func(ctx context.Context, m *member, s *store.Store) (model.ConversationPage, error) {
		page, err := s.Conversations(ctx, m.options(q))
		for i := range page.Conversations {
			m.conversation(&page.Conversations[i])
		}
		return page, err
	})
}

func mergedPage(members []*member, pages map[*member]model.ConversationPage, q query.ListOptions) model.ConversationPage {
	var all model.ConversationPage
	var said hints
	for _, m := range members {
		page := pages[m] // an empty one where it did not answer
		all.Total += page.Total
		all.OutOfScope += page.OutOfScope
		all.TotalsSkipped = all.TotalsSkipped || page.TotalsSkipped
		said.add(m, page.FilterHints)
		all.Conversations = append(all.Conversations, page.Conversations...)
	}
	all.FilterHints = said.of(len(pages))
	keys := keysOf(q.SortOrder(), len(all.Conversations), func(i int) *model.Conversation { return &all.Conversations[i] })
	sort.Stable(byKey{
		len: len(keys),
		less: func(a, b int) bool {
			if pa, pb := all.Conversations[a].Pinned, all.Conversations[b].Pinned; pa != pb && q.PinnedFirst && q.SortOrder() == query.ByActivity {
				return pa
			}
			return keys[a].Compare(&keys[b]) < 0
		},
		swap: func(a, b int) {
			keys[a], keys[b] = keys[b], keys[a]
			all.Conversations[a], all.Conversations[b] = all.Conversations[b], all.Conversations[a]
		},
	})
	from, to := window(q, len(all.Conversations))
	all.Conversations = all.Conversations[from:to]
	return all
}

// Search is [store.Store.Search] in all members. Conversations with all words come first, in
// one order; the closest ones of all members follow by their scores.
func (f *Federation) Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error) {
	if f.only != nil {
		return live.Ask(ctx, f.only, func(ctx context.Context, s *store.Store) (model.SearchResults, error) { return s.Search(ctx, q, list) })
	}
	members, withoutProfiles := f.listed(query.ListOptions{Filters: q.Filters})
	q.Filters = withoutProfiles.Filters
	inList, list := f.listed(list)
	members = slices.DeleteFunc(members, func(m *member) bool { return !slices.Contains(inList, m) })
	if q.FiltersOnly() {
		list.Filters = slices.Concat(list.Filters, q.Filters)
		return f.listAsSearch(ctx, members, list)
	}
	// The closest conversations of each take most of the time, and count only where few of
	// all members have all words.
	part := list
	part.Closest, part.Limit = false, shareOf(list, len(members))
	results, err := f.results(ctx, members, q, part)
	if err != nil {
		return model.SearchResults{}, err
	}
	all := merged(members, results, list)
	listed := map[string]int{}
	for _, match := range all.Matches {
		listed[match.Profile]++
	}
	more, whole := unfinished(members, part, list, listed), list
	if whole.Closest = list.Closest && all.Conversations <= query.ClosestUpTo; whole.Closest {
		more = members
	}
	if len(more) == 0 {
		return all, nil
	}
	rest, err := f.results(ctx, more, q, whole)
	if ctx.Err() != nil {
		return model.SearchResults{}, err
	}
	maps.Copy(results, rest) // as in Conversations
	return merged(members, results, list), nil
}

func (f *Federation) results(ctx context.Context, members []*member, q query.Query, list query.ListOptions) (map[*member]model.SearchResults, error) {
	return gather(ctx, f, members, func(ctx context.Context, m *member, s *store.Store) (model.SearchResults, error) {
		of := q
		of.Filters = m.filters(q.Filters)
		return s.Search(ctx, of, m.options(list))
	})
}

// listAsSearch answers a query that has nothing but filters.
func (f *Federation) listAsSearch(ctx context.Context, members []*member, list query.ListOptions) (model.SearchResults, error) {
	for _, m := range members {
		list.Filters = append(list.Filters, query.Filter{Field: query.FieldProfile, Value: m.name})
	}
	if len(members) == 0 {
		return model.SearchResults{}, nil
	}
	page, err := f.Conversations(ctx, list)
	return page.Results(), err
}

func merged(members []*member, results map[*member]model.SearchResults, list query.ListOptions) model.SearchResults {
	var all model.SearchResults
	var said hints
	var closest []model.Match
	hidden := map[model.Scope]int{}
	for _, m := range members {
		r := results[m] // an empty one where it did not answer
		all.Conversations += r.Conversations
		all.Hits += r.Hits
		all.HiddenHits += r.HiddenHits
		all.HiddenConversations += r.HiddenConversations
		hidden[r.HiddenScope] += max(r.HiddenHits, r.HiddenConversations)
		all.Close += r.Close
		all.Further += r.Further
		all.Unquoted += r.Unquoted
		if len(all.Spans) == 0 {
			all.Spans = r.Spans
		}
		all.RowsOnly = all.RowsOnly || r.RowsOnly
		said.add(m, r.Hints)
		all.FunctionWords = appendNew(all.FunctionWords, r.FunctionWords)
		if all.IndexNote == "" && r.IndexNote != "" {
			all.IndexNote = m.name + ": " + r.IndexNote
		}
		all.Readings = mergeReadings(all.Readings, r.Readings)
		all.CloseWords = mergeReadings(all.CloseWords, r.CloseWords)
		all.CloseGroups = append(all.CloseGroups, r.CloseGroups...)
		for _, step := range r.Plan {
			all.Plan = append(all.Plan, m.name+": "+step)
		}
		for _, match := range r.Matches {
			m.conversation(&match.Conversation)
			m.hit(&match.Best)
			if match.Close {
				closest = append(closest, match)
			} else {
				all.Matches = append(all.Matches, match)
			}
		}
	}
	all.Hints = said.of(len(results))
	for scope, n := range hidden {
		if n > hidden[all.HiddenScope] {
			all.HiddenScope = scope
		}
	}
	sortMatches(all.Matches, list.SortOrder(), list.Order == query.ByRelevance)
	if list.Closest && all.Conversations > query.ClosestUpTo && len(closest) == 0 {
		all.Plan = append(all.Plan, fmt.Sprintf("no closest conversations: more than %d have all words", query.ClosestUpTo))
	}
	sortMatches(closest, query.ByActivity, true)
	slices.SortStableFunc(closest, func(a, b model.Match) int { return cmp.Compare(a.Tier(), b.Tier()) })
	all.Matches = append(all.Matches, closest...)
	from, to := window(list, len(all.Matches))
	all.Matches = all.Matches[from:to]
	return all
}

// sortMatches sorts by score, if that counts, and then by an order.
func sortMatches(matches []model.Match, order query.Order, byScore bool) {
	keys := keysOf(order, len(matches), func(i int) *model.Conversation { return &matches[i].Conversation })
	sort.Stable(byKey{
		len: len(matches),
		less: func(a, b int) bool {
			if sa, sb := matches[a].Score, matches[b].Score; byScore && sa != sb {
				return sa > sb
			}
			return keys[a].Compare(&keys[b]) < 0
		},
		swap: func(a, b int) {
			keys[a], keys[b] = keys[b], keys[a]
			matches[a], matches[b] = matches[b], matches[a]
		},
	})
}

// byKey sorts several slices at once.
type byKey struct {
	len  int
	less func(a, b int) bool
	swap func(a, b int)
}

func (b byKey) Len() int           { return b.len }
func (b byKey) Less(i, j int) bool { return b.less(i, j) }
func (b byKey) Swap(i, j int)      { b.swap(i, j) }

// keysOf returns the keys by which n conversations are sorted.
func keysOf(order query.Order, n int, of func(int) *model.Conversation) []query.SortKey {
	keys := make([]query.SortKey, n)
	for i := range keys {
		keys[i] = order.KeyOf(of(i))
	}
	return keys
}

// window returns the part of n merged rows that a list asks for.
func window(q query.ListOptions, n int) (from, to int) {
	from, to = min(max(q.Offset, 0), n), n
	if q.Limit > 0 {
		to = min(from+q.Limit, n)
	}
	return from, to
}

// mergeReadings adds what another member says of the words.
func mergeReadings(all, more []model.WordReading) []model.WordReading {
	for _, r := range more {
		i := slices.IndexFunc(all, func(o model.WordReading) bool { return o.Word == r.Word })
		if i < 0 {
			all = append(all, r)
			continue
		}
		o := &all[i]
		o.Forms = appendNew(slices.Clone(o.Forms), r.Forms)
		o.Corrected = o.Corrected && r.Corrected
		o.Inside = o.Inside && r.Inside
		o.English = o.English && r.English
		o.Conversations += r.Conversations
		if o.Parts == nil {
			o.Parts = r.Parts
		}
	}
	return all
}

// hints are what members say of a query.
type hints struct {
	texts []string
	by    map[string][]string // names of the members that say it
}

// maxHintNames is how many members a hint names: it should fit a line.
const maxHintNames = 3

// add adds what a member says.
func (h *hints) add(m *member, texts []string) {
	h.texts = appendNew(h.texts, texts)
	for _, text := range texts {
		if h.by == nil {
			h.by = map[string][]string{}
		}
		h.by[text] = append(h.by[text], m.name)
	}
}

// of returns the hints, with the names of those who say it where these are not all that
// answered.
func (h *hints) of(answered int) []string {
	for i, text := range h.texts {
		if names := h.by[text]; len(names) < answered {
			if more := len(names) - maxHintNames; more > 0 {
				names = append(names[:maxHintNames:maxHintNames], fmt.Sprintf("%d more", more))
			}
			h.texts[i] = strings.Join(names, ", ") + ": " + text
		}
	}
	return h.texts
}

// appendNew appends the texts that are not there.
func appendNew(all, more []string) []string {
	for _, s := range more {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// listed returns the members that the filters on profiles keep, and the options without
// these filters.
func (f *Federation) listed(q query.ListOptions) ([]*member, query.ListOptions) {
	members := f.open()
	var wanted, rest []query.Filter
	for _, filter := range q.Filters {
		switch {
		case filter.Field != query.FieldProfile:
			rest = append(rest, filter)
		case filter.Not:
			members = slices.DeleteFunc(members, func(m *member) bool { return filter.Matches(m.name) })
		default:
			wanted = append(wanted, filter)
		}
	}
	if len(wanted) > 0 {
		members = slices.DeleteFunc(members, func(m *member) bool {
			return !slices.ContainsFunc(wanted, func(filter query.Filter) bool { return filter.Matches(m.name) })
		})
	}
	q.Filters = rest
	return members, q
}

// options returns the options for a member: its rows up to the last that is asked for.
func (m *member) options(q query.ListOptions) query.ListOptions {
	q.Filters = m.filters(q.Filters)
	if q.Limit > 0 {
		q.Limit += max(q.Offset, 0)
	}
	q.Offset = 0
	return q
}

// filters returns the filters as the member has its ids.
func (m *member) filters(of []query.Filter) []query.Filter {
	out := slices.Clone(of)
	for i, filter := range out {
		if filter.Field == query.FieldID {
			out[i].Value = m.local(filter.Value)
		}
		out[i].Known = filter.Known.Renamed(func(root string) string {
			if local := m.local(root); local != root {
				return local
			}
			return ""
		})
	}
	return out
}

// FieldValues is [store.Store.FieldValues] over all members. The values of profile: are
// the members.
func (f *Federation) FieldValues(ctx context.Context, field query.Field) ([]query.FieldValue, error) {
	if field == query.FieldProfile && f.only == nil {
		return f.profiles(ctx)
	}
	counts := map[string]int{}
	read := func(ctx context.Context, _ *member, s *store.Store) ([]query.FieldValue, error) {
		return s.FieldValues(ctx, field)
	}
	all, err := readAll(ctx, f, read, func(_ *[]query.FieldValue, _ *member, values []query.FieldValue) {
		for _, v := range values {
			counts[v.Value] += v.Conversations
		}
	})
	for v, n := range counts {
		all = append(all, query.FieldValue{Value: v, Conversations: n})
	}
	if len(counts) > 0 { // of several
		slices.SortFunc(all, func(a, b query.FieldValue) int {
			return cmp.Or(b.Conversations-a.Conversations, strings.Compare(a.Value, b.Value))
		})
	}
	return all, err
}

// profiles returns the members with their numbers of conversations.
func (f *Federation) profiles(ctx context.Context) ([]query.FieldValue, error) {
	members := f.open()
	pages, err := gather(ctx, f, members, func(ctx context.Context, _ *member, s *store.Store) (model.ConversationPage, error) {
		return s.Conversations(ctx, query.ListOptions{Limit: 1})
	})
	values := make([]query.FieldValue, len(members))
	for i, m := range members {
		values[i] = query.FieldValue{Value: m.name, Conversations: pages[m].Total}
	}
	return values, err
}

// Prepare is [store.Store.Prepare] of one member after the other.
func (f *Federation) Prepare(ctx context.Context) error {
	if f.only != nil {
		return prepare(ctx, f.only)
	}
	for _, m := range f.open() {
		s, _, _ := m.state()
		if err := prepare(ctx, s); err != nil {
			m.noteError(err)
			if ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

func prepare(ctx context.Context, s *live.Store) error {
	_, err := live.Ask(ctx, s, func(ctx context.Context, s *store.Store) (struct{}, error) { return struct{}{}, s.Prepare(ctx) })
	return err
}
