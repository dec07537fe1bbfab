package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
)

// firstRows finds the sessions of the first rows where many messages match and no count is
// wanted, so that a command does not read all sessions of a large file. A family is the sessions
// with one topmost ancestor. None of its conversations has more messages that match than the
// family, or was active later: families are requested, the best first, until no other can have
// a conversation among the rows.
type firstRows struct {
	wanted   int                       // conversations that must be found, where there are as many
	matched  []snapshot.MessageSession // by the places of sessions; nil before many messages have been found
	sessions []string                  // ids; first of those with a message that matches
	places   map[string]int32          // id → place in sessions
	families []family                  // by relevance

	requested int // how many families were
}

// family is what is known of the sessions of a family before they are read: bounds of what its
// conversations have.
type family struct {
	members    []int32 // places of sessions; the first has a message or a title that matches
	relevance  int
	lastActive time.Time // zero where it was not looked up
}

// newFirstRows returns nil where all sessions with a match are needed.
func newFirstRows(list query.ListOptions) *firstRows {
	if !list.RowsOnly || list.FirstPage || list.Limit <= 0 || list.SortOrder() != query.ByRelevance {
		return nil
	}
	r := &firstRows{wanted: max(list.Offset, 0) + list.Limit, places: map[string]int32{}}
	if list.Closest { // more leave no place for the closest conversations
		r.wanted = max(r.wanted, query.ClosestUpTo+1)
	}
	return r
}

// inUse reports whether many messages match, so that only the best families are read.
func (r *firstRows) inUse() bool { return r != nil && r.matched != nil }

// allRead reports whether every conversation with a match is read.
func (r *firstRows) allRead() bool { return r.requested == len(r.families) }

// manyMessages is the number of messages from which their sessions are not all read for the
// first rows.
const manyMessages = 2_000

// read finds the families of messages that match, if these are many, and of titles that match,
// where titles is not nil, and requests the best ones of a part.
func (r *firstRows) read(ctx context.Context, ex *executor, part *snapshot.Snapshot, ids *idset.Set, titles *match.Matcher) error {
	_, last, err := ex.idRange(ctx)
	if err != nil || ids.Len() <= min(partMessages(last), manyMessages) {
		return err
	}
	ex.addStep("many messages match: the sessions of the first rows only")
	stats, err := ex.engine.sessions.ReadMatched(ctx, ex.tx, ids, last, func(message int64, session string) {
		r.matched = append(r.matched, snapshot.MessageSession{Message: message, Session: r.place(session)})
	})
	if err != nil {
		return err
	}
	part.KeepStats(stats)
	titled, err := r.readTitled(ctx, ex, part, titles)
	if err != nil {
		return err
	}
	matching := len(r.sessions)
	related, err := r.readRelatives(ctx, ex)
	if err != nil {
		return err
	}
	r.rankFamilies(related, matching, titled)
	return r.request(ctx, ex, part, r.wanted*familiesPerConversation)
}

// familiesPerConversation is how many families are requested at first for each conversation that must be
// found: scope and filters of the list may hide some.
const familiesPerConversation = 4

// place returns the place of a session, which it adds where there is none.
func (r *firstRows) place(id string) int32 {
	at, ok := r.places[id]
	if !ok {
		at = int32(len(r.sessions))
		r.places[id], r.sessions = at, append(r.sessions, id)
	}
	return at
}

// readTitled returns the sessions with a title that matches, none where titles is nil.
func (r *firstRows) readTitled(ctx context.Context, ex *executor, part *snapshot.Snapshot, titles *match.Matcher) (titled []int32, err error) {
	if titles == nil {
		return nil, nil
	}
	ids, err := ex.engine.sessions.TitledSessions(ctx, ex.tx, part, titles)
	for _, id := range ids {
		titled = append(titled, r.place(id))
	}
	return titled, err
}

// readRelatives adds all sessions that have a parent or a child, and makes a set of each family.
func (r *firstRows) readRelatives(ctx context.Context, ex *executor) (related disjointSets, err error) {
	err = ex.engine.sessions.EachParent(ctx, ex.tx, func(session, parent string) {
		related.join(r.place(session), r.place(parent))
	})
	return related, err
}

// rankFamilies makes the families of the sessions that match, of which the first are so many,
// ordered by the relevance that their conversations have at most.
func (r *firstRows) rankFamilies(related disjointSets, matching int, titled []int32) {
	matches, named := make([]int, len(r.sessions)), make([]bool, len(r.sessions)) // by the place that stands for a family
	for _, m := range r.matched {
		matches[related.find(m.Session)]++
	}
	for _, at := range titled {
		named[related.find(at)] = true
	}
	families := map[int32]int{}
	for at := range int32(len(r.sessions)) {
		top := related.find(at)
		of, ok := families[top]
		if !ok && int(at) < matching {
			of, ok = len(r.families), true
			families[top] = of
			r.families = append(r.families, family{relevance: relevanceOf(matches[top], 0, false, named[top])})
		}
		if ok {
			r.families[of].members = append(r.families[of].members, at)
		}
	}
	slices.SortStableFunc(r.families, func(a, b family) int { return cmp.Compare(b.relevance, a.relevance) })
}

// disjointSets are sets of numbers from 0 on, of which each has one at first: by number, one of
// the same set, which is the number itself for the one that stands for the set.
type disjointSets []int32

// find returns the number that stands for the set of a number.
func (d *disjointSets) find(n int32) int32 {
	for int(n) >= len(*d) {
		*d = append(*d, int32(len(*d)))
	}
	for s := *d; s[n] != n; n = s[n] {
		s[n] = s[s[n]]
	}
	return n
}

// join makes the sets of two numbers one.
func (d *disjointSets) join(a, b int32) {
	a, b = d.find(a), d.find(b)
	(*d)[a] = b
}

// request requests families of a part, up to a number of them.
func (r *firstRows) request(ctx context.Context, ex *executor, part *snapshot.Snapshot, upTo int) error {
	if upTo < len(r.families) { // of equals those that were active last
		least := r.families[upTo-1].relevance
		from := slices.IndexFunc(r.families, func(f family) bool { return f.relevance == least })
		equal := r.families[from:]
		if to := slices.IndexFunc(equal, func(f family) bool { return f.relevance < least }); to > 0 {
			equal = equal[:to]
		}
		if err := r.readLastActive(ctx, ex, equal); err != nil {
			return err
		}
		slices.SortStableFunc(equal, func(a, b family) int { return b.lastActive.Compare(a.lastActive) })
	}
	for ; r.requested < min(upTo, len(r.families)); r.requested++ {
		part.Request(r.sessions[r.families[r.requested].members[0]])
	}
	return nil
}

// readLastActive looks up when families were active last.
func (r *firstRows) readLastActive(ctx context.Context, ex *executor, families []family) error {
	var ids []string
	of := map[string]*family{}
	for i := range families {
		if f := &families[i]; f.lastActive.IsZero() {
			for _, at := range f.members {
				ids, of[r.sessions[at]] = append(ids, r.sessions[at]), f
			}
		}
	}
	return ex.engine.sessions.EachLastActive(ctx, ex.tx, ids, func(id string, at time.Time) {
		if f := of[id]; at.After(f.lastActive) {
			f.lastActive = at
		}
	})
}

// prepare is hitCounter.prepare with the messages of the sessions that the part has. Their roles
// are read when the best conversations are known.
func (r *firstRows) prepare(h *hitCounter, ex *executor, part *snapshot.Snapshot) {
	numbers := make([]int32, len(r.sessions))
	for at, id := range r.sessions {
		numbers[at] = -1
		if n, ok := part.Position(id); ok {
			numbers[at] = int32(n)
		}
	}
	h.ids, h.unmapped = &idset.Set{}, unmappedSessions{}
	for _, m := range r.matched {
		if numbers[m.Session] >= 0 {
			h.ids.Add(m.Message)
		}
	}
	h.deferUnread(ex, h.ids)
	for _, m := range r.matched {
		if h.ids.Has(m.Message) {
			h.unmapped[m.Message] = numbers[m.Session]
		}
	}
}

// complete reports whether no other family has one of the first rows of found. Otherwise it
// requests more.
func (r *firstRows) complete(ctx context.Context, h *hitCounter, part *snapshot.Snapshot, found []int32, rows int) (bool, error) {
	if r.allRead() {
		return true, nil
	}
	next := &r.families[r.requested]
	if len(found) >= r.wanted {
		last := h.sorted(slices.Clone(found), query.ByRelevance, rows)[rows-1]
		relevance, active := h.relevance(last), h.index.Conversation(last).LastActive
		if relevance > next.relevance || relevance == next.relevance && !next.lastActive.IsZero() && active.After(next.lastActive) {
			return true, nil
		}
	}
	// Where few of them belong to the list, the next request should be the last: half as many
	// again as would do with the same share of them.
	return false, r.request(ctx, h.executor, part, max(2*r.requested, r.requested*r.wanted*3/2/max(len(found), 1)))
}
