package store

import (
	"iter"
	"slices"
	"sync"
	"time"

	"hermes-sessions/model"
)

// shelf is conversations, and what a search asks of all of them at every key,
// where it can be read quickly. A conversation itself is large: it is made when
// it is wanted. Its number is the position of its first session.
type shelf struct {
	sessions *roll
	lineage  *model.Lineage
	within   []int32   // positions of sessions → numbers; nil where they are the same
	at       time.Time // what counts as now
	alone    bool      // each session is one by itself
	scopes   []int8    // by number, none for what is no conversation

	mu      sync.Mutex // for what is worked out when it is first asked for
	orders  map[model.Sort][]int32
	ranks   map[model.Sort][]int32
	titles  *model.Lines
	sources []string
	source  []int32 // by number: in sources
}

// none is for sessions that are not the first of a conversation.
const none = -1

func newShelf(c *catalog, at time.Time, alone bool) *shelf {
	h := &shelf{
		sessions: c.roll, lineage: c.lineage, at: at, alone: alone,
		scopes: make([]int8, c.Len()), orders: map[model.Sort][]int32{},
	}
	if !alone {
		h.within = c.lineage.Root
	}
	for n := range h.scopes {
		h.scopes[n] = none
	}
	for n, m := range h.all() {
		h.scopes[n] = int8(m.Scope)
	}
	return h
}

// conversation makes the one with a number.
func (h *shelf) conversation(n int32) (m model.Conversation) {
	h.remake(&m, n)
	return m
}

// remake makes the conversation with a number in the place of another, whose
// Segments are written over.
func (h *shelf) remake(m *model.Conversation, n int32) {
	if h.alone {
		h.lineage.Alone(m, int(n), h.at)
	} else {
		h.lineage.Remake(m, int(n), h.at)
	}
}

// all makes one conversation after the other. Each is good until the next.
func (h *shelf) all() iter.Seq2[int32, *model.Conversation] {
	return func(yield func(int32, *model.Conversation) bool) {
		var m model.Conversation
		for n, root := range h.lineage.Root {
			if root < 0 || int(root) != n && !h.alone {
				continue
			}
			h.remake(&m, int32(n))
			if !yield(int32(n), &m) {
				return
			}
		}
	}
}

// of gives the number of the conversation that a session belongs to.
func (h *shelf) of(session int32) int32 {
	if h.within == nil {
		return session
	}
	return h.within[session]
}

// with gives a shelf of the conversations of c, which are otherwise than here
// where the positions of some sessions are numbers, and only there. What was
// worked out is taken over.
func (h *shelf) with(c *catalog, some []int32) *shelf {
	n := &shelf{
		sessions: c.roll, lineage: c.lineage, within: c.lineage.Root, at: h.at,
		scopes: slices.Clone(h.scopes), orders: map[model.Sort][]int32{},
	}
	for len(n.scopes) < c.Len() {
		n.scopes = append(n.scopes, none)
	}
	other := map[int32]string{} // titles, none for what is no conversation any more
	var sources []string
	var there []int32
	var m model.Conversation
	for _, i := range some {
		n.scopes[i], other[i] = none, ""
		if c.lineage.Root[i] != i {
			continue
		}
		n.remake(&m, i)
		n.scopes[i], other[i] = int8(m.Scope), m.Title
		there, sources = append(there, i), append(sources, m.Source)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for by, in := range h.orders {
		n.orders[by] = n.merged(by, in, some, there)
	}
	if h.titles == nil {
		return n
	}
	n.titles, n.sources, n.source = h.titles.With(other), slices.Clone(h.sources), slices.Clone(h.source)
	n.source = append(n.source, make([]int32, c.Len()-len(n.source))...)
	for k, i := range there {
		at := slices.Index(n.sources, sources[k])
		if at < 0 {
			at = len(n.sources)
			n.sources = append(n.sources, sources[k])
		}
		n.source[i] = int32(at)
	}
	return n
}

// merged puts those of some numbers that are there into an order of which only
// they are not true any more.
func (h *shelf) merged(by model.Sort, in, some, there []int32) []int32 {
	changed := make(map[int32]bool, len(some))
	for _, i := range some {
		changed[i] = true
	}
	left := slices.DeleteFunc(slices.Clone(in), func(i int32) bool { return changed[i] })
	key := func(i int32) model.Key {
		m := h.conversation(i)
		return by.Key(&m)
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

// inOrder gives the numbers of the conversations in an order.
func (h *shelf) inOrder(by model.Sort) []int32 {
	if by == model.ByRelevance {
		by = model.ByActivity // for equals
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if in, ok := h.orders[by]; ok {
		return in
	}
	in, keys := make([]int32, 0, len(h.scopes)), make([]model.Key, len(h.scopes))
	for n, m := range h.all() {
		in, keys[n] = append(in, n), by.Key(m)
	}
	slices.SortFunc(in, func(a, b int32) int { return keys[a].Compare(&keys[b]) })
	h.orders[by] = in
	return in
}

// inRanks gives the places of the conversations in an order, by number.
func (h *shelf) inRanks(by model.Sort) []int32 {
	in := h.inOrder(by)
	h.mu.Lock()
	defer h.mu.Unlock()
	ranks, ok := h.ranks[by]
	if !ok {
		ranks = make([]int32, len(h.scopes))
		for at, n := range in {
			ranks[n] = int32(at)
		}
		if h.ranks == nil {
			h.ranks = map[model.Sort][]int32{}
		}
		h.ranks[by] = ranks
	}
	return ranks
}

// names gives the titles, ready to be searched, the sources that there are, and
// which of them each conversation has.
func (h *shelf) names() (titles *model.Lines, sources []string, source []int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.titles == nil {
		all, numbers := make([]string, len(h.scopes)), map[string]int32{}
		h.source = make([]int32, len(h.scopes))
		for n, m := range h.all() {
			all[n] = m.Title
			number, ok := numbers[m.Source]
			if !ok {
				number = int32(len(h.sources))
				numbers[m.Source] = number
				h.sources = append(h.sources, m.Source)
			}
			h.source[n] = number
		}
		h.titles = model.NewLines(all)
	}
	return h.titles, h.sources, h.source
}
