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
	at       time.Time // what counts as now
	alone    bool      // each session is one by itself
	scopes   []int8    // by number, none for what is no conversation

	mu      sync.Mutex // for what is worked out when it is first asked for
	orders  map[model.Sort][]int32
	ranks   map[model.Sort][]int32
	titles  *model.Lines
	sources []string
	source  []int32 // by number: in sources
	spare   []score // of the last search, nothing counted
}

// none is for sessions that are not the first of a conversation.
const none = -1

func newShelf(c *catalog, at time.Time, alone bool) *shelf {
	h := &shelf{
		sessions: c.roll, lineage: c.lineage, at: at, alone: alone,
		scopes: make([]int8, c.Len()), orders: map[model.Sort][]int32{},
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

// remake does so in the place of another, whose Segments are written over.
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
		for n, link := range h.lineage.Link {
			if link == model.LinkSegment && !h.alone {
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
	if h.alone {
		return session
	}
	return h.lineage.Root[session]
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

// takeScores gives a score for each conversation, nothing counted yet.
func (h *shelf) takeScores() []score {
	h.mu.Lock()
	spare := h.spare
	h.spare = nil
	h.mu.Unlock()
	if spare == nil {
		return make([]score, len(h.scopes))
	}
	return spare
}

// giveBack lets the next search have the scores, nothing counted in them: to
// make them anew at every key keeps the collector busy.
func (h *shelf) giveBack(scores []score) {
	h.mu.Lock()
	h.spare = scores
	h.mu.Unlock()
}
