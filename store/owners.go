package store

import (
	"bytes"
	"context"
	"iter"
	"math/bits"
	"slices"
	"strconv"

	"hermes-sessions/store/ftsindex"
)

// owners tells which session each message belongs to, by its id: to look that
// up in the table costs more than to find the message. A nil *owners knows no
// message.
type owners struct {
	sheets []*ownerSheet
	known  ftsindex.Set // the messages
	made   int          // sheets
	added  int          // messages

	homeless int // of them
}

// ownerSheet tells the sessions of messages that follow one another. Mostly
// some of one session stand together: these are a run.
type ownerSheet struct {
	turns    [ownerPage / 64]uint64 // a bit for each message that begins a run
	before   [ownerPage / 64]uint16 // runs that begin before 64 messages
	of       []uint16               // by run: in sessions
	sessions []int32                // their numbers
}

// ownerDraft is owners in the making.
type ownerDraft struct {
	owners
	pages []*ownerDraftPage
}

// ownerDraftPage has the numbers of sessions, by id.
type ownerDraftPage [ownerPage]int32

// What owners say besides the number of a session.
const (
	homeless = -1 // it belongs to a session that is not there
	unknown  = -2 // it is not known: to be looked up
)

const (
	ownerPage = 1 << placeBits
	// Who chose ids by hand, far apart, must not cost a page for each.
	ownerRoom = 64
)

// add says that messages are of a session, given by its number or as homeless.
// Those with ids that no index is read for are left out.
func (d *ownerDraft) add(session int32, ids iter.Seq[int64]) {
	for id := range ids {
		if id < 0 || id > ftsindex.MaxRow {
			continue
		}
		d.added++
		if session == homeless {
			d.homeless++
		}
		n := int(id / ownerPage)
		if n >= len(d.pages) {
			d.pages = append(d.pages, make([]*ownerDraftPage, n+1-len(d.pages))...)
		}
		if d.pages[n] == nil {
			if d.made*ownerPage > 1<<20+d.added*ownerRoom {
				continue
			}
			d.made++
			d.pages[n] = new(ownerDraftPage)
			for i := range d.pages[n] {
				d.pages[n][i] = unknown
			}
		}
		d.pages[n][id%ownerPage] = session
		d.known.Add(id)
	}
}

// settle gives the owners when all messages were added.
func (d *ownerDraft) settle() *owners {
	o := d.owners // the draft can go
	o.sheets = make([]*ownerSheet, len(d.pages))
	for n, page := range d.pages {
		if page != nil {
			o.sheets[n] = page.settle()
		}
	}
	return &o
}

func (p *ownerDraftPage) settle() *ownerSheet {
	s := &ownerSheet{}
	places := map[int32]uint16{} // in s.sessions
	for i, session := range p {
		if i%64 == 0 {
			s.before[i/64] = uint16(len(s.of))
		}
		if i > 0 && session == p[i-1] {
			continue
		}
		place, ok := places[session]
		if !ok {
			place = uint16(len(s.sessions))
			places[session] = place
			s.sessions = append(s.sessions, session)
		}
		s.turns[i/64] |= 1 << (i % 64)
		s.of = append(s.of, place)
	}
	s.of, s.sessions = slices.Clip(s.of), slices.Clip(s.sessions)
	return s
}

// at gives the number of a session by the place of the message on the sheet.
func (s *ownerSheet) at(i int64) int32 {
	return s.sessions[s.run(i/64, s.turns[i/64]&(2<<(i%64)-1))]
}

// run gives where the session of a run stands, the last of those that begin
// among 64 messages, as bits.
func (s *ownerSheet) run(at int64, begun uint64) uint16 {
	return s.of[int(s.before[at])+bits.OnesCount64(begun)-1]
}

// idsIn reads the ids of messages that SQLite's group_concat has listed.
func idsIn(b []byte) iter.Seq[int64] {
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

// of gives the number of the session that a message belongs to.
func (o *owners) of(id int64) int32 {
	if o == nil {
		return unknown
	}
	if n := id / ownerPage; 0 <= id && n < int64(len(o.sheets)) && o.sheets[n] != nil {
		return o.sheets[n].at(id % ownerPage)
	}
	return unknown
}

// sheet gives what is known of so many messages, the first ones with number 0;
// nil where it is nothing.
func (o *owners) sheet(n int64) *ownerSheet {
	if o != nil && n < int64(len(o.sheets)) {
		return o.sheets[n]
	}
	return nil
}

// all gives the messages that are known.
func (o *owners) all() *ftsindex.Set {
	if o == nil {
		return nil
	}
	return &o.known
}

// findOwners reads whose the messages are, at the moment of c, which db is at.
// Where they can not all be read, none is known.
func (s *Store) findOwners(ctx context.Context, db queryer, c *catalog) error {
	if c.owners.Load() != nil {
		return nil
	}
	d := &ownerDraft{}
	rows, err := db.QueryContext(ctx, `SELECT session_id, group_concat(id) FROM messages GROUP BY session_id`)
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			d.add(c.number(text(r[0].Value)), idsIn([]byte(text(r[1].Value))))
			return nil
		})
	}
	if err != nil {
		if corrupt(err) {
			return nil
		}
		return err
	}
	o := d.settle()
	c.owners.Store(o)
	s.speakers.forget(o)
	s.casting.forget(o)
	return nil
}

// oddOnes is of how many sessions the messages are read one by one.
const oddOnes = 100

// ownerCarry is owners made of older ones, and what they are checked by.
type ownerCarry struct {
	ownerDraft
	c *catalog
	// How much the ids of each session's messages in the table add up to more
	// than those known; the last is for messages without a session.
	missing []float64
}

// carryOwners takes over what an older catalog knows of whose the messages are,
// as far as the sums of ids at the moment of c, which db is at, say that it is
// true still, and reads the rest.
func (s *Store) carryOwners(ctx context.Context, db queryer, was, c *catalog, now []activity) error {
	old := was.owners.Load()
	d := &ownerCarry{
		ownerDraft: ownerDraft{
			owners: owners{known: *old.known.Clone(), made: old.made, added: old.added, homeless: old.homeless},
			pages:  make([]*ownerDraftPage, len(old.sheets)),
		},
		c: c, missing: make([]float64, c.Len()+1),
	}
	for _, a := range now {
		*d.sum(c.number(a.id)) += a.ids
	}
	d.take(was, old)
	if err := d.readLater(ctx, db); err != nil {
		return err
	}
	odd := map[int32]bool{} // sessions whose sum is not what it should be
	for i, left := range d.missing {
		if left != 0 {
			odd[int32(i)] = true
		}
	}
	if len(odd) > oddOnes || d.missing[c.Len()] != 0 {
		return nil // all is read
	}
	if err := d.readAgain(ctx, s, db, odd); err != nil {
		return err
	}
	o := d.settle()
	c.owners.Store(o)
	s.speakers.forget(o)
	return nil
}

// sum gives the place of a session's sum.
func (d *ownerCarry) sum(session int32) *float64 {
	if session == homeless {
		return &d.missing[d.c.Len()]
	}
	return &d.missing[session]
}

// take takes over what older owners say, with the numbers that the sessions have
// now. Messages of sessions that are gone are unknown.
func (d *ownerCarry) take(was *catalog, old *owners) {
	numbers := make([]int32, was.Len())
	for i := range numbers {
		numbers[i] = d.c.number(was.id(i))
	}
	for n, sheet := range old.sheets {
		if sheet == nil {
			continue
		}
		d.pages[n] = new(ownerDraftPage)
		for k := range d.pages[n] {
			session, id := sheet.at(int64(k)), int64(n*ownerPage+k)
			if session >= 0 {
				if session = numbers[session]; session == homeless { // its session is gone
					session = unknown
					d.known.Remove(id)
				}
			}
			if d.pages[n][k] = session; session != unknown {
				*d.sum(session) -= float64(id)
			}
		}
	}
}

// readLater reads the messages behind the last one known.
func (d *ownerCarry) readLater(ctx context.Context, db queryer) error {
	last, _ := d.known.Before(ftsindex.MaxRow + 1)
	rows, err := db.QueryContext(ctx, `SELECT id, session_id FROM messages WHERE id > ?`, last)
	if err != nil {
		return err
	}
	return eachRecord(rows, func(r Record) error {
		n := d.c.number(text(r[1].Value))
		id := number(r[0].Value)
		*d.sum(n) -= float64(id)
		d.add(n, slices.Values([]int64{id}))
		return nil
	})
}

// readAgain forgets the messages of some sessions and reads them one session at
// a time.
func (d *ownerCarry) readAgain(ctx context.Context, s *Store, db queryer, some map[int32]bool) error {
	if len(some) == 0 {
		return nil
	}
	for n, page := range d.pages {
		for k := range ownerPage {
			if page != nil && some[page[k]] {
				page[k] = unknown
				d.known.Remove(int64(n*ownerPage + k))
			}
		}
	}
	for i := range some {
		ids, err := s.one(ctx, db, `SELECT group_concat(id) FROM messages WHERE session_id = ?`, d.c.id(int(i)))
		if err != nil {
			return err
		}
		d.add(i, idsIn([]byte(text(ids))))
	}
	return nil
}

// strangers are messages that owners do not know, having come later, with the
// numbers of their sessions.
type strangers map[int64]int32

// strange looks up whose messages are, in c, as far as it is not known.
func (f *finder) strange(ctx context.Context, c *catalog, ids *ftsindex.Set) (strangers, error) {
	ids = ftsindex.Without(ids, c.owners.Load().all())
	if ids.Empty() {
		return nil, nil
	}
	of := strangers{}
	return of, f.each(ctx, `SELECT m.id, m.session_id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{list(ids.All())},
		func(scan func(...any) error) error {
			var id int64
			var session any
			err := scan(&id, &session)
			of[id] = c.number(text(session))
			return err
		})
}

// number gives the number of a session.
func (c *catalog) number(id string) int32 {
	if i, ok := c.find(id); ok {
		return int32(i)
	}
	return homeless
}
