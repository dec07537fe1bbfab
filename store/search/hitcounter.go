package search

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/ftsquery"
)

// hitCounter counts the messages that match per conversation. A conversation is
// known by its number in index.
type hitCounter struct {
	index *snapshot.ConversationIndex
	hitCounts

	ids      *idset.Set // the messages that match
	roles    *snapshot.RoleSets
	sessions *snapshot.MessageSessions
	unmapped unmappedSessions // the sessions of messages that are not in sessions

	phrases   *idset.Set      // the messages of ids that have the words of the query side by side
	summaries map[int32]int32 // by conversation, those of the messages that are summaries

	ignoreRoles bool // all messages count as those of the user or the agent

	outOfScope []int32 // conversations with a match that the scope of the list hides, at most maxOnlyWithAllWords+1

	firstRows *firstRows // nil where all sessions with a match are needed
	onePage   bool       // only the first conversations are wanted
	mostTexts int        // see [executor.mostTexts]
	unread    *idset.Set // messages whose roles were deferred
	executor  *executor  // reads them
}

// hitCounts is the counts of one search. The next search takes over its buffers.
type hitCounts struct {
	scores        []hitScore // by conversation
	nameMatches   []nameKind // by conversation
	nonZero       []int32    // conversations with a match
	conversations []int32    // buffer of hitCounter.shown
}

// hitScore is what matches in one conversation.
type hitScore struct {
	bySpeakers, byTools int32 // messages of the user and the agent, and of tools
	bestHit             int64 // rank<<rankBit | id of the newest message of the best rank, 0 for none
}

// The ranks of messages as the best hit of a conversation, the best one greatest. A
// message without tool calls is best: the words that match are mostly in its text.
const (
	fromTool = 1 + iota
	withToolCall
	fromSpeaker
	withPhrase = fromSpeaker // added to the rank of a message that has the query as a phrase

	rankBit   = 60
	maxBestID = 1<<rankBit - 1
)

// total returns how many messages match in the conversation.
func (s *hitScore) total() int { return int(s.bySpeakers + s.byTools) }

// prepare looks up the roles and the sessions of the messages that match, and keeps
// ids. Messages that no transcript shows are removed from it.
func (h *hitCounter) prepare(ctx context.Context, ex *executor, snap *snapshot.Snapshot, ids *idset.Set) (err error) {
	if h.firstRows.inUse() {
		h.firstRows.prepare(h, ex, snap)
		return nil
	}
	if h.ignoreRoles {
		h.roles = &snapshot.RoleSets{}
		h.sessions, h.unmapped, err = ex.sessionsOfMessages(ctx, snap, ids)
	} else if !snap.IsPart() && h.deferRoles(ex, ids) {
		h.sessions, h.unmapped, err = ex.sessionsOfMessages(ctx, snap, ids)
	} else {
		h.roles, h.sessions, h.unmapped, err = ex.rowsOf(ctx, snap, ids)
	}
	h.ids = ids
	return err
}

// countByPagesFrom is the number of messages from which counting by pages is faster
// than message by message.
const countByPagesFrom = 2_000

// count counts the messages of ids for their conversations, and keeps ids as prepare
// does.
func (h *hitCounter) count(ctx context.Context, ex *executor, snap *snapshot.Snapshot, ids *idset.Set) error {
	if err := h.prepare(ctx, ex, snap, ids); err != nil {
		return err
	}
	if h.ids.Len() >= countByPagesFrom {
		h.countPages()
	} else {
		if err := h.findPhrases(ctx, ex); err != nil {
			return err
		}
		for id := range h.ids.All() {
			h.countOne(id, h.sessions.SessionOf(id))
		}
	}
	for id, session := range h.unmapped {
		h.countOne(id, session)
	}
	return h.countSummaries(ctx, ex)
}

// maxPhraseRows is up to how many messages findPhrases looks into. It takes up to 5 ms of CPU
// with so many at a million messages.
const maxPhraseRows = 500

// findPhrases finds the messages that have the words of the query as they were typed, one
// after the other: a line of a text that the user remembers, or pastes.
func (h *hitCounter) findPhrases(ctx context.Context, ex *executor) error {
	phrase, ok := ftsquery.SideBySide(ex.query.Groups)
	if n := h.ids.Len(); !ok || h.firstRows.inUse() || ex.words.table == "" || n < 2 || n > maxPhraseRows {
		return nil
	}
	ids, ok, _ := ex.matchByIndex(ctx, &ex.words, phrase, h.ids)
	if !ok {
		return ctx.Err() // the search itself says that the index is damaged
	}
	summaries, err := ex.summaries(ctx)
	ids.Subtract(summaries)
	h.phrases = ids
	return err
}

// countOne counts one message of a session.
func (h *hitCounter) countOne(id int64, session int32) {
	s := h.scoreOf(session)
	if s == nil {
		return
	}
	rank := int64(fromSpeaker)
	switch {
	case h.roles.FromTools.Has(id):
		rank = fromTool
		s.byTools++
	case h.roles.WithCalls.Has(id):
		rank = withToolCall
		s.bySpeakers++
	default:
		s.bySpeakers++
	}
	if h.phrases.Has(id) {
		rank += withPhrase
	}
	if 0 <= id && id <= maxBestID { // Hermes gives no other ids; such a message has no snippet
		s.bestHit = max(s.bestHit, rank<<rankBit|id)
	}
}

// pageCounts is what matches of one session on a page of message ids.
type pageCounts struct {
	bySpeakers, byTools uint16
	best                uint16 // rank<<PageBits | place of the message on the page
}

// countPages counts the messages whose sessions the snapshot knows. For a common
// word that is most of a search, and most of it waits for memory. So it goes page by
// page, each of which has few sessions, 64 messages at a time, and counts a run of
// messages of one session at once: d takes 1.5 ms of CPU at 100,000 messages, 2.5
// message by message.
func (h *hitCounter) countPages() {
	var page *snapshot.SessionPage
	var counts []pageCounts
	pageNumber := int64(-1)
	for first, word := range h.ids.Words() {
		if n := first / snapshot.MessagesPerPage; n != pageNumber {
			h.addPage(page, counts, pageNumber*snapshot.MessagesPerPage)
			pageNumber, page = n, h.sessions.Page(n)
			if page != nil {
				counts = slices.Grow(counts[:0], len(page.SessionNumbers))[:len(page.SessionNumbers)]
				clear(counts)
			}
		}
		if page != nil {
			countPage(page, counts, first%snapshot.MessagesPerPage, word, h.roles.FromTools.Word(first), h.roles.WithCalls.Word(first))
		}
	}
	h.addPage(page, counts, pageNumber*snapshot.MessagesPerPage)
}

// countPage counts up to 64 messages, the bits of word, which begin at a place on the
// page; tools and calls are the bits of messages of tools and with tool calls. Calls
// for a page go in ascending order. Its branches depend on the sessions as little as
// can be: a processor cannot predict them.
func countPage(s *snapshot.SessionPage, counts []pageCounts, place int64, word, tools, calls uint64) {
	for runStarts := s.RunStarts[place/64]; word != 0; {
		upToFirst := word&-word<<1 - 1
		laterStarts := runStarts &^ upToFirst
		run := word & (laterStarts&-laterStarts - 1) // up to the next run
		word &^= run
		c := &counts[s.RunSessionIndex(place/64, runStarts&upToFirst)]
		bySpeakers := run &^ tools
		c.bySpeakers += uint16(bits.OnesCount64(bySpeakers))
		c.byTools += uint16(bits.OnesCount64(run & tools))
		best, rank := bySpeakers&^calls, fromSpeaker
		if best == 0 {
			best, rank = bySpeakers, withToolCall
		}
		if best == 0 {
			best, rank = run, fromTool
		}
		c.best = max(c.best, uint16(rank<<snapshot.PageBits|int(place)+bits.Len64(best)-1))
	}
}

// addPage adds the counts of a page to those of the conversations. first is the id of
// the first message of the page; page is nil where there is none.
func (h *hitCounter) addPage(page *snapshot.SessionPage, counts []pageCounts, first int64) {
	if page == nil {
		return
	}
	for n, c := range counts {
		if c == (pageCounts{}) {
			continue
		}
		if s := h.scoreOf(page.SessionNumbers[n]); s != nil {
			s.bySpeakers, s.byTools = s.bySpeakers+int32(c.bySpeakers), s.byTools+int32(c.byTools)
			rank, place := int64(c.best>>snapshot.PageBits), int64(c.best&(1<<snapshot.PageBits-1))
			s.bestHit = max(s.bestHit, rank<<rankBit|(first+place))
		}
	}
}

// sessionOf returns the number of the session of a message, below zero for none.
func (h *hitCounter) sessionOf(id int64) int32 {
	if n, ok := h.unmapped[id]; ok {
		return n
	}
	return h.sessions.SessionOf(id)
}

// conversationOf returns the number of the conversation of a session, below zero for none.
func (h *hitCounter) conversationOf(session int32) int32 {
	if session >= 0 {
		return h.index.ConversationOf(session)
	}
	return session
}

// scoreOf returns the score of the conversation of a session in which a message
// matches, and notes that it has a match. It is nil when the session has none.
func (h *hitCounter) scoreOf(session int32) *hitScore {
	n := h.conversationOf(session)
	if n < 0 {
		return nil
	}
	s := &h.scores[n]
	if s.total() == 0 {
		h.nonZero = append(h.nonZero, n)
	}
	return s
}

// addNameMatches adds the conversations that match by a title, an id or a source.
func (h *hitCounter) addNameMatches(named []int32) {
	for _, n := range named {
		if h.scores[n].total() == 0 {
			h.nonZero = append(h.nonZero, n)
		}
	}
}

// scorePool keeps the buffers of the last search for the next one. New buffers at
// every key would keep the garbage collector busy.
type scorePool struct {
	mu   sync.Mutex
	free []hitCounts // two at most: the search for the closest counts while the first answer's are in use
}

func (s *scorePool) take(n int) hitCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.free) > 0 {
		c := s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		if len(c.scores) == n {
			return c
		}
	}
	return hitCounts{scores: make([]hitScore, n), nameMatches: make([]nameKind, n)}
}

// release empties the counts and puts them into the pool.
func (h *hitCounter) release(s *scorePool) {
	c := h.hitCounts
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
	defer s.mu.Unlock()
	if len(s.free) < 2 {
		s.free = append(s.free, c)
	}
}
