package search

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// hitCounter counts messages that match, by the conversations they belong to.
type hitCounter struct {
	index *snapshot.ConversationIndex
	hitCounts

	ids      *fts.Set // messages
	roles    *snapshot.RoleSets
	sessions *snapshot.MessageSessions
	unmapped snapshot.UnmappedSessions
}

// hitCounts is what was counted of conversations.
type hitCounts struct {
	scores        []hitScore // by number
	nameMatches   []nameKind // by number, that match
	nonZero       []int32    // those of which something matches
	conversations []int32    // room for those that are shown
}

// hitScore is what matched of one conversation.
type hitScore struct {
	bySpeakers, byTools int32 // messages of people, and those of tools
	bestHit             int64 // the newest of the best rank: a rank and an id, 0 for none
}

// The voices, the better ones greater. What was said in words is best: mostly
// the words that were looked for are among them.
const (
	fromTool = 1 + iota
	withToolCall
	fromSpeaker

	rankBit   = 60 // where the rank stands in score.best
	maxBestID = 1<<rankBit - 1
)

// total gives how many messages match.
func (s *hitScore) total() int { return int(s.bySpeakers + s.byTools) }

// prepare finds out what the messages are that were found, and takes ids over.
// Those that stand in no transcript are left out.
func (t *hitCounter) prepare(ctx context.Context, f *executor, c *snapshot.Snapshot, ids *fts.Set) (err error) {
	h, err := f.roleSetsOf(ctx, ids)
	if err != nil {
		return err
	}
	ids.Subtract(&h.NotShown)
	t.ids, t.roles = ids, h
	t.sessions = c.MessageSessions.Load()
	t.unmapped, err = f.lookUpUnmapped(ctx, c, t.ids)
	return err
}

// lookUpUnmapped looks up whose messages are, in c, as far as it is not known.
func (f *executor) lookUpUnmapped(ctx context.Context, c *snapshot.Snapshot, ids *fts.Set) (snapshot.UnmappedSessions, error) {
	ids = fts.Difference(ids, c.MessageSessions.Load().AllIDs())
	if ids.Empty() {
		return nil, nil
	}
	of := snapshot.UnmappedSessions{}
	return of, f.eachRow(ctx, `SELECT m.id, m.session_id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JsonList(ids.All())},
		func(scan func(...any) error) error {
			var id int64
			var session any
			err := scan(&id, &session)
			of[id] = c.SessionNumber(db.AsText(session))
			return err
		})
}

// countByPagesFrom is from how many messages on they are counted by sheets.
const countByPagesFrom = 2_000

// count finds out what the messages are that were found, as attach does, and
// counts them for their conversations.
func (t *hitCounter) count(ctx context.Context, f *executor, c *snapshot.Snapshot, ids *fts.Set) error {
	if err := t.prepare(ctx, f, c, ids); err != nil {
		return err
	}
	if t.ids.Len() >= countByPagesFrom {
		t.countPages()
	} else {
		for id := range t.ids.All() {
			t.countOne(id, t.sessions.SessionOf(id))
		}
	}
	for id, session := range t.unmapped {
		t.countOne(id, session)
	}
	return nil
}

// countOne counts a message of a session.
func (t *hitCounter) countOne(id int64, session int32) {
	s := t.scoreOf(session)
	if s == nil {
		return
	}
	rank := int64(fromSpeaker)
	switch {
	case t.roles.FromTools.Has(id):
		rank = fromTool
		s.byTools++
	case t.roles.WithCalls.Has(id):
		rank = withToolCall
		s.bySpeakers++
	default:
		s.bySpeakers++
	}
	if 0 <= id && id <= maxBestID { // others were chosen by hand, and show no snippet
		s.bestHit = max(s.bestHit, rank<<rankBit|id)
	}
}

// pageCounts is the score of a session on a page.
type pageCounts struct {
	bySpeakers, byTools uint16
	best                uint16 // a rank and a place on the page
}

// countPages counts the messages that owners know. At a common word this is
// most of a search, and most of it is to wait for memory: hence a page at a
// time, whose sessions are few, 64 messages of it at a time, and of these at
// once all of one session that stand together.
func (t *hitCounter) countPages() {
	var page *snapshot.SessionPage
	var counts []pageCounts
	at := int64(-1)
	for first, word := range t.ids.Words() {
		if n := first / snapshot.MessagesPerPage; n != at {
			t.addPage(page, counts, at*snapshot.MessagesPerPage)
			at, page = n, t.sessions.Page(n)
			if page != nil {
				counts = slices.Grow(counts[:0], len(page.SessionNumbers))[:len(page.SessionNumbers)]
				clear(counts)
			}
		}
		if page != nil {
			countPage(page, counts, first%snapshot.MessagesPerPage, word, t.roles.FromTools.Word(first), t.roles.WithCalls.Word(first))
		}
	}
	t.addPage(page, counts, at*snapshot.MessagesPerPage)
}

// countPage counts 64 messages, as bits from a place on, that follow all those
// before. Whose they are nobody foresees, so it must not branch.
func countPage(s *snapshot.SessionPage, counts []pageCounts, place int64, word, tools, calls uint64) {
	for runStarts := s.RunStarts[place/64]; word != 0; {
		begun := word&-word<<1 - 1 // up to the first of them
		later := runStarts &^ begun
		run := word & (later&-later - 1) // up to the next turn
		word &^= run
		its := &counts[s.RunSessionIndex(place/64, runStarts&begun)]
		said := run &^ tools
		its.bySpeakers += uint16(bits.OnesCount64(said))
		its.byTools += uint16(bits.OnesCount64(run & tools))
		best, rank := said&^calls, fromSpeaker
		if best == 0 {
			best, rank = said, withToolCall
		}
		if best == 0 {
			best, rank = run, fromTool
		}
		its.best = max(its.best, uint16(rank<<snapshot.PageBits|int(place)+bits.Len64(best)-1))
	}
}

// addPage takes in what was counted on a page that begins with a message.
func (t *hitCounter) addPage(page *snapshot.SessionPage, counts []pageCounts, first int64) {
	if page == nil {
		return
	}
	for n, its := range counts {
		if its == (pageCounts{}) {
			continue
		}
		if s := t.scoreOf(page.SessionNumbers[n]); s != nil {
			s.bySpeakers, s.byTools = s.bySpeakers+int32(its.bySpeakers), s.byTools+int32(its.byTools)
			rank, place := int64(its.best>>snapshot.PageBits), int64(its.best&(1<<snapshot.PageBits-1))
			s.bestHit = max(s.bestHit, rank<<rankBit|(first+place))
		}
	}
}

// sessionOf gives the number of the session of a message, below zero for none.
func (t *hitCounter) sessionOf(id int64) int32 {
	if n, ok := t.unmapped[id]; ok {
		return n
	}
	return t.sessions.SessionOf(id)
}

// conversationOf gives the number of the conversation of a session, below zero for none.
func (t *hitCounter) conversationOf(session int32) int32 {
	if session >= 0 {
		return t.index.ConversationOf(session)
	}
	return session
}

// scoreOf gives that of the conversation of a session, in which a hit was found;
// nil for none.
func (t *hitCounter) scoreOf(session int32) *hitScore {
	n := t.conversationOf(session)
	if n < 0 {
		return nil
	}
	s := &t.scores[n]
	if s.total() == 0 {
		t.nonZero = append(t.nonZero, n)
	}
	return s
}

// addNameMatches takes in the conversations that match by what they are called.
func (t *hitCounter) addNameMatches(named []int32) {
	for _, n := range named {
		if t.scores[n].total() == 0 {
			t.nonZero = append(t.nonZero, n)
		}
	}
}

// scorePool keeps the scores of the last search for the next: to make them anew at
// every key keeps the collector busy.
type scorePool struct {
	mu     sync.Mutex
	scores hitCounts
}

// take gives scores for so many conversations, nothing counted yet.
func (s *scorePool) take(n int) hitCounts {
	s.mu.Lock()
	c := s.scores
	s.scores = hitCounts{}
	s.mu.Unlock()
	if len(c.scores) != n {
		return hitCounts{scores: make([]hitScore, n), nameMatches: make([]nameKind, n)}
	}
	return c
}

// release lets the next search have the scores, nothing counted.
func (t *hitCounter) release(s *scorePool) {
	c := t.hitCounts
	if len(c.nonZero)*8 < len(c.scores) {
		for _, n := range c.nonZero {
			c.scores[n] = hitScore{}
		}
	} else {
		clear(c.scores)
	}
	clear(c.nameMatches)
	c.nonZero = c.nonZero[:0]
	s.mu.Lock()
	s.scores = c
	s.mu.Unlock()
}
