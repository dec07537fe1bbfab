package search

import (
	"math/bits"
	"slices"

	"hermes-sessions/model/query"
)

// sorted returns conversations in an order, at least the first most of them. All
// conversations are sorted in the snapshot: those that match are marked in a bitmap by
// their positions there, and read off in order.
func (h *hitCounter) sorted(found []int32, by query.Order, most int) []int32 {
	if by == query.ByRelevance {
		found = h.topRelevant(found, most)
	}
	inOrder, places := h.index.Sorted(by), h.index.RankOf(by)
	marked := make([]uint64, len(inOrder)/64+1)
	for _, n := range found {
		marked[places[n]/64] |= 1 << (places[n] % 64)
	}
	sorted := make([]int32, 0, len(found))
	for i, word := range marked {
		for ; word != 0; word &= word - 1 {
			sorted = append(sorted, inOrder[i*64+bits.TrailingZeros64(word)])
		}
	}
	if by == query.ByRelevance {
		sorted = h.byRelevance(sorted)
	}
	return sorted
}

// maxRelevant is greater than every relevance.
const maxRelevant = 80

// relevance scores how well a conversation answers the query: a title that matches
// first, then a message that has the query as a phrase, then the power of two of the
// messages that match, those of the user and the agent counted twice, and summaries
// written by compression not at all.
func (h *hitCounter) relevance(n int32) int {
	s := &h.scores[n]
	said := max(0, s.bySpeakers-h.summaries[n])
	return relevanceOf(int(said), int(s.byTools), s.bestHit>>rankBit > fromSpeaker, h.nameMatches[n] == byTitle)
}

// relevanceOf is relevance of what matches: messages that were said and those of tools, one as
// a phrase, the title.
func relevanceOf(said, byTools int, phrase, title bool) int {
	r := bits.Len(uint(1+2*said+byTools)) - 1
	if phrase {
		r += maxRelevant / 4
	}
	if title {
		r += maxRelevant / 2
	}
	return r
}

// topRelevant leaves out conversations that are less relevant than most others. It
// reuses found.
func (h *hitCounter) topRelevant(found []int32, most int) []int32 {
	var counts [maxRelevant]int // by relevance
	relevances := make([]uint8, len(found))
	for i, n := range found {
		r := h.relevance(n)
		relevances[i] = uint8(r)
		counts[r]++
	}
	least := maxRelevant - 1
	for ; least > 0 && counts[least] < most; least-- {
		most -= counts[least]
	}
	top := found[:0]
	for i, n := range found {
		if int(relevances[i]) >= least {
			top = append(top, n)
		}
	}
	return top
}

// byRelevance sorts conversations by relevance, the most relevant first; equals keep
// their order. It is a counting sort.
func (h *hitCounter) byRelevance(found []int32) []int32 {
	var ends [maxRelevant]int
	for _, n := range found {
		ends[maxRelevant-1-h.relevance(n)]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	sorted := make([]int32, len(found))
	for _, n := range slices.Backward(found) {
		end := &ends[maxRelevant-1-h.relevance(n)]
		*end--
		sorted[*end] = n
	}
	return sorted
}
