package snapshot

import (
	"bytes"
	"context"
	"iter"
	"math/bits"
	"slices"
	"strconv"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
)

// MessageSessions maps the id of each message to its session: looking it up in the
// table costs more than finding the message. A nil map has no messages.
type MessageSessions struct {
	pages        []*SessionPage
	messageIDs   idset.Set // the ids of the messages
	PageCount    int       // pages with a message
	MessageCount int

	orphanCount int // messages without a session
}

// PageBits is the number of bits of the position of a message on its page.
const PageBits = 14

// MessagesPerPage is how many consecutive ids a page covers.
const MessagesPerPage = 1 << PageBits

// maxIDsPerMessage bounds the pages of a file with ids that were chosen by hand, far
// apart: with more ids than that for each message, further pages are left out.
const maxIDsPerMessage = 64

// SessionPage has the sessions of consecutive messages. A run is adjacent messages of
// one session.
type SessionPage struct {
	RunStarts      [MessagesPerPage / 64]uint64 // a bit for each message that begins a run
	runsBefore     [MessagesPerPage / 64]uint16 // runs that begin before 64 messages
	runSession     []uint16                     // by run: index into SessionNumbers
	SessionNumbers []int32                      // the sessions of the page
}

// Values of the map besides the number of a session.
const (
	orphaned = -1 // the message belongs to a session that does not exist
	unmapped = -2 // the map does not have the message: it must be looked up
)

// SessionOf returns the number of the session that a message belongs to.
func (m *MessageSessions) SessionOf(id int64) int32 {
	if m == nil {
		return unmapped
	}
	if n := id / MessagesPerPage; 0 <= id && n < int64(len(m.pages)) && m.pages[n] != nil {
		return m.pages[n].sessionAt(id % MessagesPerPage)
	}
	return unmapped
}

// Page returns the page with a number, counted from 0; nil where there is none.
func (m *MessageSessions) Page(n int64) *SessionPage {
	if m != nil && n < int64(len(m.pages)) {
		return m.pages[n]
	}
	return nil
}

// AllIDs returns the messages in the map.
func (m *MessageSessions) AllIDs() *idset.Set {
	if m == nil {
		return nil
	}
	return &m.messageIDs
}

// sessionAt returns the number of the session of the message at a position on the page.
func (s *SessionPage) sessionAt(i int64) int32 {
	return s.SessionNumbers[s.RunSessionIndex(i/64, s.RunStarts[i/64]&(2<<(i%64)-1))]
}

// RunSessionIndex returns the index in SessionNumbers of a run: the last of those that
// begin at the bits begun among the 64 messages with the index at.
func (s *SessionPage) RunSessionIndex(at int64, begun uint64) uint16 {
	return s.runSession[int(s.runsBefore[at])+bits.OnesCount64(begun)-1]
}

// MessageSessionsBuilder makes a [MessageSessions].
type MessageSessionsBuilder struct {
	MessageSessions
	pageBuilders []*sessionPageBuilder
	early        []MessageSession // came before the messages that make a page of their ids worth its memory
}

// MessageSession is a message and its session, by a number or a place in a list.
type MessageSession struct {
	Message int64
	Session int32
}

// sessionPageBuilder has the numbers of sessions, by position of the message.
type sessionPageBuilder [MessagesPerPage]int32

// Add adds messages of a session, given by its number or as orphaned. Ids below 0 and
// above [idset.MaxRowid] are left out.
func (b *MessageSessionsBuilder) Add(session int32, ids iter.Seq[int64]) {
	for id := range ids {
		b.addOne(session, id)
	}
}

func (b *MessageSessionsBuilder) addOne(session int32, id int64) {
	if id < 0 || id > idset.MaxRowid {
		return
	}
	b.MessageCount++
	if session == orphaned {
		b.orphanCount++
	}
	if !b.place(session, id) {
		b.early = append(b.early, MessageSession{id, session})
	}
}

// place adds a message to the page of its id. It reports false where the messages so far
// allow no further page.
func (b *MessageSessionsBuilder) place(session int32, id int64) bool {
	n := int(id / MessagesPerPage)
	if n >= len(b.pageBuilders) {
		b.pageBuilders = append(b.pageBuilders, make([]*sessionPageBuilder, n+1-len(b.pageBuilders))...)
	}
	if b.pageBuilders[n] == nil {
		if b.PageCount*MessagesPerPage > 1<<20+b.MessageCount*maxIDsPerMessage {
			return false
		}
		b.PageCount++
		b.pageBuilders[n] = new(sessionPageBuilder)
		for i := range b.pageBuilders[n] {
			b.pageBuilders[n][i] = unmapped
		}
	}
	b.pageBuilders[n][id%MessagesPerPage] = session
	b.messageIDs.Add(id)
	return true
}

// placeEarly adds the messages that came too early for a page of their ids.
func (b *MessageSessionsBuilder) placeEarly() {
	for _, m := range b.early {
		b.place(m.Session, m.Message)
	}
	b.early = nil
}

// Build returns the map when all messages were added.
func (b *MessageSessionsBuilder) Build() *MessageSessions {
	b.placeEarly()
	m := b.MessageSessions // a copy: the builder can be collected
	m.pages = make([]*SessionPage, len(b.pageBuilders))
	for n, page := range b.pageBuilders {
		if page != nil {
			m.pages[n] = page.build()
		}
	}
	return &m
}

// buildFor returns the map for a snapshot, when all messages were added by the index of
// their stats.
func (b *MessageSessionsBuilder) buildFor(snap *Snapshot, stats []messageStats) *MessageSessions {
	b.placeEarly() // before the places of stats become numbers of sessions
	numbers := make([]int32, len(stats))
	for i, s := range stats {
		if numbers[i] = snap.SessionNumber(s.id); numbers[i] == orphaned {
			b.orphanCount += s.count
		}
	}
	for _, page := range b.pageBuilders {
		if page == nil {
			continue
		}
		for i, n := range page {
			if n >= 0 {
				page[i] = numbers[n]
			}
		}
	}
	return b.Build()
}

func (b *sessionPageBuilder) build() *SessionPage {
	s := &SessionPage{}
	places := map[int32]uint16{} // session → index into s.SessionNumbers
	for i, session := range b {
		if i%64 == 0 {
			s.runsBefore[i/64] = uint16(len(s.runSession))
		}
		if i > 0 && session == b[i-1] {
			continue
		}
		place, ok := places[session]
		if !ok {
			place = uint16(len(s.SessionNumbers))
			places[session] = place
			s.SessionNumbers = append(s.SessionNumbers, session)
		}
		s.RunStarts[i/64] |= 1 << (i % 64)
		s.runSession = append(s.runSession, place)
	}
	s.runSession, s.SessionNumbers = slices.Clip(s.runSession), slices.Clip(s.SessionNumbers)
	return s
}

// ReadMessageSessions reads the message → session map of a snapshot in its read
// transaction. Where a page is damaged, the snapshot gets no map.
func (s *Sessions) ReadMessageSessions(ctx context.Context, q db.Querier, snap *Snapshot) error {
	if snap.MessageSessions.Load() != nil {
		return nil
	}
	s.ReadsMessageSessions.Store(true)
	byStats := &MessageSessionsBuilder{}
	if stats, err := messageStatsByPages(ctx, q, s.db.Schema, byStats.addOne); err == nil {
		m := byStats.buildFor(snap, stats)
		snap.MessageSessions.Store(m)
		s.RoleSets.dropDeleted(m)
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b := &MessageSessionsBuilder{}
	err := db.EachRow(ctx, q, `SELECT session_id, group_concat(id) FROM messages GROUP BY session_id`, nil, func(r db.Row) {
		b.Add(snap.SessionNumber(r.Text(0)), ParseIDList([]byte(r.Text(1))))
	})
	if err != nil {
		if db.IsCorrupt(err) {
			return nil
		}
		return err
	}
	o := b.Build()
	snap.MessageSessions.Store(o)
	s.RoleSets.dropDeleted(o)
	return nil
}

// ReadSessionIDs looks up the ids of the sessions of some messages.
func (s *Sessions) ReadSessionIDs(ctx context.Context, q db.Querier, messages *idset.Set, each func(message int64, session string)) error {
	if messages.Empty() {
		return nil
	}
	return db.EachRow(ctx, q, `SELECT m.id, m.session_id FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(messages.All())}, func(r db.Row) {
		each(r.Int(0), r.Text(1))
	})
}

// ParseIDList parses the ids of a list made by SQLite's group_concat.
func ParseIDList(b []byte) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for rest := b; len(rest) > 0; {
			var digits []byte
			digits, rest, _ = bytes.Cut(rest, []byte{','})
			if id, err := strconv.ParseInt(string(digits), 10, 64); err == nil && !yield(id) {
				return
			}
		}
	}
}
