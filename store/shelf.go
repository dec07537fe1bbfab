package store

import (
	"slices"
	"sync"

	"hermes-sessions/model"
)

// shelf is conversations, and what a search asks of all of them at every key,
// where it can be read quickly: a conversation itself is large.
type shelf struct {
	conv   []model.Conversation
	within []int32 // sessions of the catalog → conv; nil where each is its own
	scopes []model.Scope

	mu      sync.Mutex // for what is worked out when it is first asked for
	orders  map[model.Sort][]int32
	titles  *model.Lines
	sources []string
	spare   []score // of the last search
}

func newShelf(conv []model.Conversation, within []int32) *shelf {
	h := &shelf{conv: conv, within: within, scopes: make([]model.Scope, len(conv)), orders: map[model.Sort][]int32{}}
	for i := range conv {
		h.scopes[i] = conv[i].Scope
	}
	return h
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
	in := make([]int32, len(h.conv))
	for i := range in {
		in[i] = int32(i)
	}
	first := by.Order()
	slices.SortFunc(in, func(a, b int32) int { return first(&h.conv[a], &h.conv[b]) })
	h.orders[by] = in
	return in
}

// names gives the titles, ready to be searched, and the sources that there are.
func (h *shelf) names() (titles *model.Lines, sources []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.titles == nil {
		all, seen := make([]string, len(h.conv)), map[string]bool{}
		for i := range h.conv {
			all[i] = h.conv[i].Title
			if s := h.conv[i].Source; !seen[s] {
				seen[s] = true
				h.sources = append(h.sources, s)
			}
		}
		h.titles = model.NewLines(all)
	}
	return h.titles, h.sources
}

// takeScores gives a score for each conversation, nothing counted yet.
func (h *shelf) takeScores() []score {
	h.mu.Lock()
	spare := h.spare
	h.spare = nil
	h.mu.Unlock()
	if spare == nil {
		return make([]score, len(h.conv))
	}
	clear(spare)
	return spare
}

// giveBack lets the next search have the scores: to make them anew at every key
// keeps the collector busy.
func (h *shelf) giveBack(scores []score) {
	h.mu.Lock()
	h.spare = scores
	h.mu.Unlock()
}
