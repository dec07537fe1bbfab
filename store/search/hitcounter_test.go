package search

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
)

// Counting page by page and message by message give the same counts: for one session
// and for many, in runs and scattered, at the ends of pages and beyond.
func TestCountingByPagesEqualsCountingByMessages(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	for n := range 60 {
		var d snapshot.MessageSessionsBuilder
		var all idset.Set
		var h snapshot.RoleSets
		sessions, longest := 1+r.IntN(200), 1+r.IntN(300)
		for id := int64(r.IntN(3 * snapshot.MessagesPerPage)); id < 4*snapshot.MessagesPerPage; id += int64(1 + r.IntN(3)*r.IntN(200)) {
			session := int32(r.IntN(sessions+1)) - 1 // -1 is no session
			from := id
			id += int64(r.IntN(longest))
			d.Add(session, rows(from, id))
			for row := range rows(from, id) {
				if r.IntN(3) > 0 {
					all.Add(row)
				}
				switch r.IntN(4) {
				case 0:
					h.FromTools.Add(row)
				case 1:
					h.WithCalls.Add(row)
				}
			}
		}
		all.Add(5 * snapshot.MessagesPerPage) // of no session
		count := func(how func(*hitCounter)) hitCounter {
			c := hitCounter{index: &snapshot.ConversationIndex{}, ids: &all, roles: &h, sessions: d.Build()}
			c.scores = make([]hitScore, sessions)
			how(&c)
			slices.Sort(c.nonZero)
			return c
		}
		byPages := count(func(c *hitCounter) { c.countPages() })
		byMessages := count(func(c *hitCounter) {
			for id := range all.All() {
				c.countOne(id, c.sessions.SessionOf(id))
			}
		})
		if !slices.Equal(byPages.scores, byMessages.scores) || !slices.Equal(byPages.nonZero, byMessages.nonZero) {
			t.Fatalf("%d: of %d messages of %d sessions\n%v\n%v", n, all.Len(), sessions, byPages.scores, byMessages.scores)
		}
	}
}

func rows(from, to int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for ; from < to && yield(from); from++ {
		}
	}
}
