package store

import (
	"context"
	"iter"
	"math/bits"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// tally counts messages that match, by the conversations they belong to.
type tally struct {
	shelf   *shelf
	scores  []score // of its conversations
	names   []name  // of them, that match
	touched []int32 // those that have either

	all, said, tools *ftsindex.Set // messages; all is the others together
	owners           *owners
	strangers        strangers
}

// score is what matched of one conversation.
type score struct {
	said, tools        int32 // messages
	titled             bool  // so does its title
	lastSaid, lastTool int64
}

// attach finds out what the messages are that were found, and takes ids over.
// Those that stand in no transcript are left out.
func (t *tally) attach(ctx context.Context, f *finder, c *catalog, ids *ftsindex.Set) (err error) {
	h, err := f.learn(ctx, ids)
	if err != nil {
		return err
	}
	ids.Subtract(&h.mute)
	t.all, t.tools, t.said = ids, &h.tools, ftsindex.Without(ids, &h.tools)
	t.owners = c.owners.Load()
	t.strangers, err = f.strange(ctx, c, t.all)
	return err
}

// count does so and counts them.
func (t *tally) count(ctx context.Context, f *finder, c *catalog, ids *ftsindex.Set) error {
	if err := t.attach(ctx, f, c, ids); err != nil {
		return err
	}
	// At a common word this is most of a search: hence the sheets, and bit by bit.
	for first, word := range t.said.Words() {
		sheet := t.owners.sheet(first)
		for ; sheet != nil && word != 0; word &= word - 1 {
			id := first | int64(bits.TrailingZeros64(word))
			if s := t.score(sheet[id%ownerPage]); s != nil {
				s.said++
				s.lastSaid = id
			}
		}
	}
	for first, word := range t.tools.Words() {
		sheet := t.owners.sheet(first)
		for ; sheet != nil && word != 0; word &= word - 1 {
			id := first | int64(bits.TrailingZeros64(word))
			if s := t.score(sheet[id%ownerPage]); s != nil {
				s.tools++
				s.lastTool = id
			}
		}
	}
	for id, session := range t.strangers {
		s := t.score(session)
		switch {
		case s == nil:
		case t.tools.Has(id):
			if s.tools == 0 || id > s.lastTool {
				s.lastTool = id
			}
			s.tools++
		default:
			if s.said == 0 || id > s.lastSaid {
				s.lastSaid = id
			}
			s.said++
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
	if s.said|s.tools == 0 {
		t.touched = append(t.touched, n)
	}
	return s
}

// add takes in the conversations that match by what they are called.
func (t *tally) add(named []int32) {
	for _, n := range named {
		if t.scores[n].hits() == 0 {
			t.touched = append(t.touched, n)
		}
	}
}

// few reports whether those that match are so few that to go through all
// conversations would take longer.
func (t *tally) few() bool { return len(t.touched)*8 < len(t.scores) }

// inOrder gives the numbers of the conversations that match, in an order.
func (t *tally) inOrder(by model.Sort) iter.Seq[int32] {
	if t.few() {
		ranks := t.shelf.inRanks(by)
		slices.SortFunc(t.touched, func(a, b int32) int { return int(ranks[a] - ranks[b]) })
		return slices.Values(t.touched)
	}
	return func(yield func(int32) bool) {
		for _, n := range t.shelf.inOrder(by) {
			if (t.scores[n].hits() > 0 || t.names[n] != 0) && !yield(n) {
				return
			}
		}
	}
}

// giveBack lets the next search have the scores, nothing counted.
func (t *tally) giveBack() {
	if t.few() {
		for _, n := range t.touched {
			t.scores[n] = score{}
		}
	} else {
		clear(t.scores)
	}
	t.shelf.giveBack(t.scores)
}

func (s *score) hits() int { return int(s.said + s.tools) }

// mostRelevant is above every relevance.
const mostRelevant = 80

// relevance tells how well a conversation answers the query.
func (s *score) relevance() int {
	n := bits.Len32(uint32(1+2*s.said+s.tools)) - 1
	if s.titled {
		n += mostRelevant / 2
	}
	return n
}

// byRelevance gives conversations, the most relevant first, and of equals the
// first.
func (t *tally) byRelevance(found []int32) []int32 {
	var ends [mostRelevant]int
	for _, n := range found {
		ends[mostRelevant-1-t.scores[n].relevance()]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	sorted := make([]int32, len(found))
	for _, n := range slices.Backward(found) {
		at := &ends[mostRelevant-1-t.scores[n].relevance()]
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
	said := int(min(s.said, newestSaid))
	switch {
	case round == said:
		return s.lastTool, s.tools > 0
	case round > said:
		return 0, false
	case round == 0:
		return s.lastSaid, true
	}
	for id, ok = t.said.Before(last); ok; id, ok = t.said.Before(id) {
		if t.place(t.session(id)) == n {
			return id, true
		}
	}
	return 0, false
}
