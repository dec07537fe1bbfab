package store

import (
	"context"
	"math/bits"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// tally counts messages that match, by the conversations they belong to.
type tally struct {
	shelf *shelf
	names []name // of its conversations, that match
	counted

	all, tools *ftsindex.Set // messages; the others were said
	owners     *owners
	strangers  strangers
}

// counted is what was counted of conversations.
type counted struct {
	scores  []score // by number
	touched []int32 // those of which something matches
}

// score is what matched of one conversation: messages that somebody said, and
// those of tools.
type score struct {
	hits [2]int32
	last [2]int64 // the newest of each
}

// The voices of a score.
const (
	byPeople = iota
	byTools
)

// add takes in a message.
func (s *score) add(voice int, id int64) {
	if s.hits[voice] == 0 || id > s.last[voice] {
		s.last[voice] = id
	}
	s.hits[voice]++
}

// addAll takes in messages that follow all those before, as bits from the first.
func (s *score) addAll(voice int, first int64, run uint64) {
	if run != 0 {
		s.hits[voice] += int32(bits.OnesCount64(run))
		s.last[voice] = first + int64(bits.Len64(run)) - 1
	}
}

// attach finds out what the messages are that were found, and takes ids over.
// Those that stand in no transcript are left out.
func (t *tally) attach(ctx context.Context, f *finder, c *catalog, ids *ftsindex.Set) (err error) {
	h, err := f.learn(ctx, ids)
	if err != nil {
		return err
	}
	ids.Subtract(&h.mute)
	t.all, t.tools = ids, &h.tools
	t.owners = c.owners.Load()
	t.strangers, err = f.strange(ctx, c, t.all)
	return err
}

// count does so and counts them.
func (t *tally) count(ctx context.Context, f *finder, c *catalog, ids *ftsindex.Set) error {
	if err := t.attach(ctx, f, c, ids); err != nil {
		return err
	}
	// At a common word this is most of a search: hence 64 messages at a time,
	// and in them all of one session that stand together.
	for first, word := range t.all.Words() {
		sheet, tools := t.owners.sheet(first), t.tools.Word(first)
		if sheet == nil {
			continue
		}
		for at := first % ownerPage; word != 0; {
			bit := bits.TrailingZeros64(word)
			turns := sheet.turns[at/64] &^ (2<<bit - 1)
			run := word & (turns&-turns - 1) // up to the next turn
			word &^= run
			if s := t.score(sheet.at(at + int64(bit))); s != nil {
				s.addAll(byPeople, first, run&^tools)
				s.addAll(byTools, first, run&tools)
			}
		}
	}
	for id, session := range t.strangers {
		if s := t.score(session); s == nil {
			continue
		} else if t.tools.Has(id) {
			s.add(byTools, id)
		} else {
			s.add(byPeople, id)
		}
	}
	return nil
}

// session gives the number of the session of a message, below zero for none.
func (t *tally) session(id int64) int32 {
	if n, ok := t.strangers[id]; ok {
		return n
	}
	return t.owners.of(id)
}

// place gives the number of the conversation of a session, below zero for none.
func (t *tally) place(session int32) int32 {
	if session >= 0 {
		return t.shelf.of(session)
	}
	return session
}

// score gives that of the conversation of a session, in which a hit was found;
// nil for none.
func (t *tally) score(session int32) *score {
	n := t.place(session)
	if n < 0 {
		return nil
	}
	s := &t.scores[n]
	if s.hits[byPeople]|s.hits[byTools] == 0 {
		t.touched = append(t.touched, n)
	}
	return s
}

// add takes in the conversations that match by what they are called.
func (t *tally) add(named []int32) {
	for _, n := range named {
		if t.scores[n].all() == 0 {
			t.touched = append(t.touched, n)
		}
	}
}

// inOrder puts conversations that match in an order. After the first of so many
// it need not go on.
func (t *tally) inOrder(found []int32, by model.Sort, most int) []int32 {
	if by == model.ByRelevance {
		found = t.mostRelevant(found, most)
	}
	in, ranks := t.shelf.inOrder(by), t.shelf.inRanks(by)
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
	if by == model.ByRelevance {
		sorted = t.byRelevance(sorted)
	}
	return sorted
}

// giveBack lets the next search have the scores, nothing counted.
func (t *tally) giveBack() {
	c := t.counted
	if len(c.touched)*8 < len(c.scores) {
		for _, n := range c.touched {
			c.scores[n] = score{}
		}
	} else {
		clear(c.scores)
	}
	c.touched = c.touched[:0]
	t.shelf.giveBack(c)
}

// all gives how many messages match.
func (s *score) all() int { return int(s.hits[byPeople] + s.hits[byTools]) }

// mostRelevant is above every relevance.
const mostRelevant = 80

// relevance tells how well a conversation answers the query.
func (t *tally) relevance(n int32) int {
	s := &t.scores[n]
	r := bits.Len32(uint32(1+2*s.hits[byPeople]+s.hits[byTools])) - 1
	if t.names[n] == byTitle {
		r += mostRelevant / 2
	}
	return r
}

// mostRelevant leaves out conversations that stand behind so many others.
func (t *tally) mostRelevant(found []int32, most int) []int32 {
	var with [mostRelevant]int
	each := make([]uint8, len(found))
	for at, n := range found {
		r := t.relevance(n)
		each[at] = uint8(r)
		with[r]++
	}
	least := mostRelevant - 1
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
func (t *tally) byRelevance(found []int32) []int32 {
	var ends [mostRelevant]int
	for _, n := range found {
		ends[mostRelevant-1-t.relevance(n)]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	sorted := make([]int32, len(found))
	for _, n := range slices.Backward(found) {
		at := &ends[mostRelevant-1-t.relevance(n)]
		*at--
		sorted[*at] = n
	}
	return sorted
}

// newestSaid is how many messages of people a conversation is judged by.
const newestSaid = 4

// candidate gives the messages that may be the best hit of a conversation, one
// a round: what was said, the newest first, then the newest of a tool. last is
// the one of the round before.
func (t *tally) candidate(n int32, round int, last int64) (id int64, ok bool) {
	s := &t.scores[n]
	some := int(min(s.hits[byPeople], newestSaid))
	switch {
	case round == some:
		return s.last[byTools], s.hits[byTools] > 0
	case round > some:
		return 0, false
	case round == 0:
		return s.last[byPeople], true
	}
	for id, ok = t.all.Before(last); ok; id, ok = t.all.Before(id) {
		if !t.tools.Has(id) && t.place(t.session(id)) == n {
			return id, true
		}
	}
	return 0, false
}
