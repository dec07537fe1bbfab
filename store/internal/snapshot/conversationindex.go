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
func newConversationIndex(c *Snapshot, at time.Time, alone bool) *ConversationIndex {
	h := &ConversationIndex{
		Sessions: c.Table, lineage: c.Lineage, now: at, perSession: alone,
		Scopes: make([]int8, c.Len()), orders: map[query.Order][]int32{},
	}
	if !alone {
		h.rootOf = c.Lineage.Root
	}
	for n := range h.Scopes {
		h.Scopes[n] = NoScope
	}
	for n, m := range h.All() {
		h.Scopes[n] = int8(m.Scope)
	}
	return h
}

// Conversation makes the conversation with a number.
func (h *ConversationIndex) Conversation(n int32) (m model.Conversation) {
	h.fill(&m, n)
	return m
}

// fill makes the conversation with a number in the place of another, whose
// Segments are written over.
func (h *ConversationIndex) fill(m *model.Conversation, n int32) {
	if h.perSession {
		h.lineage.FillSession(m, int(n), h.now)
	} else {
		h.lineage.FillConversation(m, int(n), h.now)
	}
}

// All iterates over the conversations by number. Each is valid until the next one.
func (h *ConversationIndex) All() iter.Seq2[int32, *model.Conversation] {
	return func(yield func(int32, *model.Conversation) bool) {
		var m model.Conversation
		for n, root := range h.lineage.Root {
			if root < 0 || int(root) != n && !h.perSession {
				continue
			}
			h.fill(&m, int32(n))
			if !yield(int32(n), &m) {
				return
			}
		}
	}
}

// ConversationOf returns the number of the conversation that a session belongs to.
func (h *ConversationIndex) ConversationOf(session int32) int32 {
	if h.rootOf == nil {
		return session
	}
	return h.rootOf[session]
}

// updated returns the index of the conversations of c, which differ from these only at
// some numbers. Orders and titles that were computed are carried over.
func (h *ConversationIndex) updated(c *Snapshot, some []int32) *ConversationIndex {
	n := &ConversationIndex{
		Sessions: c.Table, lineage: c.Lineage, rootOf: c.Lineage.Root, now: h.now,
		Scopes: slices.Clone(h.Scopes), orders: map[query.Order][]int32{},
	}
	for len(n.Scopes) < c.Len() {
		n.Scopes = append(n.Scopes, NoScope)
	}
	other := map[int32]string{} // new titles, "" where the conversation is gone
	var sources []string
	var there []int32
	var m model.Conversation
	for _, i := range some {
		n.Scopes[i], other[i] = NoScope, ""
		if c.Lineage.Root[i] != i {
			continue
		}
		n.fill(&m, i)
		n.Scopes[i], other[i] = int8(m.Scope), m.Title
		there, sources = append(there, i), append(sources, m.Source)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for by, in := range h.orders {
		n.orders[by] = n.mergeOrder(by, in, some, there)
	}
	if h.titles == nil {
		return n
	}
	n.titles, n.sources, n.sourceOf = h.titles.Updated(other), slices.Clone(h.sources), slices.Clone(h.sourceOf)
	n.sourceOf = append(n.sourceOf, make([]int32, c.Len()-len(n.sourceOf))...)
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
func (h *ConversationIndex) mergeOrder(by query.Order, in, some, there []int32) []int32 {
	changed := make(map[int32]bool, len(some))
	for _, i := range some {
		changed[i] = true
	}
	left := slices.DeleteFunc(slices.Clone(in), func(i int32) bool { return changed[i] })
	key := func(i int32) query.SortKey {
		m := h.Conversation(i)
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
func (h *ConversationIndex) Sorted(by query.Order) []int32 {
	if by == query.ByRelevance {
		by = query.ByActivity // for equals
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if in, ok := h.orders[by]; ok {
		return in
	}
	in, keys := make([]int32, 0, len(h.Scopes)), make([]query.SortKey, len(h.Scopes))
	for n, m := range h.All() {
		in, keys[n] = append(in, n), by.KeyOf(m)
	}
	slices.SortFunc(in, func(a, b int32) int { return keys[a].Compare(&keys[b]) })
	h.orders[by] = in
	return in
}

// RankOf returns the positions of the conversations in an order, by number.
func (h *ConversationIndex) RankOf(by query.Order) []int32 {
	in := h.Sorted(by)
	h.mu.Lock()
	defer h.mu.Unlock()
	ranks, ok := h.ranks[by]
	if !ok {
		ranks = make([]int32, len(h.Scopes))
		for at, n := range in {
			ranks[n] = int32(at)
		}
		if h.ranks == nil {
			h.ranks = map[query.Order][]int32{}
		}
		h.ranks[by] = ranks
	}
	return ranks
}

// NamesAndSources returns an index of the titles, the sources of the file, and by number
// the index of each conversation's source.
func (h *ConversationIndex) NamesAndSources() (titles *match.TextIndex, sources []string, source []int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.titles == nil {
		all, numbers := make([]string, len(h.Scopes)), map[string]int32{}
		h.sourceOf = make([]int32, len(h.Scopes))
		for n, m := range h.All() {
			all[n] = m.Title
			number, ok := numbers[m.Source]
			if !ok {
				number = int32(len(h.sources))
				numbers[m.Source] = number
				h.sources = append(h.sources, m.Source)
			}
			h.sourceOf[n] = number
		}
		h.titles = match.NewTextIndex(all)
	}
	return h.titles, h.sources, h.sourceOf
}
