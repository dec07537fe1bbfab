package snapshot

import (
	"bytes"
	"context"
	"iter"
	"math/bits"
	"slices"
	"strconv"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
)

// MessageSessions tells which session each message belongs to, by its id: to look that
// up in the table costs more than to find the message. A nil *owners knows no
// message.
type MessageSessions struct {
	pages        []*SessionPage
	messageIDs   fts.Set // the messages
	PageCount    int     // sheets
	MessageCount int     // messages

	orphanCount int // of them
}

// SessionPage tells the sessions of messages that follow one another. Mostly
// some of one session stand together: these are a run.
type SessionPage struct {
	RunStarts      [MessagesPerPage / 64]uint64 // a bit for each message that begins a run
	runsBefore     [MessagesPerPage / 64]uint16 // runs that begin before 64 messages
	runSession     []uint16                     // by run: in sessions
	SessionNumbers []int32                      // their numbers
}

// MessageSessionsBuilder is owners in the making.
type MessageSessionsBuilder struct {
	MessageSessions
	pageBuilders []*sessionPageBuilder
}

// sessionPageBuilder has the numbers of sessions, by id.
type sessionPageBuilder [MessagesPerPage]int32

// What owners say besides the number of a session.
const (
	orphaned = -1 // it belongs to a session that is not there
	unmapped = -2 // it is not known: to be looked up
)

const (
	MessagesPerPage = 1 << PageBits
	// Who chose ids by hand, far apart, must not cost a page for each.
	maxIDsPerMessage = 64
)

// Add says that messages are of a session, given by its number or as homeless.
// Those with ids that no index is read for are left out.
func (d *MessageSessionsBuilder) Add(session int32, ids iter.Seq[int64]) {
	for id := range ids {
		if id < 0 || id > fts.MaxRowid {
			continue
		}
		d.MessageCount++
		if session == orphaned {
			d.orphanCount++
		}
		n := int(id / MessagesPerPage)
		if n >= len(d.pageBuilders) {
			d.pageBuilders = append(d.pageBuilders, make([]*sessionPageBuilder, n+1-len(d.pageBuilders))...)
		}
		if d.pageBuilders[n] == nil {
			if d.PageCount*MessagesPerPage > 1<<20+d.MessageCount*maxIDsPerMessage {
				continue
			}
			d.PageCount++
			d.pageBuilders[n] = new(sessionPageBuilder)
			for i := range d.pageBuilders[n] {
				d.pageBuilders[n][i] = unmapped
			}
		}
		d.pageBuilders[n][id%MessagesPerPage] = session
		d.messageIDs.Add(id)
	}
}

// Build gives the owners when all messages were added.
func (d *MessageSessionsBuilder) Build() *MessageSessions {
	o := d.MessageSessions // the draft can go
	o.pages = make([]*SessionPage, len(d.pageBuilders))
	for n, page := range d.pageBuilders {
		if page != nil {
			o.pages[n] = page.build()
		}
	}
	return &o
}

func (p *sessionPageBuilder) build() *SessionPage {
	s := &SessionPage{}
	places := map[int32]uint16{} // in s.sessions
	for i, session := range p {
		if i%64 == 0 {
			s.runsBefore[i/64] = uint16(len(s.runSession))
		}
		if i > 0 && session == p[i-1] {
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

// sessionAt gives the number of a session by the place of the message on the sheet.
func (s *SessionPage) sessionAt(i int64) int32 {
	return s.SessionNumbers[s.RunSessionIndex(i/64, s.RunStarts[i/64]&(2<<(i%64)-1))]
}

// RunSessionIndex gives where the session of a run stands, the last of those that begin
// among 64 messages, as bits.
func (s *SessionPage) RunSessionIndex(at int64, begun uint64) uint16 {
	return s.runSession[int(s.runsBefore[at])+bits.OnesCount64(begun)-1]
}

// ParseIDList reads the ids of messages that SQLite's group_concat has listed.
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

// SessionOf gives the number of the session that a message belongs to.
func (o *MessageSessions) SessionOf(id int64) int32 {
	if o == nil {
		return unmapped
	}
	if n := id / MessagesPerPage; 0 <= id && n < int64(len(o.pages)) && o.pages[n] != nil {
		return o.pages[n].sessionAt(id % MessagesPerPage)
	}
	return unmapped
}

// Page gives what is known of so many messages, the first ones with number 0;
// nil where it is nothing.
func (o *MessageSessions) Page(n int64) *SessionPage {
	if o != nil && n < int64(len(o.pages)) {
		return o.pages[n]
	}
	return nil
}

// AllIDs gives the messages that are known.
func (o *MessageSessions) AllIDs() *fts.Set {
	if o == nil {
		return nil
	}
	return &o.messageIDs
}

// ReadMessageSessions reads whose the messages are, at the moment of c, which db is at.
// Where they can not all be read, none is known.
func (s *Sessions) ReadMessageSessions(ctx context.Context, q db.Querier, c *Snapshot) error {
	if c.MessageSessions.Load() != nil {
		return nil
	}
	d := &MessageSessionsBuilder{}
	rows, err := q.QueryContext(ctx, `SELECT session_id, group_concat(id) FROM messages GROUP BY session_id`)
	if err == nil {
		err = db.ScanRecords(rows, func(r db.Record) error {
			d.Add(c.SessionNumber(db.AsText(r[0].Value)), ParseIDList([]byte(db.AsText(r[1].Value))))
			return nil
		})
	}
	if err != nil {
		if db.IsCorrupt(err) {
			return nil
		}
		return err
	}
	o := d.Build()
	c.MessageSessions.Store(o)
	s.RoleSets.dropDeleted(o)
	s.NamedRoles.dropDeleted(o)
	return nil
}

// maxRereadSessions is of how many sessions the messages are read one by one.
const maxRereadSessions = 100

// messageSessionsUpdate is owners made of older ones, and what they are checked by.
type messageSessionsUpdate struct {
	MessageSessionsBuilder
	snapshot *Snapshot
	// How much the ids of each session's messages in the table add up to more
	// than those known; the last is for messages without a session.
	idSumDiff []float64
}

// carryMessageSessions takes over what an older catalog knows of whose the messages are,
// as far as the sums of ids at the moment of c, which db is at, say that it is
// true still, and reads the rest.
func (s *Sessions) carryMessageSessions(ctx context.Context, db db.Querier, was, c *Snapshot, now []messageStats) error {
	old := was.MessageSessions.Load()
	d := &messageSessionsUpdate{
		MessageSessionsBuilder: MessageSessionsBuilder{
			MessageSessions: MessageSessions{messageIDs: *old.messageIDs.Clone(), PageCount: old.PageCount, MessageCount: old.MessageCount, orphanCount: old.orphanCount},
			pageBuilders:    make([]*sessionPageBuilder, len(old.pages)),
		},
		snapshot: c, idSumDiff: make([]float64, c.Len()+1),
	}
	for _, a := range now {
		*d.diffOf(c.SessionNumber(a.id)) += a.idSum
	}
	d.carryPages(was, old)
	if err := d.readNewer(ctx, db); err != nil {
		return err
	}
	odd := map[int32]bool{} // sessions whose sum is not what it should be
	for i, left := range d.idSumDiff {
		if left != 0 {
			odd[int32(i)] = true
		}
	}
	if len(odd) > maxRereadSessions || d.idSumDiff[c.Len()] != 0 {
		return nil // all is read
	}
	if err := d.rereadSessions(ctx, s, db, odd); err != nil {
		return err
	}
	o := d.Build()
	c.MessageSessions.Store(o)
	s.RoleSets.dropDeleted(o)
	return nil
}

// diffOf gives the place of a session's sum.
func (d *messageSessionsUpdate) diffOf(session int32) *float64 {
	if session == orphaned {
		return &d.idSumDiff[d.snapshot.Len()]
	}
	return &d.idSumDiff[session]
}

// carryPages takes over what older owners say, with the numbers that the sessions have
// now. Messages of sessions that are gone are unknown.
func (d *messageSessionsUpdate) carryPages(was *Snapshot, old *MessageSessions) {
	numbers := make([]int32, was.Len())
	for i := range numbers {
		numbers[i] = d.snapshot.SessionNumber(was.Id(i))
	}
	for n, sheet := range old.pages {
		if sheet == nil {
			continue
		}
		d.pageBuilders[n] = new(sessionPageBuilder)
		for k := range d.pageBuilders[n] {
			session, id := sheet.sessionAt(int64(k)), int64(n*MessagesPerPage+k)
			if session >= 0 {
				if session = numbers[session]; session == orphaned { // its session is gone
					session = unmapped
					d.messageIDs.Remove(id)
				}
			}
			if d.pageBuilders[n][k] = session; session != unmapped {
				*d.diffOf(session) -= float64(id)
			}
		}
	}
}

// readNewer reads the messages behind the last one known.
func (d *messageSessionsUpdate) readNewer(ctx context.Context, q db.Querier) error {
	last, _ := d.messageIDs.Before(fts.MaxRowid + 1)
	rows, err := q.QueryContext(ctx, `SELECT id, session_id FROM messages WHERE id > ?`, last)
	if err != nil {
		return err
	}
	return db.ScanRecords(rows, func(r db.Record) error {
		n := d.snapshot.SessionNumber(db.AsText(r[1].Value))
		id := db.AsInt(r[0].Value)
		*d.diffOf(n) -= float64(id)
		d.Add(n, slices.Values([]int64{id}))
		return nil
	})
}

// rereadSessions forgets the messages of some sessions and reads them one session at
// a time.
func (d *messageSessionsUpdate) rereadSessions(ctx context.Context, s *Sessions, q db.Querier, some map[int32]bool) error {
	if len(some) == 0 {
		return nil
	}
	for n, page := range d.pageBuilders {
		for k := range MessagesPerPage {
			if page != nil && some[page[k]] {
				page[k] = unmapped
				d.messageIDs.Remove(int64(n*MessagesPerPage + k))
			}
		}
	}
	for i := range some {
		ids, err := s.db.QueryValue(ctx, q, `SELECT group_concat(id) FROM messages WHERE session_id = ?`, d.snapshot.Id(int(i)))
		if err != nil {
			return err
		}
		d.Add(i, ParseIDList([]byte(db.AsText(ids))))
	}
	return nil
}

// UnmappedSessions are messages that owners do not know, having come later, with the
// numbers of their sessions.
type UnmappedSessions map[int64]int32

// SessionNumber gives the number of a session.
func (c *Snapshot) SessionNumber(id string) int32 {
	if i, ok := c.Position(id); ok {
		return int32(i)
	}
	return orphaned
}

// PageBits is where the voice stands in share.best.
const PageBits = 14
