package snapshot

import (
	"iter"
	"slices"
	"sync"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/sessiontable"
)

// ConversationIndex is the conversations of a snapshot, with the values that a search
// reads of all of them at every key. A [model.Conversation] is large: it is made when
// it is needed. The number of a conversation is the position of its first session.
type ConversationIndex struct {
	Sessions   *sessiontable.Table
	lineage    *model.Lineage
	rootOf     []int32   // positions of sessions → numbers; nil where they are the same
	now        time.Time // the current time for states and scopes
	perSession bool      // each session counts as a conversation
	Scopes     []int8    // by number, NoScope where there is no conversation

	mu       sync.Mutex // for the fields below, which are computed when first needed
	orders   map[query.Order][]int32
	ranks    map[query.Order][]int32
	titles   *match.TextIndex
	sources  []string
	sourceOf []int32 // by number: in sources
}

// NoScope is for sessions that are not the first of a conversation.
const NoScope = -1

// newConversationIndex makes the index of the conversations of a snapshot; with alone,
// each session counts as a conversation. at is the current time.
func newConversationIndex(snap *Snapshot, at time.Time, alone bool) *ConversationIndex {
	ix := &ConversationIndex{
		Sessions: snap.Table, lineage: snap.Lineage, now: at, perSession: alone,
		Scopes: make([]int8, snap.Len()), orders: map[query.Order][]int32{},
	}
	if !alone {
		ix.rootOf = snap.Lineage.Root
	}
	for n := range ix.Scopes {
		ix.Scopes[n] = NoScope
	}
	for n, m := range ix.All() {
		ix.Scopes[n] = int8(m.Scope)
	}
	return ix
}

// Conversation makes the conversation with a number.
func (ix *ConversationIndex) Conversation(n int32) (m model.Conversation) {
	ix.fill(&m, n)
	return m
}

// fill makes the conversation with a number in the place of another, whose
// Segments are written over.
func (ix *ConversationIndex) fill(m *model.Conversation, n int32) {
	if ix.perSession {
		ix.lineage.FillSession(m, int(n), ix.now)
	} else {
		ix.lineage.FillConversation(m, int(n), ix.now)
	}
}

// All iterates over the conversations by number. Each is valid until the next one.
func (ix *ConversationIndex) All() iter.Seq2[int32, *model.Conversation] {
	return func(yield func(int32, *model.Conversation) bool) {
		var m model.Conversation
		for n, root := range ix.lineage.Root {
			if root < 0 || int(root) != n && !ix.perSession {
				continue
			}
			ix.fill(&m, int32(n))
			if !yield(int32(n), &m) {
				return
			}
		}
	}
}

// ConversationOf returns the number of the conversation that a session belongs to.
func (ix *ConversationIndex) ConversationOf(session int32) int32 {
	if ix.rootOf == nil {
		return session
	}
	return ix.rootOf[session]
}

// updated returns the index of a newer snapshot, whose conversations differ from those of ix
// only at the numbers in some. Orders and titles already computed are carried over.
func (ix *ConversationIndex) updated(snap *Snapshot, some []int32) *ConversationIndex {
	n := &ConversationIndex{
		Sessions: snap.Table, lineage: snap.Lineage, rootOf: snap.Lineage.Root, now: ix.now,
		Scopes: slices.Clone(ix.Scopes), orders: map[query.Order][]int32{},
	}
	for len(n.Scopes) < snap.Len() {
		n.Scopes = append(n.Scopes, NoScope)
	}
	other := map[int32]string{} // new titles, "" where the conversation is gone
	var sources []string
	var there []int32
	var m model.Conversation
	for _, i := range some {
		n.Scopes[i], other[i] = NoScope, ""
		if snap.Lineage.Root[i] != i {
			continue
		}
		n.fill(&m, i)
		n.Scopes[i], other[i] = int8(m.Scope), m.Title
		there, sources = append(there, i), append(sources, m.Source)
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for by, in := range ix.orders {
		n.orders[by] = n.mergeOrder(by, in, some, there)
	}
	if ix.titles == nil {
		return n
	}
	n.titles = ix.titles.Updated(other)
	n.sources = slices.Clone(ix.sources)
	n.sourceOf = slices.Clone(ix.sourceOf)
	n.sourceOf = append(n.sourceOf, make([]int32, snap.Len()-len(n.sourceOf))...)
	for k, i := range there {
		at := slices.Index(n.sources, sources[k])
		if at < 0 {
			at = len(n.sources)
			n.sources = append(n.sources, sources[k])
		}
		n.sourceOf[i] = int32(at)
	}
	return n
}

// mergeOrder updates an order: it removes some numbers and puts those that are still
// conversations back at their present positions.
func (ix *ConversationIndex) mergeOrder(by query.Order, in, some, there []int32) []int32 {
	changed := make(map[int32]bool, len(some))
	for _, i := range some {
		changed[i] = true
	}
	left := slices.DeleteFunc(slices.Clone(in), func(i int32) bool { return changed[i] })
	key := func(i int32) query.SortKey {
		m := ix.Conversation(i)
		return by.KeyOf(&m)
	}
	compare := func(a, b int32) int {
		k, o := key(a), key(b)
		return k.Compare(&o)
	}
	there = slices.SortedFunc(slices.Values(there), compare)
	out, from := make([]int32, 0, len(left)+len(there)), 0
	for _, i := range there {
		at, _ := slices.BinarySearchFunc(left[from:], i, compare)
		out = append(append(out, left[from:from+at]...), i)
		from += at
	}
	return append(out, left[from:]...)
}

// Sorted returns the numbers of the conversations in an order.
func (ix *ConversationIndex) Sorted(by query.Order) []int32 {
	if by == query.ByRelevance {
		by = query.ByActivity // for equals
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if in, ok := ix.orders[by]; ok {
		return in
	}
	in, keys := make([]int32, 0, len(ix.Scopes)), make([]query.SortKey, len(ix.Scopes))
	for n, m := range ix.All() {
		in, keys[n] = append(in, n), by.KeyOf(m)
	}
	slices.SortFunc(in, func(a, b int32) int { return keys[a].Compare(&keys[b]) })
	ix.orders[by] = in
	return in
}

// RankOf returns the positions of the conversations in an order, by number.
func (ix *ConversationIndex) RankOf(by query.Order) []int32 {
	in := ix.Sorted(by)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ranks, ok := ix.ranks[by]
	if !ok {
		ranks = make([]int32, len(ix.Scopes))
		for at, n := range in {
			ranks[n] = int32(at)
		}
		if ix.ranks == nil {
			ix.ranks = map[query.Order][]int32{}
		}
		ix.ranks[by] = ranks
	}
	return ranks
}

// NamesAndSources returns an index of the titles, the sources of the file, and by number
// the index of each conversation's source.
func (ix *ConversationIndex) NamesAndSources() (titles *match.TextIndex, sources []string, source []int32) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.titles == nil {
		all, numbers := make([]string, len(ix.Scopes)), map[string]int32{}
		ix.sourceOf = make([]int32, len(ix.Scopes))
		for n, m := range ix.All() {
			all[n] = m.Title
			number, ok := numbers[m.Source]
			if !ok {
				number = int32(len(ix.sources))
				numbers[m.Source] = number
				ix.sources = append(ix.sources, m.Source)
			}
			ix.sourceOf[n] = number
		}
		ix.titles = match.NewTextIndex(all)
	}
	return ix.titles, ix.sources, ix.sourceOf
}
