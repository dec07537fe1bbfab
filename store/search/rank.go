package search

import (
	"math/bits"
	"slices"

	"hermes-sessions/model/query"
)

// sorted puts conversations that match in an order. After the first of so many
// it need not go on.
func (t *hitCounter) sorted(found []int32, by query.Order, most int) []int32 {
	if by == query.ByRelevance {
		found = t.topRelevant(found, most)
	}
	in, ranks := t.index.Sorted(by), t.index.RankOf(by)
	there := make([]uint64, len(in)/64+1)
	for _, n := range found {
		there[ranks[n]/64] |= 1 << (ranks[n] % 64)
	}
	sorted := make([]int32, 0, len(found))
	for i, word := range there {
		for ; word != 0; word &= word - 1 {
			sorted = append(sorted, in[i*64+bits.TrailingZeros64(word)])
		}
	}
	if by == query.ByRelevance {
		sorted = t.byRelevance(sorted)
	}
	return sorted
}

// maxRelevant is above every relevance.
const maxRelevant = 80

// relevance tells how well a conversation answers the query.
func (t *hitCounter) relevance(n int32) int {
	s := &t.scores[n]
	r := bits.Len32(uint32(1+2*s.bySpeakers+s.byTools)) - 1
	if t.nameMatches[n] == byTitle {
		r += maxRelevant / 2
	}
	return r
}

// topRelevant leaves out conversations that stand behind so many others.
func (t *hitCounter) topRelevant(found []int32, most int) []int32 {
	var with [maxRelevant]int
	each := make([]uint8, len(found))
	for at, n := range found {
		r := t.relevance(n)
		each[at] = uint8(r)
		with[r]++
	}
	least := maxRelevant - 1
	for ; least > 0 && with[least] < most; least-- {
		most -= with[least]
	}
	left := found[:0]
	for at, n := range found {
		if int(each[at]) >= least {
			left = append(left, n)
		}
	}
	return left
}

// byRelevance gives conversations, the most relevant first, and of equals the
// first.
func (t *hitCounter) byRelevance(found []int32) []int32 {
	var ends [maxRelevant]int
	for _, n := range found {
		ends[maxRelevant-1-t.relevance(n)]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	sorted := make([]int32, len(found))
	for _, n := range slices.Backward(found) {
		at := &ends[maxRelevant-1-t.relevance(n)]
		*at--
		sorted[*at] = n
	}
	return sorted
}
